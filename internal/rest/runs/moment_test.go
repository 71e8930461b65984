package runs

import (
	"errors"
	"testing"
	"time"

	"github.com/orthd/orth/job"
)

// A moment is an instant, or a time on a clock, or Invalid with its field.
func FuzzParseMoment(f *testing.F) {
	for _, text := range []string{"", "2030-01-31T02:00:00Z", "2030-01-31T02:00:00.5+01:00", "2030-01-31 02:00", "2030-02-30 02:00", "soon"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := parseMoment("at", text)
		switch {
		case err != nil:
			if wrong, ok := errors.AsType[*job.Error](err); !ok || wrong.Kind != job.Invalid || wrong.Field != "at" || !m.IsZero() {
				t.Errorf("%q: %+v with %+v", text, wrong, m)
			}
		case !m.At.IsZero() && !m.Wall.IsZero(), m.IsZero() != (text == ""):
			t.Errorf("%q is %+v", text, m)
		case m.At.Location() != time.UTC || m.Wall.Location() != time.UTC:
			t.Errorf("%q is not in UTC: %+v", text, m)
		}
	})
}
