package service

import (
	"testing"
	"time"

	"github.com/orthd/orth/solana/build"
	"github.com/orthd/orth/solana/failure"
	"github.com/orthd/orth/solana/ledger"
	"github.com/orthd/orth/solana/thread"
)

// What follows from each class of failure, with what else is known.
func TestDecide(t *testing.T) {
	t.Parallel()
	retry := ledger.Retry{MaxRetries: 5, Initial: time.Second, Max: time.Minute, Multiplier: 2}
	r := rules{retry: retry, programRetries: 2, programDelay: 30 * time.Second, again: time.Minute}
	clock := thread.Clock{Slot: 100, Unix: 1000}
	seconds := func(at int64) thread.Due { return thread.Due{Unit: thread.Seconds, At: at} }
	for name, c := range map[string]struct {
		class failure.Class
		s     setback
		want  decision
	}{
		"the first retry":               {failure.Transient, setback{}, decision{move: moveRetry, delay: time.Second, try: true}},
		"the fourth":                    {failure.Transient, setback{tries: 3}, decision{move: moveRetry, delay: 8 * time.Second, try: true}},
		"none is left":                  {failure.Transient, setback{tries: 5}, decision{move: moveBury, words: "Max retries exceeded"}},
		"a node asks for longer":        {failure.Transient, setback{after: 7 * time.Second}, decision{move: moveRetry, delay: 7 * time.Second, try: true}},
		"unclear":                       {failure.Unclear, setback{}, decision{move: moveRetry, delay: time.Second, try: true}},
		"unclear on the chain":          {failure.Unclear, setback{landed: true, units: 20_000}, decision{move: moveRetry, delay: time.Second, try: true, units: 30_000}},
		"not due":                       {failure.NotReady, setback{due: seconds(1060)}, decision{move: moveClock, chain: seconds(1060), delay: time.Minute}},
		"not due by slots":              {failure.NotReady, setback{due: thread.Due{Unit: thread.Slots, At: 101}}, decision{move: moveClock, chain: thread.Due{Unit: thread.Slots, At: 101}, delay: time.Minute}},
		"due, and a node is behind":     {failure.NotReady, setback{due: seconds(1000)}, decision{move: moveRetry, delay: 75 * time.Millisecond}},
		"and still":                     {failure.NotReady, setback{due: seconds(1000), nags: 2}, decision{move: moveRetry, delay: 300 * time.Millisecond}},
		"and for long":                  {failure.NotReady, setback{due: seconds(1000), nags: 50}, decision{move: moveRetry, delay: 5 * time.Second}},
		"an account has not changed":    {failure.NotReady, setback{due: thread.Due{Unit: thread.Change}, nags: 5}, decision{move: moveWatch, delay: time.Minute}},
		"paused":                        {failure.Paused, setback{tries: 5, nags: 5}, decision{move: moveWatch, delay: time.Minute}},
		"paused, and a node is behind":  {failure.Paused, setback{nags: 1}, decision{move: moveRetry, delay: 150 * time.Millisecond}},
		"changed, and a node is behind": {failure.NotReady, setback{due: thread.Due{Unit: thread.Change}}, decision{move: moveRetry, delay: 75 * time.Millisecond}},
		"superseded":                    {failure.Superseded, setback{}, decision{move: moveLook}},
		"dry":                           {failure.Dry, setback{}, decision{move: moveStop}},
		"expired":                       {failure.Expired, setback{tries: 5}, decision{move: moveRetry}},
		"too few units":                 {failure.Resource, setback{units: 20_000, tries: 5}, decision{move: moveRetry, units: 30_000}},
		"nearly all units":              {failure.Resource, setback{units: build.MostUnits - 1}, decision{move: moveRetry, units: build.MostUnits}},
		"all units":                     {failure.Resource, setback{units: build.MostUnits}, decision{move: moveBury, words: "it needs more than the compute units of a transaction"}},
		"refused once":                  {failure.Permanent, setback{refused: 1}, decision{move: moveRetry, delay: 400 * time.Millisecond}},
		"refused twice":                 {failure.Permanent, setback{refused: 2}, decision{move: moveBury}},
		"a program":                     {failure.Program, setback{}, decision{move: moveRetry, delay: 30 * time.Second, try: true}},
		"a program once more":           {failure.Program, setback{tries: 1}, decision{move: moveRetry, delay: time.Minute, try: true}},
		"a program for good":            {failure.Program, setback{tries: 2}, decision{move: moveBury, words: "Max retries exceeded"}},
		// The thread would be due once more at 1020, and 20 s are left.
		"within the window":       {failure.Transient, setback{tries: 1, window: 1020}, decision{move: moveRetry, delay: 2 * time.Second, try: true}},
		"a quarter of the window": {failure.Transient, setback{tries: 4, window: 1020}, decision{move: moveRetry, delay: 5 * time.Second, try: true}},
		"a second of the window":  {failure.Transient, setback{tries: 4, window: 1001}, decision{move: moveRetry, delay: time.Second, try: true}},
		"behind the window":       {failure.Transient, setback{tries: 4, window: 990}, decision{move: moveRetry, delay: 16 * time.Second, try: true}},
		"left out":                {failure.Transient, setback{tries: 5 - 1, window: 1010, skippable: true}, decision{move: moveClock, chain: seconds(1010), delay: time.Minute, try: true}},
		"not yet left out":        {failure.Transient, setback{tries: 1, window: 1010, skippable: true}, decision{move: moveRetry, delay: 2 * time.Second, try: true}},
		"a window and no clock":   {failure.Transient, setback{tries: 4, window: 5, clock: thread.Clock{}}, decision{move: moveRetry, delay: 16 * time.Second, try: true}},
		"known, and never landed": {failure.Known, setback{}, decision{move: moveRetry}},
	} {
		c.s.verdict.Class = c.class
		if c.s.window != 5 {
			c.s.clock = clock
		}
		if got := decide(r, c.s); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestWindow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		trigger thread.Trigger
		due     thread.Due
		want    int64
	}{
		"interval":        {thread.Trigger{Kind: thread.OnInterval, Every: 60}, thread.Due{Unit: thread.Seconds, At: 1000}, 1060},
		"no interval":     {thread.Trigger{Kind: thread.OnInterval}, thread.Due{Unit: thread.Seconds, At: 1000}, 0},
		"beyond all time": {thread.Trigger{Kind: thread.OnInterval, Every: 1 << 62}, thread.Due{Unit: thread.Seconds, At: 1 << 62}, 0},
		"cron":            {thread.Trigger{Kind: thread.OnCron, Cron: "0 * * * * *"}, thread.Due{Unit: thread.Seconds, At: 1000}, 1020},
		"no cron":         {thread.Trigger{Kind: thread.OnCron, Cron: "never"}, thread.Due{Unit: thread.Seconds, At: 1000}, 0},
		"once":            {thread.Trigger{Kind: thread.OnTimestamp}, thread.Due{Unit: thread.Seconds, At: 1000}, 0},
		"a slot":          {thread.Trigger{Kind: thread.OnSlot}, thread.Due{Unit: thread.Slots, At: 1000}, 0},
	} {
		if got := windowOf(&thread.Thread{Trigger: c.trigger}, c.due); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	if got := windowOf(nil, thread.Due{Unit: thread.Seconds}); got != 0 {
		t.Errorf("of nothing: %d", got)
	}
}

func TestQuantiles(t *testing.T) {
	t.Parallel()
	var r rolling
	if got := r.quantiles(); got != (Quantiles{}) {
		t.Errorf("of nothing: %+v", got)
	}
	for i := range 3000 {
		r.addSample(time.Duration(i))
	}
	want := Quantiles{Count: 3000, P50: 2487, P90: 2896, P99: 2988, Max: 2999, Sum: 3000 * 2999 / 2}
	if got := r.quantiles(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
