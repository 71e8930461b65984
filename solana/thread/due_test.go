package thread

import (
	"math"
	"testing"
)

func TestDue(t *testing.T) {
	timed := Schedule{Kind: Timed, Prev: 1_700_000_000, Next: 1_700_000_060}
	offset := int64(JitterOffset(key(7), timed.Prev, 30))
	for _, c := range []struct {
		name   string
		thread Thread
		want   Due
		never  bool
	}{
		{"immediate", Thread{Trigger: Trigger{Kind: Immediate, Jitter: 30}, Schedule: timed}, Due{}, false},
		{"timestamp", Thread{Trigger: Trigger{Kind: OnTimestamp, At: 50}, Schedule: timed}, Due{Seconds, 50}, false},
		{"timestamp and jitter", Thread{Trigger: Trigger{Kind: OnTimestamp, At: 50, Jitter: 30}, Schedule: timed}, Due{Seconds, 50 + offset}, false},
		{"timestamp at the end of time", Thread{Trigger: Trigger{Kind: OnTimestamp, At: math.MaxInt64, Jitter: 30}, Schedule: timed}, Due{Seconds, math.MaxInt64}, false},
		{"interval", Thread{Trigger: Trigger{Kind: OnInterval, Every: 60}, Schedule: timed}, Due{Seconds, timed.Next}, false},
		{"cron", Thread{Trigger: Trigger{Kind: OnCron, Cron: "what"}, Schedule: timed}, Due{Seconds, timed.Next}, false},
		{"slot", Thread{Trigger: Trigger{Kind: OnSlot, Number: 9}}, Due{Slots, 9}, false},
		{"epoch", Thread{Trigger: Trigger{Kind: OnEpoch, Number: math.MaxUint64}}, Due{Epochs, math.MaxInt64}, false},
		{"account", Thread{Trigger: Trigger{Kind: OnAccount}}, Due{Unit: Change}, false},
		{"chained", Thread{Trigger: Trigger{Kind: OnInterval}, Schedule: timed, Fibers: []uint8{0, 1}, Signal: Signal{Kind: Chain}}, Due{}, false},
		{"chained behind the last", Thread{Trigger: Trigger{Kind: OnInterval}, Schedule: timed, Signal: Signal{Kind: Chain}}, Due{}, true},
		{"closing without fibers", Thread{Trigger: Trigger{Kind: OnInterval}, Fibers: []uint8{}, Signal: Signal{Kind: Close}}, Due{}, false},
		{"paused", Thread{Trigger: Trigger{Kind: Immediate}, Paused: true}, Due{}, true},
		{"paused and closing", Thread{Trigger: Trigger{Kind: Immediate}, Paused: true, Signal: Signal{Kind: Close}}, Due{}, true},
		{"without fibers", Thread{Trigger: Trigger{Kind: Immediate}, Fibers: []uint8{}}, Due{}, true},
		{"a cursor that leads nowhere", Thread{Trigger: Trigger{Kind: Immediate}, Fibers: []uint8{1}}, Due{}, true},
		{"an interval in blocks", Thread{Trigger: Trigger{Kind: OnInterval}, Schedule: Schedule{Kind: Block}}, Due{}, true},
		{"a timestamp in blocks", Thread{Trigger: Trigger{Kind: OnTimestamp}, Schedule: Schedule{Kind: Block}}, Due{}, true},
		{"an account in seconds", Thread{Trigger: Trigger{Kind: OnAccount}, Schedule: timed}, Due{}, true},
	} {
		if c.thread.Fibers == nil {
			c.thread.Fibers = []uint8{0}
		}
		got, ever := c.thread.Due(Newest(), key(7))
		if ever == c.never || ever && got != c.want {
			t.Errorf("%s: %+v, %v, want %+v", c.name, got, ever, c.want)
		}
	}
}

func TestSince(t *testing.T) {
	clock := Clock{Slot: 1005, Epoch: 3, Unix: 500}
	for _, c := range []struct {
		name  string
		due   Due
		want  int64
		ready bool
	}{
		{"now", Due{}, 0, true},
		{"in time", Due{Seconds, 500}, 0, true},
		{"late", Due{Seconds, 440}, 60, true},
		{"early", Due{Seconds, 501}, -1, false},
		{"slots late", Due{Slots, 1000}, 2, true}, // 5 of 400 ms
		{"in the slot", Due{Slots, 1005}, 0, true},
		{"slots early", Due{Slots, 1006}, 0, false},
		{"in the epoch", Due{Epochs, 3}, 0, true},
		{"an epoch early", Due{Epochs, 4}, 0, false},
		{"a change", Due{Unit: Change}, 0, false},
	} {
		if got, ready := c.due.Since(clock); got != c.want || ready != c.ready {
			t.Errorf("%s: %d, %v, want %d, %v", c.name, got, ready, c.want, c.ready)
		}
	}
	if got, _ := (Due{Slots, 0}).Since(Clock{Slot: math.MaxUint64}); got != math.MaxInt64/1000*400+math.MaxInt64%1000*400/1000 {
		t.Errorf("the last slot is %d seconds late", got)
	}
}

func TestNext(t *testing.T) {
	clock := Clock{Slot: 77, Epoch: 3, Unix: 1_700_000_000}
	offset := int64(JitterOffset(key(7), clock.Unix, 30))
	for _, c := range []struct {
		name    string
		trigger Trigger
		want    Schedule
	}{
		{"account", Trigger{Kind: OnAccount, Size: 0}, Schedule{Kind: OnChange, Hash: 13646096770106105413}},
		{"immediate", Trigger{Kind: Immediate}, Schedule{Kind: Timed, Prev: clock.Unix}},
		{"timestamp", Trigger{Kind: OnTimestamp}, Schedule{Kind: Timed, Prev: clock.Unix, Next: math.MaxInt64}},
		{"interval", Trigger{Kind: OnInterval, Every: 60}, Schedule{Kind: Timed, Prev: clock.Unix, Next: clock.Unix + 60}},
		{"interval and jitter", Trigger{Kind: OnInterval, Every: 60, Jitter: 30}, Schedule{Kind: Timed, Prev: clock.Unix, Next: clock.Unix + 60 + offset}},
		{"cron", Trigger{Kind: OnCron, Cron: "0 * * * * *"}, Schedule{Kind: Timed, Prev: clock.Unix, Next: 1_700_000_040}},
		{"cron that ends", Trigger{Kind: OnCron, Cron: "0 * * * * * 2001"}, Schedule{Kind: Timed, Prev: clock.Unix}},
		{"slot", Trigger{Kind: OnSlot, Number: 70}, Schedule{Kind: Block, Prev: 77, Next: 70}},
		{"epoch", Trigger{Kind: OnEpoch, Number: 2}, Schedule{Kind: Block, Prev: 3, Next: 2}},
	} {
		thread := Thread{Trigger: c.trigger}
		got, err := thread.Next(key(7), clock, nil)
		if err != nil || got != c.want {
			t.Errorf("%s: %+v, %v, want %+v", c.name, got, err, c.want)
		}
	}
	if _, err := (&Thread{Trigger: Trigger{Kind: OnCron, Cron: "what"}}).Next(key(7), clock, nil); err == nil {
		t.Error("a thread with an expression that is none has a next execution")
	}
}

func TestHasChanged(t *testing.T) {
	thread := Thread{Trigger: Trigger{Kind: OnAccount, Offset: 1, Size: 2}}
	thread.Schedule.Hash = thread.Trigger.Watched([]byte{1, 2, 3, 4})
	if thread.HasChanged([]byte{9, 2, 3, 9}) {
		t.Error("what is not watched has changed the thread")
	}
	if !thread.HasChanged([]byte{1, 2, 9, 4}) {
		t.Error("a change is not seen")
	}
}

func TestExplain(t *testing.T) {
	if Explain(ThreadPaused) != "the thread is paused" || Explain(9999) != "the thread program refused with code 9999" {
		t.Errorf("%s, %s", Explain(ThreadPaused), Explain(9999))
	}
}

func TestFiber(t *testing.T) {
	for _, c := range []struct {
		name   string
		cursor uint8
		signal SignalKind
		want   uint8
		none   bool
	}{
		{"the first", 4, NoSignal, 4, false},
		{"the last", 7, NoSignal, 7, false},
		{"behind the first", 4, Chain, 0, false},
		{"behind the last", 7, Chain, 0, true},
		{"one that is not there", 5, NoSignal, 0, true},
		{"behind one that is not there", 5, Chain, 0, true},
	} {
		thread := Thread{Fibers: []uint8{4, 0, 7}, Cursor: c.cursor, Signal: Signal{Kind: c.signal}}
		if got, found := thread.Fiber(Newest()); got != c.want || found == c.none {
			t.Errorf("%s: fiber %d, %v, want %d", c.name, got, found, c.want)
		}
	}
}
