package manifest

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// normal brings the fields of a kind, as the API writes them, into their one form.
// It changes its argument.
func normal(kind Kind, spec map[string]any) map[string]any {
	shape := shapeOf(kind)
	for _, name := range shape.hidden {
		delete(spec, name)
	}
	if kind == KindJob {
		normalJob(spec)
	}
	for path, value := range shape.defaults {
		strip(spec, strings.Split(path, "."), value)
	}
	tidy(spec)
	return spec
}

// normalJob brings what needs more than a table of defaults into its form.
func normalJob(spec map[string]any) {
	if handler, ok := spec[fieldHandler].(map[string]any); ok {
		delete(handler, "source_at")
	}
	if spec[fieldTemplate] != nil {
		delete(spec, fieldHandler) // it is the template's
	}
	for _, child := range mapsOf(spec[fieldChildren]) {
		delete(child, "id")
	}
	if retry, ok := spec["retry"].(map[string]any); ok {
		delays, _ := retry["delays"].([]any)
		if tries := retry["tries"]; tries == 0.0 || tries == float64(len(delays)) {
			delete(retry, "tries")
		}
	}
	eachSchedule(spec, func(s map[string]any) {
		dst, ok := s["dst"].(map[string]any)
		if !ok {
			return
		}
		if dst["gap"] == nil {
			dst["gap"] = "skip"
		}
		if dst["overlap"] == nil {
			dst["overlap"] = "second"
		}
		if reflect.DeepEqual(dst, map[string]any{"gap": "fire_after", "overlap": "first", "straight": true}) {
			delete(s, "dst")
		}
	})
	if s, ok := spec[fieldSchedule].(map[string]any); ok && s["kind"] == "manual" {
		delete(spec, fieldSchedule)
	}
}

// eachSchedule hands over the schedule of a job, and those that it is made of.
func eachSchedule(spec map[string]any, do func(map[string]any)) {
	s, ok := spec[fieldSchedule].(map[string]any)
	if !ok {
		return
	}
	do(s)
	for _, one := range mapsOf(s["of"]) {
		do(one)
	}
}

// mapsOf returns the mappings of a list.
func mapsOf(list any) (found []map[string]any) {
	entries, _ := list.([]any)
	for _, entry := range entries {
		if fields, ok := entry.(map[string]any); ok {
			found = append(found, fields)
		}
	}
	return found
}

// strip removes the field at a path when it has the value.
func strip(at any, path []string, value any) {
	fields, ok := at.(map[string]any)
	if !ok {
		return
	}
	name, list := strings.CutSuffix(path[0], "[]")
	switch {
	case list:
		for _, entry := range mapsOf(fields[name]) {
			strip(entry, path[1:], value)
		}
	case len(path) > 1:
		strip(fields[name], path[1:], value)
	case fields[name] == value:
		delete(fields, name)
	}
}

// tidy removes mappings and lists that hold nothing.
func tidy(fields map[string]any) {
	for name, value := range fields {
		if inner, ok := value.(map[string]any); ok {
			tidy(inner)
		}
		for _, entry := range mapsOf(value) {
			tidy(entry)
		}
		if hollow(value) {
			delete(fields, name)
		}
	}
}

func hollow(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case map[string]any:
		return len(value) == 0
	case []any:
		return len(value) == 0
	}
	return false
}

// inherit gives want what have has and documents leave alone: whether it is
// enabled, and instants that the server chose.
func inherit(want, have *Object) {
	leave(want.Spec, have.Spec, fieldEnabled)
	switch want.Kind { //nolint:exhaustive // the others have nothing
	case KindPause:
		leave(want.Spec, have.Spec, "from")
	case KindJob:
		mine, _ := want.Spec[fieldSchedule].(map[string]any)
		theirs, _ := have.Spec[fieldSchedule].(map[string]any)
		inheritSchedule(mine, theirs)
		ours, old := mapsOf(mine["of"]), mapsOf(theirs["of"])
		for i := range ours {
			if i < len(old) {
				inheritSchedule(ours[i], old[i])
			}
		}
	}
}

// inheritSchedule keeps the grid of a fixed rate.
func inheritSchedule(mine, theirs map[string]any) {
	if mine == nil || theirs == nil || mine["kind"] != theirs["kind"] {
		return
	}
	if mine["every"] != nil {
		leave(mine, theirs, "anchor")
	}
}

func leave(want, have map[string]any, name string) {
	if value, ok := have[name]; ok && want[name] == nil {
		want[name] = value
	}
}

// copied returns a copy of fields that shares nothing with them.
func copied(fields map[string]any) map[string]any {
	out := maps.Clone(fields)
	for name, value := range out {
		out[name] = copiedValue(value)
	}
	return out
}

func copiedValue(value any) any {
	switch value := value.(type) {
	case map[string]any:
		return copied(value)
	case []any:
		list := slices.Clone(value)
		for i := range list {
			list[i] = copiedValue(list[i])
		}
		return list
	}
	return value
}
