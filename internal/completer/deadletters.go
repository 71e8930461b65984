package completer

import "github.com/orthd/orth/job"

// Dead reports whether the end of the run makes it a dead letter: the run ended badly and
// has no other try. Call it again after a commit, which may have changed the end.
func (c *Completion) Dead() bool { return job.Dies(c.Cause, c.RunState) }
