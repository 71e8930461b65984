package xxl

import (
	"net/http"
	"strings"
	"testing"

	"github.com/orthd/orth/job"
)

// Logs travel in callbacks to servers that say that they take them, and to no others: a
// field that is not known fails the whole callback on some.
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

// A log comes through as it was, and one that is too long is left out: the server asks for it.
func TestLogInACallback(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", job.MaxOutcomeLog)
	for given, want := range map[string]string{"one\n\"two\"\u2028\n": "one\n\"two\"\u2028\n", "": "", long: long, long + "\n": ""} {
		body, _ := callbackOf([]job.Outcome{{AttemptID: 7, State: job.Succeeded, Log: given}, {AttemptID: 8, State: job.Failed}})
		got, err := decodeOutcomes(body)
		if err != nil || len(got) != 2 || got[0].Log != want || got[1].Log != "" {
			t.Errorf("%.20q: %.80v, %v", given, got, err)
		}
	}
	got, err := decodeOutcomes([]byte(`[{"logId":7,"handleCode":200,"log":"` + long + `y"},{"logId":8,"handleCode":200,"log":null},{"logId":9,"handleCode":200,"log":"a"}]`))
	if err != nil || len(got) != 3 || got[0].Log+got[1].Log != "" || got[2].Log != "a" {
		t.Errorf("%.80v, %v", got, err)
	}
}
