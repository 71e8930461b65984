package overview

import (
	"bytes"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
)

// A summary is written down once for all who are sent it; another one never stands in
// for it.
func TestFrames(t *testing.T) {
	t.Parallel()
	var f frames
	base := queries.Summary{At: time.Date(2030, 1, 31, 8, 0, 0, 0, time.UTC), Counts: queries.Counts{Running: 1}, Today: job.Stats{Succeeded: 3, Failed: 1}}
	other := base
	other.Alarms = 1
	var asking sync.WaitGroup
	for range 100 {
		for _, s := range []queries.Summary{base, other} {
			asking.Go(func() {
				got, err := f.of(&s)
				data, _ := json.Marshal(summary(&s))
				if want := "event: summary\ndata: " + string(data) + "\n\n"; err != nil || string(got) != want {
					t.Errorf("got %s, %v, want %s", got, err, want)
				}
			})
		}
	}
	asking.Wait()
	if f.made != 2 {
		t.Errorf("two summaries were written down %d times", f.made)
	}
}

func TestFramesAreFew(t *testing.T) {
	t.Parallel()
	var f frames
	for i := range 10 * maxFrames {
		s := queries.Summary{Counts: queries.Counts{Running: i}}
		first, err := f.of(&s)
		again, _ := f.of(&s)
		if err != nil || !bytes.Equal(first, again) || len(f.text) > maxFrames {
			t.Fatalf("%d are kept, %v", len(f.text), err)
		}
	}
	if f.made != 10*maxFrames {
		t.Errorf("%d were written down", f.made)
	}
}
