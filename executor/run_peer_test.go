package executor_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orthd/orth/executor"
	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/job"
)

// journal is the log of an executor under test.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// launched is an executor that a test has configured itself.
type launched struct {
	*subject
	*executor.Executor

	journal *journal
	stop    func() error // ends the executor; the error is Run's
}

// plain is the least config: no scripts, and so nothing to look for at the start.
func plain(t *testing.T, a *admin) executor.Config {
	t.Helper()
	return executor.Config{
		Servers: []string{a.url}, Token: token, Group: "app-x", Listen: "127.0.0.1:0", Data: t.TempDir(),
		DrainFor: 5 * time.Second,
	}
}

// scripts allows scripts, but Groovy, which takes a while to prepare.
func scripts(c executor.Config) executor.Config {
	c.Scripts = true
	if c.Programs.Interpreters == nil {
		c.Programs.Interpreters = map[job.HandlerKind]string{}
	}
	c.Programs.Interpreters[job.HandlerGroovy] = "there-is-no-groovy"
	return c
}

// launch runs an executor with the handlers hold and demo until the test ends;
// it must end without an error.
func launch(t *testing.T, a *admin, c executor.Config) *launched {
	t.Helper()
	l := &launched{subject: &subject{admin: a, gates: make(map[int64]chan any)}, journal: new(journal)}
	c.Logger = slog.New(slog.NewTextHandler(l.journal, nil))
	e, err := executor.New(c)
	if err != nil {
		t.Fatal(err)
	}
	l.Executor = e
	e.Handle("hold", l.hold)
	e.Handle("demo", func(_ context.Context, h *handler.Task) error {
		h.Result("did " + h.Param)
		return nil
	})
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	l.stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() {
		if err := l.stop(); err != nil {
			t.Errorf("the executor ended with %v", err)
		}
	})
	waiting, done := context.WithTimeout(ctx, patience)
	defer done()
	address := make(chan string, 1)
	go func() {
		text, _ := e.Address(waiting)
		address <- text
	}()
	select {
	case l.url = <-address:
	case err := <-ended:
		ended <- err
		done()
		<-address
		t.Fatalf("the executor ended with %v", err)
	}
	l.url = strings.TrimSuffix(l.url, "/")
	eventually(t, "the rooms", func() bool { return e.Healthy() == nil })
	return l
}

// script is a run of a script of some kind.
func script(jobID, logID int64, glue, source string) run {
	return shell(jobID, logID, source).with(func(r *run) { r.Glue = glue })
}

// logged is the whole log of an attempt that has ended.
func (l *launched) logged(t *testing.T, attempt int64) string {
	t.Helper()
	return l.log(t, "logDateTim", attempt, 1).Text
}

// value returns a sample by its name and the values of its labels.
func (l *launched) value(t *testing.T, name string, labels ...string) float64 {
	t.Helper()
	for _, s := range l.Samples(t.Context()) {
		var values []string
		for _, label := range s.Labels {
			values = append(values, label[1])
		}
		if s.Name == name && strings.Join(values, " ") == strings.Join(labels, " ") {
			return s.Value
		}
	}
	t.Errorf("there is no sample %s %v", name, labels)
	return 0
}

// eventually polls a state without notifications.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !done() {
		if time.Now().After(deadline) {
			t.Fatalf("waited %s for %s", patience, what)
		}
		<-time.After(2 * time.Millisecond)
	}
}

// get asks with a client of the test's own.
func get(t *testing.T, client *http.Client, url string) (string, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Xxl-Job-Access-Token", token)
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return string(text), err
}
