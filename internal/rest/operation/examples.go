package operation

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// writtenExamples are examples of schemas by name, in JSON. All others are put together of
// them and of the schemas.
//
//go:embed examples.json
var writtenExamples []byte

// maxExampleDepth bounds schemas that contain themselves.
const maxExampleDepth = 6

// Examples makes examples of what schemas describe.
type Examples struct {
	written map[string]any
	schemas huma.Registry
}

// NewExamples returns what makes examples of the types of a document.
func NewExamples(schemas huma.Registry) (*Examples, error) {
	e := &Examples{schemas: schemas}
	if err := json.Unmarshal(writtenExamples, &e.written); err != nil {
		return nil, fmt.Errorf("read the examples of the OpenAPI document: %w", err)
	}
	return e, nil
}

// Show puts an example to each body of JSON of an operation that has none.
func (e *Examples) Show(op *huma.Operation) {
	if op.RequestBody != nil {
		e.showIn(op.RequestBody.Content)
	}
	for _, answer := range op.Responses {
		e.showIn(answer.Content)
	}
}

func (e *Examples) showIn(content map[string]*huma.MediaType) {
	for kind, media := range content {
		if !strings.Contains(kind, "json") || media.Schema == nil || media.Example != nil || len(media.Examples) > 0 {
			continue
		}
		media.Example = e.of(media.Schema, "", 0)
	}
}

// of returns an example of what a schema describes, nil when none can be made.
func (e *Examples) of(s *huma.Schema, name string, depth int) any {
	if s == nil || depth > maxExampleDepth {
		return nil
	}
	if s.Ref != "" {
		if written, is := e.written[strings.TrimPrefix(s.Ref, Schemas)]; is {
			return written
		}
		return e.of(e.schemas.SchemaFromRef(s.Ref), name, depth)
	}
	switch {
	case len(s.Examples) > 0:
		return s.Examples[0]
	case len(s.Enum) > 0:
		return s.Enum[0]
	case len(s.OneOf) > 0:
		return e.of(s.OneOf[0], name, depth)
	}
	switch s.Type {
	case huma.TypeObject:
		return e.object(s, depth)
	case huma.TypeArray:
		if one := e.of(s.Items, strings.TrimSuffix(name, "s"), depth+1); one != nil {
			return []any{one}
		}
		return []any{}
	case huma.TypeString:
		return textExample(s, name)
	case huma.TypeInteger:
		return int64(numberExample(s, 1))
	case huma.TypeNumber:
		return numberExample(s, 0.5)
	case huma.TypeBoolean:
		return true
	}
	return nil
}

// object makes an object of all its fields, but for those that go too deep.
func (e *Examples) object(s *huma.Schema, depth int) any {
	made := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if v := e.of(s.Properties[name], name, depth+1); v != nil {
			made[name] = v
		}
	}
	if rest, is := s.AdditionalProperties.(*huma.Schema); is && len(made) == 0 {
		if v := e.of(rest, "value", depth+1); v != nil {
			made["key"] = v
		}
	}
	return made
}

// textExample returns a text that a schema allows.
func textExample(s *huma.Schema, name string) any {
	words := map[string]string{
		"actor": "ada", "address": "http://10.0.0.21:9999", "agent": "Firefox on Linux", "answer": "It fires at 02:30 and nothing holds it back.",
		"channel": "ops-mail", "detail": "The disk has less than 1 GiB left.", "digest": "6f1c…", "field": "group", "group": "reports", "job": "nightly-report",
		"job_key": "nightly-report", "key": "nightly-report", "label": "ci", "listen": "127.0.0.1:8080", "loop": "planner", "message": "exit code 1",
		"name": "ada", "namespace": "default", "next": "nightly-report", "operation": "update-job", "param": `{"format":"pdf"}`, "question": "Why did nightly-report not run?",
		"reason": "the source is not there yet", "right": "view", "rule": "all-failures", "sentence": "Every day at 02:30.", "source": "echo hello", "store": "sqlite",
		"text": "2026-05-04 02:30:00 report is written", "title": "Every night", "to": "ops@example.com", "took": "8.12s", "user": "ada", "version": "1.0.0", "workflow": "morning",
		"zone": "Europe/Berlin",
	}
	switch {
	case s.Format == "date-time":
		return "2026-05-04T02:30:00.000Z"
	case s.Format == "date":
		return "2026-05-04"
	case strings.HasPrefix(s.Pattern, "^[0-9]"):
		return "4711"
	case strings.Contains(s.Pattern, "ms|s|m|h"):
		return "30s"
	case strings.HasPrefix(s.Pattern, "^(all|any"):
		return "all"
	case words[name] != "":
		return words[name]
	}
	return "text"
}

// numberExample returns a number that a schema allows, the one wanted if it does.
func numberExample(s *huma.Schema, wanted float64) float64 {
	if s.Minimum != nil {
		wanted = max(wanted, *s.Minimum)
	}
	if s.Maximum != nil {
		wanted = min(wanted, *s.Maximum)
	}
	return wanted
}
