package operation

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/orthd/orth/job"
)

// maxPatchFields bounds the fields of one object of a patch: each is compared with each
// of the object that is patched.
const maxPatchFields = 1000

// fieldVersion is the field of a patch that is none of what is patched.
const fieldVersion = "version"

// patchSchema describes a patch of what a schema describes, but for some fields.
// What a patch makes of it is checked when both are known.
func patchSchema(schemas huma.Registry, of *huma.Schema, noun string, without ...string) *huma.Schema {
	whole := schemas.SchemaFromRef(of.Ref)
	patch := &huma.Schema{Type: huma.TypeObject, Properties: make(map[string]*huma.Schema, len(whole.Properties))}
	for name, field := range whole.Properties {
		if slices.Contains(without, name) {
			continue
		}
		described := field
		for described.Ref != "" {
			described = schemas.SchemaFromRef(described.Ref)
		}
		patch.Properties[name] = &huma.Schema{
			Description: FirstOf(field.Description, described.Description), Examples: field.Examples,
			Format: described.Format, Items: described.Items,
			Extensions: map[string]any{"type": []string{described.Type, "null"}},
		}
	}
	patch.Properties[fieldVersion] = &huma.Schema{
		Type: huma.TypeInteger, Description: "The version that the " + noun + " must have. Absent means any.",
	}
	patch.PrecomputeMessages()
	return patch
}

// PatchBody describes the body of a request as a patch.
func PatchBody(schemas huma.Registry, of *huma.Schema, noun string, without ...string) *huma.RequestBody {
	return &huma.RequestBody{Content: map[string]*huma.MediaType{MediaJSON: {Schema: patchSchema(schemas, of, noun, without...)}}}
}

// TakeVersion returns a patch without the version that it is made for, and that;
// 0 means any.
func TakeVersion(body map[string]any) (patch map[string]any, version int64, err error) {
	if err := checkPatch("", body); err != nil {
		return nil, 0, err
	}
	patch = maps.Clone(body)
	if given, ok := patch[fieldVersion].(float64); ok {
		version = int64(given)
		if float64(version) != given || version < 1 {
			return nil, 0, job.FieldErrorf(fieldVersion, "%v is not a version: they count from 1", given)
		}
	}
	delete(patch, fieldVersion)
	return patch, version, nil
}

// checkPatch refuses an object of a patch with too many fields.
func checkPatch(field string, patch map[string]any) error {
	if n := len(patch); n > maxPatchFields {
		return job.FieldErrorf(field, "has %d fields, at most %d are allowed", n, maxPatchFields)
	}
	for name, value := range patch {
		if inner, object := value.(map[string]any); object {
			if err := checkPatch(strings.TrimPrefix(field+"."+name, "."), inner); err != nil {
				return err
			}
		}
	}
	return nil
}

// AsFields returns a value as the object that it is in JSON.
func AsFields(value any) (map[string]any, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var fields map[string]any
	err = json.Unmarshal(text, &fields)
	return fields, err
}

// Merge merges a patch into fields as in RFC 7396; field names are case-sensitive.
func Merge(fields, patch map[string]any) {
	for name, value := range patch {
		for known := range fields {
			if strings.EqualFold(known, name) {
				name = known
			}
		}
		inner, object := value.(map[string]any)
		switch {
		case value == nil:
			delete(fields, name)
		case object:
			into, ok := fields[name].(map[string]any)
			if !ok {
				into = make(map[string]any, len(inner))
			}
			Merge(into, inner)
			fields[name] = into
		default:
			fields[name] = value
		}
	}
}

// PatchedFields returns the fields of what is patched with the patch merged into
// them: of shown those that a schema has. Fields that it does not have, and those
// that stay, are refused in the patch.
func PatchedFields(schemas huma.Registry, of *huma.Schema, shown any, patch map[string]any, stay ...string) (map[string]any, error) {
	whole := schemas.SchemaFromRef(of.Ref)
	for name := range patch {
		if _, known := whole.Properties[name]; !known {
			return nil, job.FieldErrorf(name, "is not a field that the API knows")
		}
		if slices.Contains(stay, name) {
			return nil, job.FieldErrorf(name, "is not changed: make another one")
		}
	}
	fields, err := AsFields(shown)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(fields, func(name string, _ any) bool {
		_, known := whole.Properties[name]
		return !known
	})
	Merge(fields, patch)
	return fields, nil
}

// FirstOf returns the first text that is not empty.
func FirstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}
