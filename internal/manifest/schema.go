package manifest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// The head of the schema.
const (
	schemaDialect = "https://json-schema.org/draft/2020-12/schema"
	schemaTitle   = "Orth: jobs as code"
	defs          = "#/$defs/"
)

// Schema returns the JSON Schema (2020-12) of documents, indented.
func Schema() ([]byte, error) {
	registry := huma.NewMapRegistry(defs, huma.DefaultSchemaNamer)
	refs := make([]any, 0, len(Kinds()))
	documents := make([]*huma.Schema, 0, len(Kinds()))
	for _, kind := range Kinds() {
		documents = append(documents, documentSchema(registry, kind))
	}
	definitions, err := plainSchemas(registry.Map())
	if err != nil {
		return nil, err
	}
	for i, kind := range Kinds() {
		if definitions[string(kind)], err = plainSchema(documents[i]); err != nil {
			return nil, err
		}
		refs = append(refs, map[string]any{"$ref": defs + string(kind)})
	}
	whole := map[string]any{
		"$schema": schemaDialect, "title": schemaTitle, "type": "object", "oneOf": refs, "$defs": definitions,
		"description": "A document of a folder that 'orth plan' and 'orth apply' read.",
	}
	text, err := json.MarshalIndent(whole, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the schema: %w", err)
	}
	return append(text, '\n'), nil
}

// documentSchema describes documents of a kind.
func documentSchema(registry huma.Registry, kind Kind) *huma.Schema {
	spec := registry.Schema(shapeOf(kind).spec, true, "")
	described := registry.SchemaFromRef(spec.Ref)
	describeSpec(registry, kind, described)
	meta := &huma.Schema{
		Type: huma.TypeObject, Required: []string{fieldKey}, AdditionalProperties: false,
		Properties: map[string]*huma.Schema{
			fieldKey: {
				Type: huma.TypeString, Description: "The name of the " + kind.Noun() + ". References are by key, never by number.",
				Pattern: keyPattern(kind), MaxLength: new(64),
			},
			"absent": {Type: huma.TypeBoolean, Description: "There must be no such " + kind.Noun() + ": it is deleted, and there is no spec."},
		},
	}
	if kind.Spaced() {
		meta.Properties[fieldNamespace] = &huma.Schema{
			Type: huma.TypeString, Description: "Its namespace. Defaults to the one of the command line.",
			Pattern: "^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$", MaxLength: new(64),
		}
	}
	return &huma.Schema{
		Type: huma.TypeObject, Required: []string{"apiVersion", "kind", "metadata"}, AdditionalProperties: false,
		Properties: map[string]*huma.Schema{
			"apiVersion": {Type: huma.TypeString, Enum: []any{APIVersion}},
			"kind":       {Type: huma.TypeString, Enum: []any{string(kind)}},
			"metadata":   meta,
			"spec":       spec,
		},
	}
}

// keyPattern returns what keys of a kind match. Executors register with those of
// groups, which may have capital letters.
func keyPattern(kind Kind) string {
	if kind == KindGroup {
		return "^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$"
	}
	return "^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$"
}

// describeSpec takes out of the schema of a type of the API what documents do not
// have, and adds what only they have.
func describeSpec(registry huma.Registry, kind Kind, spec *huma.Schema) {
	hide := func(s *huma.Schema, names ...string) {
		for _, name := range names {
			delete(s.Properties, name)
		}
		s.Required = slices.DeleteFunc(s.Required, func(name string) bool { return slices.Contains(names, name) })
	}
	hide(spec, shapeOf(kind).hidden...)
	switch kind { //nolint:exhaustive // the others have nothing of their own
	case KindJob:
		handler := registry.SchemaFromRef(spec.Properties[fieldHandler].Ref)
		hide(handler, "source_at")
		handler.Properties[fieldSourceFile] = &huma.Schema{
			Type: huma.TypeString, Description: "A file with the script, from the folder of the document. It takes the place of source.",
		}
		hide(registry.SchemaFromRef(spec.Properties[fieldChildren].Items.Ref), "id")
		spec.Properties[fieldEnabled].Description = "Whether the schedule is running. Absent leaves it alone; a new job is stopped."
	case KindWorkflow:
		edges := registry.SchemaFromRef(spec.Properties["nodes"].Items.Ref).Properties["after"]
		edges.Items = &huma.Schema{AnyOf: []*huma.Schema{edges.Items, {Type: huma.TypeString, Description: "The name of a node that must have succeeded."}}}
	case KindCalendar:
		spec.Properties[fieldTextFile] = &huma.Schema{
			Type: huma.TypeString, Description: "A file that ends in .ics or .csv, from the folder of the document. It takes the place of format and text.",
		}
	case KindAlarmRule, KindAlarmChannel:
		spec.Properties[fieldEnabled].Description += " Absent leaves it alone."
		if secrets := spec.Properties[fieldSecrets]; secrets != nil {
			secrets.Description = "References to variables of the environment, which are read when the document is applied."
			secrets.AdditionalProperties = &huma.Schema{Type: huma.TypeString, Pattern: `^\$\{env:[A-Za-z0-9_]+\}$`}
		}
	}
}

// plainSchemas returns schemas as JSON reads them.
func plainSchemas(schemas map[string]*huma.Schema) (map[string]any, error) {
	out := make(map[string]any, len(schemas))
	for name, schema := range schemas {
		var err error
		if out[name], err = plainSchema(schema); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func plainSchema(schema *huma.Schema) (any, error) {
	text, err := json.Marshal(schema)
	if err != nil {
		return nil, fmt.Errorf("describe documents: %w", err)
	}
	var plain any
	if err := json.Unmarshal(text, &plain); err != nil {
		return nil, fmt.Errorf("describe documents: %w", err)
	}
	forget(plain)
	return plain, nil
}

// forget takes out of a schema what is no part of JSON Schema, and what only
// servers do.
func forget(at any) {
	switch at := at.(type) {
	case map[string]any:
		for name, value := range at {
			if name == "patternDescription" || strings.HasPrefix(name, "x-") {
				delete(at, name)
				continue
			}
			forget(value)
		}
	case []any:
		for _, entry := range at {
			forget(entry)
		}
	}
}
