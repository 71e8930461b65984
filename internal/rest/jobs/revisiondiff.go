package jobs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/manifest"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/rest/operation"
	"github.com/orthd/orth/job"
)

// difference returns what two revisions differ in: the fields of a new job, each that
// is no object by itself, and the lines of the sources.
func (s *jobRoom) difference(ctx context.Context, before, after *job.Revision) (api.RevisionDiff, error) {
	diff := api.RevisionDiff{
		Before: api.FromRevision(before), After: api.FromRevision(after), Fields: []api.FieldChange{},
		Source: manifest.TextDiff(before.Job.Handler.Source, after.Job.Handler.Source),
	}
	was, err := s.leaves(ctx, before.Job)
	if err != nil {
		return diff, err
	}
	is, err := s.leaves(ctx, after.Job)
	if err != nil {
		return diff, err
	}
	names := maps.Clone(was)
	maps.Copy(names, is)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !bytes.Equal(was[name], is[name]) {
			diff.Fields = append(diff.Fields, api.FieldChange{Field: name, Before: was[name], After: is[name]})
		}
	}
	return diff, nil
}

// leaves returns what a job has of the fields of a new job, and whether it is started,
// as JSON by name; the source is left out, and so is what the caller may not see. What is within an object has the name of
// that before its own. Labels and other objects with keys of users are no different.
func (s *jobRoom) leaves(ctx context.Context, j job.Job) (map[string]json.RawMessage, error) {
	j.Handler.Source = ""
	shown := api.FromJob(j)
	if err := s.unnamed(ctx, &shown); err != nil {
		return nil, err
	}
	fields, err := operation.AsFields(shown)
	if err != nil {
		return nil, fmt.Errorf("take job %s apart: %w", j.Key, err)
	}
	whole := s.Schemas().SchemaFromRef(s.newJobs.Ref)
	maps.DeleteFunc(fields, func(name string, _ any) bool {
		_, known := whole.Properties[name]
		return !known || name == guard.SpaceField
	})
	if handler, _ := fields["handler"].(map[string]any); handler != nil {
		delete(handler, "source_at")
	}
	all := make(map[string]json.RawMessage, len(fields))
	return all, flatten("", fields, all)
}

// flatten puts what an object holds, at any depth, into all.
func flatten(prefix string, object map[string]any, all map[string]json.RawMessage) error {
	for name, value := range object {
		if inner, is := value.(map[string]any); is {
			if err := flatten(prefix+name+".", inner, all); err != nil {
				return err
			}
			continue
		}
		text, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("write field %s%s: %w", prefix, name, err)
		}
		all[prefix+name] = text
	}
	return nil
}
