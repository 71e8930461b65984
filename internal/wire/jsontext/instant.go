package jsontext

import (
	"time"

	"github.com/orthd/orth/job"
)

// MaxMillis is the last millisecond of the year 9999: later ones make no
// folder name.
const MaxMillis = 253402300799999

// Instant consumes milliseconds since 1970; 0 is the zero time. name is for the
// error.
func (s *Scanner) Instant(name string) (time.Time, error) {
	n, err := s.Integer(name, 0, MaxMillis)
	return job.FromMillis(n), err
}
