package route

import (
	"context"
	"fmt"
	"strings"

	"github.com/orthd/orth/job"
)

// busyover asks the addresses in order and picks the first one that does not run
// the job. Each dead address costs up to the Prober's time limit.
type busyover struct {
	prober Prober
}

func (s busyover) choose(ctx context.Context, r Request) (Choice, error) {
	if s.prober == nil {
		return Choice{}, job.Errorf(job.Unavailable, "route busyover: this server has no way to ask executors whether they are idle")
	}
	var passed []string
	for _, address := range r.Addresses {
		busy, err := s.prober.IdleBeat(ctx, address, r.JobID)
		switch {
		case err == nil && !busy:
			return Choice{Address: address, Note: strings.Join(passed, "; ")}, nil
		case ctx.Err() != nil:
			return Choice{}, fmt.Errorf("route busyover: ask %s: %w", address, context.Cause(ctx))
		case err != nil:
			passed = append(passed, fmt.Sprintf("%s does not answer: %v", address, err))
		default:
			passed = append(passed, address+" is busy with the job")
		}
	}
	return Choice{}, job.Errorf(job.Unavailable, "no executor is idle: %s", strings.Join(passed, "; "))
}
