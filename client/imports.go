package client

import (
	"context"
	"net/http"
	"time"

	"github.com/orthd/orth/api"
)

// importFor is how long an import may take: a little more than at the server.
const importFor = 10*time.Minute + 5*time.Second

// Import takes over what another scheduler has, which the server reads, or with DryRun
// tells what that would come to. It may take 10 minutes, whatever the timeout of the
// client is. Kinds: job.Invalid also for what a database refuses, job.Unavailable for
// one that is away, job.Full while another import is under way.
func (c *Client) Import(ctx context.Context, wanted api.NewImport) (api.Import, error) {
	patient := *c
	patient.timeout = max(c.timeout, importFor)
	var report api.Import
	err := patient.call(ctx, http.MethodPost, prefix+"/imports", nil, wanted, &report)
	return report, err
}
