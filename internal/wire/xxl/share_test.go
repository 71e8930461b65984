package xxl

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orthd/orth/job"
)

func TestShares(t *testing.T) {
	t.Parallel()
	for limit, want := range map[int][3]int{
		0: {384, 64, 64}, -1: {384, 64, 64}, 1: {1, 1, 1}, 4: {2, 1, 1}, 16: {12, 2, 2}, 512: {384, 64, 64},
	} {
		s := newShares(limit)
		if got := [3]int{cap(s.tasks), cap(s.logs), cap(s.control)}; got != want {
			t.Errorf("%d is divided into %v; want %v", limit, got, want)
		}
	}
}

// floodedTasks accepts nothing until the test lets it.
type floodedTasks struct {
	executorRoom

	entered chan struct{}
	open    chan struct{}
}

func (f *floodedTasks) Accept(ctx context.Context, t job.Task) error {
	f.entered <- struct{}{}
	<-f.open
	return f.executorRoom.Accept(ctx, t)
}

// TestFlood fills the places for tasks: one more is refused on a connection
// that stays usable, whatever its size, so that a server asks elsewhere; beats,
// questions, kills and logs go on.
func TestFlood(t *testing.T) {
	t.Parallel()
	const limit, places = 8, 6
	room := &floodedTasks{entered: make(chan struct{}), open: make(chan struct{})}
	address := "http://" + serve(t, NewExecutorHandler(ExecutorConfig{Tasks: room, Logs: room, MaxRequests: limit}))
	client := newClient(t, "", 30*time.Second)
	var group sync.WaitGroup
	for range places {
		group.Go(func() {
			if err := client.Run(t.Context(), address, sampleTask()); err != nil {
				t.Error(err)
			}
		})
	}
	for range places {
		<-room.entered
	}
	one := NewExecutorClient(ClientConfig{Timeout: 30 * time.Second, Transport: &http.Transport{MaxConnsPerHost: 1}})
	t.Cleanup(one.Close)
	large := sampleTask()
	large.Param = strings.Repeat("p", 1<<20)
	for _, task := range []job.Task{sampleTask(), large, sampleTask()} {
		err := one.Run(t.Context(), address, task)
		if !job.Is(err, job.Full) || !strings.Contains(err.Error(), fmt.Sprintf("it serves %d such requests", places)) {
			t.Errorf("one more task: error of kind %q: %v; want full", job.KindOf(err), err)
		}
	}
	if err := client.Beat(t.Context(), address); err != nil {
		t.Errorf("beat: %v", err)
	}
	if busy, err := client.IdleBeat(t.Context(), address, 70); !busy || err != nil {
		t.Errorf("idleBeat: %v, %v", busy, err)
	}
	if err := client.Kill(t.Context(), address, 70); err != nil {
		t.Errorf("kill: %v", err)
	}
	if page, err := client.ReadLog(t.Context(), address, 1, time.Now(), 1); err != nil || page.To != 4 {
		t.Errorf("log: %+v, %v", page, err)
	}
	close(room.open)
	group.Wait()
	go func() { <-room.entered }()
	if err := client.Run(t.Context(), address, sampleTask()); err != nil {
		t.Errorf("after the flood: %v", err)
	}
}

// blockedLogs reads nothing until the test lets it.
type blockedLogs struct {
	entered chan struct{}
	open    chan struct{}
}

func (b *blockedLogs) Read(int64, time.Time, int) (job.LogPage, error) {
	b.entered <- struct{}{}
	<-b.open
	return job.LogPage{To: 1}, nil
}

// TestFloodOfReaders: those who read logs take no place from tasks, and a
// question that found no place is not taken for the answer "busy".
func TestFloodOfReaders(t *testing.T) {
	t.Parallel()
	room, logs := new(executorRoom), &blockedLogs{entered: make(chan struct{}), open: make(chan struct{})}
	handler := NewExecutorHandler(ExecutorConfig{Tasks: room, Logs: logs, MaxRequests: 1})
	address := "http://" + serve(t, handler)
	client := newClient(t, "", 30*time.Second)
	ended := make(chan error, 1)
	go func() {
		_, err := client.ReadLog(t.Context(), address, 1, time.Now(), 1)
		ended <- err
	}()
	<-logs.entered
	if _, err := client.ReadLog(t.Context(), address, 1, time.Now(), 1); !job.Is(err, job.Full) {
		t.Errorf("one more reader: error of kind %q: %v; want full", job.KindOf(err), err)
	}
	if err := client.Run(t.Context(), address, sampleTask()); err != nil {
		t.Errorf("run: %v", err)
	}
	if !handler.shares.control.take() {
		t.Fatal("a place for questions is taken")
	}
	if busy, err := client.IdleBeat(t.Context(), address, 77); busy || !job.Is(err, job.Full) {
		t.Errorf("idleBeat without a place: busy %v, error of kind %q: %v; want full", busy, job.KindOf(err), err)
	}
	handler.shares.control.leave()
	close(logs.open)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestStopping: a server learns from an executor that stops that another one
// must take the task.
func TestStopping(t *testing.T) {
	t.Parallel()
	room := new(stoppingRoom)
	address := "http://" + serve(t, NewExecutorHandler(ExecutorConfig{Tasks: room, Logs: room}))
	client := newClient(t, "", 30*time.Second)
	for name, err := range map[string]error{
		"run":  client.Run(t.Context(), address, sampleTask()),
		"beat": client.Beat(t.Context(), address),
	} {
		if !job.Is(err, job.Full) || !strings.HasPrefix(err.Error(), "the executor is stopping") {
			t.Errorf("%s: error of kind %q: %v; want full", name, job.KindOf(err), err)
		}
	}
}

// TestKillAttempt: ours ends one attempt, a foreign executor the whole job.
func TestKillAttempt(t *testing.T) {
	t.Parallel()
	addr, room := serveExecutor(t)
	client := newClient(t, "tok", 30*time.Second)
	for attempt, want := range map[int64]string{
		7: `cancel attempt=7 "scheduling center kill job."`,
		8: `cancel attempt=8 "scheduling center kill job."`, // it is not there
	} {
		kind := job.Kind("")
		if attempt == 8 {
			kind = job.NotFound
		}
		if err := client.KillAttempt(t.Context(), "http://"+addr, 70, attempt); job.KindOf(err) != kind {
			t.Errorf("attempt %d: %v, want kind %q", attempt, err, kind)
		}
		if got := room.take(); got != want {
			t.Errorf("attempt %d: the room was asked %q; want %q", attempt, got, want)
		}
	}
	if err := client.KillAttempt(t.Context(), "http://"+addr, 70, 0); !job.Is(err, job.Refused) {
		t.Errorf("no attempt: error of kind %q: %v", job.KindOf(err), err)
	}
	if got := room.take(); got != "" {
		t.Errorf("no attempt: the room was asked %q", got)
	}
}
