package client

import (
	"context"
	"net/http"
	"time"

	"github.com/orthd/orth/api"
)

// importFor is how long an import may take: a little more than at the server.
const importFor = 10*time.Minute + 5*time.Second

// Import imports from another scheduler, which the server reads, or with DryRun previews
// the import. It may take 10 minutes, whatever the timeout of the client is. Kinds:
// job.Invalid also for a refusal of the database, job.Unavailable when it is away, job.Full
// during another import.
func (c *Client) Import(ctx context.Context, wanted api.NewImport) (api.Import, error) {
	patient := *c
	patient.timeout = max(c.timeout, importFor)
	var report api.Import
	err := patient.doRequest(ctx, http.MethodPost, prefix+"/imports", nil, wanted, &report)
	return report, err
}
