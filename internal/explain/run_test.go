package explain

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
)

// slot is the one of the run below.
var slot = instant("2026-05-06T00:30:00Z")

// firing is a run of the schedule that is over or not, with an attempt that took
// five milliseconds to be accepted.
func firing(state job.State) RunSnapshot {
	j := report()
	s := RunSnapshot{
		Run: job.Run{
			ID: 12, JobID: 7, JobKey: "report", GroupID: 1, PlannedAt: slot, Cause: job.CauseSchedule, State: state,
			CreatedAt: slot.Add(-2 * time.Second), DueAt: slot, ReadyAt: slot,
		},
		Job: &j, Executors: alive(),
	}
	if state.Waiting() || state == job.Skipped {
		return s
	}
	s.Run.Tries, s.Run.AttemptID = 1, 99
	a := job.Attempt{
		ID: 99, RunID: 12, JobID: 7, Number: 1, Address: "http://10.0.0.1:9999", State: state,
		TriggeredAt: slot.Add(4 * time.Millisecond),
	}
	if state != job.Dispatched {
		a.AcceptedAt = slot.Add(9 * time.Millisecond)
	}
	if state.Final() {
		a.EndedAt = slot.Add(3 * time.Second)
		s.Run.EndedAt = a.EndedAt
	}
	s.Attempts = []job.Attempt{a}
	return s
}

func TestRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		state  job.State
		alter  func(*RunSnapshot)
		answer string
	}{
		{
			"succeeded late", job.Succeeded, func(s *RunSnapshot) { s.Run.Reason = "no executor of group reports is alive" },
			"Run 12 of job report succeeded 3s after its slot, with one attempt.",
		},
		{"succeeded", job.Succeeded, func(*RunSnapshot) {}, "Run 12 of job report succeeded 3s after its slot, with one attempt."},
		{"failed", job.Failed, func(s *RunSnapshot) {
			s.Run.Message, s.Run.Reason, s.Attempts[0].Message = "boom\nat line 5.", "gave up after 1 retry", "boom\nat line 5."
			second := s.Attempts[0]
			second.ID, second.Number, second.TriggeredAt = 100, 2, slot.Add(13*time.Second)
			second.AcceptedAt, second.EndedAt = time.Time{}, slot.Add(13200*time.Millisecond)
			s.Attempts = append(s.Attempts, second)
			s.Attempts[1].Evidence = []job.Evidence{{AttemptID: 100, At: slot.Add(time.Minute), State: job.Succeeded, Note: "the end was recorded before"}}
			s.Run.AttemptID, s.Run.EndedAt = 100, second.EndedAt
		}, "Run 12 of job report failed after 2 attempts: boom at line 5. The last reason kept with it: gave up after 1 retry."},
		{"undelivered", job.Lost, func(s *RunSnapshot) {
			first := s.Attempts[0]
			first.ID, first.State, first.AcceptedAt, first.EndedAt = 98, job.Failed, time.Time{}, first.TriggeredAt.Add(time.Second)
			first.Message = "connection refused"
			s.Attempts[0].Number, s.Attempts[0].TriggeredAt = 2, first.EndedAt.Add(time.Second)
			s.Attempts[0].AcceptedAt = first.EndedAt.Add(1100 * time.Millisecond)
			s.Attempts, s.Run.Undelivered = []job.Attempt{first, s.Attempts[0]}, 1
			s.Run.Reason = "executor http://10.0.0.1:9999 is gone"
		}, "Run 12 of job report was lost after 2 attempts. The last reason kept with it: executor http://10.0.0.1:9999 is gone."},
		{"skipped", job.Skipped, func(s *RunSnapshot) {
			s.Run.Cause, s.Run.Reason, s.Run.EndedAt = job.CauseMisfire, "the firing of then was missed; misfire policy skip let it go", s.Run.CreatedAt
		}, "Run 12 of job report was skipped and never sent: the firing of then was missed; misfire policy skip let it go."},
		{"cancelled early", job.Cancelled, func(s *RunSnapshot) {
			s.Attempts, s.Run.Tries, s.Run.Reason = nil, 0, "wrong day"
		}, "Run 12 of job report was cancelled before it was sent: wrong day."},
		{"planned ahead", job.Planned, func(s *RunSnapshot) {
			s.Run.DueAt = now.Add(90 * time.Second)
		}, "Run 12 of job report waits: its time has not come. It is to be sent at 2026-05-06 14:01:30 +02:00, in 1m30s."},
		{"queued without executors", job.Queued, func(s *RunSnapshot) {
			s.Executors, s.Run.DueAt, s.Run.Reason = nil, now.Add(-time.Second), "no executor of group reports is alive"
			s.Run.ExpireAt = now.Add(time.Hour)
		}, "Run 12 of job report waits: no executor of group reports is alive."},
		{"due and not sent", job.Planned, func(*RunSnapshot) {}, "Run 12 of job report waits: it is due, and no server has sent it yet; nothing is recorded that keeps it."},
		{
			"due and others first", job.Planned, func(s *RunSnapshot) { s.Ahead = Ahead{Higher: MaxAhead, Earlier: 1} },
			"Run 12 of job report waits: of its group, 1000 or more runs of a higher priority and 1 run due earlier come first.",
		},
		{"waiting for a retry", job.WaitingRetry, func(s *RunSnapshot) {
			a := firing(job.Failed)
			s.Attempts, s.Run.AttemptID, s.Run.Tries = a.Attempts, 99, 1
			s.Run.Reason, s.Run.DueAt = "attempt 1 failed; retry 1 of 3 follows in 2m0s", now.Add(time.Minute)
		}, "Run 12 of job report waits: attempt 1 failed; retry 1 of 3 follows in 2m0s. It is to be sent at 2026-05-06 14:01:00 +02:00, in 1m."},
		{"sent", job.Dispatched, func(*RunSnapshot) {}, "Run 12 of job report was sent to http://10.0.0.1:9999 11h30m ago, and whether it arrived is not known yet."},
		{
			"running on one that is gone", job.Running, func(s *RunSnapshot) { s.Executors = nil },
			"Run 12 of job report is running: attempt 1 was sent to http://10.0.0.1:9999 11h30m ago and taken by it.",
		},
		{"child of a deleted job", job.Succeeded, func(s *RunSnapshot) {
			s.Run.Cause, s.Run.CauseID, s.Job = job.CauseParent, 5, nil
			s.Parent = &job.Run{ID: 5, JobKey: "extract", State: job.Succeeded}
		}, "Run 12 of job report succeeded 5s after it was made, with one attempt."},
		{"discarded by the executor", job.Skipped, func(s *RunSnapshot) {
			sent := firing(job.Failed)
			sent.Attempts[0].State = job.Skipped
			s.Attempts, s.Run.Tries, s.Run.EndedAt, s.Run.JobKey = sent.Attempts, 1, sent.Run.EndedAt, ""
			s.Run.Reason = "the job is busy there, and its overlap discards the run"
		}, "Run 12 of job #7 was skipped after it was sent: the job is busy there, and its overlap discards the run."},
		{
			"queued and looked at again", job.Queued, func(s *RunSnapshot) { s.Run.DueAt, s.Run.Reason = now.Add(time.Minute), "it rains" },
			"Run 12 of job report waits: it rains. It is looked at again in 1m at the latest.",
		},
		{
			"of a workflow", job.Running, func(s *RunSnapshot) {
				s.Run.Cause, s.Run.CauseID, s.Run.Reason = job.CauseParent, 12, "workflow nightly run 7, node b"
				s.Job.Children = []job.Child{{JobID: 8}, {JobID: 9}}
			},
			"Run 12 of job report is running: attempt 1 was sent to http://10.0.0.1:9999 11h30m ago and taken by it.",
		},
		{
			"child of a removed run", job.Succeeded, func(s *RunSnapshot) { s.Run.Cause, s.Run.CauseID = job.CauseParent, 5 },
			"Run 12 of job report succeeded 5s after it was made, with one attempt.",
		},
		{"backfill", job.Succeeded, func(s *RunSnapshot) {
			s.Run.Cause, s.Run.CauseID = job.CauseBackfill, 3
			s.Backfill = &job.Backfill{ID: 3, From: slot.Add(-24 * time.Hour), To: slot.Add(time.Hour)}
		}, "Run 12 of job report succeeded 5s after it was made, with one attempt."},
		{"by hand after a change", job.Succeeded, func(s *RunSnapshot) {
			param := "x"
			s.Run.Cause, s.Run.PlannedAt, s.Run.Param, s.Run.Addresses = job.CauseManual, time.Time{}, &param, []string{"http://10.0.0.1:9999"}
			s.Job.UpdatedAt = slot.Add(time.Hour)
		}, "Run 12 of job report succeeded 5s after it was made, with one attempt."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := firing(c.state)
			c.alter(&s)
			e := Run(s, now)
			if e.Answer != c.answer {
				t.Errorf("answer\n%s\nwant\n%s", e.Answer, c.answer)
			}
			golden(t, "run-"+c.name, e)
		})
	}
}

// Every cause and every state makes whole sentences.
func TestRunIsSoundWhateverTheRun(t *testing.T) {
	t.Parallel()
	causes := []job.Cause{
		job.CauseSchedule, job.CauseMisfire, job.CauseManual, job.CauseAPI, job.CauseParent, job.CauseRetry, job.CauseBackfill, job.CauseRedrive, "strange",
	}
	rapid.Check(t, func(r *rapid.T) {
		s := firing(rapid.SampledFrom(job.States()).Draw(r, "state"))
		s.Run.Cause, s.Run.CauseID = rapid.SampledFrom(causes).Draw(r, "cause"), 4
		s.Run.Reason, s.Run.Message = rapid.String().Draw(r, "reason"), rapid.String().Draw(r, "message")
		s.Run.EndedAt = time.Time{}
		if s.Run.State.Final() {
			s.Run.EndedAt = now
		}
		if rapid.Bool().Draw(r, "without attempts") {
			s.Attempts = nil
		}
		if rapid.Bool().Draw(r, "without a job") {
			s.Job = nil
		}
		e := Run(s, now)
		for i, f := range e.Facts {
			if f.Kind == "" || f.Text == "" || strings.Contains(f.Text, "\n") || i > 0 && f.At.Before(e.Facts[i-1].At) {
				r.Fatalf("a broken fact: %+v", f)
			}
		}
		if !strings.HasSuffix(e.Answer, ".") || strings.Contains(e.Answer, "\n") {
			r.Fatalf("a broken answer: %q", e.Answer)
		}
	})
}

// However many attempts there were, few are told: the first and the last.
func TestRunOfManyAttempts(t *testing.T) {
	t.Parallel()
	s := firing(job.Failed)
	model := s.Attempts[0]
	s.Attempts = nil
	for n := 1; n <= 1000; n++ {
		a := model
		a.ID, a.Number, a.TriggeredAt = int64(n), n, slot.Add(time.Duration(n)*time.Minute)
		a.AcceptedAt, a.EndedAt = a.TriggeredAt.Add(time.Second), a.TriggeredAt.Add(2*time.Second)
		s.Attempts = append(s.Attempts, a)
	}
	s.Run.EndedAt = s.Attempts[999].EndedAt
	e := Run(s, s.Run.EndedAt.Add(time.Hour))
	sound(t, e)
	var sent []string
	left := ""
	for _, f := range e.Facts {
		switch f.Kind {
		case KindSent:
			sent = append(sent, f.Values["attempt"])
		case KindLeftOut:
			left = fmt.Sprint(len(sent), " ", f.Text)
		default:
		}
	}
	if len(sent) != maxAttempts || sent[0] != "1" || sent[19] != "20" || sent[20] != "981" || sent[39] != "1000" {
		t.Errorf("told are the attempts %v", sent)
	}
	if want := "20 960 attempts before this are left out"; left != want {
		t.Errorf("left out: %q, want %q", left, want)
	}
}

func TestValuesAreForPrograms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		value       any
		text, plain string
	}{
		{"instant", slot, "2026-05-06 00:30:00 +00:00", "2026-05-06T00:30:00.000Z"},
		{"duration", 90 * time.Second, "1m30s", "1m30s"},
		{"what others said", because("boom.\n"), ": boom", "boom"},
		{"what nobody said", because(""), "", ""},
		{"what it said", itSaid("boom."), "; it said: boom", "boom"},
		{"how it ended", ended(job.TimedOut), "ran out of time", "timed_out"},
		{"what it is", is(job.WaitingRetry), "is waiting for a retry", "waiting_retry"},
		{"what it was", is(job.Lost), "was lost", "lost"},
		{"a state", named(job.TimedOut), "timed out", "timed_out"},
		{"counted from", since("slot"), "its slot", "slot"},
		{"one try", tries(1), "one attempt", "1"},
		{"shards", shards(3), "3 shards", "3"},
		{"names", names{[]string{"a", "b"}, true}, "a, b and others", "a, b, …"},
		{"all names", names{[]string{"a", "b"}, false}, "a, b", "a, b"},
		{"an end", until{slot}, "until 2026-05-06 00:30:00 +00:00", "2026-05-06T00:30:00.000Z"},
		{"no end", until{}, "until it is lifted", ""},
		{"a slot", slotOf{slot}, " for the slot 2026-05-06 00:30:00 +00:00", "2026-05-06T00:30:00.000Z"},
		{"no slot", slotOf{}, "", ""},
	} {
		f := newStory(nil, now).addFact(now, KindEnded, "some", "-{a}-", "a", c.value, "a_zh", 1, "b", 2)
		if want := map[string]string{"a": c.plain, "a_zh": "1"}; f.Text != "-"+c.text+"-" || f.Code != "some" || !maps.Equal(f.Values, want) {
			t.Errorf("%s: %q with %v, want %q with %v", c.name, f.Text, f.Values, c.text, want)
		}
	}
}

func TestLasting(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0s", 4600 * time.Microsecond: "5ms", 3210 * time.Millisecond: "3.2s", 3 * time.Second: "3s", 61400 * time.Millisecond: "1m1s",
		2 * time.Minute: "2m", 26 * time.Hour: "26h", 26*time.Hour + time.Minute: "26h1m", 71 * time.Hour: "3 days", -time.Second: "-1s",
	} {
		if got := lasting(d); got != want {
			t.Errorf("lasting(%s) = %q, want %q", d, got, want)
		}
	}
}
