package report

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/solana/ledger"
	"github.com/orthd/orth/solana/service"
)

// taker is a server that takes triggers, or answers with a status for a key.
type taker struct {
	mu      sync.Mutex
	keys    map[string]int
	answers map[string]int
	fields  map[string]string // what is said to be wrong
}

func (s *taker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := r.Header.Get("Idempotency-Key")
	s.keys[key]++
	if status := s.answers[key]; status != 0 {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]string{
			"code": map[int]string{400: "invalid", 403: "forbidden", 409: "conflict", 422: "invalid"}[status], "detail": "no", "field": s.fields[key],
		})
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(api.Run{ID: 1})
}

// TestSend: a report waits in the ledger until the server has it or will never accept it,
// and a report that is sent twice has one key. An execution for which a run waits creates
// no other one.
func TestSend(t *testing.T) {
	t.Parallel()
	server := &taker{keys: make(map[string]int), answers: make(map[string]int)}
	web := httptest.NewServer(server)
	defer web.Close()
	c, err := client.New(client.Config{Address: web.URL, Token: "t"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	w := busy()
	keys := make(map[ledger.ID]string)
	for n := range ledger.ID(6) {
		e := service.Report{Settlement: settlement(service.Executed), Number: uint64(n) + 1, At: instant}
		e.Task = n + 1
		e.Signature[5] = byte(n)
		e.Unknown = n == 5
		w.reports, keys[e.Task] = append(w.reports, e), keyOf(&e)
	}
	r := newReport(t, w, func(config *Config) { config.API = c })
	server.answers[keys[1]], server.answers[keys[2]] = http.StatusForbidden, http.StatusBadRequest
	waiter := make(chan service.Settlement, 1)
	r.watched[3], r.watched[4] = make(chan service.Settlement, 1), waiter
	r.Settled(service.Settlement{Task: 4, Thread: key(4)}) // the run is told before the sender comes
	if got := <-waiter; got.Task != 4 {
		t.Errorf("the run was told of task %d", got.Task)
	}
	left := func(what string, want ...uint64) {
		t.Helper()
		var got []uint64
		for _, e := range w.reports {
			got = append(got, e.Number)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	if err := r.sendSome(t.Context(), "http://me"); !job.Is(err, job.Forbidden) && !errors.Is(err, errAwaited) {
		t.Errorf("sent: %v", err)
	}
	left("one is refused for now, one is awaited", 1, 3)
	delete(server.answers, keys[1])
	if err := r.sendSome(t.Context(), "http://me"); !errors.Is(err, errAwaited) {
		t.Errorf("sent: %v", err)
	}
	left("one is awaited", 3)
	r.Settled(service.Settlement{Task: 3, Thread: key(3)})
	w.fail = errors.New("the disk is full")
	if err := r.sendSome(t.Context(), "http://me"); err == nil {
		t.Error("a ledger that cannot be read is no error")
	}
	w.fail = nil
	w.reports = append(w.reports, service.Report{Settlement: settlement(service.Executed), Number: 9, At: instant})
	w.reports[1].Task = 1
	w.reports[1].Signature[5] = 0 // the process ended before the ledger knew: the first again
	if err := r.sendSome(t.Context(), "http://me"); err != nil {
		t.Errorf("sent: %v", err)
	}
	left("all is told")
	want := map[string]int{keys[1]: 3, keys[2]: 1, keys[5]: 1}
	if diff := cmp.Diff(want, server.keys); diff != "" {
		t.Errorf("the server was told (-want +got):\n%s", diff)
	}
	f := r.reports(ledger.Stats{Reports: 7, Dropped: 2})
	if f.Waiting != 7 || f.Dropped != 4 || f.Sent != 3 || len(r.ofRuns) != 0 {
		t.Errorf("the figures are %+v, of runs %v", f, r.ofRuns)
	}
}

// TestSendAgain: a refusal because of this executor waits, since a server that has just
// begun does not know it yet; what another address of it has reported before was accepted.
func TestSendAgain(t *testing.T) {
	t.Parallel()
	server := &taker{keys: make(map[string]int), answers: make(map[string]int), fields: make(map[string]string)}
	web := httptest.NewServer(server)
	defer web.Close()
	c, err := client.New(client.Config{Address: web.URL, Token: "t"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	w := busy()
	e := service.Report{Settlement: settlement(service.Executed), Number: 1, At: instant}
	w.reports = append(w.reports, e)
	r := newReport(t, w, func(config *Config) { config.API = c })
	server.answers[keyOf(&e)], server.fields[keyOf(&e)] = http.StatusUnprocessableEntity, "addresses"
	if err := r.sendSome(t.Context(), "pull://chain/1"); !errors.Is(err, errNotThere) || len(w.reports) != 1 {
		t.Errorf("an executor that the server does not know: %v, %d wait", err, len(w.reports))
	}
	server.fields[keyOf(&e)] = "Idempotency-Key"
	if err := r.sendSome(t.Context(), "pull://chain/2"); err != nil || len(w.reports) != 0 {
		t.Errorf("a key that was used: %v, %d wait", err, len(w.reports))
	}
	if f := r.reports(ledger.Stats{}); f.Dropped != 0 || f.Sent != 1 {
		t.Errorf("the figures are %+v", f)
	}

	r.Trouble(service.Trouble{Since: instant, Reason: "it has 5 lamports", Needed: 9})
	key, _ := r.fundsNews()
	if key == "" {
		t.Fatal("that the executor cannot pay is no news")
	}
	server.answers[key], server.fields[key] = http.StatusUnprocessableEntity, "addresses"
	if err := r.sendFunds(t.Context(), "pull://chain/1"); !errors.Is(err, errNotThere) {
		t.Errorf("funds, for an executor that the server does not know: %v", err)
	}
	delete(server.answers, key)
	if err := r.sendFunds(t.Context(), "pull://chain/1"); err != nil || server.keys[key] != 2 {
		t.Errorf("funds, once it knows it: %v, told %d times", err, server.keys[key])
	}
	quiet(t, r, "once told")
}
