package rest_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/rest/resttest"
)

// openly reads a path without any credentials.
func openly(t *testing.T, path string) (*http.Response, string) {
	t.Helper()
	server := resttest.Serve(t, &resttest.Fake{}, nil)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/api/v1"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return resttest.Do(t, server, r)
}

// The page shows every operation and type of the document, loads nothing from
// elsewhere, and runs nothing that is written into it.
func TestDocs(t *testing.T) {
	t.Parallel()
	response, page := openly(t, "/docs")
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/html; charset=utf-8" ||
		response.Header.Get("Content-Security-Policy") != guard.PageCSP {
		t.Fatalf("got %d %v", response.StatusCode, response.Header)
	}
	_, text := openly(t, "/openapi.json")
	var doc document
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	for path, methods := range doc.Paths {
		for _, op := range methods {
			if !strings.Contains(page, `id="`+op.OperationID+`"`) {
				t.Errorf("the page has no %s", op.OperationID)
			}
		}
		if !strings.Contains(page, "<code>/api/v1"+path+"</code>") {
			t.Errorf("the page has no %s", path)
		}
	}
	for name := range doc.Components.Schemas {
		if !strings.Contains(page, `id="type-`+name+`"`) {
			t.Errorf("the page has no type %s", name)
		}
	}
	for _, link := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		switch target := link[1]; {
		case strings.HasPrefix(target, "#"):
			if !strings.Contains(page, `id="`+target[1:]+`"`) {
				t.Errorf("nothing is at %s", target)
			}
		default:
			if response, _ := openly(t, "/"+target); response.StatusCode != http.StatusOK {
				t.Errorf("%s answers %d", target, response.StatusCode)
			}
		}
	}
	if regexp.MustCompile(`<script[^>]*>[^<]|<style| style="| on[a-z]+="|https?://`).MatchString(strings.ReplaceAll(page, "http://", "")) {
		t.Error("something is written into the page that browsers would not run, or leads elsewhere")
	}
	for path, kind := range map[string]string{"/docs/docs.css": "text/css; charset=utf-8", "/docs/docs.js": "text/javascript; charset=utf-8"} {
		response, body := openly(t, path)
		if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != kind || strings.Contains(body, "http") {
			t.Errorf("%s: got %d %s", path, response.StatusCode, response.Header.Get("Content-Type"))
		}
	}
}

// document is an OpenAPI document, as far as it is checked.
type document struct {
	OpenAPI    string
	Paths      map[string]map[string]documented
	Components struct {
		Schemas, Responses map[string]map[string]any
	}
}

type documented struct {
	OperationID, Summary string
	Tags                 []string
	Parameters           []struct {
		Name, In string
		Required bool
		Schema   map[string]any
	}
	Responses map[string]struct{ Content map[string]any }
}

// The document keeps the rules of OpenAPI 3.1 that readers of it rely on.
func TestOpenAPIRules(t *testing.T) {
	t.Parallel()
	_, text := openly(t, "/openapi.json")
	var doc document
	var whole any
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(text), &whole); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(doc.OpenAPI, "3.1") {
		t.Errorf("the version is %q", doc.OpenAPI)
	}
	ids := map[string]string{}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			at := method + " " + path
			if other, taken := ids[op.OperationID]; taken || op.OperationID == "" {
				t.Errorf("%s has the id %q, as %s", at, op.OperationID, other)
			}
			ids[op.OperationID] = at
			if len(op.Tags) == 0 || op.Summary == "" || op.Responses["default"].Content["application/problem+json"] == nil {
				t.Errorf("%s has no tag, no summary, or no answer for errors", at)
			}
			checkParameters(t, at, path, &op)
		}
	}
	walk(t, whole, "", func(at string, node map[string]any) {
		if ref, ok := node["$ref"].(string); ok {
			name, local := strings.CutPrefix(ref, "#/components/schemas/")
			_, known := doc.Components.Schemas[name]
			if answer, is := strings.CutPrefix(ref, "#/components/responses/"); is {
				_, known = doc.Components.Responses[answer]
				local = true
			}
			if !local || !known {
				t.Errorf("%s leads to %s, which is nothing", at, ref)
			}
		}
		if pattern, ok := node["pattern"].(string); ok {
			if _, err := regexp.Compile(pattern); err != nil {
				t.Errorf("%s: %v", at, err)
			}
		}
		properties, _ := node["properties"].(map[string]any)
		required, _ := node["required"].([]any)
		for _, name := range required {
			if text, ok := name.(string); ok && properties != nil && properties[text] == nil {
				t.Errorf("%s needs %s, which it does not have", at, text)
			}
		}
	})
}

// checkParameters compares the parameters of an operation with those of its path.
func checkParameters(t *testing.T, at, path string, op *documented) {
	t.Helper()
	declared := map[string]bool{}
	for _, p := range op.Parameters {
		if declared[p.In+" "+p.Name] || p.Schema == nil {
			t.Errorf("%s has the parameter %s twice, or of no type", at, p.Name)
		}
		declared[p.In+" "+p.Name] = true
		if p.In == "path" && (!p.Required || !strings.Contains(path, "{"+p.Name+"}")) {
			t.Errorf("%s has no place for the parameter %s", at, p.Name)
		}
	}
	for _, found := range regexp.MustCompile(`\{([^}]*)\}`).FindAllStringSubmatch(path, -1) {
		if !declared["path "+found[1]] {
			t.Errorf("%s does not say what %s is", at, found[1])
		}
	}
}

// walk calls visit for every object of a document.
func walk(t *testing.T, node any, at string, visit func(at string, node map[string]any)) {
	t.Helper()
	switch node := node.(type) {
	case map[string]any:
		visit(at, node)
		for name, part := range node {
			walk(t, part, at+"/"+name, visit)
		}
	case []any:
		for _, part := range node {
			walk(t, part, at+"/-", visit)
		}
	}
}
