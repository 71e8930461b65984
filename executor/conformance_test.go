package executor_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orthd/orth/job"
)

// The cases of the protocol that any executor is held to are data, and played in
// wire_suite_test.go. The cases below cover the rest: the fate of a script's processes, the
// inputs of handlers, and what only Orth has words for. Those that belong to a case of the
// list have its number.

// A conformance is one case. It has a job of its own; its runs are job*10+1
// and so on.
type conformance struct {
	name string
	try  func(t *testing.T, s *subject, j int64)
}

// TestConformance plays the cases that can share one executor, all at once.
func TestConformance(t *testing.T) {
	t.Parallel()
	s := start(t, newAdmin(t), nil)
	for i, c := range slices.Concat(runs(), kills(), races()) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.try(t, s, int64(101+i))
		})
	}
}

//nolint:thelper // its functions are cases, no helpers
func runs() []conformance {
	return []conformance{
		{"R15 time-out of a script", scripted(func(t *testing.T, s *subject, j int64) {
			live := newPulse(t)
			s.run(t, shell(j, j*10+1, live.script()).with(func(r *run) { r.Timeout = 1 }), success)
			live.beats(t)
			if got := s.admin.outcome(t, j*10+1).String(); got != "502 job execute timeout " && got != "500 script exit value(-1) is failed" {
				t.Errorf("called back as %q", got)
			}
			live.stops(t)
		})},
		{"R18 panic", func(t *testing.T, s *subject, j int64) {
			s.run(t, bean(j, j*10+1, "boom"), success)
			if got := s.admin.outcome(t, j*10+1).String(); !strings.HasPrefix(got, "500 ") || !strings.Contains(got, "the sky fell") {
				t.Errorf("called back as %q", got)
			}
			text := s.log(t, "logDateTim", j*10+1, 1).Text
			for _, want := range []string{"the sky fell", "conformance_peer_test.go", "end(error)"} {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in the log:\n%s", want, text)
				}
			}
		}},
		{"C10 environment", scripted(func(t *testing.T, s *subject, j int64) {
			s.run(t, shell(j, j*10+1, "env").with(func(r *run) { r.Param = "p q" }), success)
			s.admin.want(t, j*10+1, "200")
			text := s.log(t, "logDateTim", j*10+1, 1).Text
			trigger := time.UnixMilli(runAt).Format("2006-01-02T15:04:05.999Z07:00")
			for _, want := range []string{
				fmt.Sprintf("ORTH_JOB_ID=%d", j), fmt.Sprintf("ORTH_LOG_ID=%d", j*10+1), "ORTH_JOB_PARAM=p q",
				"ORTH_SCHEDULE_TIME=", "ORTH_TRIGGER_TIME=" + trigger, "ORTH_SHARD_INDEX=0", "ORTH_SHARD_TOTAL=1",
			} {
				if !strings.Contains(text, want+"\n") {
					t.Errorf("no line %q in the log:\n%s", want, text)
				}
			}
		})},
		{"the words of Orth, as many as there may be", func(t *testing.T, s *subject, j int64) {
			labels := make(url.Values)
			for i := range job.MaxLabels {
				labels.Set(fmt.Sprintf("%0*d", job.MaxLabelKey, i), strings.Repeat("é", job.MaxLabelValue/len("é")))
			}
			body, _ := json.Marshal(bean(j, j*10+1, "words"))
			if got := s.send(t, http.MethodPost, "/run", string(body), http.Header{
				"Xxl-Job-Access-Token": {token}, "Orth-Run-Id": {"9"}, "Orth-Try": {"2"}, "Orth-Labels": {labels.Encode()},
			}); got != success {
				t.Error(got)
			}
			s.admin.want(t, j*10+1, fmt.Sprintf("200 run 9, try 2, %d labels", job.MaxLabels))
		}},
		{"the class of a failure", func(t *testing.T, s *subject, j int64) {
			s.run(t, bean(j, j*10+1, "wait"), success)
			s.admin.want(t, j*10+1, "500 too early")
			want := fmt.Sprintf("%d=not_ready;after=60000", j*10+1)
			s.admin.await(t, "the header of the callback", func() bool {
				return slices.ContainsFunc(s.admin.calls, func(c call) bool { return strings.Contains(c.header.Get("Orth-Failures"), want) })
			})
		}},
		{"R7 cover on an idle job", func(t *testing.T, s *subject, j int64) {
			for i := range int64(3) {
				s.run(t, bean(j, j*10+i, "inited").block("COVER_EARLY"), success)
				s.admin.want(t, j*10+i, "200")
			}
			s.await(t, "the one Init", func() bool { return s.inits == 1 })
		}},
		{"K2 a concurrent job is busy", func(t *testing.T, s *subject, j int64) {
			s.run(t, bean(j, j*10+1, "hold").concurrent(3), success)
			s.started(t, j*10+1)
			busy(t, s, j, true)
			s.release(j*10 + 1)
			s.admin.want(t, j*10+1, "200")
		}},
	}
}

//nolint:thelper // its functions are cases, no helpers
func kills() []conformance {
	return []conformance{
		{"K4 kill of a script", scripted(func(t *testing.T, s *subject, j int64) {
			live := newPulse(t)
			s.run(t, shell(j, j*10+1, live.script()), success)
			live.beats(t)
			if got := s.ask(t, "/kill", fmt.Sprintf(`{"jobId":%d}`, j)); got != success {
				t.Error(got)
			}
			s.admin.want(t, j*10+1, "500 scheduling center kill job. [job running, killed]")
			live.stops(t)
		})},
		{"kill of one attempt", func(t *testing.T, s *subject, j int64) {
			one := func(attempt int64) string {
				return s.send(t, http.MethodPost, "/kill", fmt.Sprintf(`{"jobId":%d}`, j), http.Header{
					"Xxl-Job-Access-Token": {token}, "Orth-Attempt-Id": {fmt.Sprint(attempt)},
				})
			}
			for i := range int64(3) {
				s.run(t, bean(j, j*10+i, "hold"), success)
			}
			s.started(t, j*10)
			if got := one(j*10 + 1); got != success {
				t.Errorf("the waiting one: %s", got)
			}
			if got := one(j * 10); got != success {
				t.Errorf("the running one: %s", got)
			}
			if got := one(j*10 + 9); got != killedAlready {
				t.Errorf("an unknown one: %s", got)
			}
			s.release(j*10 + 2)
			s.admin.want(t, j*10, "500 scheduling center kill job. [job running, killed]")
			s.admin.want(t, j*10+1, "500 scheduling center kill job. [job not executed, in the job queue, killed.]")
			s.admin.want(t, j*10+2, "200")
		}},
	}
}

//nolint:thelper // its functions are cases, no helpers
func races() []conformance {
	return []conformance{
		{"the first two runs of a job at once", func(t *testing.T, s *subject, j int64) {
			for round := range int64(10) {
				jobID := 10_000 + j*10 + round
				a, b := jobID*10+1, jobID*10+2
				s.release(a, b)
				var group sync.WaitGroup
				for _, id := range []int64{a, b} {
					group.Go(func() { s.run(t, bean(jobID, id, "hold"), success) })
				}
				group.Wait()
				s.admin.want(t, a, "200")
				s.admin.want(t, b, "200")
				first := fmt.Sprintf("start %d, end %d, start %d, end %d", a, a, b, b)
				second := fmt.Sprintf("start %d, end %d, start %d, end %d", b, b, a, a)
				if got := s.happened(a, b); got != first && got != second {
					t.Errorf("they went %s", got)
				}
			}
		}},
	}
}

func busy(t *testing.T, s *subject, jobID int64, want bool) {
	t.Helper()
	reply := success
	if want {
		reply = refusal("job thread is running or has trigger queue.")
	}
	if got := s.ask(t, "/idleBeat", fmt.Sprintf(`{"jobId":%d}`, jobID)); got != reply {
		t.Errorf("idleBeat of job %d: %s; want %s", jobID, got, reply)
	}
}

// TestScriptTooLong: what could not run is not accepted.
func TestScriptTooLong(t *testing.T) {
	t.Parallel()
	s := start(t, newAdmin(t), nil)
	got := s.try(t, shell(1, 1, strings.Repeat("#", job.MaxSource+1)))
	if want := "the script has 524289 bytes, at most 524288 are taken"; !strings.Contains(got, want) {
		t.Errorf("answered %s", got)
	}
}
