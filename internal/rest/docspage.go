package rest

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"html"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/rest/operation"
	"github.com/orthd/orth/internal/template"
)

// The paths of the page about the API, and of its document, under [Prefix]. Both are the
// same for each server of a version and reveal nothing about it, so they need no
// credential.
const (
	docsPath    = "/docs"
	openAPIPath = "/openapi.json"
)

// docsParts are what the page loads.
//
//go:embed page
var docsParts embed.FS

// docsView is what the page shows.
type docsView struct {
	Version, Text string
	Tags          []docsTag
	Schemas       []docsSchema
}

type docsTag struct {
	Name, Anchor string
	Operations   []docsOperation
}

type docsOperation struct {
	ID, Method, Path, Summary, Text string
	Find                            string // what it is found by, in small letters
	Params                          []docsField
	Body                            docsType
	Answers                         []docsAnswer
	Curl                            string
}

type docsField struct {
	Name, In, Text string
	Required       bool
	Type           docsType
}

// docsType names a type; Ref is the schema that it leads to, empty for none.
type docsType struct{ Text, Ref string }

type docsAnswer struct {
	Status string
	Type   docsType
}

type docsSchema struct {
	Name, Text string
	Fields     []docsField
}

// docs returns the handler of the page, of what it loads, and of the OpenAPI document. Call it when all
// operations are registered. The page and the document are rendered at their first request: rendering
// takes longer than all else that a server does when it starts.
func (s *server) docs() (http.Handler, error) {
	source, err := docsParts.ReadFile("page/docs.html")
	if err != nil {
		return nil, fmt.Errorf("read the page about the API: %w", err)
	}
	// Every action of the page stands in text or in a quoted attribute that is no address
	// of its own, where one way to escape serves.
	text, err := template.Parse("docs.html", string(source), nil)
	if err != nil {
		return nil, fmt.Errorf("read the page about the API: %w", err)
	}
	text.Escape = html.EscapeString
	page := func() ([]byte, error) {
		var out bytes.Buffer
		if err := text.Execute(&out, viewOf(s.Document())); err != nil {
			return nil, fmt.Errorf("render the page about the API: %w", err)
		}
		return out.Bytes(), nil
	}
	mux := http.NewServeMux()
	serve := func(path, kind string, render func() ([]byte, error)) {
		body := sync.OnceValues(render)
		mux.HandleFunc("GET "+guard.Prefix+path, func(w http.ResponseWriter, r *http.Request) {
			text, err := body()
			if err != nil {
				guard.WriteProblem(w, s.Problem(r.Context(), "api-docs", err).Problem)
				return
			}
			w.Header().Set("Content-Type", kind)
			w.Header().Set("Content-Security-Policy", guard.PageCSP)
			_, _ = w.Write(text) // a reader that has gone reads nothing
		})
	}
	serve(docsPath, "text/html; charset=utf-8", page)
	serve(openAPIPath, "application/openapi+json", func() ([]byte, error) { return operation.EncodeDocument(s.Document()) })
	for name, kind := range map[string]string{"docs.css": "text/css; charset=utf-8", "docs.js": "text/javascript; charset=utf-8"} {
		serve(docsPath+"/"+name, kind, func() ([]byte, error) { return docsParts.ReadFile("page/" + name) })
	}
	return s.Routed(mux), nil
}

// viewOf returns what the page shows of a document.
func viewOf(doc *huma.OpenAPI) docsView {
	view := docsView{Version: doc.Info.Version, Text: doc.Info.Description}
	tags := map[string][]docsOperation{}
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		item := doc.Paths[path]
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if op != nil {
				shown := operationView(path, op)
				tags[op.Tags[0]] = append(tags[op.Tags[0]], shown)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tags)) {
		view.Tags = append(view.Tags, docsTag{name, strings.ReplaceAll(name, " ", "-"), tags[name]})
	}
	schemas := doc.Components.Schemas.Map()
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		view.Schemas = append(view.Schemas, schemaView(name, schemas[name]))
	}
	return view
}

func operationView(path string, op *huma.Operation) docsOperation {
	view := docsOperation{ID: op.OperationID, Method: op.Method, Path: guard.Prefix + path, Summary: op.Summary, Text: op.Description}
	for _, p := range op.Parameters {
		view.Params = append(view.Params, docsField{p.Name, p.In, meaning(p.Description, p.Schema), p.Required, typeOf(p.Schema)})
	}
	if op.RequestBody != nil {
		for _, media := range op.RequestBody.Content {
			view.Body = typeOf(media.Schema)
		}
	}
	for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
		answer := docsAnswer{Status: status}
		for _, media := range op.Responses[status].Content {
			answer.Type = typeOf(media.Schema)
		}
		view.Answers = append(view.Answers, answer)
	}
	view.Find = strings.ToLower(strings.Join([]string{op.OperationID, op.Method, view.Path, op.Summary, op.Description}, " "))
	view.Curl = curlOf(op, view.Path)
	return view
}

// curlOf returns a call of an operation, with what it needs.
func curlOf(op *huma.Operation, path string) string {
	var text strings.Builder
	text.WriteString("curl")
	if op.Method != http.MethodGet {
		text.WriteString(" -X " + op.Method)
	}
	text.WriteString(` -H "Authorization: Bearer $ORTH_TOKEN"`)
	if op.RequestBody != nil {
		text.WriteString(` -H 'Content-Type: application/json' -d @body.json`)
	}
	var query []string
	for _, p := range op.Parameters {
		if p.In == "query" && p.Required {
			query = append(query, p.Name+"=…")
		}
	}
	text.WriteString(` "$ORTH_SERVER` + path)
	if len(query) > 0 {
		text.WriteString("?" + strings.Join(query, "&"))
	}
	text.WriteString(`"`)
	return text.String()
}

func schemaView(name string, schema *huma.Schema) docsSchema {
	view := docsSchema{Name: name, Text: schema.Description}
	for _, field := range slices.Sorted(maps.Keys(schema.Properties)) {
		of := schema.Properties[field]
		view.Fields = append(view.Fields, docsField{
			Name: field, Text: meaning(of.Description, of), Required: slices.Contains(schema.Required, field), Type: typeOf(of),
		})
	}
	return view
}

// meaning returns what a value means, with those that it may have.
func meaning(text string, schema *huma.Schema) string {
	if schema == nil {
		return text
	}
	parts := []string{text}
	if schema.Type == huma.TypeArray && schema.Items != nil && len(schema.Enum) == 0 {
		schema = schema.Items
	}
	if len(schema.Enum) > 0 {
		words := make([]string, len(schema.Enum))
		for i, word := range schema.Enum {
			words[i] = fmt.Sprint(word)
		}
		parts = append(parts, "One of "+strings.Join(words, ", ")+".")
	}
	if schema.Default != nil {
		parts = append(parts, fmt.Sprintf("Defaults to %v.", schema.Default))
	}
	return strings.TrimSpace(strings.Join(parts, " "))
}

// typeOf names the type of a schema.
func typeOf(schema *huma.Schema) docsType {
	switch {
	case schema == nil:
		return docsType{}
	case schema.Ref != "":
		name := strings.TrimPrefix(schema.Ref, operation.Schemas)
		return docsType{name, name}
	case schema.Type == huma.TypeArray && schema.Items != nil:
		of := typeOf(schema.Items)
		return docsType{"list of " + of.Text, of.Ref}
	case len(schema.OneOf) > 0:
		return docsType{Text: "one of several"}
	}
	return docsType{Text: cmp.Or(schema.Format, schema.Type, "any")}
}
