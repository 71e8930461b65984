package native

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/internal/wire/native/signing"
	"github.com/orthd/orth/internal/wire/post"
	"github.com/orthd/orth/job"
)

// worker is an executor's rooms. What it does with a task depends on its attempt.
type worker struct {
	mu       sync.Mutex
	offers   []int      // guarded by mu: how many tasks came together
	took     []job.Task // guarded by mu
	ended    []string   // guarded by mu
	draining atomic.Bool
	waiting  chan struct{} // attempts from 9,000 on wait for it
}

func (w *worker) AcceptAll(ctx context.Context, tasks []*job.Task) []error {
	w.mu.Lock()
	w.offers = append(w.offers, len(tasks))
	w.mu.Unlock()
	errs := make([]error, len(tasks))
	for i, t := range tasks {
		errs[i] = w.accept(ctx, *t)
	}
	return errs
}

func (w *worker) accept(ctx context.Context, t job.Task) error {
	switch t.AttemptID {
	case 2:
		return job.Errorf(job.Duplicate, "attempt 2 was accepted before (running)")
	case 3:
		return job.Errorf(job.Refused, "no handler x")
	case 4:
		return job.Errorf(job.Refused, "%w", job.ErrDiscarded)
	case 5:
		return job.Errorf(job.Full, "too much waits")
	case 6:
		return job.Errorf(job.Unavailable, "the executor stops")
	case 7:
		return errors.New("a secret of the house")
	case 8:
		return job.FieldErrorf("param", "is odd")
	case 9:
		return job.Errorf(job.Ambiguous, "the disk failed in the commit")
	}
	if t.AttemptID >= 9000 {
		select {
		case <-w.waiting:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.took = append(w.took, t)
	return nil
}

func (w *worker) Busy(jobID int64) bool { return jobID == 1 }

func (w *worker) CancelAttempt(_ context.Context, attempt int64, reason string) (bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if attempt == 99 {
		return false, job.Errorf(job.Unavailable, "the disk is away")
	}
	w.ended = append(w.ended, fmt.Sprint(attempt, " ", reason))
	return attempt == 1, nil
}

// ridForTests is an attempt that has ended and whose outcome was delivered.
const ridForTests = 1000

func (w *worker) Standings(_ context.Context, attempts []int64) ([]Standing, error) {
	var all []Standing
	for _, attempt := range attempts {
		if attempt == 99 {
			return nil, job.Errorf(job.Unavailable, "the disk is away")
		}
		if attempt == ridForTests {
			all = append(all, Rid)
			continue
		}
		all = append(all, Standing(attempt%4))
	}
	return all, nil
}

func (w *worker) Suspend(on bool) { w.draining.Store(on) }
func (w *worker) Draining() bool  { return w.draining.Load() }
func (w *worker) Load() job.Load  { return job.Load{Running: 3, Waiting: 5} }

func (w *worker) Read(attempt int64, at time.Time, from int) (job.LogPage, error) {
	if attempt == 99 {
		return job.LogPage{}, errors.New("a secret of the disk")
	}
	return job.LogPage{From: 1, To: from + 1, Text: fmt.Sprintf("of %d at %d\n", attempt, job.Millis(at)), End: from == 7}, nil
}

// newTestHandler returns a handler for w.
func newTestHandler(w *worker, change func(*ExecutorConfig)) *ExecutorHandler {
	c := ExecutorConfig{
		Keys: signing.NewTokens(testToken), Incarnation: "me", Tasks: w, Attempts: w, Drainer: w, Logs: w,
	}
	if change != nil {
		change(&c)
	}
	return NewExecutorHandler(c)
}

// serve serves a handler, and returns what posts to it.
func serve(t *testing.T, h http.Handler) func(name, body string) signing.Reply {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	c := signing.NewCourier(post.Config{})
	t.Cleanup(c.Close)
	return func(name, body string) signing.Reply {
		got, err := c.Send(t.Context(), signing.Letter{Address: server.URL, Name: name, Token: testToken, To: "me", Body: []byte(body)})
		if err != nil {
			t.Errorf("%s %s: %v", name, body, err)
		}
		return got
	}
}

func TestExecutorHandler(t *testing.T) {
	t.Parallel()
	w := new(worker)
	h := newTestHandler(w, func(c *ExecutorConfig) { c.Kinds = []job.HandlerKind{job.HandlerNamed} })
	ask := serve(t, h)
	task := func(attempt int, more string) string {
		return fmt.Sprintf(`{"attempt":%d,"job":1,"handler":{"kind":"named","name":"x"}%s}`, attempt, more)
	}
	for _, c := range []struct {
		name, body string
		status     int
		answer     string
	}{
		{message.NameTasks, `{"tasks":[` + task(1, "") + `]}`, 200, `{"answers":[{"attempt":1,"state":"accepted"}]}`},
		{message.NameTasks, `{"tasks":[` + strings.Join([]string{
			task(2, ""), task(10, `,"new":{"x":[1]}`), task(3, ""), task(4, ""), task(5, ""), task(6, ""), task(7, ""), task(8, ""), task(9, ""),
		}, ",") + `]}`, 200, `{"answers":[{"attempt":2,"state":"duplicate","message":"attempt 2 was accepted before (running)"},` +
			`{"attempt":10,"state":"accepted"},{"attempt":3,"state":"refused","message":"no handler x"},` +
			`{"attempt":4,"state":"discarded","message":"the job is busy there, and its overlap discards the run"},` +
			`{"attempt":5,"state":"full","message":"too much waits"},{"attempt":6,"state":"unavailable","message":"the executor stops"},` +
			`{"attempt":7,"state":"unavailable","message":"` + message.TextInternal + `"},{"attempt":8,"state":"refused","message":"param: is odd"},` +
			`{"attempt":9,"state":"uncertain","message":"the disk failed in the commit"}]}`},
		{
			message.NameTasks, `{"tasks":[{"attempt":11,"job":1,"handler":{"kind":"shell","source":"id"}}]}`, 200,
			`{"answers":[{"attempt":11,"state":"refused","message":"handlers of kind shell are switched off on this executor"}]}`,
		},
		{message.NameTasks, `{"tasks":[` + task(12, `,"overlap":"sideways"`) + `]}`, 200, `{"answers":[{"attempt":12,"state":"refused","message":"overlap \"sideways\" is not known here"}]}`},
		{message.NameTasks, `{}`, 200, `{"answers":[]}`},
		{message.NameTasks, `{"tasks":[{"job":1}]}`, 400, ""},
		{message.NameTasks, `{"tasks":[` + task(20, "") + `,{}]}`, 400, ""},
		{message.NameTasks, `nonsense`, 400, ""},
		{message.NameTasks, ``, 400, ""},
		{message.NameTasks, `{"tasks":[` + strings.Repeat(task(1, "")+",", message.MaxTasks) + task(1, "") + `]}`, 413, ""},
		{
			message.NameAttempts, `{"attempts":[{"attempt":1},{"attempt":2},{"attempt":3},{"attempt":4}]}`, 200,
			`{"attempts":[{"attempt":1,"state":"waiting"},{"attempt":2,"state":"running"},{"attempt":3,"state":"ended"},{"attempt":4,"state":"unknown"}]}`,
		},
		{message.NameAttempts, `{"attempts":[{"attempt":99}]}`, 503, `{"kind":"unavailable","message":"the disk is away"}`},
		{message.NameCancel, `{"attempts":[1,2],"reason":"enough"}`, 200, `{"attempts":[{"attempt":1,"state":"ended"},{"attempt":2,"state":"unknown"}]}`},
		{message.NameCancel, `{"attempts":[1]}`, 200, `{"attempts":[{"attempt":1,"state":"ended"}]}`},
		{message.NameCancel, `{"attempts":[99]}`, 503, `{"kind":"unavailable","message":"the disk is away"}`},
		{message.NameBusy, `{"job":1}`, 200, `{"busy":true}`},
		{message.NameBusy, `{"job":2}`, 200, `{"busy":false}`},
		{message.NameBusy, `{}`, 400, ""},
		{message.NameLog, `{"attempt":5,"triggered_at":17,"from":3}`, 200, `{"from":3,"to":4,"text":"of 5 at 17\n","end":false}`},
		{message.NameLog, `{"attempt":5,"from":7}`, 200, `{"from":7,"to":8,"text":"of 5 at 0\n","end":true}`},
		{message.NameLog, `{"attempt":99}`, 503, `{"kind":"unavailable","message":"` + message.TextInternal + `"}`},
		{message.NameBeat, `{}`, 200, `{"draining":false,"load":{"running":3,"waiting":5}}`},
		{message.NameDrain, `{"on":true}`, 200, `{"draining":true}`},
		{message.NameBeat, `{"later":1}`, 200, `{"draining":true,"load":{"running":3,"waiting":5}}`},
		{message.NameDrain, `{}`, 200, `{"draining":false}`},
	} {
		got := ask(c.name, c.body)
		if got.Status != c.status || c.answer != "" && string(got.Body) != c.answer {
			t.Errorf("%s %.100s: %d %s; want %d %s", c.name, c.body, got.Status, got.Body, c.status, c.answer)
		}
	}
	if got := strings.Join(w.ended, ", "); got != "1 enough, 2 enough, 1 "+cancelReason {
		t.Errorf("ended: %s", got)
	}
	if len(w.took) != 2 {
		t.Errorf("accepted %d tasks, want 2: no task of a malformed request", len(w.took))
	}
}

// TestExecutorHandlerHostile: nothing is done for a caller under a false name, and the
// answer has the right status.
func TestExecutorHandlerHostile(t *testing.T) {
	t.Parallel()
	w := new(worker)
	h := newTestHandler(w, nil)
	body := []byte(`{"tasks":[{"attempt":1,"job":1,"handler":{"kind":"named","name":"x"}}]}`)
	replayed := signedRequestTo(testToken, message.NameTasks, "me", body)
	h.ServeHTTP(httptest.NewRecorder(), replayed)
	w.took = nil
	for name, c := range map[string]struct {
		request func() *http.Request
		status  int
	}{
		"not signed": {func() *http.Request {
			return httptest.NewRequest(http.MethodPost, message.PathPrefix+message.NameTasks, strings.NewReader(string(body)))
		}, 401},
		"another token": {func() *http.Request { return signedRequestTo("x", message.NameTasks, "me", body) }, 401},
		"another body": {func() *http.Request {
			r := signedRequestTo(testToken, message.NameTasks, "me", []byte(`{}`))
			r.Body = httptest.NewRequest(http.MethodPost, "/", strings.NewReader(string(body))).Body
			return r
		}, 401},
		"another executor": {func() *http.Request { return signedRequestTo(testToken, message.NameTasks, "you", body) }, 503},
		"replayed": {func() *http.Request {
			r := replayed.Clone(t.Context())
			r.Body = httptest.NewRequest(http.MethodPost, "/", strings.NewReader(string(body))).Body
			return r
		}, 401},
		"another name": {func() *http.Request {
			r := signedRequestTo(testToken, message.NameBeat, "me", body)
			r.RequestURI = message.PathPrefix + message.NameTasks
			return r
		}, 401},
		"nothing here": {func() *http.Request { return signedRequestTo(testToken, "format", "me", body) }, 404},
		"of servers":   {func() *http.Request { return signedRequestTo(testToken, message.NamePull, "me", body) }, 404},
		"another major": {func() *http.Request {
			return httptest.NewRequest(http.MethodPost, "/orth/v2/tasks", strings.NewReader("{}"))
		}, 404},
		"another method": {func() *http.Request {
			return httptest.NewRequest(http.MethodGet, message.PathPrefix+message.NameTasks, nil)
		}, 404},
		"too long": {func() *http.Request {
			return signedRequestTo(testToken, message.NameTasks, "me", make([]byte, message.MaxBody+1))
		}, 413},
		"too long, not told": {func() *http.Request {
			r := signedRequestTo(testToken, message.NameTasks, "me", make([]byte, message.MaxBody+1))
			r.ContentLength = -1
			return r
		}, 413},
		"deep": {func() *http.Request {
			return signedRequestTo(testToken, message.NameTasks, "me", []byte(`{"tasks":`+strings.Repeat("[", 1<<20)))
		}, 400},
	} {
		recorder := httptest.NewRecorder()
		begun := time.Now()
		h.ServeHTTP(recorder, c.request())
		if recorder.Code != c.status {
			t.Errorf("%s: %d %s; want %d", name, recorder.Code, recorder.Body, c.status)
		}
		if p, err := message.DecodeProblem(c.status, recorder.Body.Bytes()); err != nil || p.Message == "" {
			t.Errorf("%s: %s is no problem: %v", name, recorder.Body, err)
		}
		if took := time.Since(begun); took > time.Minute {
			t.Errorf("%s took %s", name, took)
		}
	}
	if len(w.took) != 0 {
		t.Errorf("accepted: %+v", w.took)
	}
}

// TestExecutorHandlerIsBounded: when too many requests wait, one more is refused with that
// reason, and questions still have an answer.
func TestExecutorHandlerIsBounded(t *testing.T) {
	t.Parallel()
	w := &worker{waiting: make(chan struct{})}
	h := newTestHandler(w, func(c *ExecutorConfig) { c.MaxRequests = 8 })
	ask := serve(t, h)
	const body = `{"tasks":[{"attempt":9000,"job":1,"handler":{"kind":"named","name":"x"}}]}`
	answers := make(chan signing.Reply, 6)
	for range 6 {
		go func() { answers <- ask(message.NameTasks, body) }()
	}
	for len(h.tasks) < 6 {
		time.Sleep(time.Millisecond)
	}
	if got := ask(message.NameTasks, body); got.Status != http.StatusTooManyRequests {
		t.Errorf("the seventh: %d %s", got.Status, got.Body)
	}
	if status, answer := h.fetched(t.Context(), message.Command{Name: message.NameTasks, Body: []byte(body)}); status != http.StatusTooManyRequests {
		t.Errorf("one that was fetched: %d %s", status, answer)
	}
	if got := ask(message.NameBeat, `{}`); got.Status != http.StatusOK {
		t.Errorf("a beat: %d %s", got.Status, got.Body)
	}
	close(w.waiting)
	for range 6 {
		if got := <-answers; got.Status != http.StatusOK {
			t.Errorf("one of the six: %d %s", got.Status, got.Body)
		}
	}
}

// TestTasksTravelTogether: all tasks of a request are offered at once, but for those that
// may not run here, and each has its own answer.
func TestTasksTravelTogether(t *testing.T) {
	t.Parallel()
	w := new(worker)
	h := newTestHandler(w, nil)
	var tasks []job.Task
	for i := range 300 {
		task := job.Task{AttemptID: int64(100 + i), JobID: 1, Handler: job.Handler{Kind: job.HandlerNamed, Name: "x"}, Overlap: job.OverlapSerial}
		switch i % 3 {
		case 1:
			task.Handler.Kind = "odd"
		case 2:
			task.AttemptID = 2 // which is known
		}
		tasks = append(tasks, task)
	}
	status, body := h.fetched(t.Context(), message.Command{Name: message.NameTasks, Body: message.AppendTasks(nil, tasksOf(tasks...))})
	answers, err := message.DecodeTaskAnswers(body)
	if status != http.StatusOK || err != nil || len(answers) != len(tasks) {
		t.Fatalf("%d, %v, %d answers", status, err, len(answers))
	}
	for i, a := range answers {
		if want := []string{message.TaskAccepted, message.TaskRefused, message.TaskDuplicate}[i%3]; a.Attempt != tasks[i].AttemptID || a.State != want {
			t.Errorf("answer %d is %+v, want %s", i, a, want)
		}
	}
	if len(w.offers) != 1 || w.offers[0] != 200 {
		t.Errorf("%v tasks were offered together, want 200", w.offers)
	}
}

// TestLeftCaller: when the caller has left there is no answer, because it is unknown what
// was done.
func TestLeftCaller(t *testing.T) {
	t.Parallel()
	w := &worker{waiting: make(chan struct{})}
	h := newTestHandler(w, nil)
	ctx, leave := context.WithCancel(t.Context())
	r := signedRequestTo(testToken, message.NameTasks, "me", []byte(`{"tasks":[{"attempt":9000,"job":1,"handler":{"kind":"named","name":"x"}}]}`))
	defer func() {
		if recovered := recover(); recovered != http.ErrAbortHandler { //nolint:errorlint // it is compared so by net/http too
			t.Errorf("recovered %v", recovered)
		}
	}()
	leave()
	h.ServeHTTP(httptest.NewRecorder(), r.WithContext(ctx))
}
