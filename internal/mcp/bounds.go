package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// maxResult bounds what one result says, in bytes, and maxTries how often a page is
// asked for in a smaller size.
const (
	maxResult = 64 << 10
	maxTries  = 3
)

const argLimit = "limit"

// readPages asks the server, and again for a smaller page when the first was too large: so
// what next says stays true.
func (s *Server) readPages(ctx context.Context, op operation, a arguments) ([]string, error) {
	wanted, err := a.newCall(op, s.config.Namespace)
	if err != nil {
		return nil, err
	}
	limit := 0
	for try := 0; ; try++ {
		said, err := s.link.doCall(ctx, wanted)
		if err != nil {
			return nil, err
		}
		fits := len(said.text) <= maxResult
		if !fits && try < maxTries && op.hasParam(inQuery, argLimit) {
			if smaller := fewer(said.text); smaller > 0 {
				limit = smaller
				wanted.query.Set(argLimit, strconv.Itoa(limit))
				continue
			}
		}
		texts := bounded(said.text)
		if fits && limit > 0 {
			texts = append(texts, fmt.Sprintf(
				"The answer would have had more than %d KiB: the limit was lowered to %d. Go on with what next says.", maxResult>>10, limit))
		}
		return texts, nil
	}
}

// fewer returns how many members of the longest list of an answer fit, 0 when a
// smaller number does not help.
func fewer(text []byte) int {
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil {
		return 0
	}
	longest := 0
	for _, member := range members {
		var list []json.RawMessage
		if json.Unmarshal(member, &list) == nil {
			longest = max(longest, len(list))
		}
	}
	if longest < 2 {
		return 0
	}
	return max(1, min(longest-1, longest*maxResult/len(text)*9/10))
}

// bounded returns an answer, and where the rest is when it is cut.
func bounded(text []byte) []string {
	if len(text) <= maxResult {
		return []string{string(text)}
	}
	return []string{cutText(text, maxResult), fmt.Sprintf(
		"This is cut: the first %d KiB of %d. Ask for something narrower; 'orth' with -o json has all of it.", maxResult>>10, len(text)>>10)}
}

// shorter returns an answer that stands within another: as it is, or the beginning of
// its text. It returns nil for none.
func shorter(text []byte, limit int) json.RawMessage {
	switch {
	case len(text) == 0:
		return nil
	case len(text) <= limit && json.Valid(text):
		return bytes.Clone(text)
	}
	quoted, err := json.Marshal(cutText(text, limit) + " … (cut)")
	if err != nil {
		return nil
	}
	return quoted
}

// cutText returns the beginning of a text, with whole characters.
func cutText(text []byte, limit int) string {
	if len(text) <= limit {
		return string(text)
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return string(text[:limit])
}
