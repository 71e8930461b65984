package kit

import (
	"context"

	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
)

// Warn prints the warnings of the server. Older servers report none; a failure does not
// affect the result.
func (t *Tool) Warn(ctx context.Context, c *client.Client) {
	warnings, err := c.Warnings(ctx)
	if err != nil && !job.Is(err, job.NotFound) {
		t.PrintNote("Could not read the warnings of the server: %v", err)
	}
	for _, warning := range warnings {
		t.PrintNote("warning: %s", output.Printable(warning))
	}
}
