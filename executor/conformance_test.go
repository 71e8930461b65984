package executor_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/orthd/orth/job"
)

// The cases below are named by the numbers of the dialect's conformance list.
// They drive an executor over HTTP the way an admin does, and judge it by its
// replies, its callbacks and its run logs. What the list says of requests alone
// (E9, E10, E12, E13, R3, C6) is pinned byte for byte beside the wire; R17 is a
// result that no handler of Go can have.

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
	for i, c := range slices.Concat(transport(), runs(), overlaps(), concurrents(), kills(), logs(), races()) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.try(t, s, int64(101+i))
		})
	}
}

//nolint:thelper // its functions are cases, no helpers
func transport() []conformance {
	return []conformance{
		{"E1 and E2 beat", func(t *testing.T, s *subject, _ int64) {
			for _, body := range []string{`""`, ""} {
				if got := s.ask(t, "/beat", body); got != success {
					t.Errorf("beat %s: %s", body, got)
				}
			}
		}},
		{"E3 and E8 method", func(t *testing.T, s *subject, _ int64) {
			for _, path := range []string{"/beat", "/nope"} {
				if got := s.send(t, http.MethodGet, path, "", http.Header{}); got != refusal("invalid request, HttpMethod not support.") {
					t.Errorf("GET %s: %s", path, got)
				}
			}
		}},
		{"E4 and E5 token", func(t *testing.T, s *subject, _ int64) {
			for want, headers := range map[string][]http.Header{
				refusal("The access token is wrong."): {{}, {"Xxl-Job-Access-Token": {"no"}}, {"Xxl-Job-Access-Token": {""}}},
				success:                               {{"xxl-job-access-token": {token}}, {"ORTH-ACCESS-TOKEN": {token}}},
			} {
				for _, h := range headers {
					if got := s.send(t, http.MethodPost, "/beat", "", h); got != want {
						t.Errorf("%v: %s; want %s", h, got, want)
					}
				}
			}
		}},
		{"E6 and E7 path", func(t *testing.T, s *subject, _ int64) {
			for _, path := range []string{"/nope", "/beat?x=1", "//beat", "/beat/"} {
				if got := s.ask(t, path, ""); got != refusal("invalid request, uri-mapping("+path+") not found.") {
					t.Errorf("%s: %s", path, got)
				}
			}
		}},
		{"E11 malformed", func(t *testing.T, s *subject, _ int64) {
			for _, body := range []string{"", "{bad", `{"jobId":"x"}`} {
				if got := s.ask(t, "/run", body); !strings.HasPrefix(got, `{"code":500,"msg":"request error:`) {
					t.Errorf("run %s: %s", body, got)
				}
			}
		}},
	}
}

//nolint:thelper // its functions are cases, no helpers
func runs() []conformance {
	return []conformance{
		{"R1 success", func(t *testing.T, s *subject, j int64) {
			s.run(t, bean(j, j*10+1, "demo"), success)
			want := fmt.Sprintf(`{"logId":%d,"logDateTim":%d,"handleCode":200}`, j*10+1, runAt)
			if got := s.admin.outcome(t, j*10+1); got.raw != want {
				t.Errorf("called back as %s; want %s", got.raw, want)
			}
		}},
		{"R1 success with a text", func(t *testing.T, s *subject, j int64) {
			s.run(t, bean(j, j*10+1, "say").with(func(r *run) { r.Param = "<b>&'=\"" }), success)
			s.admin.want(t, j*10+1, `200 said <b>&'="`)
		}},
		{"R1 the path of later releases", func(t *testing.T, s *subject, j int64) {
			body, _ := json.Marshal(bean(j, j*10+1, "demo"))
			if got := s.ask(t, "/trigger", string(body)); got != success {
				t.Error(got)
			}
			s.admin.want(t, j*10+1, "200")
		}},
		{"R2 unknown handler", func(t *testing.T, s *subject, j int64) {
			s.run(t, bean(j, j*10+1, "nope"), refusal("job handler [nope] not found."))
			s.run(t, bean(j, j*10+2, "demo"), success)
			s.admin.want(t, j*10+2, "200")
			if n := s.admin.count(j*10 + 1); n > 0 {
				t.Errorf("%d callbacks of a run that was refused", n)
			}
			if p := s.log(t, "logDateTim", j*10+1, 1); !*p.End {
				t.Errorf("a run that was refused has a log: %+v", p)
			}
		}},
		{"R14 time-out", func(t *testing.T, s *subject, j int64) {
			s.run(t, bean(j, j*10+1, "hold").with(func(r *run) { r.Timeout = 1 }), success)
			s.admin.want(t, j*10+1, "502 job execute timeout ")
		}},
		{"R15 time-out of a script", scripted(func(t *testing.T, s *subject, j int64) {
			live := newPulse(t)
			s.run(t, shell(j, j*10+1, live.script()).with(func(r *run) { r.Timeout = 1 }), success)
			live.beats(t)
			if got := s.admin.outcome(t, j*10+1).String(); got != "502 job execute timeout " && got != "500 script exit value(-1) is failed" {
				t.Errorf("called back as %q", got)
			}
			live.stops(t)
		})},
		{"R16 failure", func(t *testing.T, s *subject, j int64) {
			s.run(t, bean(j, j*10+1, "fail").with(func(r *run) { r.Param = "it went wrong" }), success)
			s.admin.want(t, j*10+1, "500 it went wrong")
		}},
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
		{"R19 long message", func(t *testing.T, s *subject, j int64) {
			s.run(t, bean(j, j*10+1, "long"), success)
			got := *s.admin.outcome(t, j*10+1).HandleMsg
			// The mark of the cut is the dialect's or Orth's.
			if n := utf8.RuneCountInString(got); n < 49_900 || n > 50_003 || strings.HasSuffix(got, "数") {
				t.Errorf("called back with %d characters that end in %q", n, got[len(got)-20:])
			}
		}},
		{"C8 arguments", scripted(func(t *testing.T, s *subject, j int64) {
			s.run(t, shell(j, j*10+1, `echo "[$1][$2][$3] $#"`).with(func(r *run) { r.Param = `a b "c" $HOME` }), success)
			s.admin.want(t, j*10+1, "200")
			if text := s.log(t, "logDateTim", j*10+1, 1).Text; !strings.Contains(text, `[a b "c" $HOME][0][1] 3`+"\n") {
				t.Errorf("the log:\n%s", text)
			}
		})},
		{"C8 shard", scripted(func(t *testing.T, s *subject, j int64) {
			s.run(t, shell(j, j*10+1, `echo "[$2][$3]"`).with(func(r *run) { r.Index, r.Total = 2, 5 }), success)
			s.admin.want(t, j*10+1, "200")
			if text := s.log(t, "logDateTim", j*10+1, 1).Text; !strings.Contains(text, "[2][5]\n") {
				t.Errorf("the log:\n%s", text)
			}
		})},
		{"C9 no parameter", scripted(func(t *testing.T, s *subject, j int64) {
			s.run(t, shell(j, j*10+1, `echo "count $#"`), success)
			s.admin.want(t, j*10+1, "200")
			if text := s.log(t, "logDateTim", j*10+1, 1).Text; !strings.Contains(text, "count 3\n") {
				t.Errorf("the log:\n%s", text)
			}
		})},
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
		{"C11 exit value", scripted(func(t *testing.T, s *subject, j int64) {
			s.run(t, shell(j, j*10+1, "exit 3"), success)
			s.admin.want(t, j*10+1, "500 script exit value(3) is failed")
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
		{"an empty script", scripted(func(t *testing.T, s *subject, j int64) {
			s.run(t, shell(j, j*10+1, ""), success)
			s.admin.want(t, j*10+1, "200")
		})},
	}
}

//nolint:thelper // its functions are cases, no helpers
func overlaps() []conformance {
	const (
		covered = "block strategy effect：Cover Early"
		running = " [job running, killed]"
		waiting = " [job not executed, in the job queue, killed.]"
	)
	return []conformance{
		{"R4 serial", func(t *testing.T, s *subject, j int64) {
			oneByOne(t, s, bean(j, j*10+1, "hold"), bean(j, j*10+2, "hold"))
		}},
		{"R5 discard", func(t *testing.T, s *subject, j int64) {
			s.run(t, bean(j, j*10+1, "hold"), success)
			s.started(t, j*10+1)
			s.run(t, bean(j, j*10+2, "hold").block("DISCARD_LATER"),
				refusal("block strategy effect：Discard Later"))
			s.release(j*10 + 1)
			s.admin.want(t, j*10+1, "200")
			s.run(t, bean(j, j*10+3, "hold"), success)
			s.release(j*10 + 3)
			s.admin.want(t, j*10+3, "200")
			if n := s.admin.count(j*10 + 2); n > 0 {
				t.Errorf("%d callbacks of a run that was discarded", n)
			}
		}},
		{"R6 cover", func(t *testing.T, s *subject, j int64) {
			s.run(t, bean(j, j*10+1, "hold"), success)
			s.started(t, j*10+1)
			s.run(t, bean(j, j*10+2, "hold"), success)
			s.run(t, bean(j, j*10+3, "hold").block("COVER_EARLY"), success)
			s.release(j*10 + 3)
			s.admin.want(t, j*10+1, "500 "+covered+running)
			s.admin.want(t, j*10+2, "500 "+covered+waiting)
			s.admin.want(t, j*10+3, "200")
		}},
		{"R7 cover on an idle job", func(t *testing.T, s *subject, j int64) {
			for i := range int64(3) {
				s.run(t, bean(j, j*10+i, "inited").block("COVER_EARLY"), success)
				s.admin.want(t, j*10+i, "200")
			}
			s.await(t, "the one Init", func() bool { return s.inits == 1 })
		}},
		{"R8 unknown overlap", func(t *testing.T, s *subject, j int64) {
			oneByOne(t, s, bean(j, j*10+1, "hold").block("WHATEVER"), bean(j, j*10+2, "hold").block("WHATEVER"))
		}},
		{"R8 no overlap", func(t *testing.T, s *subject, j int64) {
			none := func(r *run) { r.Block = nil }
			oneByOne(t, s, bean(j, j*10+1, "hold").with(none), bean(j, j*10+2, "hold").with(none))
		}},
		{"R9 the same run again while it waits", func(t *testing.T, s *subject, j int64) {
			s.run(t, bean(j, j*10+1, "hold"), success)
			s.started(t, j*10+1)
			s.run(t, bean(j, j*10+2, "hold"), success)
			s.run(t, bean(j, j*10+2, "hold"), refusal(fmt.Sprintf("repeat trigger job, logId:%d", j*10+2)))
			s.release(j*10+1, j*10+2)
			s.admin.want(t, j*10+2, "200")
		}},
		// The dialect's own executors run it a second time.
		{"R10 the same run again while it runs and after it", func(t *testing.T, s *subject, j int64) {
			again := refusal(fmt.Sprintf("repeat trigger job, logId:%d", j*10+1))
			s.run(t, bean(j, j*10+1, "hold"), success)
			s.started(t, j*10+1)
			s.run(t, bean(j, j*10+1, "hold"), again)
			s.release(j*10 + 1)
			s.admin.want(t, j*10+1, "200")
			s.run(t, bean(j, j*10+1, "hold"), again)
			if got := s.happened(j*10 + 1); got != fmt.Sprintf("start %d, end %d", j*10+1, j*10+1) {
				t.Errorf("it went %s", got)
			}
		}},
		{"R11 another handler waits, and nothing is killed", func(t *testing.T, s *subject, j int64) {
			s.run(t, bean(j, j*10+1, "hold"), success)
			s.started(t, j*10+1)
			s.run(t, bean(j, j*10+2, "hold"), success)
			s.run(t, bean(j, j*10+3, "other"), success)
			for n := range int64(3) {
				s.release(j*10 + 1 + n)
				s.admin.want(t, j*10+1+n, "200")
			}
		}},
		{"R12 an unknown handler", func(t *testing.T, s *subject, j int64) {
			s.run(t, bean(j, j*10+1, "hold"), success)
			s.started(t, j*10+1)
			s.run(t, bean(j, j*10+2, "nope"), refusal("job handler [nope] not found."))
			s.release(j*10 + 1)
			s.admin.want(t, j*10+1, "200")
		}},
		{"R13 a new version of the script waits, and nothing is killed", scripted(func(t *testing.T, s *subject, j int64) {
			gate := filepath.Join(t.TempDir(), "gate")
			s.run(t, shell(j, j*10+1, "until [ -e '"+gate+"' ]; do sleep 0.02; done"), success)
			s.run(t, shell(j, j*10+2, "[ -e '"+gate+"' ]").with(func(r *run) { r.SourceAt++ }), success)
			if err := os.WriteFile(gate, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			s.admin.want(t, j*10+1, "200")
			s.admin.want(t, j*10+2, "200")
		})},
	}
}

//nolint:thelper // its functions are cases, no helpers
func concurrents() []conformance {
	return []conformance{
		{"R22 three at once", func(t *testing.T, s *subject, j int64) {
			for i := range int64(4) {
				s.run(t, bean(j, j*10+i, "hold").concurrent(3), success)
			}
			for i := range int64(3) {
				s.started(t, j*10+i)
			}
			s.run(t, bean(j, j*10+1, "hold").concurrent(3), refusal(fmt.Sprintf("repeat trigger job, logId:%d", j*10+1)))
			s.release(j * 10)
			s.started(t, j*10+3)
			s.mu.Lock()
			if !s.has("end", j*10) {
				t.Error("four ran at once")
			}
			s.mu.Unlock()
			s.release(j*10+1, j*10+2, j*10+3)
			for i := range int64(4) {
				s.admin.want(t, j*10+i, "200")
			}
		}},
		{"R23 kill", func(t *testing.T, s *subject, j int64) {
			for i := range int64(5) {
				s.run(t, bean(j, j*10+i, "hold").concurrent(2), success)
			}
			s.started(t, j*10)
			s.started(t, j*10+1)
			if got := s.ask(t, "/kill", fmt.Sprintf(`{"jobId":%d}`, j)); got != success {
				t.Error(got)
			}
			for i := range int64(5) {
				want := "500 scheduling center kill job. [job running, killed]"
				if i >= 2 {
					want = "500 scheduling center kill job. [job not executed, in the job queue, killed.]"
				}
				s.admin.want(t, j*10+i, want)
			}
		}},
		{"R24 no concurrency, twice", func(t *testing.T, s *subject, j int64) {
			oneByOne(t, s, bean(j, j*10+1, "hold").concurrent(0), bean(j, j*10+2, "hold").concurrent(0))
		}},
		{"R25 how many is not said", func(t *testing.T, s *subject, j int64) {
			oneByOne(t, s, bean(j, j*10+1, "hold").block("CONCURRENT"), bean(j, j*10+2, "hold").block("CONCURRENT"))
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
		{"K1 idleBeat of nobody", func(t *testing.T, s *subject, j int64) {
			busy(t, s, j, false)
			if got := s.ask(t, "/idleBeat", "{}"); got != success {
				t.Error(got)
			}
		}},
		{"K2 idleBeat while it runs and waits", func(t *testing.T, s *subject, j int64) {
			s.run(t, bean(j, j*10+1, "hold"), success)
			busy(t, s, j, true)
			s.run(t, bean(j, j*10+2, "hold"), success)
			busy(t, s, j, true)
			s.release(j*10+1, j*10+2)
			s.admin.want(t, j*10+2, "200")
		}},
		{"K3 kill of nobody", func(t *testing.T, s *subject, j int64) {
			if got := s.ask(t, "/kill", fmt.Sprintf(`{"jobId":%d}`, j)); got != killedAlready {
				t.Error(got)
			}
		}},
		{"K4 kill", func(t *testing.T, s *subject, j int64) {
			s.run(t, bean(j, j*10+1, "hold"), success)
			s.started(t, j*10+1)
			s.run(t, bean(j, j*10+2, "hold"), success)
			if got := s.ask(t, "/kill", fmt.Sprintf(`{"jobId":%d}`, j)); got != success {
				t.Error(got)
			}
			s.admin.want(t, j*10+1, "500 scheduling center kill job. [job running, killed]")
			s.admin.want(t, j*10+2, "500 scheduling center kill job. [job not executed, in the job queue, killed.]")
		}},
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
func logs() []conformance {
	return []conformance{
		{"K5 no log", func(t *testing.T, s *subject, j int64) {
			p := s.log(t, "logDateTim", j*10+1, 1)
			if p.From != 1 || p.To != 0 || !*p.End || p.Text != "readLog fail, logFile not exists" {
				t.Errorf("%+v", p)
			}
		}},
		{"K6 to K11 pages", scripted(func(t *testing.T, s *subject, j int64) {
			s.run(t, shell(j, j*10+1, `printf 'one\ntwo\nthree\nfour\n'`), success)
			s.admin.want(t, j*10+1, "200")
			whole := s.log(t, "logDateTim", j*10+1, 1)
			lines := strings.SplitAfter(whole.Text, "\n")
			n := len(lines) - 1
			if whole.To != n || lines[n] != "" || !strings.Contains(whole.Text, "one\ntwo\nthree\nfour\n") || *whole.End {
				t.Fatalf("from 1: %+v", whole)
			}
			for from, want := range map[int]page{
				3:     {To: n, Text: strings.Join(lines[2:], "")},
				n:     {To: n, Text: lines[n-1]},
				n + 1: {}, n + 50: {}, 0: whole, -5: whole,
			} {
				for _, date := range []string{"logDateTim", "logDateTime"} {
					p := s.log(t, date, j*10+1, from)
					if p.From != from || p.To != want.To || p.Text != want.Text || *p.End {
						t.Errorf("from %d by %s: %+v; want %+v", from, date, p, want)
					}
				}
			}
		})},
		{"K12 bytes that are no text", func(t *testing.T, s *subject, j int64) {
			s.run(t, bean(j, j*10+1, "raw"), success)
			s.admin.want(t, j*10+1, "200")
			p := s.log(t, "logDateTim", j*10+1, 1)
			if !strings.Contains(p.Text, "\nafter them\n") || !utf8.ValidString(p.Text) {
				t.Errorf("%+v", p)
			}
		}},
	}
}

//nolint:thelper // its functions are cases, no helpers
func races() []conformance {
	return []conformance{
		{"100 times the same run at once", func(t *testing.T, s *subject, j int64) {
			replies := make(chan string, 100)
			var group sync.WaitGroup
			for range cap(replies) {
				group.Go(func() { replies <- s.try(t, bean(j, j*10+1, "hold")) })
			}
			group.Wait()
			close(replies)
			got := make(map[string]int)
			for reply := range replies {
				got[reply]++
			}
			want := map[string]int{success: 1, refusal(fmt.Sprintf("repeat trigger job, logId:%d", j*10+1)): 99}
			if !maps.Equal(got, want) {
				t.Errorf("the replies were %v", got)
			}
			s.release(j*10 + 1)
			s.admin.want(t, j*10+1, "200")
			if got := s.happened(j*10 + 1); got != fmt.Sprintf("start %d, end %d", j*10+1, j*10+1) {
				t.Errorf("it went %s", got)
			}
		}},
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

// oneByOne sends two runs of a job and checks that both succeed, the second
// after the first.
func oneByOne(t *testing.T, s *subject, first, second run) {
	t.Helper()
	s.run(t, first, success)
	s.started(t, first.LogID)
	s.run(t, second, success)
	busy(t, s, first.JobID, true)
	s.release(first.LogID, second.LogID)
	s.admin.want(t, first.LogID, "200")
	s.admin.want(t, second.LogID, "200")
	want := fmt.Sprintf("start %d, end %d, start %d, end %d", first.LogID, first.LogID, second.LogID, second.LogID)
	if got := s.happened(first.LogID, second.LogID); got != want {
		t.Errorf("they went %s; want %s", got, want)
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
