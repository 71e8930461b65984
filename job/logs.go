package job

import "time"

// Limits of what a job may ask for its logs.
const (
	// MinLogBytes and MaxLogBytes bound LogPolicy.MaxBytes.
	MinLogBytes = 1 << 10
	MaxLogBytes = 4 << 30
)

// LogPolicy bounds what a server keeps of the logs of a job's runs.
type LogPolicy struct {
	// Off is set when servers keep nothing: the log stays on the executor.
	Off bool `json:"off,omitempty"`
	// KeepFor is how long the text is kept after the end of its attempt, 1m..
	// [MaxKeepFor]; zero means the server's default. The run may be kept for
	// longer, or for less: then the text goes with it.
	KeepFor time.Duration `json:"keep_for,omitempty"`
	// MaxBytes is how much text is kept of an attempt, [MinLogBytes].. [MaxLogBytes]: the
	// rest is dropped, and a line reports it. Zero means the server's default.
	MaxBytes int64 `json:"max_bytes,omitempty"`
}

// Check reports what is wrong with the policy; field names it in the error.
func (p LogPolicy) Check(field string) error {
	if p.KeepFor != 0 && (p.KeepFor < time.Minute || p.KeepFor > MaxKeepFor) {
		return FieldErrorf(field+".keep_for", "%s is not between 1m and %s, or 0 for the server's default", p.KeepFor, MaxKeepFor)
	}
	if p.MaxBytes != 0 && (p.MaxBytes < MinLogBytes || p.MaxBytes > MaxLogBytes) {
		return FieldErrorf(field+".max_bytes", "%d is not between %d and %d, or 0 for the server's default",
			p.MaxBytes, MinLogBytes, int64(MaxLogBytes))
	}
	return nil
}
