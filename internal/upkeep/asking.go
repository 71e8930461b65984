package upkeep

import (
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
)

// silent reports whether the error means that the executor did not answer.
func silent(err error) bool { return job.Is(err, job.Unreachable) || job.Is(err, job.Ambiguous) }

// byExecutor calls ask for each attempt: attempts of one address one after the
// other, the addresses beside each other. It returns for each attempt whether
// it was asked about and what ask returned. An executor that does not answer is
// asked once: its other attempts get the same error.
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

// askOne asks one executor about its attempts.
func askOne(attempts []int, answers []answer, ask func(i int) error) {
	began := time.Now()
	var quiet error
	for _, i := range attempts {
		switch {
		case quiet != nil:
			answers[i] = answer{asked: true, err: quiet}
		case time.Since(began) <= perExecutor:
			err := ask(i)
			answers[i] = answer{asked: true, err: err}
			if silent(err) {
				quiet = err
			}
		}
	}
}
