package explain

import (
	"testing"

	"github.com/orthd/orth/job"
)

func TestRunOfABroadcast(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		state  job.State
		alter  func(*RunSnapshot)
		answer string
	}{
		{"split and running", job.Running, func(s *RunSnapshot) {
			s.Broadcast = &job.Broadcast{Total: 8, Shards: 8, Open: 3, Failed: 1}
		}, "Run 12 of job report is running: 3 of 8 shards are not over, 1 failed."},
		{"split and cancelled", job.Running, func(s *RunSnapshot) {
			s.Broadcast = &job.Broadcast{Total: 8, Shards: 8, Open: 3, Failed: 5, Cancel: "wrong day"}
		}, "Run 12 of job report is being ended: 3 of 8 shards are not over: wrong day."},
		{"split and failed", job.Failed, func(s *RunSnapshot) {
			s.Broadcast = &job.Broadcast{Total: 8, Shards: 1, Failed: 1}
			s.Run.Cause, s.Run.CauseID = job.CauseRetry, 5
			s.Run.Message, s.Attempts[0].Message = "the only shard failed: 2 (run 71 failed)", "the only shard failed: 2 (run 71 failed)"
		}, "Run 12 of job report failed after one attempt: the only shard failed: 2 (run 71 failed)."},
		{"shard", job.Succeeded, func(s *RunSnapshot) {
			s.Run.Cause, s.Run.CauseID, s.Run.Shard = job.CauseShard, 5, job.Shard{Index: 2, Total: 8}
			s.Attempts[0].Address = "http://10.0.0.1:9999"
		}, "Run 12 of job report succeeded 5s after it was made, with one attempt."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := firing(c.state)
			s.Attempts[0].Address = ""
			c.alter(&s)
			e := Run(s, now)
			if e.Answer != c.answer {
				t.Errorf("answer\n%s\nwant\n%s", e.Answer, c.answer)
			}
			golden(t, "run-"+c.name, e)
		})
	}
}
