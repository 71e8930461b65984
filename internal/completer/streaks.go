package completer

// streaks counts failed runs in a row, by job, within a batch: its snapshots were read
// together and do not include one another. Batches committed at the same moment do not see
// each other's failures either. So a job may be stopped one failed run late, or by a
// failure that a success has just overtaken.
type streaks map[int64]int

// updateCount updates the snapshot's count.
func (s streaks) updateCount(snapshot *Snapshot) {
	if n, known := s[snapshot.Run.JobID]; known {
		snapshot.Failures = n
	}
}

// recordCompletion records the completion of the snapshot.
func (s streaks) recordCompletion(snapshot *Snapshot, c *Completion) {
	switch c.Failures {
	case StreakGrows:
		s[snapshot.Run.JobID] = snapshot.Failures + 1
	case StreakBroken:
		s[snapshot.Run.JobID] = 0
	case StreakSame:
	}
}
