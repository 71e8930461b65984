package mailbox

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/job"
)

const instanceForTests = "5f0c1122334455667788990a"

var puller = message.PullAddress("billing", instanceForTests)

// pullOnce pulls without waiting.
func pullOnce(t *testing.T, m *Mailboxes, room int) []message.Command {
	t.Helper()
	commands, err := m.Pull(t.Context(), puller, message.PullRequest{Wait: 0, Room: room})
	if err != nil {
		t.Fatal(err)
	}
	return commands
}

// TestMailboxes plays random orders of sends, pulls, answers and ends of time. A
// command is handed out at most once, one that was handed out is never called
// unreachable, one that was not never ambiguous, and each gets its own answer.
func TestMailboxes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		sends := rapid.IntRange(1, 25).Draw(rt, "sends")
		pause := rapid.SliceOfN(rapid.IntRange(0, 900), sends, sends).Draw(rt, "pauses")
		pulls := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [4]int {
			return [4]int{
				rapid.IntRange(0, 1500).Draw(t, "before"), rapid.IntRange(0, 2000).Draw(t, "wait"),
				rapid.IntRange(0, 3).Draw(t, "room"), rapid.IntRange(0, 2000).Draw(t, "leaves"),
			}
		}), 1, 20).Draw(rt, "pulls")
		answers := rapid.SliceOfN(rapid.IntRange(-1, 4000), 50, 50).Draw(rt, "answers") // -1: never
		synctest.Test(t, func(t *testing.T) {
			m := New(Config{Timeout: 2 * time.Second, Away: 3 * time.Second})
			out := make(map[string]int) // how often each was handed out, by its body
			var mu sync.Mutex
			var group sync.WaitGroup
			group.Go(func() {
				for _, p := range pulls {
					time.Sleep(time.Duration(p[0]) * time.Millisecond)
					group.Go(func() {
						ctx, cancel := context.WithTimeout(t.Context(), time.Duration(p[3])*time.Millisecond)
						defer cancel()
						commands, err := m.Pull(ctx, puller, message.PullRequest{Wait: time.Duration(p[1]) * time.Millisecond, Room: p[2]})
						if err != nil {
							rt.Errorf("pull: %v", err)
						}
						for _, c := range commands {
							mu.Lock()
							out[string(c.Body)]++
							mu.Unlock()
							after := answers[int(c.ID%50)]
							if after < 0 {
								continue
							}
							group.Go(func() {
								time.Sleep(time.Duration(after) * time.Millisecond)
								one := message.CommandAnswer{ID: c.ID, Status: http.StatusOK, Body: []byte("to " + string(c.Body))}
								m.Answer(puller, []message.CommandAnswer{one})
								m.Answer(puller, []message.CommandAnswer{one}) // once more changes nothing
							})
						}
					})
				}
			})
			for i := range sends {
				time.Sleep(time.Duration(pause[i]) * time.Millisecond)
				group.Go(func() {
					body := fmt.Sprint(i)
					_, answer, err := m.Send(t.Context(), puller, message.NameTasks, []byte(body), 1)
					time.Sleep(time.Second) // a pull that is about to take it has done so
					mu.Lock()
					defer mu.Unlock()
					switch n := out[body]; {
					case n > 1:
						rt.Errorf("%s was handed out %d times", body, n)
					case err == nil && (n != 1 || string(answer) != "to "+body):
						rt.Errorf("%s, handed out %d times, has the answer %q", body, n, answer)
					case err != nil && n == 1 && !job.Is(err, job.Ambiguous):
						rt.Errorf("%s was handed out: %v", body, err)
					case err != nil && n == 0 && !job.Is(err, job.Unreachable) && !job.Is(err, job.Full):
						rt.Errorf("%s was not handed out: %v", body, err)
					}
				})
			}
			group.Wait()
			if box := m.boxes[puller]; box != nil && (len(box.waiting)+len(box.out) != 0 || box.bytes != 0) {
				rt.Errorf("%d wait, %d are out, %d bytes", len(box.waiting), len(box.out), box.bytes)
			}
		})
	})
}

// TestLostPull: commands of an answer that did not arrive are handed out again, in their
// order and before later ones, to the executor that reports the loss and to no other.
func TestLostPull(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		next func(ids []int64) message.PullRequest // ids are those of a and b
		want string
	}{
		"it came": {func(ids []int64) message.PullRequest {
			return message.PullRequest{Incarnation: "1", Received: ids[1], Tells: true}
		}, "c"},
		"it did not": {func([]int64) message.PullRequest {
			return message.PullRequest{Incarnation: "1", Received: 7, Tells: true}
		}, "abc"},
		"nothing came yet": {func([]int64) message.PullRequest { return message.PullRequest{Incarnation: "1", Tells: true} }, "abc"},
		"it does not say":  {func([]int64) message.PullRequest { return message.PullRequest{Incarnation: "1"} }, "c"},
		"it is another":    {func([]int64) message.PullRequest { return message.PullRequest{Incarnation: "2", Tells: true} }, "c"},
		"it answered already": {func([]int64) message.PullRequest {
			return message.PullRequest{Incarnation: "1", Received: 7, Tells: true}
		}, "ac"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := New(Config{})
				var ids []int64
				pull := func(r message.PullRequest) (text string) {
					r.Room = 10
					commands, err := m.Pull(t.Context(), puller, r)
					if err != nil {
						t.Fatal(err)
					}
					for _, c := range commands {
						text += c.Name
						ids = append(ids, c.ID)
					}
					return text
				}
				send := func(name string) {
					_, _, err := m.Send(t.Context(), puller, name, nil, 1)
					if err != nil && !job.Is(err, job.Ambiguous) {
						t.Errorf("%s was in an answer and ends as %v", name, err)
					}
				}
				var group sync.WaitGroup
				defer group.Wait()
				pull(message.PullRequest{Incarnation: "1", Tells: true})
				for _, name := range []string{"a", "b"} {
					group.Go(func() { send(name) })
					synctest.Wait()
				}
				if got := pull(message.PullRequest{Incarnation: "1", Tells: true}); got != "ab" {
					t.Fatalf("the first answer has %q", got)
				}
				if c.want == "ac" {
					m.Answer(puller, []message.CommandAnswer{{ID: ids[1]}})
				}
				group.Go(func() { send("c") })
				synctest.Wait()
				if got := pull(c.next(ids)); got != c.want {
					t.Errorf("the next answer has %q, want %q", got, c.want)
				}
				if got := pull(message.PullRequest{Incarnation: "1", Received: ids[len(ids)-1], Tells: true}); got != "" {
					t.Errorf("once it came it comes again: %q", got)
				}
			})
		})
	}
}

// TestPullIsAnsweredAtOnce: a command ends a pull that waits, and comes back in no
// time.
func TestPullIsAnsweredAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := New(Config{})
		began := time.Now()
		var group sync.WaitGroup
		group.Go(func() {
			commands, err := m.Pull(t.Context(), puller, message.PullRequest{Wait: 25 * time.Second, Room: 10})
			if err != nil || len(commands) != 1 || commands[0].Name != message.NameBusy {
				t.Errorf("%v, %v", commands, err)
				return
			}
			m.Answer(puller, []message.CommandAnswer{{ID: commands[0].ID, Body: []byte("yes")}})
		})
		synctest.Wait()
		if err := m.Here(puller); err != nil {
			t.Errorf("a pull is open: %v", err)
		}
		status, answer, err := m.Send(t.Context(), puller, message.NameBusy, nil, 0)
		group.Wait()
		if status != http.StatusOK || string(answer) != "yes" || err != nil || time.Since(began) != 0 {
			t.Errorf("%d %q %v after %s", status, answer, err, time.Since(began))
		}
	})
}

// TestPullEnds: after its wait, by another pull, by the end of its caller and of the
// server.
func TestPullEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end   func(ctx context.Context, m *Mailboxes, cancel func())
		after time.Duration
		kind  job.Kind
	}{
		"wait": {func(context.Context, *Mailboxes, func()) {}, 25 * time.Second, ""},
		"another": {func(ctx context.Context, m *Mailboxes, _ func()) {
			_, _ = m.Pull(ctx, puller, message.PullRequest{Wait: 0, Room: 1})
		}, time.Second, ""},
		"gone": {func(_ context.Context, _ *Mailboxes, cancel func()) { cancel() }, time.Second, ""},
		"stop": {func(_ context.Context, m *Mailboxes, _ func()) { m.Close() }, time.Second, job.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := New(Config{})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				began := time.Now()
				var group sync.WaitGroup
				group.Go(func() {
					commands, err := m.Pull(ctx, puller, message.PullRequest{Wait: 25 * time.Second, Room: 1})
					if len(commands) != 0 || job.KindOf(err) != c.kind || time.Since(began) != c.after {
						t.Errorf("%v, %v after %s", commands, err, time.Since(began))
					}
				})
				time.Sleep(time.Second)
				c.end(t.Context(), m, cancel)
				group.Wait()
			})
		})
	}
}

// TestMailboxAway: who does not pull is not there, at once; and who comes back is
// announced.
func TestMailboxAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		came := 0
		m := New(Config{Away: 5 * time.Second, Came: func(string) { came++ }})
		send := func() error { _, _, err := m.Send(t.Context(), puller, message.NameBeat, nil, 0); return err }
		began := time.Now()
		if err := send(); !job.Is(err, job.Unreachable) || time.Since(began) != 3*time.Second {
			t.Errorf("nobody has pulled since the start: %v after %s", err, time.Since(began))
		}
		time.Sleep(5 * time.Second)
		began = time.Now()
		if err := send(); !job.Is(err, job.Unreachable) || time.Since(began) != 0 {
			t.Errorf("nobody has pulled for long: %v after %s", err, time.Since(began))
		}
		pullOnce(t, m, 1)
		time.Sleep(5 * time.Second)
		if err := m.Here(puller); err != nil || came != 1 {
			t.Errorf("5 s after a pull: %v, came %d times", err, came)
		}
		time.Sleep(time.Second)
		if err := send(); !job.Is(err, job.Unreachable) {
			t.Errorf("6 s after a pull: %v", err)
		}
		pullOnce(t, m, 1)
		pullOnce(t, m, 1)
		if came != 2 {
			t.Errorf("came %d times", came)
		}
	})
}

// TestMailboxRoom: tasks wait for room, questions do not; a command that is larger
// than the room goes alone.
func TestMailboxRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := New(Config{})
		pullOnce(t, m, 5)
		var group sync.WaitGroup
		kinds := make([]job.Kind, 4)
		for i, tasks := range []int{3, 3, 9, 0} {
			group.Go(func() {
				_, _, err := m.Send(t.Context(), puller, fmt.Sprint(i), nil, tasks)
				kinds[i] = job.KindOf(err)
			})
			synctest.Wait()
		}
		names := func(commands []message.Command) (text string) {
			for _, c := range commands {
				text += c.Name
			}
			return text
		}
		got := []string{names(pullOnce(t, m, 0)), names(pullOnce(t, m, 5)), names(pullOnce(t, m, 5)), names(pullOnce(t, m, 0))}
		if fmt.Sprint(got) != "[3 0 1 ]" {
			t.Errorf("pulls took %q", got)
		}
		group.Wait()
		if fmt.Sprint(kinds) != "[ambiguous ambiguous full ambiguous]" {
			t.Errorf("ends: %v", kinds)
		}
	})
}

// TestMailboxLimits: what waits for one executor is bounded, in number and bytes, and
// so is what one pull takes, and how many executors pull.
func TestMailboxLimits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := New(Config{Commands: 4, Bytes: 8 << 20, Boxes: 2})
		pullOnce(t, m, 5)
		var group sync.WaitGroup
		full := 0
		for _, size := range []int{5 << 20, 2 << 20, 2 << 20, 0, 0, 0} {
			group.Go(func() {
				if _, _, err := m.Send(t.Context(), puller, message.NameLog, make([]byte, size), 0); job.Is(err, job.Full) {
					full++ // one after the other
				}
			})
			synctest.Wait()
		}
		if full != 2 {
			t.Errorf("%d of 6 were refused", full)
		}
		if first, second := len(pullOnce(t, m, 5)), len(pullOnce(t, m, 5)); first != 3 || second != 1 {
			t.Errorf("pulls took %d and %d", first, second)
		}
		group.Wait()
		pull := func(group string) error {
			_, err := m.Pull(t.Context(), message.PullAddress(group, instanceForTests), message.PullRequest{Wait: 0, Room: 1})
			return err
		}
		if err := pull("second"); err != nil {
			t.Error(err)
		}
		if err := pull("third"); !job.Is(err, job.Full) {
			t.Errorf("a third executor: %v", err)
		}
		time.Sleep(6 * time.Second)
		if err := pull("third"); err != nil || len(m.boxes) != 1 {
			t.Errorf("when the others are gone: %v, %d boxes", err, len(m.boxes))
		}
	})
}

// TestMailboxesClose: what was not handed out when the server stops was not sent, and
// what was is waited for.
func TestMailboxesClose(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := New(Config{})
		pullOnce(t, m, 1)
		var group sync.WaitGroup
		send := func(want job.Kind) {
			group.Go(func() {
				if _, _, err := m.Send(t.Context(), puller, message.NameTasks, nil, 1); job.KindOf(err) != want {
					t.Errorf("%v; want kind %q", err, want)
				}
			})
			synctest.Wait()
		}
		send("")
		send(job.Unreachable)
		commands := pullOnce(t, m, 1)
		m.Close()
		m.Answer(puller, []message.CommandAnswer{{ID: commands[0].ID}})
		group.Wait()
		send(job.Unreachable)
		group.Wait()
		if _, err := m.Pull(t.Context(), puller, message.PullRequest{Wait: time.Second, Room: 1}); !job.Is(err, job.Unavailable) {
			t.Errorf("a pull: %v", err)
		}
	})
}

// TestForeignAnswers: an answer to what was not asked, or was asked of another
// executor, counts for nothing.
func TestForeignAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := New(Config{})
		pullOnce(t, m, 1)
		other := message.PullAddress("other", instanceForTests)
		if _, err := m.Pull(t.Context(), other, message.PullRequest{Wait: 0, Room: 1}); err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		group.Go(func() {
			if _, _, err := m.Send(t.Context(), puller, message.NameBeat, nil, 0); !job.Is(err, job.Ambiguous) {
				t.Errorf("%v", err)
			}
		})
		synctest.Wait()
		id := pullOnce(t, m, 1)[0].ID
		m.Answer(other, []message.CommandAnswer{{ID: id, Body: []byte("mine")}})
		m.Answer("pull://nobody", []message.CommandAnswer{{ID: id}})
		m.Answer(puller, []message.CommandAnswer{{ID: id + 1}})
		group.Wait()
	})
}
