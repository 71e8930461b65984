package nap

import (
	"testing"
	"time"
)

// TestAlarm: an alarm rings at its instant and not before, whoever sets it while somebody waits,
// and at once when the instant has passed.
func TestAlarm(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]Alarm{"of the system": NewAlarm(), "plain": Plain()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer a.Close()
			rung := func(at time.Time, before time.Duration) {
				t.Helper()
				for a.Wait(); time.Now().Before(at); a.Wait() { // now and then for no reason
				}
				if late := time.Since(at); late > before {
					t.Errorf("rung %s after its time", late)
				}
			}
			for _, in := range []time.Duration{3 * time.Millisecond, 0, -time.Hour, 100 * time.Microsecond} {
				at := time.Now().Add(in)
				a.Set(at)
				rung(at, max(-in, 0)+time.Minute)
			}
			a.Set(time.Now().Add(time.Hour))
			at := time.Now().Add(5 * time.Millisecond)
			time.AfterFunc(time.Millisecond, func() { a.Set(at) })
			rung(at, time.Minute)
			a.Set(time.Now().Add(time.Hour))
			time.AfterFunc(time.Millisecond, func() { a.Set(time.Time{}) })
			a.Wait()
		})
	}
}
