package xxl

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

// asks sends one request with these headers, as net/http files them.
func asks(h http.Handler, method, path, body string, header http.Header) string {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header = header
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Body.String()
}

// TestGroupIsNamed covers E14: who names a group must name the executor's and show
// the token; who names none need not, unless all servers are of a release that does.
func TestGroupIsNamed(t *testing.T) {
	t.Parallel()
	const tokenName, empty, wrong = dialect.HeaderTokenCanonical, dialect.TextGroupEmpty, dialect.TextGroupWrong
	for _, c := range []struct {
		name   string
		config ExecutorConfig
		header http.Header
		text   string // of the refusal
	}{
		{"both", ExecutorConfig{}, http.Header{tokenName: {"tok"}, dialect.HeaderGroupCanonical: {"app-x"}}, ""},
		{"both, the token under the fork's name", ExecutorConfig{}, http.Header{dialect.HeaderForkTokenCanonical: {"tok"}, dialect.HeaderGroupCanonical: {"app-x"}}, ""},
		{"no name", ExecutorConfig{}, http.Header{tokenName: {"tok"}}, ""},
		{"no name, and one is wanted", ExecutorConfig{Dialect: job.DialectXXL35}, http.Header{tokenName: {"tok"}}, empty},
		{"an empty name", ExecutorConfig{}, http.Header{tokenName: {"tok"}, dialect.HeaderGroupCanonical: {""}}, empty},
		{"another name", ExecutorConfig{}, http.Header{tokenName: {"tok"}, dialect.HeaderGroupCanonical: {"app-y"}}, wrong},
		{"a longer name", ExecutorConfig{}, http.Header{tokenName: {"tok"}, dialect.HeaderGroupCanonical: {"app-x1"}}, wrong},
		{"no token", ExecutorConfig{}, http.Header{dialect.HeaderGroupCanonical: {"app-x"}}, empty},
		{"an empty token", ExecutorConfig{}, http.Header{tokenName: {""}, dialect.HeaderGroupCanonical: {"app-x"}}, empty},
		{"another token", ExecutorConfig{}, http.Header{tokenName: {"tik"}, dialect.HeaderGroupCanonical: {"app-x"}}, wrong},
		{"another token and another name", ExecutorConfig{}, http.Header{tokenName: {"tik"}, dialect.HeaderGroupCanonical: {"app-y"}}, wrong},
		{"nothing", ExecutorConfig{Dialect: job.DialectXXL35}, http.Header{}, empty},
		{"a name is nothing to releases before", ExecutorConfig{Dialect: job.DialectXXL}, http.Header{tokenName: {"tok"}, dialect.HeaderGroupCanonical: {"app-y"}}, ""},
		{"another token before", ExecutorConfig{}, http.Header{tokenName: {"tik"}}, dialect.TextToken},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			room := new(executorRoom)
			c.config.Token, c.config.Group, c.config.Tasks, c.config.Logs = "tok", "app-x", room, room
			want := dialect.ExecutorSuccess
			if c.text != "" {
				want = string(dialect.AppendExecutorRefusal(nil, c.text))
			}
			h := NewExecutorHandler(c.config)
			for _, path := range []string{"/beat", "/idleBeat"} {
				if got := asks(h, http.MethodPost, path, `{"jobId":1}`, c.header); got != want {
					t.Errorf("%s: %s; want %s", path, got, want)
				}
			}
			if c.text == "" {
				return
			}
			room.take()
			asks(h, http.MethodPost, "/trigger", sampleRun, c.header)
			asks(h, http.MethodPost, "/kill", `{"jobId":70}`, c.header)
			if got := room.take(); got != "" {
				t.Errorf("the room was asked: %s", got)
			}
		})
	}
	open := NewExecutorHandler(ExecutorConfig{Tasks: new(executorRoom), Logs: new(executorRoom)})
	if got := asks(open, http.MethodPost, "/beat", "", http.Header{dialect.HeaderGroupCanonical: {"any"}}); got != dialect.ExecutorSuccess {
		t.Errorf("an executor without a token and a group: %s", got)
	}
}

// TestCallersAreHeard: a caller's headers determine the dialect of its answer; our own
// servers show everything, and are answered in the words of all releases.
func TestCallersAreHeard(t *testing.T) {
	t.Parallel()
	const own, fork = dialect.HeaderTokenCanonical, dialect.HeaderForkTokenCanonical
	for _, c := range []struct {
		set    job.Dialect
		header http.Header
		want   job.Dialect
	}{
		{"", http.Header{}, job.DialectXXL},
		{"", http.Header{own: {""}}, job.DialectXXL},
		{"", http.Header{own: {"tok"}, fork: {"tok"}}, job.DialectXXL},
		{"", http.Header{fork: {"tok"}}, job.DialectOrthJava},
		{"", http.Header{fork: {""}}, job.DialectOrthJava},
		{"", http.Header{own: {"tok"}, dialect.HeaderGroupCanonical: {"app-x"}}, job.DialectXXL35},
		{job.DialectOrthJava, http.Header{own: {"tok"}}, job.DialectOrthJava},
		{job.DialectXXL, http.Header{fork: {"tok"}}, job.DialectXXL},
		{"unknown", http.Header{fork: {"tok"}}, job.DialectOrthJava},
	} {
		e := newEars(c.set, []dialect.Speech{forkSpeech()})
		if got := e.speech(c.header).Dialect; got != c.want {
			t.Errorf("%v, set %q: %q; want %q", c.header, c.set, got, c.want)
		}
	}
}

// TestMessagesOfEnds: an executor's own messages are translated into a fork's words, and
// other texts stay.
func TestMessagesOfEnds(t *testing.T) {
	t.Parallel()
	fork := dialect.Ends{
		Killed: "K", Stopped: "S", Covered: "C", Running: " [r]", Waiting: " [w]", Timeout: "T", Exit: dialect.Phrase{Before: "exit code: ", After: ""},
	}
	for text, want := range map[string]string{
		"job execute timeout ":                                    "T",
		"job execute timeout":                                     "job execute timeout",
		"exit status 3":                                           "exit code: 3",
		"exit status 137: psql: error: refused":                   "exit code: 137: psql: error: refused",
		"exit status 3 of the child":                              "exit status 3 of the child",
		"exit status ":                                            "exit status ",
		"exit status unknown":                                     "exit status unknown",
		"scheduling center kill job. [job running, killed]":       "K [r]",
		"block strategy effect：Cover Early [job running, killed]": "C [r]",
		"web container destroy and kill the job. [job not executed, in the job queue, killed.]": "S [w]",
		"Admin said so [job not executed, in the job queue, killed.]":                           "Admin said so [w]",
		"web container destroy and kill the job.":                                               "web container destroy and kill the job.",
		"": "",
	} {
		if got := fork.Message(text); got != want {
			t.Errorf("%q is said as %q; want %q", text, got, want)
		}
	}
	own := dialect.ClassicEnds()
	if got := own.Message("exit status 3: no rows"); got != "script exit value(3) is failed: no rows" {
		t.Errorf("XXL-JOB is told %q", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.String(),
			rapid.Map(rapid.String(), own.Exit.With),
			rapid.Map(rapid.String(), func(s string) string { return s + own.Running }),
			rapid.Map(rapid.String(), func(s string) string { return s + own.Waiting }),
		).Draw(t, "text")
		if got := own.Message(text); got != text {
			t.Fatalf("%q is said as %q", text, got)
		}
	})
}

// TestSuccessesAreNotTranslated: a handler's success text is its own.
func TestSuccessesAreNotTranslated(t *testing.T) {
	t.Parallel()
	fork := forkSpeech()
	for state, want := range map[job.State]string{job.Succeeded: "job execute timeout ", job.TimedOut: "Job execution timeout"} {
		body := string(dialect.AppendOutcome(nil, &fork, job.Outcome{AttemptID: 1, State: state, Message: "job execute timeout "}, false))
		if !strings.Contains(body, `"handleMsg":"`+want+`"`) {
			t.Errorf("%s: %s", state, body)
		}
	}
}

// dayLogs has the log of attempt 1 on one day, and cannot read that of attempt 2 on
// the day before.
type dayLogs struct{ until time.Time }

func (d dayLogs) Read(attempt int64, at time.Time, _ int) (job.LogPage, error) {
	switch {
	case attempt == 1 && at.Before(d.until):
		return job.LogPage{To: 1, Text: "late\n"}, nil
	case attempt == 2 && at.Before(d.until):
		return job.LogPage{}, errors.New("input/output error")
	}
	return job.LogPage{Text: "readLog fail, logFile not exists", End: true}, nil
}

// TestLogOfMidnight covers A38 from the executor's side: the log of a run that was
// triggered half a second before midnight is found at midnight, to which a server's
// database rounds.
func TestLogOfMidnight(t *testing.T) {
	t.Parallel()
	midnight := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	h := NewExecutorHandler(ExecutorConfig{Tasks: new(executorRoom), Logs: dayLogs{midnight}})
	for _, c := range []struct {
		attempt int64
		at      time.Time
		found   bool
	}{
		{1, midnight.Add(-time.Millisecond), true},
		{1, midnight, true},
		{1, midnight.Add(time.Millisecond), false},
		{1, midnight.Add(time.Second), false},
		{2, midnight, false},
		{3, midnight, false},
	} {
		body := fmt.Sprintf(`{"logDateTim":%d,"logId":%d,"fromLineNum":1}`, c.at.UnixMilli(), c.attempt)
		got := asks(h, http.MethodPost, "/log", body, http.Header{})
		if strings.Contains(got, `"logContent":"late\n","isEnd":false`) != c.found || strings.Contains(got, "logFile not exists") == c.found {
			t.Errorf("attempt %d at %s: %s", c.attempt, c.at, got)
		}
	}
}
