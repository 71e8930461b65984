package dialect

import (
	"math"

	"github.com/orthd/orth/job"
)

// TextResultUnread is the message of an outcome that was not understood.
const TextResultUnread = "the executor reported a result that could not be read"

// item consumes one item of a callback. An item that is JSON but not understood must not
// cost the others, and would be repeated for ever. If it names its attempt, the outcome
// reports that the result is lost; else it names none.
func (s *Scanner) item() (job.Outcome, error) {
	start := s.Mark()
	o, err := s.outcome()
	if err == nil {
		return o, nil
	}
	s.Back(start)
	value, err := s.Raw()
	if err != nil {
		return job.Outcome{}, err
	}
	return job.Outcome{AttemptID: namedAttempt(value), State: job.Failed, Message: TextResultUnread}, nil
}

// namedAttempt returns the attempt that an item names, 0 for none.
func namedAttempt(value []byte) int64 {
	own, attempt := Scan(value), int64(0)
	if own.Peek() != '{' {
		return 0
	}
	_ = own.Fields(func(name []byte) error { // what comes before an error counts
		field, err := own.Raw()
		if err != nil || string(name) != "logId" {
			return err
		}
		number := Scan(field)
		attempt, err = number.Integer("logId", math.MinInt64, math.MaxInt64)
		return err
	})
	return attempt
}
