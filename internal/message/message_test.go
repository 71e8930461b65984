package message

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNew(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		format string
		args   []any
		want   Message
	}{
		{"it is left out", nil, Message{"code", nil, "it is left out"}},
		{"it is left out: %v", []any{errors.New("50% of it")}, Message{"code", []string{"50% of it"}, "it is left out: 50% of it"}},
		{"%s%.3s, %.4q, %d", []any{"a", "bcdef", "ghijkl", 7}, Message{"code", []string{"a", "bcd", `"ghij"`, "7"}, `abcd, "ghij", 7`}},
	} {
		if diff := cmp.Diff(c.want, New("code", c.format, c.args...)); diff != "" {
			t.Errorf("%s: %s", c.format, diff)
		}
	}
}
