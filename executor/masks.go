package executor

import (
	"maps"
	"slices"

	"github.com/orthd/orth/internal/redact"
)

// newMask returns what hides secrets in the messages of failures: the executor's own
// secrets, and all that has the shape of one.
func (c *Config) newMask() (*redact.Mask, error) {
	literals := append(slices.Collect(maps.Values(c.Calls.Secrets)), c.Token, c.GroupToken)
	return redact.New(redact.Config{Literals: literals})
}
