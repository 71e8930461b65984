package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/orthd/orth/job"
)

// Names in input schemas that are not those of parameters.
const (
	argBody    = "body"
	argConfirm = "confirm"
	argSpace   = "namespace"
	queryDry   = "dry_run"
	headMatch  = "If-Match"
	schemasAt  = "#/components/schemas/"
	definedAt  = "#/$defs/"
)

// document is what is read of the OpenAPI document of a server.
type document struct {
	Paths      map[string]map[string]json.RawMessage `json:"paths"`
	Components struct {
		Schemas map[string]any `json:"schemas"`
	} `json:"components"`
}

// operation is one of the document.
type operation struct {
	ID          string      `json:"operationId"`
	Summary     string      `json:"summary"`
	Description string      `json:"description"`
	Parameters  []parameter `json:"parameters"`
	RequestBody *struct {
		Required bool `json:"required"`
		Content  map[string]struct {
			Schema any `json:"schema"`
		} `json:"content"`
	} `json:"requestBody"`

	method, path string
}

type parameter struct {
	Name     string         `json:"name"`
	In       string         `json:"in"`
	Required bool           `json:"required"`
	Schema   map[string]any `json:"schema"`
}

// operations returns those of the document by their ids.
func (d document) operations() map[string]operation {
	found := map[string]operation{}
	for path, methods := range d.Paths {
		for method, text := range methods {
			var op operation
			if json.Unmarshal(text, &op) != nil || op.ID == "" {
				continue // What is no operation, such as parameters of all of them.
			}
			op.method, op.path = strings.ToUpper(method), path
			found[op.ID] = op
		}
	}
	return found
}

// given returns the parameters that an assistant may give: the headers and dry_run
// are set by the tool itself.
func (o operation) given() []parameter {
	return slices.DeleteFunc(slices.Clone(o.Parameters), func(p parameter) bool {
		return p.Name == queryDry || p.In != inPath && p.In != inQuery
	})
}

// hasParam reports whether the operation has a parameter.
func (o operation) hasParam(in, name string) bool {
	return slices.ContainsFunc(o.Parameters, func(p parameter) bool { return p.In == in && p.Name == name })
}

// input returns the schema of the arguments of a tool: the parameters by their names,
// and the body as one of that name. The types it refers to are taken along.
func (d document) input(op operation, namespace string, consent bool) (map[string]any, error) {
	properties, required := map[string]any{}, []string{}
	for _, p := range op.given() {
		schema := maps.Clone(p.Schema)
		if p.Name == argSpace && schema["default"] != nil {
			schema["default"] = namespace
		}
		properties[p.Name] = schema
		if p.Required {
			required = append(required, p.Name)
		}
	}
	if op.RequestBody != nil {
		schema := op.RequestBody.Content["application/json"].Schema
		if schema == nil {
			for _, kind := range slices.Sorted(maps.Keys(op.RequestBody.Content)) {
				schema = op.RequestBody.Content[kind].Schema
			}
		}
		properties[argBody] = schema
		if op.RequestBody.Required {
			required = append(required, argBody)
		}
	}
	if consent {
		properties[argConfirm] = map[string]any{
			"type": "string", "description": "The code of the first call, when the person agrees with what it shows.",
		}
	}
	defined, err := d.referred(properties)
	if err != nil {
		return nil, fmt.Errorf("describe the tool of %s: %w", op.ID, err)
	}
	schema := map[string]any{"type": "object", "properties": moved(properties), "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	if len(defined) > 0 {
		schema["$defs"] = moved(defined)
	}
	return schema, nil
}

// referred returns the types that a schema refers to, and those that these do.
func (d document) referred(schema any) (map[string]any, error) {
	found, wanted := map[string]any{}, references(schema)
	for ; len(wanted) > 0; wanted = wanted[1:] {
		name := wanted[0]
		if _, seen := found[name]; seen {
			continue
		}
		named, has := d.Components.Schemas[name]
		if !has {
			return nil, job.Errorf(job.Refused, "the server's document has no type %q", name)
		}
		found[name] = named
		wanted = append(wanted, references(named)...)
	}
	return found, nil
}

// references returns the names of the types that a schema refers to.
func references(schema any) (names []string) {
	switch v := schema.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			names = append(names, strings.TrimPrefix(ref, schemasAt))
		}
		for _, member := range v {
			names = append(names, references(member)...)
		}
	case []any:
		for _, member := range v {
			names = append(names, references(member)...)
		}
	}
	return names
}

// moved returns a schema whose references lead into the schema of the tool.
func moved(schema any) any {
	switch v := schema.(type) {
	case map[string]any:
		copied := make(map[string]any, len(v))
		for name, member := range v {
			copied[name] = moved(member)
		}
		if ref, ok := v["$ref"].(string); ok {
			copied["$ref"] = definedAt + strings.TrimPrefix(ref, schemasAt)
		}
		return copied
	case []any:
		copied := make([]any, len(v))
		for i, member := range v {
			copied[i] = moved(member)
		}
		return copied
	}
	return schema
}
