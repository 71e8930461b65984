package queue_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
)

// tiny has several segments within a short history.
var tiny = queue.Config{Segment: 16 << 10, Memory: 4 << 10}

// world is what a caller sees of a store: for each key of its two queues the place and, of
// an item, the rest.
type world map[string]string

func look(t *testing.T, s *queue.Store) (w world) {
	t.Helper()
	err := s.View(t.Context(), func(tx *queue.Tx) (err error) {
		w, err = see(s, tx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func see(s *queue.Store, tx *queue.Tx) (world, error) {
	w := make(world)
	for _, name := range []string{"tasks", "outbox"} {
		q := s.Queue(name, limits(name))
		listed, remembered := 0, 0
		for _, p := range []queue.Place{queue.Scheduled, queue.Processing, queue.Dead} {
			items, err := q.List(tx, p, 0, 10_000)
			if err != nil {
				return nil, err
			}
			listed += len(items)
			for _, it := range items {
				w[fmt.Sprint(name, " ", it.Key)] = fmt.Sprintf("%s %d %d %q %x", p, it.Due.UnixMilli(), it.Tries, it.Note, it.Body)
			}
		}
		for key := range int64(keys) {
			where, err := q.Where(tx, key)
			if err != nil {
				return nil, err
			}
			if where == queue.Remembered {
				remembered++
				w[fmt.Sprint(name, " ", key)] = "finished"
			}
		}
		st, err := q.Stats(tx)
		if err != nil {
			return nil, err
		}
		if st.Scheduled+st.Processing+st.Dead != listed || st.Remembered != remembered {
			return nil, fmt.Errorf("%d items of %s are listed and %d remembered, %+v", listed, name, remembered, st)
		}
	}
	value, _ := tx.Meta("m")
	w["meta"] = string(value)
	return w, nil
}

// keys is how many keys a history has.
const keys = 60

func limits(name string) queue.QueueConfig {
	return queue.QueueConfig{Capacity: 1000, Remember: map[string]int{"tasks": 25, "outbox": -1}[name], RememberFor: 1000 * time.Hour, KeepDead: 5}
}

// step is one random transaction.
func step(s *queue.Store, random *rand.Rand) func(tx *queue.Tx) error {
	tasks, outbox := s.Queue("tasks", limits("tasks")), s.Queue("outbox", limits("outbox"))
	type act struct {
		what int
		key  int64
		body []byte
	}
	acts := make([]act, 1+random.IntN(4))
	for i := range acts {
		body := make([]byte, random.IntN(700))
		if random.IntN(12) == 0 {
			body = make([]byte, 9000+random.IntN(2000))
		}
		for j := range body {
			body[j] = byte(1 + random.IntN(255))
		}
		acts[i] = act{random.IntN(10), random.Int64N(keys), body}
	}
	undo := random.IntN(8) == 0
	return func(tx *queue.Tx) error {
		for _, a := range acts {
			it := queue.Item{Key: a.key, Due: day.Add(time.Duration(a.key) * time.Second), Body: a.body}
			var err error
			switch a.what {
			case 0, 1:
				err = tasks.Push(tx, it)
			case 2:
				err = tasks.PushStarted(tx, it)
			case 3:
				_, err = tasks.Claim(tx, day.Add(time.Hour), 2)
			case 4, 5: // the end of a task
				if err = tasks.Ack(tx, a.key, day); err == nil {
					it.Body = it.Body[:min(50, len(it.Body))]
					err = outbox.Push(tx, it)
				}
			case 6:
				err = outbox.Drop(tx, a.key, day)
			case 7:
				err = tasks.Nack(tx, a.key, day, "again")
			case 8:
				if err = tasks.Bury(tx, a.key, "no"); err == nil {
					err = tx.SetMeta("m", a.body[:min(8, len(a.body))])
				}
			default:
				err = tasks.Amend(tx, a.key, a.body)
			}
			if err != nil && !job.Is(err, job.NotFound) && !job.Is(err, job.Duplicate) {
				return err
			}
		}
		if undo {
			return errUndo
		}
		return nil
	}
}
