package job

import "time"

// Cleaning says which of a job's runs are to be removed before their time: those
// that ended at or before Before, when it is set, and stand behind the newest Keep,
// when that is set. The zero Cleaning means all that are over.
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
