package native

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestFollowedAmongShort: attempts that are over within the time that they are held back cause no
// request, and hold those up that go on by one pause between requests at most.
func TestFollowedAmongShort(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, d := newShelf(), newDesk("d")
		f, stop := followingOf(t, s, served(d.handler()), "http://d")
		defer stop()
		const long = 1013
		for attempt := int64(1001); attempt <= 1040; attempt++ {
			if err := f.Follow(d.task(attempt)); err != nil {
				t.Fatal(err)
			}
			s.write(attempt, "first")
			time.Sleep(10 * time.Millisecond)
			if attempt != long {
				f.Ended(attempt, true)
			}
			if at := time.Duration(attempt-long) * 10 * time.Millisecond; at > holdFor+bringEvery+gatherFor && d.text(long) == "" {
				t.Fatalf("no line of an attempt that goes on after %s", at)
			}
		}
		synctest.Wait()
		for attempt := int64(1001); attempt <= 1040; attempt++ {
			if got := d.text(attempt); attempt != long && got != "" {
				t.Errorf("attempt %d was brought: %q", attempt, got)
			}
		}
		f.Ended(long, true)
		time.Sleep(bringEvery + 2*gatherFor)
		if _, over := d.over(long); !over {
			t.Error("the end of the attempt that went on did not come")
		}
	})
}
