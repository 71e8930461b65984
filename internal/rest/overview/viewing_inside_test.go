package overview

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/orthd/orth/internal/rest/guard"
)

// The two parts of a stream end together, whichever of them ends, and however.
func TestTogether(t *testing.T) {
	t.Parallel()
	over := errors.New("over")
	until := func(v *viewing) error {
		<-v.ctx.Done()
		return context.Cause(v.ctx)
	}
	for name, c := range map[string]struct {
		first, second func(*viewing) error
		want          string // of the error, or of the panic
	}{
		"first":         {func(*viewing) error { return over }, until, "over"},
		"second":        {until, func(*viewing) error { return over }, "over"},
		"first panics":  {func(*viewing) error { panic("no") }, until, "no"},
		"second panics": {until, func(*viewing) error { panic("no") }, "panic: no"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g, err := guard.New(guard.Config{Logger: slog.New(slog.DiscardHandler)})
				if err != nil {
					t.Fatal(err)
				}
				v := &viewing{ctx: t.Context(), server: &overviewRoom{Guard: g}}
				got := ""
				defer func() {
					if p, is := recover().(string); is {
						got = p
					}
					if got != c.want {
						t.Errorf("it ends with %q, not %q", got, c.want)
					}
				}()
				got = v.together(c.first, c.second).Error()
			})
		})
	}
}
