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

func TestCount(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n     int
		thing string
		want  string
	}{
		{0, "run", "0 runs are"},
		{1, "run", "1 run is"},
		{2, "run", "2 runs are"},
		{1, "retry", "1 retry is"},
		{3, "retry", "3 retries are"},
		{3, "day", "3 days are"},
		{2, "process", "2 processes are"},
		{2, "address", "2 addresses are"},
		{5, "search", "5 searches are"},
	} {
		if got := Count(c.n, c.thing) + " " + Verb(c.n, "is", "are"); got != c.want {
			t.Errorf("%d of %s: %q, want %q", c.n, c.thing, got, c.want)
		}
	}
}
