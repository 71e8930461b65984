package reading

import (
	"context"

	"github.com/orthd/orth/job"
)

// maxSkipped is how many pages of an executor are read past to find a line.
const maxSkipped = 1000

// Tail returns the number of the first of the last n lines that are there now; 1
// when there are no more. Read on with [Reader.Page].
func (r *Reader) Tail(ctx context.Context, a job.Attempt, n int) (int, error) {
	v, err := r.look(ctx, a)
	if err != nil {
		return 0, err
	}
	last := v.last()
	if v.askable() {
		if last, err = r.lastOf(ctx, a, last); err != nil {
			return 0, err
		}
	}
	return max(last-max(n, 0)+1, 1), nil
}

// lastOf returns the number of the last line that the executor has behind one that is
// known; that one, when the executor cannot be asked.
func (r *Reader) lastOf(ctx context.Context, a job.Attempt, last int) (int, error) {
	known := last > 0
	for range maxSkipped {
		page, err := r.ask(ctx, a, last+1, maxPageLines)
		switch {
		case known && absent(err):
			return last, nil
		case err != nil:
			return 0, err
		case page.To <= last:
			return last, nil
		}
		last = page.To
	}
	return last, nil
}
