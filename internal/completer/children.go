package completer

import (
	"fmt"
	"strconv"
	"time"

	"github.com/orthd/orth/job"
)

// children returns the runs that the end of a run starts: one per child job and parent run,
// whatever happens, because the parent run is part of their key. They count for the slot of
// the parent, and for none when the parent has none.
func children(s *Snapshot, c *Completion) []job.Run {
	var runs []job.Run
	at := c.EndedAt.Truncate(time.Millisecond)
	for i := range s.Children {
		child := &s.Children[i]
		if child.JobID == s.Run.JobID || !child.On.Meets(c.RunState) {
			continue
		}
		r := job.Run{
			JobID: child.JobID, JobVersion: child.Version, GroupID: child.GroupID,
			PlannedAt: s.Run.PlannedAt, Cause: job.CauseParent, CauseID: s.Run.ID,
			State: job.Planned, Reason: fmt.Sprintf("run %d %s", s.Run.ID, endOf(c.RunState)),
			ReadyAt: at, DueAt: at, CreatedAt: c.EndedAt,
		}
		if child.Param != "" {
			if param, fits := job.Expand(child.Param, words(s, c), job.MaxParam); fits {
				r.Param, r.Loose = &param, job.CheckFixedTemplate("", child.Param) != nil
			} else {
				r.Reason += fmt.Sprintf("; it has the parameter of its own job, because the one made from that run would have more than %d bytes",
					job.MaxParam)
			}
		}
		runs = append(runs, r)
	}
	return runs
}

// words returns the values that the parameter of a child may refer to.
func words(s *Snapshot, c *Completion) map[string]string {
	param, planned := s.Param, ""
	if s.Run.Param != nil {
		param = *s.Run.Param
	}
	if !s.Run.PlannedAt.IsZero() {
		planned = s.Run.PlannedAt.UTC().Format(time.RFC3339Nano)
	}
	message := c.Message
	if c.Waiting {
		message = s.Run.Message // of the last attempt
	}
	return map[string]string{
		job.WordResult:    message,
		job.WordParam:     param,
		job.WordRunID:     strconv.FormatInt(s.Run.ID, 10),
		job.WordPlannedAt: planned,
		job.WordState:     string(c.RunState),
	}
}
