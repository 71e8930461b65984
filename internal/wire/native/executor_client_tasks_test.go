package native

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/internal/wire/native/signing"
	"github.com/orthd/orth/job"
)

// many is an executor that answers each task by its id, and notes how they came.
type many struct {
	verifier *signing.Verifier
	// odd is a task for which a whole request is refused; 0 for none.
	odd int64
	// dead answers no request in words.
	dead bool

	mu       sync.Mutex
	requests []int         // guarded by mu: how many tasks each had
	seen     map[int64]int // guarded by mu: how often each task was carried out
}

func startMany(t *testing.T) (m *many, address string) {
	t.Helper()
	m = &many{verifier: signing.NewVerifier(signing.VerifierConfig{Keys: signing.NewTokens(testToken)}), seen: make(map[int64]int)}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	return m, server.URL
}

// begin forgets what came, and what is refused.
func (m *many) begin(odd int64, dead bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.odd, m.dead, m.requests = odd, dead, nil
	clear(m.seen)
}

// ServeHTTP implements http.Handler.
func (m *many) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, _ := signing.ReadBody(r)
	_, session, err := m.verifier.Check(r, text)
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnauthorized)
		return
	}
	var asked struct {
		Tasks []struct {
			Attempt int64 `json:"attempt"`
		} `json:"tasks"`
	}
	if err := json.Unmarshal(text, &asked); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = append(m.requests, len(asked.Tasks))
	if m.dead {
		session.Write(w, r, http.StatusOK, []byte("nonsense"))
		return
	}
	answers := make([]string, len(asked.Tasks))
	for i, one := range asked.Tasks {
		if one.Attempt == m.odd {
			session.Write(w, r, http.StatusBadRequest, []byte(`{"kind":"invalid","message":"a task is odd"}`))
			return
		}
		answers[i] = fmt.Sprintf(`{"attempt":%d,"state":%q,"message":%q}`, one.Attempt, stateOf(one.Attempt), reasonFor(one.Attempt))
	}
	for _, one := range asked.Tasks {
		m.seen[one.Attempt]++
	}
	session.Write(w, r, http.StatusOK, []byte(`{"answers":[`+strings.Join(answers, ",")+`]}`))
}

// stateOf is refused for two tasks of three.
func stateOf(attempt int64) string {
	if attempt%3 == 0 {
		return message.TaskAccepted
	}
	return message.TaskRefused
}

func reasonFor(attempt int64) string { return fmt.Sprint("no to ", attempt) }

// TestSendAll: every task gets its own answer and is carried out once, in no request too
// large; one that a whole request is refused for does not stop the others; and an error for
// all is one for each.
func TestSendAll(t *testing.T) {
	t.Parallel()
	m, address := startMany(t)
	client := clientOf(t, "")
	rapid.Check(t, func(rt *rapid.T) {
		count := rapid.IntRange(1, 60).Draw(rt, "tasks")
		limit := rapid.IntRange(1, 20).Draw(rt, "limit")
		odd := int64(rapid.IntRange(0, 60).Draw(rt, "odd"))
		dead := rapid.IntRange(0, 9).Draw(rt, "dead") == 0
		m.begin(odd, dead)
		client.Batch(address, limit)
		if got := client.Together(address); got != limit {
			rt.Errorf("%d tasks go together, not %d", got, limit)
		}
		tasks := make([]job.Task, count)
		for i := range tasks {
			tasks[i] = plainTask(int64(i + 1))
		}
		answers := client.SendAll(t.Context(), address, tasks)
		for i := range tasks {
			id, err := tasks[i].AttemptID, answers[i]
			switch {
			case dead:
				if !job.Is(err, job.Ambiguous) || m.seen[id] != 0 {
					rt.Errorf("attempt %d of a request without an answer: %v", id, err)
				}
			case id == odd:
				if !job.Is(err, job.Refused) || m.seen[id] != 0 {
					rt.Errorf("the odd attempt %d: %v", id, err)
				}
			case m.seen[id] != 1:
				rt.Errorf("attempt %d was carried out %d times", id, m.seen[id])
			case stateOf(id) == message.TaskAccepted && err != nil, stateOf(id) == message.TaskRefused && (err == nil || err.Error() != reasonFor(id)):
				rt.Errorf("attempt %d has the answer of another: %v", id, err)
			}
		}
		if most := slices.Max(m.requests); most > limit {
			rt.Errorf("a request with %d tasks; at most %d", most, limit)
		}
		if odd == 0 && len(m.requests) != (count+limit-1)/limit {
			rt.Errorf("%d tasks came in requests of %v", count, m.requests)
		}
	})
}

// TestSendAllBounds: large tasks do not travel together, and one that no request can have is
// refused alone.
func TestSendAllBounds(t *testing.T) {
	t.Parallel()
	m, address := startMany(t)
	client := clientOf(t, "")
	tasks := make([]job.Task, 4)
	for i := range tasks {
		tasks[i] = plainTask(int64(3*i + 3))
		tasks[i].Param = strings.Repeat("x", 3<<20)
	}
	tasks[1].Param = strings.Repeat("x", message.MaxBody)
	tasks[3].Param = ""
	answers := client.SendAll(t.Context(), address, tasks)
	if !job.Is(answers[1], job.Refused) || !strings.Contains(answers[1].Error(), "at most") {
		t.Errorf("the largest one: %v", answers[1])
	}
	for _, i := range []int{0, 2, 3} {
		if answers[i] != nil {
			t.Errorf("task %d: %v", i, answers[i])
		}
	}
	if want := []int{1, 2}; !slices.Equal(m.requests, want) {
		t.Errorf("requests of %v tasks, want %v", m.requests, want)
	}
}

// TestBatchLimits: how many tasks an executor takes is remembered for so many only.
func TestBatchLimits(t *testing.T) {
	t.Parallel()
	var b batchLimits
	for i := range maxLimits + 1 {
		b.set(fmt.Sprint(i), 1<<30)
	}
	if n, most := len(b.known), b.of(fmt.Sprint(maxLimits)); n != 1 || most != message.MaxTasks {
		t.Errorf("%d are remembered; the last takes %d", n, most)
	}
	if got := b.of("another"); got != message.DefaultBatch {
		t.Errorf("%d for one that is not known", got)
	}
}
