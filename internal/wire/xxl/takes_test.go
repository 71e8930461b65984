package xxl

import (
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// Logs travel in callbacks to servers that announce support, and to no others: on some, an
// unknown field fails the whole callback.
func TestLogsTravelToServersThatTakeThem(t *testing.T) {
	t.Parallel()
	room := new(serverRoom)
	own := NewAdminHandler(AdminConfig{Leases: room, Outcomes: room})
	foreign := newFakeAdmin(t, replies(adminSuccess))
	client := newAdminClient(t, "", foreign.url)
	send := func() {
		t.Helper()
		if err := client.SendOutcomes(t.Context(), []job.Outcome{{AttemptID: 7, State: job.Succeeded, Log: "one\ntwo\n"}}); err != nil {
			t.Error(err)
		}
	}
	register := func() {
		t.Helper()
		if err := client.Register(t.Context(), "app-x", "http://127.0.0.1:9999/"); err != nil {
			t.Error(err)
		}
	}
	register()
	send()
	if got := foreign.take(); strings.Contains(got, "log\":\"") {
		t.Errorf("sent to a server that has not said that it takes logs: %s", got)
	}
	serve := http.HandlerFunc(own.ServeHTTP)
	foreign.answer.Store(&serve)
	register()
	foreign.take()
	send()
	if got := foreign.take(); !strings.Contains(got, `"log":"one\ntwo\n"`) {
		t.Errorf("sent to a server that takes logs: %s", got)
	}
	none := replies(adminSuccess)
	foreign.answer.Store(&none)
	register() // another server at the same address
	foreign.take()
	send()
	if got := foreign.take(); strings.Contains(got, "one") {
		t.Errorf("sent to the next server: %s", got)
	}
}

// TestBatchSizes: a server of Orth is sent what a small request carries, every other one
// the dialect's usual number. A substitute for a server of Orth gets all that was meant for
// it.
func TestBatchSizes(t *testing.T) {
	t.Parallel()
	many := func(n int, o job.Outcome) []job.Outcome {
		batch := slices.Repeat([]job.Outcome{o}, n)
		for i := range batch {
			batch[i].AttemptID = math.MaxInt64 - int64(i)
		}
		return batch
	}
	short, long := job.Outcome{State: job.Succeeded}, job.Outcome{State: job.Succeeded, Log: strings.Repeat("x", 1000)}
	failed := job.Outcome{State: job.Failed, Class: retry.ClassNotReady, RetryAfter: 30 * 24 * time.Hour}
	for name, c := range map[string]struct {
		batch []job.Outcome
		logs  bool
		want  int
	}{
		"foreign":             {many(120, short), false, dialect.MaxSendItems},
		"of Orth":             {many(120, short), true, 120},
		"no more than many":   {many(dialect.MaxSendMany+1, short), true, dialect.MaxSendMany},
		"a small request":     {many(120, long), true, 57},
		"the usual number":    {many(120, job.Outcome{State: job.Succeeded, Log: strings.Repeat("x", 4000)}), true, dialect.MaxSendItems},
		"a header's failures": {many(120, failed), true, dialect.MaxSendItems},
	} {
		body, n := dialect.AppendBatch(nil, new(dialect.Classic()), c.batch, c.logs)
		if got, err := dialect.DecodeOutcomes(body); n != c.want || err != nil || len(got) != n {
			t.Errorf("%s: %d outcomes were written of %d, want %d, and %d read (%v)", name, n, len(c.batch), c.want, len(got), err)
		}
		if text := dialect.AppendFailures(c.batch[:n]); len(text) > dialect.MaxFailuresText {
			t.Errorf("%s: the header has %d bytes, and %d are read", name, len(text), dialect.MaxFailuresText)
		}
	}
}

// TestManyOutcomesMeetAnotherServer: a batch for a server of Orth arrives whole at the one
// that answers in its place.
func TestManyOutcomesMeetAnotherServer(t *testing.T) {
	t.Parallel()
	room := new(serverRoom)
	own := http.HandlerFunc(NewAdminHandler(AdminConfig{Leases: room, Outcomes: room}).ServeHTTP)
	first, second := newFakeAdmin(t, own), newFakeAdmin(t, replies(adminSuccess))
	client := newAdminClient(t, "", first.url, second.url)
	if err := client.Register(t.Context(), "app-x", "http://127.0.0.1:9999/"); err != nil {
		t.Fatal(err)
	}
	away := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	first.answer.Store(&away)
	first.take()
	second.take()
	if err := client.SendOutcomes(t.Context(), outcomes(1, 2*dialect.MaxSendItems)); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(second.take(), "handleCode"); n != 2*dialect.MaxSendItems {
		t.Errorf("the second server got %d outcomes of %d", n, 2*dialect.MaxSendItems)
	}
}

// A log comes through as it was, and one that is too long is left out: the server asks for it.
func TestLogInACallback(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", job.MaxOutcomeLog)
	for given, want := range map[string]string{"one\n\"two\"\u2028\n": "one\n\"two\"\u2028\n", "": "", long: long, long + "\n": ""} {
		body, _ := callbackOf([]job.Outcome{{AttemptID: 7, State: job.Succeeded, Log: given}, {AttemptID: 8, State: job.Failed}})
		got, err := dialect.DecodeOutcomes(body)
		if err != nil || len(got) != 2 || got[0].Log != want || got[1].Log != "" {
			t.Errorf("%.20q: %.80v, %v", given, got, err)
		}
	}
	got, err := dialect.DecodeOutcomes([]byte(`[{"logId":7,"handleCode":200,"log":"` + long + `y"},{"logId":8,"handleCode":200,"log":null},{"logId":9,"handleCode":200,"log":"a"}]`))
	if err != nil || len(got) != 3 || got[0].Log+got[1].Log != "" || got[2].Log != "a" {
		t.Errorf("%.80v, %v", got, err)
	}
}
