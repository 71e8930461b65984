package client

import (
	"context"
	"maps"
	"net/http"
	"net/url"
)

type dryRunKey struct{}

// WithDryRun returns a context whose calls change nothing: the server checks each as if
// it were to be carried out, answers what would come of it, and undoes it. A call that
// cannot be undone is Invalid, with the field dry_run.
func WithDryRun(ctx context.Context) context.Context {
	return context.WithValue(ctx, dryRunKey{}, true)
}

// dryRun returns the query of a call, with the parameter of a dry run when ctx asks for
// one.
func dryRun(ctx context.Context, method string, query url.Values) url.Values {
	if dry, _ := ctx.Value(dryRunKey{}).(bool); !dry || method == http.MethodGet || method == http.MethodHead {
		return query
	}
	dry := url.Values{"dry_run": {"true"}}
	maps.Copy(dry, query) // other calls may share it
	return dry
}
