package cli

import (
	"context"

	"github.com/orthd/orth/client"
	"github.com/orthd/orth/job"
)

// warn tells what must not stay as it is on the server. One that has no answer is
// from before servers had; it keeps nobody from a result.
func (t *tool) warn(ctx context.Context, c *client.Client) {
	warnings, err := c.Warnings(ctx)
	if err != nil && !job.Is(err, job.NotFound) {
		t.tell("the warnings of the server could not be read: %v", err)
	}
	for _, warning := range warnings {
		t.tell("warning: %s", printable(warning))
	}
}
