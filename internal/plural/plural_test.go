package plural

import "testing"

func TestCount(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n    int
		noun string
		want string
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
		if got := Count(c.n, c.noun) + " " + Verb(c.n, "is", "are"); got != c.want {
			t.Errorf("%d of %s: %q, want %q", c.n, c.noun, got, c.want)
		}
	}
}
