package broadcast

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
)

func TestDecide(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		state  job.State
		open   int
		cancel string
		want   nextAction
		reason string
	}{
		{"shards run", job.Running, 2, "", rest, ""},
		{"all are over", job.Running, 0, "", settle, ""},
		{"all are over after a cancellation", job.Running, 0, "wrong day", settle, ""},
		{"a user ends it", job.Running, 2, "wrong day", stop, "wrong day"},
		{"it is over before its shards", job.Lost, 2, "", stop, "run 7, which this is a shard of, is over already: its state is lost"},
		{"it is over as they are", job.Succeeded, 0, "", rest, ""},
		{"it was cancelled and is over", job.Cancelled, 0, "wrong day", rest, ""},
		{"it is being ended", job.Stopping, 0, "wrong day", settle, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := Work{Run: job.Run{ID: 7, State: c.state}, Broadcast: job.Broadcast{Shards: 3, Open: c.open, Cancel: c.cancel}}
			if got, reason := decide(&w); got != c.want || reason != c.reason {
				t.Errorf("decide() = %d, %q; want %d, %q", got, reason, c.want, c.reason)
			}
		})
	}
}

func TestOutcome(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	shard := func(index int, state job.State) job.ShardRun {
		return job.ShardRun{Run: job.Run{ID: int64(70 + index), Shard: job.Shard{Index: index, Total: 3}, State: state, Message: "boom"}}
	}
	for _, c := range []struct {
		name    string
		cancel  string
		states  []job.State
		want    job.State
		message string
		over    string
	}{
		{"all succeeded", "", []job.State{job.Succeeded, job.Succeeded}, job.Succeeded, "all 2 shards succeeded", ""},
		{"the only one succeeded", "", []job.State{job.Succeeded}, job.Succeeded, "the only shard succeeded", ""},
		{
			"some failed", "",
			[]job.State{job.Succeeded, job.Lost, job.Cancelled},
			job.Failed,
			"2 of 3 shards failed: 1 (run 71 lost: boom), 2 (run 72 cancelled: boom)",
			"2 of 3 shards failed; 'orth run retry-shards 7' does those again",
		},
		{"cancelled", "wrong day", []job.State{job.Succeeded, job.Failed, job.Cancelled}, job.Cancelled, "1 of 3 shards had succeeded", "wrong day"},
		{"cancelled too late", "wrong day", []job.State{job.Succeeded}, job.Cancelled, "1 of 1 shard had succeeded", "wrong day"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := Work{Run: job.Run{ID: 7}, Broadcast: job.Broadcast{AttemptID: 99, Shards: len(c.states), Cancel: c.cancel}}
			var shards []job.ShardRun
			for i, s := range c.states {
				shards = append(shards, shard(i, s))
				if s != job.Succeeded {
					w.Broadcast.Failed++
				}
			}
			got := outcome(&w, shards, now)
			want := job.Outcome{AttemptID: 99, State: c.want, Message: c.message, Over: c.over, EndedAt: now}
			if got != want {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

// Whatever became of the shards: the run succeeds exactly when all of them did and
// nobody cancelled it, and nothing is left to the retry policy.
func TestOutcomeOfAnything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		states := rapid.SliceOfN(rapid.SampledFrom([]job.State{
			job.Succeeded, job.Failed, job.TimedOut, job.Cancelled, job.Lost, job.Skipped,
		}), 1, 40).Draw(t, "states")
		w := Work{Run: job.Run{ID: 7, State: job.Running}, Broadcast: job.Broadcast{AttemptID: 9, Shards: len(states)}}
		w.Broadcast.Cancel = rapid.SampledFrom([]string{"", "why"}).Draw(t, "cancel")
		var shards []job.ShardRun
		for i, s := range states {
			shards = append(shards, job.ShardRun{Run: job.Run{ID: int64(i), State: s, Shard: job.Shard{Index: i, Total: len(states)}}})
			if s != job.Succeeded {
				w.Broadcast.Failed++
			}
		}
		o := outcome(&w, shards, time.Now())
		good := w.Broadcast.Failed == 0 && w.Broadcast.Cancel == ""
		if (o.State == job.Succeeded) != good || (o.Over == "") != good || !o.State.Final() {
			t.Fatalf("%v became %+v", states, o)
		}
		if o.State == job.Failed && !strings.Contains(o.Message, "failed") {
			t.Fatalf("the message is %q", o.Message)
		}
	})
}
