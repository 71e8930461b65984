package manifest

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

var update = flag.Bool("update", false, "rewrite the published schema")

// published is the schema as others use it.
const published = "../../schema/orth.schema.json"

// examples is a folder of documents that the documentation shows.
const examples = "../../examples/jobs-as-code"

// The published schema is the one of this program.
func TestSchemaIsPublished(t *testing.T) {
	t.Parallel()
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(published, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	old, err := os.ReadFile(published)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(old), "\r\n", "\n"), string(text)); diff != "" {
		t.Errorf("run 'go test ./internal/manifest -update':\n%s", diff)
	}
}

// The examples are as the schema says, and can be read.
func TestExamples(t *testing.T) {
	t.Parallel()
	all, err := Load(examples, "default")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[Kind]bool{}
	for i := range all {
		kinds[all[i].Kind] = true
	}
	if len(kinds) != len(Kinds()) {
		t.Errorf("there are examples of %v, want all kinds", slices.Collect(maps.Keys(kinds)))
	}
	v := newValidator(t)
	err = filepath.WalkDir(examples, func(path string, entry os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".yaml" {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil {
			v.documents(t, path, text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	files, err := Files(all[:0:0], true)
	if err != nil || len(files) != 0 {
		t.Error(files, err)
	}
	for i := range all {
		if all[i].Absent {
			continue
		}
		files, err := Files(all[i:i+1], true)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file.Name, ".yaml") {
				v.documents(t, file.Name, file.Text)
			}
		}
	}
}

// The schema refuses what the reader refuses.
func TestSchemaRefuses(t *testing.T) {
	t.Parallel()
	v := newValidator(t)
	for _, text := range []string{
		"{apiVersion: orth/v1, kind: Jobb, metadata: {key: a}}",
		"{apiVersion: orth/v1, kind: Job, metadata: {}, spec: {group: x}}",
		"{apiVersion: orth/v1, kind: Job, metadata: {key: A}, spec: {group: x}}",
		"{apiVersion: orth/v1, kind: Job, metadata: {key: a}, spec: {gruop: x}}",
		"{apiVersion: orth/v1, kind: Job, metadata: {key: a}, spec: {group: x, key: a}}",
		"{apiVersion: orth/v1, kind: Job, metadata: {key: a}, spec: {group: x, timeout: 30}}",
		"{apiVersion: orth/v1, kind: Job, metadata: {key: a}, spec: {group: x, route: robin}}",
		"{apiVersion: orth/v1, kind: Job, metadata: {key: a}, spec: {group: x, stop_after: 5000}}",
		"{apiVersion: orth/v1, kind: Job, metadata: {key: a}, spec: {group: x, children: [{key: b, id: 1}]}}",
		"{apiVersion: orth/v1, kind: AlarmChannel, metadata: {key: a}, spec: {kind: slack, secrets: {url: plain}}}",
		"{apiVersion: orth/v1, kind: Pause, metadata: {key: a, namespace: b}, spec: {}}",
	} {
		var value any
		if err := yaml.Unmarshal([]byte(text), &value); err != nil {
			t.Fatal(err)
		}
		if err := v.check(v.root, value, ""); err == nil {
			t.Errorf("%s is allowed", text)
		}
		if all, mistakes := Read("a.yaml", []byte(text), "default", noFiles); len(mistakes) == 0 && !strings.Contains(text, "stop_after") {
			t.Errorf("%s is read as %v", text, all)
		}
	}
}

// validator checks values against the part of JSON Schema that the schema uses.
type validator struct{ root, defs map[string]any }

func newValidator(t *testing.T) *validator {
	t.Helper()
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	defs, _ := root["$defs"].(map[string]any)
	return &validator{root, defs}
}

// documents checks all documents of a text.
func (v *validator) documents(t *testing.T, name string, text []byte) {
	t.Helper()
	decoder := yaml.NewDecoder(strings.NewReader(string(text)))
	for {
		var value any
		if decoder.Decode(&value) != nil {
			return
		}
		if err := v.check(v.root, value, ""); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func (v *validator) check(schema map[string]any, value any, path string) error {
	if ref, ok := schema["$ref"].(string); ok {
		named, ok := v.defs[strings.TrimPrefix(ref, defs)].(map[string]any)
		if !ok {
			return fmt.Errorf("%s: there is no %s", path, ref)
		}
		return v.check(named, value, path)
	}
	if choices, ok := schema["oneOf"].([]any); ok {
		fit := 0
		var last error
		for _, choice := range choices {
			inner, _ := choice.(map[string]any)
			if last = errOr(last, v.check(inner, value, path)); v.check(inner, value, path) == nil {
				fit++
			}
		}
		if fit != 1 {
			return fmt.Errorf("%s: %d of the choices fit: %w", path, fit, last)
		}
	}
	if choices, ok := schema["anyOf"].([]any); ok {
		for _, choice := range choices {
			inner, _ := choice.(map[string]any)
			if v.check(inner, value, path) == nil {
				return nil
			}
		}
		return fmt.Errorf("%s: none of the choices fits", path)
	}
	if words, ok := schema["enum"].([]any); ok && !slices.ContainsFunc(words, func(w any) bool { return reflect.DeepEqual(w, value) }) {
		return fmt.Errorf("%s: %v is none of %v", path, value, words)
	}
	switch value := value.(type) {
	case map[string]any:
		return v.checkFields(schema, value, path)
	case []any:
		items, _ := schema["items"].(map[string]any)
		for i, entry := range value {
			if err := v.check(items, entry, fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
		return hasType(schema, "array", path)
	case string:
		if pattern, ok := schema["pattern"].(string); ok && !regexp.MustCompile(pattern).MatchString(value) {
			return fmt.Errorf("%s: %q is not %s", path, value, pattern)
		}
		if most, ok := schema["maxLength"].(float64); ok && utf8.RuneCountInString(value) > int(most) {
			return fmt.Errorf("%s: is longer than %v", path, most)
		}
		return hasType(schema, "string", path)
	case int:
		if most, ok := schema["maximum"].(float64); ok && float64(value) > most {
			return fmt.Errorf("%s: %d is more than %v", path, value, most)
		}
		if hasType(schema, "number", path) == nil {
			return nil
		}
		return hasType(schema, "integer", path)
	case bool:
		return hasType(schema, "boolean", path)
	}
	return nil
}

// errOr returns the later error, but of the choices the one that knows the kind.
func errOr(before, now error) error {
	if before != nil && (now == nil || strings.Contains(now.Error(), "/kind:")) {
		return before
	}
	return now
}

func (v *validator) checkFields(schema, value map[string]any, path string) error {
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if _, there := value[name.(string)]; !there {
			return fmt.Errorf("%s: %v is missing", path, name)
		}
	}
	for name, inner := range value {
		described, known := properties[name].(map[string]any)
		if !known {
			if schema["additionalProperties"] == false {
				return fmt.Errorf("%s: there is no %s", path, name)
			}
			described, _ = schema["additionalProperties"].(map[string]any)
		}
		if err := v.check(described, inner, path+"/"+name); err != nil {
			return err
		}
	}
	return hasType(schema, "object", path)
}

func hasType(schema map[string]any, want, path string) error {
	switch allowed := schema["type"].(type) {
	case nil:
		return nil
	case string:
		if allowed == want {
			return nil
		}
	case []any:
		if slices.Contains(allowed, any(want)) {
			return nil
		}
	}
	return fmt.Errorf("%s: is %s, want %v", path, want, schema["type"])
}
