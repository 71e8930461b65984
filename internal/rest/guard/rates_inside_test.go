package guard

import (
	"testing"
	"time"

	"github.com/orthd/orth/access"
)

// However many names are made up, those whose requests are counted stay few, and who
// owes much is not forgotten for those who owe nothing.
func TestMeterIsBounded(t *testing.T) {
	t.Parallel()
	m, now := newMeter(Rates{Writing: 1}), time.Now()
	for i := range int64(2*maxPayers + 10) {
		m.take(payer{class: Reading, user: i + 1}, now.Add(time.Duration(i)*time.Second))
		if len(m.owed) > maxPayers {
			t.Fatalf("%d payers after %d requests", len(m.owed), i+1)
		}
	}
	if wait := m.take(payer{class: Writing, kind: access.Person}, now); wait != 0 {
		t.Errorf("the first request of one more waits %s", wait)
	}
}

// A request that is refused costs nothing.
func TestMeterRefusesForFree(t *testing.T) {
	t.Parallel()
	m, now, p := newMeter(Rates{Writing: 1}), time.Now(), payer{class: Writing}
	for range 2 {
		if wait := m.take(p, now); wait != 0 {
			t.Fatalf("waits %s", wait)
		}
	}
	for range 1000 {
		if wait := m.take(p, now); wait != time.Second {
			t.Fatalf("waits %s, want a second", wait)
		}
	}
	if wait := m.take(p, now.Add(time.Second)); wait != 0 {
		t.Errorf("after the second it waits %s", wait)
	}
}
