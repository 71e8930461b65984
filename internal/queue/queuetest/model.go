package queuetest

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// model is what a queue does, as plainly as it can be said. Its methods return
// the kind of error to expect, "" for none.
type model struct {
	config   queue.QueueConfig
	items    map[int64]modelItem
	finished []int64 // remembered keys, the first finished first
	seq      uint64
	evicted  int
}

type modelItem struct {
	queue.Item
	place queue.Place
}

func (m *model) clone() *model {
	c := *m
	c.items, c.finished = maps.Clone(m.items), slices.Clone(m.finished)
	return &c
}

func (m *model) in(p queue.Place) []modelItem {
	var list []modelItem
	for _, it := range m.items {
		if it.place == p {
			list = append(list, it)
		}
	}
	slices.SortFunc(list, func(a, b modelItem) int { return cmp.Compare(a.Seq, b.Seq) })
	return list
}

func (m *model) live() int { return len(m.in(queue.Scheduled)) + len(m.in(queue.Processing)) }

func (m *model) push(it queue.Item, p queue.Place) job.Kind {
	_, known := m.items[it.Key]
	switch {
	case known || slices.Contains(m.finished, it.Key):
		return job.Duplicate
	case m.live() >= m.config.Capacity:
		return job.Full
	}
	m.seq++
	it.Seq = m.seq
	m.items[it.Key] = modelItem{it, p}
	return ""
}

func (m *model) move(key int64, to queue.Place, change func(*queue.Item), from ...queue.Place) job.Kind {
	it, known := m.items[key]
	if !known || !slices.Contains(from, it.place) {
		return job.NotFound
	}
	it.place = to
	change(&it.Item)
	m.items[key] = it
	return ""
}

func (m *model) claim(now time.Time, n int) []int64 {
	due := m.in(queue.Scheduled)
	slices.SortStableFunc(due, func(a, b modelItem) int { return a.Due.Compare(b.Due) })
	var keys []int64
	for _, it := range due {
		if len(keys) < n && !it.Due.After(now) {
			keys = append(keys, it.Key)
			m.move(it.Key, queue.Processing, func(*queue.Item) {}, queue.Scheduled)
		}
	}
	return keys
}

func (m *model) finish(key int64, from queue.Place) job.Kind {
	if m.items[key].place != from {
		return job.NotFound
	}
	delete(m.items, key)
	m.finished = append(m.finished, key)
	m.finished = m.finished[max(0, len(m.finished)-m.config.Remember):]
	return ""
}

func (m *model) bury(key int64, reason string) job.Kind {
	kind := m.move(key, queue.Dead, func(it *queue.Item) { it.Note = reason }, queue.Processing)
	if dead := m.in(queue.Dead); kind == "" && len(dead) > m.config.KeepDead {
		delete(m.items, dead[0].Key)
		m.evicted++
	}
	return kind
}

func (m *model) redrive(key int64, due time.Time) job.Kind {
	if m.live() >= m.config.Capacity {
		return job.Full
	}
	return m.move(key, queue.Scheduled, func(it *queue.Item) { it.Due, it.Tries = due, 0 }, queue.Dead)
}

func (m *model) amend(key int64, body []byte) job.Kind {
	it, known := m.items[key]
	if !known {
		return job.NotFound
	}
	it.Body = body
	m.items[key] = it
	return ""
}

func (m *model) remove(key int64) job.Kind {
	if p := m.items[key].place; p != queue.Scheduled && p != queue.Processing {
		return job.NotFound
	}
	delete(m.items, key)
	return ""
}

func (m *model) purge(key int64) job.Kind {
	if m.items[key].place != queue.Dead {
		return job.NotFound
	}
	delete(m.items, key)
	return ""
}

func (m *model) fail(key int64, now time.Time, err error) job.Kind {
	class, after := retry.ClassOf(err)
	p := m.config.Retry
	tries := m.items[key].Tries
	note := func(it *queue.Item) { it.Note = err.Error() }
	switch {
	case class == retry.ClassNotReady:
		return m.move(key, queue.Scheduled, func(it *queue.Item) { note(it); it.Due = now.Add(after) }, queue.Processing)
	case class != retry.ClassPermanent && tries < p.Tries:
		delay := min(p.Initial<<tries, p.Max)
		return m.move(key, queue.Scheduled, func(it *queue.Item) {
			note(it)
			it.Due, it.Tries = now.Add(delay), tries+1
		}, queue.Processing)
	}
	due := m.items[key]
	due.Due = now
	if due.place == queue.Processing {
		m.items[key] = due
	}
	return m.bury(key, err.Error())
}

func (m *model) expire(now time.Time, n int) int { return m.purgeAll(now.Add(-m.config.DeadFor), n) }

// purgeAll removes dead items that were due at the instant or before.
func (m *model) purgeAll(until time.Time, n int) int {
	removed := 0
	for _, it := range m.in(queue.Dead) {
		since := it.Due
		if it.AddedAt.After(since) {
			since = it.AddedAt
		}
		if removed < n && !since.After(until) {
			delete(m.items, it.Key)
			removed++
		}
	}
	return removed
}

func (m *model) redriveAll(due time.Time, n int) (int, job.Kind) {
	dead := m.in(queue.Dead)
	for i, it := range dead[:min(n, len(dead))] {
		if kind := m.redrive(it.Key, due); kind != "" {
			if i > 0 {
				kind = ""
			}
			return i, kind
		}
	}
	return min(n, len(dead)), ""
}

func (m *model) stats() queue.Stats {
	return queue.Stats{
		Scheduled: len(m.in(queue.Scheduled)), Processing: len(m.in(queue.Processing)),
		Dead: len(m.in(queue.Dead)), Remembered: len(m.finished), Evicted: m.evicted,
	}
}
