package guard

import (
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// RunPath names a run, for operations of several rooms.
type RunPath struct {
	ID string `path:"id" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a run's id" doc:"The run's id."`
}

// RunReply is the answer of what shows, or makes, a run.
type RunReply struct{ Body api.Run }

// ReplyRun answers with a run.
func ReplyRun(r job.Run, err error) (*RunReply, error) {
	if err != nil {
		return nil, err
	}
	return &RunReply{api.FromRun(r)}, nil
}
