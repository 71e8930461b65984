package control

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/orthd/orth/job"
)

// Limits of what is shown of a body unless all of it is asked for.
const (
	maxText   = 200 // characters of a text
	maxName   = 64  // characters of a field's name
	maxValues = 64  // values, those inside of others too
	maxDigits = 40  // bytes of a number
)

// about returns what a body says, cut to the limits.
func about(describe func(queue string, body []byte) (any, error), queue string, body []byte) (json.RawMessage, error) {
	text := body
	if describe != nil {
		said, err := describe(queue, body)
		if err != nil {
			return nil, err
		}
		if text, err = json.Marshal(said); err != nil {
			return nil, err
		}
	}
	value, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	left := maxValues
	return encode(brief(value, &left))
}

// parse reads one JSON value, with numbers as they are written.
func parse(text []byte) (value any, err error) {
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	if err := in.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := in.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something stands behind its end")
	}
	return value, nil
}

// brief cuts long texts and drops what is beyond the number of values left.
// Each level of nesting costs one of them, which bounds the depth.
func brief(value any, left *int) any {
	*left--
	switch v := value.(type) {
	case string:
		return job.Clean(v, maxText)
	case json.Number:
		if len(v) > maxDigits {
			return job.Clean(v.String(), maxDigits)
		}
	case []any:
		short := []any{}
		for _, inner := range v {
			if *left <= 0 {
				return append(short, job.CutMark)
			}
			short = append(short, brief(inner, left))
		}
		return short
	case map[string]any:
		short := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if *left <= 0 {
				short[job.CutMark] = true
				return short
			}
			short[job.Clean(name, maxName)] = brief(v[name], left)
		}
		return short
	}
	return value
}

// whole returns a body as JSON: as it is, or else as a text.
func whole(body []byte) (json.RawMessage, error) {
	if json.Valid(body) {
		return body, nil
	}
	return encode(job.Clean(string(body), len(body)))
}
