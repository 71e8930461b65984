package executors

import (
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/breaker"
)

// Breakers reports the executors whose circuit breakers are open.
type Breakers interface {
	Status(address string, now time.Time) breaker.Status
}

// breaker returns the state of an executor's circuit breaker, and nil when there is none.
func (s *executorRoom) breaker(address string) *api.Breaker {
	if s.config.Breakers == nil {
		return nil
	}
	status := s.config.Breakers.Status(address, time.Now())
	if status.Failures == 0 {
		return nil
	}
	return &api.Breaker{
		State: string(status.State), Failures: status.Failures, Reason: status.Reason, Until: api.At(status.Until),
	}
}
