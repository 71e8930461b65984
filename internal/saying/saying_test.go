package saying

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		format string
		args   []any
		want   Said
	}{
		{"it is left out", nil, Said{"code", nil, "it is left out"}},
		{"it is left out: %v", []any{errors.New("50% of it")}, Said{"code", []string{"50% of it"}, "it is left out: 50% of it"}},
		{"%s%.3s, %.4q, %d", []any{"a", "bcdef", "ghijkl", 7}, Said{"code", []string{"a", "bcd", `"ghij"`, "7"}, `abcd, "ghij", 7`}},
	} {
		if diff := cmp.Diff(c.want, Say("code", c.format, c.args...)); diff != "" {
			t.Errorf("%s: %s", c.format, diff)
		}
	}
}
