package native

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/job"
)

// task is a wish of the desk that comes with a task.
func (d *desk) task(attempt int64) Follow {
	d.want(attempt, 1, pushed)
	return Follow{Server: d.name, Address: pushed, Attempt: attempt, From: 1, For: message.TaskFollow, Task: true}
}

// TestFollowedTasks: the lines of an attempt come from its first one on, soon after they
// were written, and its end soon after it; an attempt that is quiet is not looked at.
func TestFollowedTasks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, d := newShelf(), newDesk("d")
		requests := 0
		count := roundTrip(func(r *http.Request) (*http.Response, error) {
			requests++
			return served(d.handler()).RoundTrip(r)
		})
		f, stop := followingOf(t, s, count, "http://d")
		defer stop()
		for attempt := int64(1001); attempt <= 4000; attempt++ {
			if err := f.Follow(d.task(attempt)); err != nil {
				t.Fatal(err)
			}
			s.write(attempt, "first")
		}
		time.Sleep(holdFor - time.Millisecond)
		if d.text(1001) != "" {
			t.Error("lines came before the server could know that the task was accepted")
		}
		time.Sleep(gatherFor + 2*time.Millisecond)
		for attempt := int64(1001); attempt <= 4000; attempt++ {
			if d.text(attempt) != "first\n" {
				t.Fatalf("attempt %d: %q", attempt, d.text(attempt))
			}
		}
		if want := 3000/message.MaxChunks + 2; requests > want {
			t.Errorf("%d requests, want %d at most", requests, want)
		}
		time.Sleep(5 * time.Second)
		was := s.readings()
		for i := range 20 {
			s.write(1007, fmt.Sprint("line ", i))
			time.Sleep(150 * time.Millisecond)
			if got := d.text(1007); got != s.whole(1007) {
				t.Fatalf("150 ms after line %d: %q", i, got)
			}
		}
		if got := s.readings() - was; got > 40 {
			t.Errorf("20 lines of one attempt of 3,000 took %d reads", got)
		}
		s.write(1008, "last")
		s.end(1008)
		began := time.Now()
		time.Sleep(200 * time.Millisecond)
		if at, over := d.over(1008); !over || d.text(1008) != s.whole(1008) || at.Sub(began) > bringEvery+gatherFor {
			t.Errorf("the end of an attempt came after %s (%t): %q", at.Sub(began), over, d.text(1008))
		}
	})
}

// TestFollowedAgain: a task that is sent again is followed as it was; and what ended
// before it was followed, or without a word, is found out.
func TestFollowedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, d := newShelf(), newDesk("d")
		f, stop := followingOf(t, s, served(d.handler()), "http://d")
		defer stop()
		s.write(1, "one")
		s.end(1)
		s.write(2, "one")
		s.end(3) // without a log
		for attempt := int64(1); attempt <= 3; attempt++ {
			_ = f.Follow(d.task(attempt))
			_ = f.Follow(d.task(attempt))
		}
		time.Sleep(time.Second)
		for attempt, want := range map[int64]bool{1: true, 2: false, 3: true} {
			if _, over := d.over(attempt); over != want || d.text(attempt) != s.whole(attempt) {
				t.Errorf("attempt %d: over is %t, %q", attempt, over, d.text(attempt))
			}
		}
		was := s.readings()
		_ = f.Follow(d.task(2))
		time.Sleep(time.Second)
		if got := s.readings(); got != was || f.followed() != 1 {
			t.Errorf("the same task again took %d reads; %d are followed", got-was, f.followed())
		}
		s.endSilently(2)
		time.Sleep(lookEvery + time.Second)
		if _, over := d.over(2); !over || f.followed() != 0 {
			t.Errorf("an end that nobody told: over is %t, %d are followed", over, f.followed())
		}
	})
}

// TestServerStartsAgain: a server that comes back under another name gets what follows
// the lines that were taken; one that stays away is given up, and others get theirs.
func TestServerStartsAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, old, now, other := newShelf(), newDesk("old"), newDesk("new"), newDesk("other")
		var first atomic.Pointer[http.RoundTripper] // who is at the address a
		switchTo := func(way http.RoundTripper) { first.Store(&way) }
		switchTo(served(old.handler()))
		gone := roundTrip(func(*http.Request) (*http.Response, error) { return nil, errors.New("connection refused") })
		doors := towers{
			"a": roundTrip(func(r *http.Request) (*http.Response, error) { return (*first.Load()).RoundTrip(r) }),
			"b": served(other.handler()), "c": served(newDesk("c").handler()),
		}
		f, stop := followingOf(t, s, doors, "http://c", "http://a", "http://b")
		defer stop()
		for attempt := int64(1); attempt <= 3; attempt++ {
			_ = f.Follow(old.task(attempt))
			s.write(attempt, "one")
		}
		_ = f.Follow(other.task(1))
		time.Sleep(time.Second)
		switchTo(gone)
		now.want(1, 1, pushed)
		now.want(2, 1, pushed)
		for attempt := int64(1); attempt <= 3; attempt++ {
			s.write(attempt, "two")
		}
		s.end(2)
		time.Sleep(10 * time.Second)
		switchTo(served(now.handler()))
		time.Sleep(strayFor + 3*maxPause)
		for attempt, want := range map[int64]string{1: "two\n", 2: "two\n", 3: ""} {
			if got := now.text(attempt); got != want {
				t.Errorf("attempt %d: the server that started again has %q, want %q", attempt, got, want)
			}
		}
		if _, over := now.over(2); !over || other.text(1) != "one\ntwo\n" || f.followed() != 2 {
			t.Errorf("over is %t, the other has %q, %d are followed", over, other.text(1), f.followed())
		}
		switchTo(gone)
		s.write(1, "three")
		time.Sleep(awayFor + time.Minute)
		if other.text(1) != s.whole(1) || f.followed() != 1 {
			t.Errorf("the other has %q, %d are followed", other.text(1), f.followed())
		}
	})
}

// TestSlowServerHoldsNobodyUp: while one server does not answer, another gets its lines.
func TestSlowServerHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, fast := newShelf(), newDesk("fast")
		hung := roundTrip(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		f, stop := followingOf(t, s, towers{"a": served(fast.handler()), "b": hung}, "http://a", "http://b")
		defer stop()
		_ = f.Follow(Follow{Server: "slow", Address: pushed, Attempt: 1, From: 1, For: time.Hour})
		_ = f.Follow(fast.task(1))
		for range 10 {
			s.write(1, "more")
			time.Sleep(150 * time.Millisecond)
			if got := fast.text(1); got != s.whole(1) {
				t.Fatalf("%q of %q", got, s.whole(1))
			}
		}
	})
}

// TestFollowOfTasks: what an executor takes is followed, what it does not take is not;
// who follows is no reason to refuse a task.
func TestFollowOfTasks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		who  string
		want []int64
	}{
		{`"server":"d","address":"http://10.0.0.7:9999/",`, []int64{1, 2}}, // 2 is a duplicate
		{`"server":"","address":"http://10.0.0.7:9999/",`, nil},
		{`"server":"d",`, nil},
		{``, nil},
	} {
		var noted wishes
		h := newTestHandler(new(worker), func(c *ExecutorConfig) { c.Follows = &noted })
		status, body := h.fetched(t.Context(), message.Command{Name: message.NameTasks, Body: []byte(`{` + c.who + `"tasks":[` +
			`{"attempt":1,"handler":{"kind":"named"},"triggered_at":5,"follow":true},{"attempt":2,"handler":{"kind":"named"},"follow":true},` +
			`{"attempt":5,"handler":{"kind":"named"},"follow":true},{"attempt":10,"handler":{"kind":"named"}}]}`)})
		answers, err := message.DecodeTaskAnswers(body)
		if status != http.StatusOK || err != nil || len(answers) != 4 || answers[0].State != message.TaskAccepted {
			t.Errorf("%s: %d %s", c.who, status, body)
		}
		got := noted.all
		if len(got) != len(c.want) {
			t.Fatalf("%s: %+v are followed, want %d", c.who, got, c.want)
		}
		for _, f := range got {
			want := Follow{Server: "d", Address: pushed, Attempt: f.Attempt, TriggeredAt: f.TriggeredAt, From: 1, For: message.TaskFollow, Task: true}
			if f != want || f.Attempt > 2 || f.Attempt == 1 && !f.TriggeredAt.Equal(job.FromMillis(5)) {
				t.Errorf("%s: %+v is followed", c.who, f)
			}
		}
	}
}

// wishes records the wishes, and has no room for any.
type wishes struct {
	mu  sync.Mutex
	all []Follow // guarded by mu
}

func (w *wishes) Follow(f Follow) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, f)
	return job.Errorf(job.Full, "no room")
}

// TestStopBringsTheRest: what was written before the stop comes, held back or not; a
// server that is away delays nothing for long.
func TestStopBringsTheRest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, d := newShelf(), newDesk("d")
		door := served(d.handler())
		slow := roundTrip(func(r *http.Request) (*http.Response, error) {
			select {
			case <-time.After(50 * time.Millisecond):
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
			return door.RoundTrip(r)
		})
		f, stop := followingOf(t, s, slow, "http://d")
		_ = f.Follow(d.task(1))
		s.write(1, "one")
		time.Sleep(holdFor + gatherFor + 10*time.Millisecond) // a request is under way
		for attempt := int64(1001); attempt <= 1200; attempt++ {
			_ = f.Follow(d.task(attempt))
			s.write(attempt, "last words")
			s.end(attempt)
		}
		stop()
		for attempt := int64(1001); attempt <= 1200; attempt++ {
			if _, over := d.over(attempt); !over || d.text(attempt) != s.whole(attempt) {
				t.Fatalf("attempt %d: over is %t, %q", attempt, over, d.text(attempt))
			}
		}
		if d.text(1) != "one\n" {
			t.Errorf("what was under way: %q", d.text(1))
		}

		hung := roundTrip(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		f, stop = followingOf(t, s, hung, "http://d")
		_ = f.Follow(d.task(2))
		s.write(2, "one")
		time.Sleep(time.Minute)
		began := time.Now()
		if stop(); time.Since(began) > lastBring {
			t.Errorf("the stop took %s", time.Since(began))
		}
	})
}

// TestWholeLogIsNotBrought: what the outcome carries whole is not brought too, unless the
// server has some of it, or has asked for it otherwise.
func TestWholeLogIsNotBrought(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, d, other := newShelf(), newDesk("d"), newDesk("other")
		f, stop := followingOf(t, s, towers{"d": served(d.handler()), "other": served(other.handler())}, "http://d", "http://other")
		defer stop()
		for attempt := int64(1); attempt <= 2; attempt++ {
			if err := f.Follow(d.task(attempt)); err != nil {
				t.Fatal(err)
			}
			other.ask(t, f, attempt, time.Minute)
		}
		s.write(1, "short")
		f.Ended(1, true)
		s.write(2, "begun")
		time.Sleep(holdFor + 2*gatherFor)
		s.write(2, "ended")
		s.endSilently(2)
		f.Ended(2, true)
		time.Sleep(time.Second)
		if got := d.text(1); got != "" {
			t.Errorf("brought beside the outcome: %q", got)
		}
		if got := d.text(2); got != "begun\nended\n" {
			t.Errorf("of the log that was begun: %q", got)
		}
		if got := other.text(1); got != "short\n" {
			t.Errorf("to the server that has asked: %q", got)
		}
		if f.followed() > 1 { // the other server's wish for the first goes on
			t.Errorf("%d are followed", f.followed())
		}
	})
}
