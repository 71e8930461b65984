package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/orthd/orth/api"
)

// mediaJSON is what requests and answers are, but for problems.
const mediaJSON = "application/json"

// schemas is where the OpenAPI document keeps the types.
const schemas = "#/components/schemas/"

// newAPI returns the empty API on mux. It serves no documents of huma's own:
// those would load scripts from elsewhere.
func newAPI(mux *http.ServeMux, transform huma.Transformer) huma.API {
	registry := huma.NewMapRegistry(schemas, huma.DefaultSchemaNamer)
	registry.RegisterTypeAlias(reflect.TypeFor[huma.ErrorModel](), reflect.TypeFor[api.Problem]())
	strict := huma.Format{Marshal: marshal, Unmarshal: unmarshal}
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
		Formats:                      map[string]huma.Format{mediaJSON: strict, "json": strict},
		DefaultFormat:                mediaJSON,
		RejectUnknownQueryParameters: true,
		Transformers:                 []huma.Transformer{transform},
	})
}

// register adds an operation whose errors are translated to problems. The compiler makes
// code from it for each operation: what does not need the types belongs into [server.add].
func register[I, O any](s *server, op Op, fn func(context.Context, *I) (*O, error)) {
	s.add(&op, reflect.TypeFor[I](), reflect.TypeFor[O](), func(ctx context.Context, in any) (any, error) {
		out, err := fn(ctx, in.(*I))
		if out == nil {
			return nil, err
		}
		return out, err
	})
}

// add adds an operation with types for its input and its output.
func (s *server) add(o *Op, in, out reflect.Type, fn caller) {
	o.check()
	s.routes[o.Method+" "+Prefix+o.Path] = o
	op := o.described()
	op.Middlewares = huma.Middlewares{s.naming(o), s.spreading(o), s.authorizing(o)}
	op.MaxBodyBytes = maxBody + 1 // a body that has all of it is refused
	op.BodyReadTimeout = s.config.Timeout
	serve(s.api, op, in, out, func(ctx context.Context, in any) (any, error) {
		out, err := fn(ctx, in)
		if err == nil {
			err = checkAsked(ctx, o.ID)
		}
		if err == nil {
			err = s.concluded(ctx)
		}
		if said, ok := errors.AsType[*problem](err); ok {
			return nil, said
		}
		if err != nil {
			return nil, inTime(err, s.problem(ctx, o.ID, err))
		}
		return out, nil
	})
	o.answers(op)
}

// describe completes the OpenAPI document. Call it when all operations are registered.
//
// What comes only out of the server is left open for new fields, so that readers
// who check what they get do not break on them.
func (s *server) describe() error {
	requests := []string{
		"NewJob", "NewHistory", "PastRun", "NewCopies", "Copy", "Child", "Delivery", "Schedule", "DST", "MisfireLimits", "Handler", "Retry", "Trigger", "Cancel", "FiringQuestion",
		"CalendarText", "Rules", "Day", "Range", "Yearly", "NewPause", "Window", "NewBackfill",
		"NewWorkflow", "WorkflowNode", "WorkflowEdge", "WorkflowStart",
		"SignIn", "PasswordChange", "Redrive", "RedriveMany", "NewGroup", "JobBulk", "JobFilter", "RunBulk", "RunFilter", "Rerun", "CloseMany", "DeadLetterFilter",
		"NewAlarmRule", "AlarmScope", "AlarmStep", "NewAlarmChannel", "AlarmTemplate", "NewAlarmSilence", "AlarmNote",
		"NewImport", "NewUser", "NewPassword", "NewGrant", "Grant", "NewAPIToken",
	}
	for name, schema := range s.api.OpenAPI().Components.Schemas.Map() {
		if !slices.Contains(requests, name) {
			schema.AdditionalProperties = nil
		}
	}
	made, err := s.newExamples()
	if err != nil {
		return err
	}
	s.api.OpenAPI().Components.Responses = sharedAnswers()
	s.operationsOf(made.show)
	return nil
}

// encodeDocument returns the OpenAPI document as indented JSON.
func encodeDocument(doc *huma.OpenAPI) ([]byte, error) {
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("encode the OpenAPI document: %w", err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "  "); err != nil {
		return nil, fmt.Errorf("indent the OpenAPI document: %w", err)
	}
	return append(out.Bytes(), '\n'), nil
}

func serveHealth(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", mediaJSON)
	_, _ = io.WriteString(w, `{"status":"ok"}`+"\n")
}

// marshal writes JSON that scripts can read as it is: no HTML escapes.
func marshal(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// unmarshal reads JSON, with an error in plain words for its first fault.
func unmarshal(data []byte, v any) error {
	if err := checkShape(data); err != nil {
		return err
	}
	err := json.Unmarshal(data, v)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("is not JSON: %w, at byte %d", syntax, syntax.Offset)
	}
	return err
}
