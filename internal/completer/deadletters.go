package completer

import "github.com/orthd/orth/job"

// Dead reports whether the end of the run makes a dead letter of it: it ended
// badly, and there is no other try. Ask again after a commit, which may have
// made another end of it.
func (c *Completion) Dead() bool { return job.Dies(c.Cause, c.RunState) }
