package guard

import (
	"context"
	"errors"
	"io"
	"net/http"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/rest/operation"
)

// newAPI returns the empty API on mux. It serves no documents of huma's own:
// those would load scripts from elsewhere.
func newAPI(mux *http.ServeMux, transform huma.Transformer) huma.API {
	registry := huma.NewMapRegistry(operation.Schemas, huma.DefaultSchemaNamer)
	registry.RegisterTypeAlias(reflect.TypeFor[huma.ErrorModel](), reflect.TypeFor[api.Problem]())
	strict := huma.Format{Marshal: operation.Marshal, Unmarshal: operation.Unmarshal}
	return humago.NewWithPrefix(mux, Prefix, huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "Orth", Version: "v1",
				Description: "The native API of an Orth server. Instants are RFC 3339 in UTC with milliseconds, " +
					"durations texts such as \"1m30s\". Every error is a problem (RFC 9457) with a code for programs.",
			},
			Components: &huma.Components{
				Schemas:         registry,
				SecuritySchemes: map[string]*huma.SecurityScheme{"token": {Type: "http", Scheme: "bearer"}},
			},
			Security: []map[string][]string{{"token": {}}},
		},
		Formats:                      map[string]huma.Format{operation.MediaJSON: strict, "json": strict},
		DefaultFormat:                operation.MediaJSON,
		RejectUnknownQueryParameters: true,
		Transformers:                 []huma.Transformer{transform},
	})
}

// Register adds an operation whose errors are translated to problems. The compiler makes
// code from it for each operation: what does not need the types belongs into [Guard.add].
func Register[I, O any](s *Guard, op Op, fn func(context.Context, *I) (*O, error)) {
	s.add(&op, reflect.TypeFor[I](), reflect.TypeFor[O](), func(ctx context.Context, in any) (any, error) {
		out, err := fn(ctx, in.(*I))
		if out == nil {
			return nil, err
		}
		return out, err
	})
}

// add adds an operation with types for its input and its output.
func (g *Guard) add(o *Op, in, out reflect.Type, fn operation.Caller) {
	o.check()
	g.routes[o.Method+" "+Prefix+o.Path] = o
	op := o.described()
	op.Middlewares = huma.Middlewares{g.naming(o), g.spreading(o), g.authorizing(o)}
	op.MaxBodyBytes = maxBody + 1 // a body that has all of it is refused
	op.BodyReadTimeout = g.config.Timeout
	operation.Serve(g.api, op, in, out, func(ctx context.Context, in any) (any, error) {
		out, err := fn(ctx, in)
		if err == nil {
			err = checkAsked(ctx, o.ID)
		}
		if err == nil {
			err = g.concluded(ctx)
		}
		if said, ok := errors.AsType[*ProblemError](err); ok {
			return nil, said
		}
		if err != nil {
			return nil, inTime(err, g.Problem(ctx, o.ID, err))
		}
		return out, nil
	})
	o.answers(op)
}

// Describe completes the OpenAPI document. Call it when all operations are registered.
//
// What comes only out of the server is left open for new fields, so that readers
// who check what they get do not break on them.
func (g *Guard) Describe() error {
	requests := []string{
		"NewJob", "NewHistory", "PastRun", "NewCopies", "Copy", "Child", "Delivery", "Schedule", "DST", "MisfireLimits", "Handler", "Retry", "Trigger", "Cancel", "FiringQuestion",
		"CalendarText", "Rules", "Day", "Range", "Yearly", "NewPause", "Window", "NewBackfill",
		"NewWorkflow", "WorkflowNode", "WorkflowEdge", "WorkflowStart",
		"SignIn", "PasswordChange", "Redrive", "RedriveMany", "NewGroup", "JobBulk", "JobFilter", "RunBulk", "RunFilter", "Rerun", "CloseMany", "DeadLetterFilter",
		"NewAlarmRule", "AlarmScope", "AlarmStep", "NewAlarmChannel", "AlarmTemplate", "NewAlarmSilence", "AlarmNote",
		"NewImport", "NewUser", "NewPassword", "NewGrant", "Grant", "NewAPIToken",
	}
	for name, schema := range g.Schemas().Map() {
		if !slices.Contains(requests, name) {
			schema.AdditionalProperties = nil
		}
	}
	made, err := operation.NewExamples(g.Schemas())
	if err != nil {
		return err
	}
	g.api.OpenAPI().Components.Responses = sharedAnswers()
	g.operationsOf(made.Show)
	return nil
}

// ServeHealth answers that the server runs.
func ServeHealth(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", operation.MediaJSON)
	_, _ = io.WriteString(w, `{"status":"ok"}`+"\n")
}
