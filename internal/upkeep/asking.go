package upkeep

import (
	"context"
	"sync"
	"time"

	"github.com/orthd/orth/job"
)

const (
	// atOnce is the most executors queried concurrently.
	atOnce = 16
	// perExecutor is the time that one executor may take of a pass. Its remaining attempts
	// wait for the next one.
	perExecutor = 5 * time.Second
	// tries is how often a request is sent at once when its answer is lost in transit. It
	// is also how many attempts in a row may get no answer before their executor is
	// skipped.
	tries = 3
	// hung is the time after which a missing answer no longer counts as lost in transit.
	hung = time.Second
)

// silent reports whether the error means that the executor did not answer.
func silent(err error) bool { return job.Is(err, job.Unreachable) || job.Is(err, job.Ambiguous) }

// byExecutor calls ask for each attempt: sequentially per address, concurrently across
// addresses. For each attempt it returns whether the attempt was queried, and what ask
// returned. After silence, an executor is not queried about its other attempts, which get
// the same error; one answer lost in transit is not yet silence.
func byExecutor(addresses []string, ask func(i int) error) []attemptStatus {
	byAddress := make(map[string][]int)
	for i, address := range addresses {
		byAddress[address] = append(byAddress[address], i)
	}
	answers := make([]attemptStatus, len(addresses)) // each written by one goroutine
	places := make(chan struct{}, atOnce)
	var asking sync.WaitGroup
	for _, attempts := range byAddress {
		places <- struct{}{}
		asking.Go(func() {
			defer func() { <-places }()
			askOne(attempts, answers, ask)
		})
	}
	asking.Wait()
	return answers
}

// attemptStatus is the result of the query about one attempt.
type attemptStatus struct {
	asked bool  // there was time, and its executor answers or did not
	err   error // what ask returned for it, or for an earlier one without an answer
}

// askOne queries one executor about its attempts, until it is silent: nothing listens
// there, it hangs, or several answers in a row were lost.
func askOne(attempts []int, answers []attemptStatus, ask func(i int) error) {
	began := time.Now()
	var quiet error
	lost := 0 // answers in a row
	for _, i := range attempts {
		asked := time.Now()
		switch {
		case quiet != nil:
			answers[i] = attemptStatus{asked: true, err: quiet}
			continue
		case asked.Sub(began) > perExecutor:
			continue
		}
		err := ask(i)
		answers[i] = attemptStatus{asked: true, err: err}
		if !silent(err) {
			lost = 0
			continue
		}
		lost++
		if lost == tries || !quick(err, asked) {
			quiet = err
		}
	}
}

// quick reports whether a call that began then failed fast without an answer, although a
// process was there.
func quick(err error, began time.Time) bool {
	return job.Is(err, job.Ambiguous) && time.Since(began) < hung
}

// insist repeats a request at once while its answer is lost. The request must be idempotent
// for the executor.
func insist(ask func() error) error {
	for try := 1; ; try++ {
		began := time.Now()
		if err := ask(); try == tries || !quick(err, began) {
			return err
		}
	}
}

// holds asks whether an executor has an attempt.
func (u *Upkeep) holds(ctx context.Context, address string, a job.Attempt) (holds bool, err error) {
	err = insist(func() error {
		holds, err = u.config.Executors.Holds(ctx, address, a)
		return err
	})
	return holds, err
}

// sendTask sends a task to an executor. With once, which means that the executor takes the task
// at most once, it sends again when the answer is lost. For other executors the fate of the
// task has to be checked first.
func (u *Upkeep) sendTask(ctx context.Context, address string, t job.Task, once bool) error {
	send := func() error { return u.config.Executors.Send(ctx, address, t) }
	if !once {
		return send()
	}
	return insist(send)
}
