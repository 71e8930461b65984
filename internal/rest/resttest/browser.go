package resttest

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// Headers of a browser that has signed in.
const (
	CookieHeader = "Cookie: orth=" + SessionText
	GoodOrigin   = "Origin: http://127.0.0.1:8080"
	JSONContent  = "Content-Type: application/json"
)

// Writing returns all methods and paths that change something, as the document has
// them.
func Writing(t *testing.T, handler http.Handler) []string {
	t.Helper()
	var document struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	answer := Ask{Request: "GET /api/v1/openapi.json", Headers: []string{"Authorization: Bearer " + Token}}.Of(t, handler)
	if err := json.Unmarshal(answer.Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	var all []string
	parameter := regexp.MustCompile(`\{[^}]*\}`)
	for path, methods := range document.Paths {
		for method := range methods {
			if method = strings.ToUpper(method); method != http.MethodGet {
				all = append(all, method+" /api/v1"+parameter.ReplaceAllString(strings.TrimPrefix(path, "/api/v1"), "1"))
			}
		}
	}
	if len(all) < 50 {
		t.Fatalf("only %d operations that change something were found", len(all))
	}
	return all
}
