package ownership

import (
	"testing"
	"time"

	"github.com/orthd/orth/solana/thread"
)

func key(n byte) thread.Key { return thread.Key{n, 1} }

func TestDecide(t *testing.T) {
	t.Parallel()
	me, other, nobody := key(1), key(2), thread.Key{}
	for name, c := range map[string]struct {
		rules Rules
		view  View
		want  Decision
	}{
		"mine":                            {Rules{}, View{Me: me, Last: me}, Decision{Now: true}},
		"another's, in time":              {Rules{}, View{Me: me, Last: other}, Decision{After: 10 * time.Second}},
		"another's, a little late":        {Rules{}, View{Me: me, Last: other, Overdue: 9 * time.Second}, Decision{After: time.Second}},
		"another's, not due yet":          {Rules{}, View{Me: me, Last: other, Overdue: -time.Minute}, Decision{After: 10 * time.Second}},
		"another's, too late":             {Rules{}, View{Me: me, Last: other, Overdue: 10 * time.Second}, Decision{Now: true}},
		"another's, second in turn":       {Rules{}, View{Me: me, Last: other, Overdue: 10 * time.Second, Rank: 1}, Decision{After: 2 * time.Second}},
		"another's, I am at capacity":     {Rules{}, View{Me: me, Last: other, Overdue: 10 * time.Second, AtCapacity: true}, Decision{After: 5 * time.Second}},
		"another's, held":                 {Rules{}, View{Me: me, Last: other, Held: true}, Decision{Now: true}},
		"another's for ever":              {Rules{TakeoverDelay: -1}, View{Me: me, Last: other, Overdue: time.Hour}, Decision{}},
		"another's, another delay":        {Rules{TakeoverDelay: time.Minute}, View{Me: me, Last: other, Overdue: 10 * time.Second}, Decision{After: 50 * time.Second}},
		"nobody's":                        {Rules{}, View{Me: me, Last: nobody}, Decision{Now: true}},
		"nobody's where none takes over":  {Rules{TakeoverDelay: -1}, View{Me: me, Last: nobody}, Decision{Now: true}},
		"nobody's, second in turn":        {Rules{}, View{Me: me, Last: nobody, Rank: 1}, Decision{After: 2 * time.Second}},
		"nobody's, claims wait":           {Rules{ClaimDelay: 3 * time.Second}, View{Me: me, Last: nobody, Overdue: time.Second}, Decision{After: 2 * time.Second}},
		"nobody's, and I do not know me":  {Rules{ClaimDelay: 3 * time.Second}, View{}, Decision{After: 3 * time.Second}},
		"nobody's, claims wait at my own": {Rules{ClaimDelay: 2 * time.Second}, View{Me: me, AtCapacity: true}, Decision{After: 3 * time.Second}},
	} {
		if got := c.rules.Decide(c.view); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// Everybody orders executors alike, each goes first with about as many threads as the others, and the last bytes count too.
func TestWeight(t *testing.T) {
	t.Parallel()
	firsts := make(map[int]int)
	const threads, executors = 3000, 3
	for i := range threads {
		var of thread.Key
		of[0], of[1] = byte(i), byte(i>>8)
		best := 0
		for e := 1; e < executors; e++ {
			var a, b thread.Key
			a[31], b[31] = byte(best), byte(e)
			if weight(of, b) > weight(of, a) {
				best = e
			}
		}
		firsts[best]++
	}
	for e := range executors {
		if n := firsts[e]; n < threads/executors*8/10 || n > threads/executors*12/10 {
			t.Errorf("executor %d goes first with %d of %d threads", e, n, threads)
		}
	}
}
