package manifest

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Action is what a plan does to an object.
type Action string

// The actions.
const (
	ActionNone   Action = "none"
	ActionCreate Action = "create"
	ActionChange Action = "change"
	ActionDelete Action = "delete"
)

// Change is what becomes of one object.
type Change struct {
	Action    Action `json:"action" enum:"none,create,change,delete"`
	Kind      Kind   `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Key       string `json:"key"`
	// Fields are those that differ, in order of path; for a new object all of them.
	Fields []FieldChange `json:"fields,omitempty"`
	// Notes list the fields that were not compared.
	Notes []string `json:"notes,omitempty"`
	// Lacks are the keys of named secrets that the job refers to, and the server does
	// not have.
	Lacks []string `json:"lacks,omitempty"`
	// Refused is why the server would not make the change, empty when it would.
	Refused string `json:"refused,omitempty"`

	want, have *Object
}

// ID names the object.
func (c *Change) ID() ID { return ID{c.Kind, c.Namespace, c.Key} }

// FieldChange is a field that differs. Old is nil for one that is new, New for one
// that goes.
type FieldChange struct {
	Path string `json:"path"`
	Old  any    `json:"old"`
	New  any    `json:"new"`
}

// Texts returns both values as texts: "" for nil, a text as it is, and anything
// else as JSON.
func (f *FieldChange) Texts() (old, now string) { return textOf(f.Old), textOf(f.New) }

func textOf(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		return value
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// compare returns the fields in which two mappings differ, mappings within them
// field by field. A list is one value.
func compare(prefix string, have, want map[string]any) (changes []FieldChange) {
	names := slices.Collect(maps.Keys(have))
	for name := range want {
		if _, both := have[name]; !both {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		old, now := have[name], want[name]
		if reflect.DeepEqual(old, now) {
			continue
		}
		path := quotedPath(prefix, name)
		was, _ := old.(map[string]any)
		is, _ := now.(map[string]any)
		if was != nil && is != nil || (was != nil && now == nil) || (is != nil && old == nil) {
			changes = append(changes, compare(path, was, is)...)
			continue
		}
		changes = append(changes, FieldChange{path, old, now})
	}
	return changes
}

// quotedPath returns the path of a field; a name with a dot in it stands in
// quotes.
func quotedPath(prefix, name string) string {
	if strings.ContainsAny(name, `."`) {
		name = strconv.Quote(name)
	}
	if prefix == "" {
		return name
	}
	return prefix + "." + name
}

// patch returns the JSON merge patch (RFC 7396) that makes want of have.
func patch(have, want map[string]any) map[string]any {
	out := map[string]any{}
	for name, old := range have {
		now, stays := want[name]
		was, wasMap := old.(map[string]any)
		is, isMap := now.(map[string]any)
		switch {
		case !stays:
			out[name] = nil
		case wasMap && isMap:
			if inner := patch(was, is); len(inner) > 0 {
				out[name] = inner
			}
		case !reflect.DeepEqual(old, now):
			out[name] = now
		}
	}
	for name, now := range want {
		if _, both := have[name]; !both {
			out[name] = now
		}
	}
	return out
}
