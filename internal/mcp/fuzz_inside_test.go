package mcp

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func described(tb testing.TB) document {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join("..", "rest", "testdata", "openapi.json"))
	if err != nil {
		tb.Fatal(err)
	}
	var doc document
	if err := json.Unmarshal(text, &doc); err != nil {
		tb.Fatal(err)
	}
	return doc
}

// FuzzArguments calls every tool with arguments of others: what is accepted stays
// under the path of its operation.
func FuzzArguments(f *testing.F) {
	f.Add(`{"key":"report","id":"7","run":"7","namespace":"a"}`)
	f.Add(`{"key":"../../users","id":"%2e%2e","run":"a/b?c#d"}`)
	f.Add(`{"key":"report","body":{"a":1e400},"limit":5}`)
	f.Add(`{} {}`)
	f.Add(`null`)
	operations := described(f).operations()
	f.Fuzz(func(t *testing.T, text string) {
		a, err := readArguments([]byte(text))
		if err != nil {
			return
		}
		for _, tool := range tools() {
			op := operations[tool.operation]
			c, err := a.supportedBy(op).newCall(op, "default")
			if err != nil {
				continue
			}
			u, err := url.ParseRequestURI("/api/v1" + c.path)
			if err != nil {
				t.Fatalf("%s: %q: %v", op.ID, c.path, err)
			}
			if got, want := strings.Count(u.EscapedPath(), "/"), strings.Count("/api/v1"+op.path, "/"); got != want {
				t.Errorf("%s: %q has %d parts, want %d", op.ID, c.path, got, want)
			}
			if len(c.body) > 0 && !json.Valid(c.body) {
				t.Errorf("%s: the body %q is no JSON", op.ID, c.body)
			}
		}
	})
}

// FuzzDocument makes tools of whatever a server says its API is.
func FuzzDocument(f *testing.F) {
	f.Add(`{"paths":{"/jobs":{"get":{"operationId":"list-jobs","parameters":[{"name":"x","in":"query"}]}}}}`)
	f.Add(`{"paths":{"/a":{"post":{"operationId":"b","requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/A"}}}}}}},` +
		`"components":{"schemas":{"A":{"items":[{"$ref":"#/components/schemas/A"}]}}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		var doc document
		if json.Unmarshal([]byte(text), &doc) != nil {
			return
		}
		for _, op := range doc.operations() {
			if schema, err := doc.input(op, "default", true); err == nil && schema["type"] != "object" {
				t.Errorf("%s takes %v", op.ID, schema)
			}
		}
	})
}
