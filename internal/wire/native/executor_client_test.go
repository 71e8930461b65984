package native

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orthd/orth/internal/wire/native/mailbox"
	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/internal/wire/native/signing"
	"github.com/orthd/orth/job"
)

// clientOf returns a client that knows the executors' token, and takes them for that
// incarnation.
func clientOf(t *testing.T, incarnation string) *ExecutorClient {
	t.Helper()
	c := NewExecutorClient(ClientConfig{
		Peer: func(string) (string, string) { return testToken, incarnation }, Timeout: 10 * time.Second,
	})
	t.Cleanup(c.Close)
	return c
}

// TestClientMeetsExecutor plays our two sides against each other.
func TestClientMeetsExecutor(t *testing.T) {
	t.Parallel()
	w := new(worker)
	server := httptest.NewServer(newTestHandler(w, nil))
	t.Cleanup(server.Close)
	client := clientOf(t, "me")
	for attempt, want := range map[int64]struct {
		kind job.Kind
		text string
	}{
		1: {}, 2: {job.Duplicate, "attempt 2 was accepted before (running)"}, 3: {job.Refused, "no handler x"},
		4: {job.Refused, "the job is busy there, and its overlap discards the run: the job is busy there, and its overlap discards the run"},
		5: {job.Full, "too much waits"}, 6: {job.Full, "the executor stops"}, 7: {job.Full, message.TextInternal}, 8: {job.Refused, "param: is odd"},
		9: {job.Ambiguous, "the disk failed in the commit"},
	} {
		err := client.Send(t.Context(), server.URL, plainTask(attempt))
		if job.KindOf(err) != want.kind || err != nil && err.Error() != want.text {
			t.Errorf("attempt %d: %q %v; want %q %s", attempt, job.KindOf(err), err, want.kind, want.text)
		}
		if errors.Is(err, job.ErrDiscarded) != (attempt == 4) {
			t.Errorf("attempt %d: discarded or not: %v", attempt, err)
		}
	}
	full := fullTask()
	if err := client.Send(t.Context(), server.URL, full); err != nil {
		t.Errorf("a task with all words: %v", err)
	}
	if err := client.Beat(t.Context(), server.URL); err != nil {
		t.Errorf("beat: %v", err)
	}
	for jobID, want := range map[int64]bool{1: true, 2: false} {
		if busy, err := client.Busy(t.Context(), server.URL, jobID); busy != want || err != nil {
			t.Errorf("Busy(%d) = %v, %v", jobID, busy, err)
		}
	}
	for attempt, want := range map[int64]bool{1: true, 2: true, 3: true, 4: false} {
		if holds, err := client.Holds(t.Context(), server.URL, attempt, job.FromMillis(5)); holds != want || err != nil {
			t.Errorf("Holds(%d) = %v, %v", attempt, holds, err)
		}
	}
	asked := []job.Attempt{{ID: 1}, {ID: 2}, {ID: 3}, {ID: 4}, {ID: ridForTests}}
	rid, err := client.Rid(t.Context(), server.URL, asked)
	if want := []bool{false, false, false, true, true}; !slices.Equal(rid, want) || err != nil {
		t.Errorf("Rid = %v, %v; want %v", rid, err, want)
	}
	if _, err := client.Rid(t.Context(), server.URL, []job.Attempt{{ID: 99}}); !job.Is(err, job.Unavailable) {
		t.Errorf("Rid when the disk is away: %v", err)
	}
	if _, err := client.Holds(t.Context(), server.URL, 99, job.FromMillis(5)); !job.Is(err, job.Unavailable) {
		t.Errorf("Holds when the disk is away: %v", err)
	}
	if err := client.Cancel(t.Context(), server.URL, 1, "enough"); err != nil {
		t.Errorf("cancel: %v", err)
	}
	if err := client.Cancel(t.Context(), server.URL, 2, "enough"); !job.Is(err, job.NotFound) {
		t.Errorf("cancel what is not there: %v", err)
	}
	page, err := client.ReadLog(t.Context(), server.URL, 5, job.FromMillis(17), 3)
	if want := (job.LogPage{From: 3, To: 4, Text: "of 5 at 17\n"}); page != want || err != nil {
		t.Errorf("log: %+v, %v", page, err)
	}
	for _, on := range []bool{true, false} {
		if draining, err := client.Drain(t.Context(), server.URL, on); draining != on || err != nil {
			t.Errorf("Drain(%v) = %v, %v", on, draining, err)
		}
	}
}

// TestManyTasksFewRequests: tasks travel together, each with its own answer.
func TestManyTasksFewRequests(t *testing.T) {
	t.Parallel()
	w := new(worker)
	server := httptest.NewServer(newTestHandler(w, nil))
	t.Cleanup(server.Close)
	client := clientOf(t, "")
	client.Batch(server.URL, 100)
	tasks := make([]job.Task, 1000)
	for i := range tasks {
		tasks[i] = plainTask(int64(100 + i))
	}
	for i, err := range client.SendAll(t.Context(), server.URL, tasks) {
		if err != nil {
			t.Errorf("attempt %d: %v", 100+i, err)
		}
	}
	if len(w.took) != 1000 || len(w.offers) != 10 {
		t.Errorf("%d tasks arrived in %d requests", len(w.took), len(w.offers))
	}
}

// TestClientErrors: what is made of everything that may come back, or not.
func TestClientErrors(t *testing.T) {
	t.Parallel()
	verifier := signing.NewVerifier(signing.VerifierConfig{Keys: signing.NewTokens(testToken)})
	signed := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			text, _ := signing.ReadBody(r)
			_, session, err := verifier.Check(r, text)
			if err != nil {
				t.Errorf("%v", err)
			}
			session.Write(w, r, status, []byte(body))
		}
	}
	answers := func(items string) http.HandlerFunc { return signed(200, `{"answers":[`+items+`]}`) }
	for name, c := range map[string]struct {
		serve http.HandlerFunc
		kind  job.Kind
	}{
		"taken":              {answers(`{"attempt":1,"state":"accepted","later":1}`), ""},
		"of another":         {answers(`{"attempt":2,"state":"accepted"}`), job.Ambiguous},
		"none":               {answers(``), job.Ambiguous},
		"a later word":       {answers(`{"attempt":1,"state":"parked"}`), job.Ambiguous},
		"no JSON":            {signed(200, `<html>`), job.Ambiguous},
		"full":               {signed(429, `{"kind":"full","message":"m"}`), job.Full},
		"unavailable":        {signed(503, `{"kind":"unavailable","message":"m"}`), job.Full},
		"invalid":            {signed(400, `{"kind":"invalid","message":"m"}`), job.Refused},
		"too large":          {signed(413, `{"kind":"invalid","message":"m"}`), job.Refused},
		"refused":            {signed(403, `{"kind":"refused","message":"m"}`), job.Refused},
		"not found":          {signed(404, `{"kind":"not_found","message":"m"}`), job.Refused},
		"unauthorized":       {signed(401, `{"kind":"unauthorized","message":"m"}`), job.Refused},
		"an unknown problem": {signed(507, `{"kind":"from_2031","message":"m"}`), job.Full},
		"no problem":         {signed(500, `oops`), job.Ambiguous},
		"not signed":         {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"answers":[]}`)) }, job.Ambiguous},
		"a wrong token": {
			newTestHandler(new(worker), func(c *ExecutorConfig) { c.Keys = signing.NewTokens("another") }).ServeHTTP,
			job.Refused,
		},
		"a page":           {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, job.Ambiguous},
		"another executor": {newTestHandler(new(worker), func(c *ExecutorConfig) { c.Incarnation = "else" }).ServeHTTP, job.Full},
		"hangs up":         {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, job.Ambiguous},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(c.serve)
			t.Cleanup(server.Close)
			if err := clientOf(t, "me").Send(t.Context(), server.URL, plainTask(1)); job.KindOf(err) != c.kind {
				t.Errorf("kind %q: %v; want %q", job.KindOf(err), err, c.kind)
			}
		})
	}
}

// TestClientUnreachable: what certainly did not arrive.
func TestClientUnreachable(t *testing.T) {
	t.Parallel()
	const nobody = "http://127.0.0.1:1" // a port that nobody is given
	client := clientOf(t, "")
	for _, address := range []string{nobody, "ftp://h", "", "http://u:p@h"} {
		if err := client.Send(t.Context(), address, plainTask(1)); !job.Is(err, job.Unreachable) {
			t.Errorf("%q: kind %q: %v", address, job.KindOf(err), err)
		}
	}
	large := plainTask(1)
	large.Param = strings.Repeat("\x01", 2<<20)
	if err := client.Send(t.Context(), nobody, large); !job.Is(err, job.Refused) {
		t.Errorf("a task that is too large: %v", err)
	}
}

// TestLaterStates: an attempt in an unknown state is asked about again.
func TestLaterStates(t *testing.T) {
	t.Parallel()
	verifier := signing.NewVerifier(signing.VerifierConfig{Keys: signing.NewTokens(testToken)})
	for body, want := range map[string]job.Kind{
		`{"attempts":[{"attempt":1,"state":"suspended"}]}`: job.Unavailable,
		`{"attempts":[{"attempt":2,"state":"running"}]}`:   job.Ambiguous,
		`{"attempts":[]}`: job.Ambiguous,
		`[]`:              job.Ambiguous,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			text, _ := signing.ReadBody(r)
			_, session, _ := verifier.Check(r, text)
			session.Write(w, r, 200, []byte(body))
		}))
		if _, err := clientOf(t, "").Holds(t.Context(), server.URL, 1, job.FromMillis(1)); !job.Is(err, want) {
			t.Errorf("%s: kind %q: %v; want %q", body, job.KindOf(err), err, want)
		}
		server.Close()
	}
}

// TestClientPulls: a task for an executor that pulls goes through its mailbox.
func TestClientPulls(t *testing.T) {
	t.Parallel()
	boxes := mailbox.New(mailbox.Config{Timeout: 10 * time.Second})
	client := NewExecutorClient(ClientConfig{
		Peer: func(string) (string, string) { return "", "" }, Mailboxes: boxes,
	})
	t.Cleanup(client.Close)
	w := new(worker)
	handler := newTestHandler(w, nil)
	ctx, stop := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() {
		for ctx.Err() == nil {
			commands, err := boxes.Pull(ctx, testAddress(), message.PullRequest{Wait: time.Second, Room: 256})
			if err != nil {
				t.Errorf("%v", err)
			}
			var answers []message.CommandAnswer
			for _, c := range commands {
				status, body := handler.fetched(ctx, c)
				answers = append(answers, message.CommandAnswer{ID: c.ID, Status: status, Body: body})
			}
			boxes.Answer(testAddress(), answers)
		}
	})
	var senders sync.WaitGroup
	for i := range 3 {
		senders.Go(func() {
			tasks := make([]job.Task, 100)
			for k := range tasks {
				tasks[k] = plainTask(int64(100 + 100*i + k))
			}
			for k, err := range client.SendAll(t.Context(), testAddress(), tasks) {
				if err != nil {
					t.Errorf("attempt %d: %v", tasks[k].AttemptID, err)
				}
			}
		})
	}
	senders.Wait()
	if err := client.Send(t.Context(), testAddress(), plainTask(2)); !job.Is(err, job.Duplicate) {
		t.Errorf("a duplicate: %v", err)
	}
	if busy, err := client.Busy(t.Context(), testAddress(), 1); !busy || err != nil {
		t.Errorf("busy: %v, %v", busy, err)
	}
	if err := client.Beat(t.Context(), testAddress()); err != nil {
		t.Errorf("beat: %v", err)
	}
	stop()
	group.Wait()
	if len(w.took) != 300 {
		t.Errorf("%d tasks arrived", len(w.took))
	}
	if _, _, err := boxes.Send(t.Context(), fmt.Sprint(testAddress(), "x"), message.NameBeat, nil, 0); err == nil {
		t.Error("an address of nobody was answered")
	}
}
