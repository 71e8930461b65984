package executors

import (
	"context"
	"net/http"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/rest/guard"
)

// Drains drains executors.
type Drains interface {
	// Drain returns whether the executor drains now. Kinds: NotFound; Conflict, its
	// protocol has no word for it; those of a call that failed.
	Drain(ctx context.Context, group, address string, on bool) (draining bool, err error)
}

type newDrain struct {
	Group   string `path:"group" doc:"The group's key."`
	Address string `query:"address" required:"true" doc:"The executor's address as lists show it."`
	Body    api.Drain
}

type drainReply struct{ Body api.Draining }

// registerDrain adds what is about the tap of an executor.
func (s *executorRoom) registerDrain() {
	guard.Register(s.Guard, guard.Op{
		ID: "drain-executor", Method: http.MethodPut, Path: "/groups/{group}/addresses/drain", Tags: []string{tagExecutors},
		Right: access.Operate, Scope: guard.OnGroup, Class: guard.Writing,
		Policy:  guard.Policy{Acts: true},
		Summary: "Drain an executor, or end its drain",
	}, s.drain)
}

func (s *executorRoom) drain(ctx context.Context, in *newDrain) (*drainReply, error) {
	draining, err := s.config.Drains.Drain(ctx, in.Group, in.Address, in.Body.On)
	if err != nil {
		return nil, err
	}
	return &drainReply{api.Draining{Group: in.Group, Address: in.Address, Draining: draining}}, nil
}
