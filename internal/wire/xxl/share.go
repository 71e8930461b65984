package xxl

// defaultMaxRequests is more than twice the threads that the dialect's own
// executors have.
const defaultMaxRequests = 512

// share bounds how many requests of one sort are served at the same time. Who
// finds no place is refused at once: a queue of requests would only make every
// caller wait until its time limit, and then send the same again.
type share chan struct{}

// take reports whether there was a place; leave gives it back.
func (s share) take() bool {
	select {
	case s <- struct{}{}:
		return true
	default:
		return false
	}
}

func (s share) leave() { <-s }

// shares divides what an executor serves at the same time, so that a flood of
// one sort of request does not stop the others: an eighth is for reading logs,
// an eighth for questions and kills, the rest for tasks. A beat needs no place,
// because nothing in it can wait.
type shares struct{ tasks, logs, control share }

func newShares(limit int) shares {
	if limit <= 0 {
		limit = defaultMaxRequests
	}
	small := max(limit/8, 1)
	return shares{
		tasks:   make(share, max(limit-2*small, 1)),
		logs:    make(share, small),
		control: make(share, small),
	}
}
