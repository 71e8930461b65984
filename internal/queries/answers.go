package queries

import (
	"context"
	"sync"
	"time"
)

const (
	// answerFor is how long an answer is given again at least.
	answerFor = time.Second
	// answerShare is how many times longer it is given than it took to count: so much
	// work is at most a tenth of what one reader can do.
	answerShare = 10
	// maxAnswers bounds the answers that are kept: then the oldest one goes.
	maxAnswers = 64
)

// answers keeps answers for a moment. The zero value is empty.
type answers[T any] struct {
	mu  sync.Mutex
	all map[string]*answer[T]
}

// answer is one of them. Who holds turn reads and writes the others; used is behind the
// mutex of all answers.
type answer[T any] struct {
	turn  chan struct{} // one place
	good  bool
	until time.Time
	found T
	used  time.Time
}

// of returns the answer of a key: the one that is kept, or a new one. Of those that
// ask for the same one at the same time, one counts and the others wait for it.
func (a *answers[T]) of(ctx context.Context, key string, count func() (T, error)) (T, error) {
	var none T
	e := a.at(key, time.Now())
	select {
	case e.turn <- struct{}{}:
		defer func() { <-e.turn }()
	case <-ctx.Done():
		return none, ctx.Err()
	}
	began := time.Now()
	if e.good && began.Before(e.until) {
		return e.found, nil
	}
	found, err := count()
	if err != nil {
		return none, err // who comes next tries again
	}
	now := time.Now()
	e.good, e.found, e.until = true, found, now.Add(max(answerFor, answerShare*now.Sub(began)))
	return found, nil
}

// at returns the place of a key.
func (a *answers[T]) at(key string, now time.Time) *answer[T] {
	a.mu.Lock()
	defer a.mu.Unlock()
	e := a.all[key]
	if e == nil {
		if a.all == nil {
			a.all = make(map[string]*answer[T])
		}
		if len(a.all) >= maxAnswers {
			delete(a.all, a.oldest())
		}
		e = &answer[T]{turn: make(chan struct{}, 1)}
		a.all[key] = e
	}
	e.used = now
	return e
}

// oldest returns the key whose last query is the oldest.
func (a *answers[T]) oldest() (key string) {
	var least time.Time
	for k, e := range a.all {
		if key == "" || e.used.Before(least) {
			key, least = k, e.used
		}
	}
	return key
}
