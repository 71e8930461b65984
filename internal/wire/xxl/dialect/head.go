package dialect

import (
	"errors"
	"strings"

	"github.com/orthd/orth/internal/wire/post"
)

// HeaderOf returns the header lines that every request has in a dialect, or an error
// when no request can carry them. Some peers insist on the token's header, even
// empty. The group's is left out when there is no group.
func HeaderOf(s *Speech, group, token string) (string, error) {
	if strings.ContainsFunc(group+token, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return "", errors.New("the token has a control character in it, such as a line feed, which no request can carry")
	}
	lines := post.Fields(nil).Add("Content-Type", "application/json;charset=UTF-8")
	for _, name := range s.TokenHeaders {
		lines = lines.Add(name, token)
	}
	if s.GroupHeader != "" && group != "" {
		lines = lines.Add(s.GroupHeader, group)
	}
	return string(lines), nil
}
