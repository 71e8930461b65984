package route

import (
	"context"
	"fmt"
	"strings"

	"github.com/orthd/orth/job"
)

// failover asks the addresses in order and picks the first one that answers.
// Each dead address costs up to the Prober's time limit.
type failover struct {
	prober Prober
}

func (s failover) choose(ctx context.Context, r Request) (Choice, error) {
	if s.prober == nil {
		return Choice{}, job.Errorf(job.Unavailable, "route failover: this server has no way to ask executors whether they are there")
	}
	var dead []string
	for _, address := range r.Addresses {
		err := s.prober.Beat(ctx, address)
		if err == nil {
			return Choice{Address: address, Note: strings.Join(dead, "; ")}, nil
		}
		if ctx.Err() != nil {
			return Choice{}, fmt.Errorf("route failover: ask %s: %w", address, context.Cause(ctx))
		}
		dead = append(dead, fmt.Sprintf("%s does not answer: %v", address, err))
	}
	return Choice{}, job.Errorf(job.Unavailable, "no executor answers: %s", strings.Join(dead, "; "))
}
