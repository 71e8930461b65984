package upkeep

import (
	"context"
	"sync"
	"time"

	"github.com/orthd/orth/job"
)

const (
	// atOnce bounds the executors that are asked at the same time.
	atOnce = 16
	// perExecutor is the time that one executor may take of a look. What is
	// left of its attempts then has to wait.
	perExecutor = 5 * time.Second
	// tries is how often a question is asked at once whose answer gets lost on its way,
	// and how many attempts in a row may get none before their executor is left alone.
	tries = 3
	// hung is the time after which no answer is not one that got lost.
	hung = time.Second
)

// silent reports whether the error means that the executor did not answer.
func silent(err error) bool { return job.Is(err, job.Unreachable) || job.Is(err, job.Ambiguous) }

// byExecutor calls ask for each attempt: attempts of one address one after the
// other, the addresses beside each other. It returns for each attempt whether
// it was asked about and what ask returned. An executor that does not answer is
// not asked about its other attempts, which get the same error; one answer that
// gets lost on its way is not yet silence.
func byExecutor(addresses []string, ask func(i int) error) []answer {
	byAddress := make(map[string][]int)
	for i, address := range addresses {
		byAddress[address] = append(byAddress[address], i)
	}
	answers := make([]answer, len(addresses)) // each written by one goroutine
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

// answer is what came of one attempt.
type answer struct {
	asked bool  // there was time, and its executor answers or did not
	err   error // what ask returned for it, or for one before it that got no answer
}

// askOne asks one executor about its attempts, until it is quiet: nobody listens, it
// lets us wait, or several answers in a row have got lost.
func askOne(attempts []int, answers []answer, ask func(i int) error) {
	began := time.Now()
	var quiet error
	lost := 0 // answers in a row
	for _, i := range attempts {
		asked := time.Now()
		switch {
		case quiet != nil:
			answers[i] = answer{asked: true, err: quiet}
			continue
		case asked.Sub(began) > perExecutor:
			continue
		}
		err := ask(i)
		answers[i] = answer{asked: true, err: err}
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

// quick reports whether a call that began then ended at once without an answer, with
// somebody there.
func quick(err error, began time.Time) bool {
	return job.Is(err, job.Ambiguous) && time.Since(began) < hung
}

// insist asks again, at once, while the answer gets lost. What it asks must be the
// same for the executor whether it comes once or often.
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

// send brings a task to an executor, again when the answer gets lost and with once, as
// it is then taken at most once. What became of a task at any other has to be seen
// first.
func (u *Upkeep) send(ctx context.Context, address string, t job.Task, once bool) error {
	send := func() error { return u.config.Executors.Send(ctx, address, t) }
	if !once {
		return send()
	}
	return insist(send)
}
