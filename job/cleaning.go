package job

import "time"

// Cleaning selects runs of a job to remove before their time: those that ended at or before
// Before, when it is set, and are not among the newest Keep, when that is set. The zero
// Cleaning selects all that have ended.
type Cleaning struct {
	Before time.Time
	Keep   int // 0..[MaxKeepRuns]
}

// Check reports what is wrong with the cleaning.
func (c Cleaning) Check() error {
	if c.Keep < 0 || c.Keep > MaxKeepRuns {
		return FieldErrorf("keep", "%d is not between 0 and %d", c.Keep, MaxKeepRuns)
	}
	return nil
}
