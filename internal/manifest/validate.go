package manifest

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/orthd/orth/job"
)

// Refusal is a change that the server would not make.
type Refusal struct {
	Step Step
	Err  error
}

// Validate sends each change of the plan to dry, a server that checks a step and rolls it
// back, and returns the changes that it refuses. Each gets the reason in Refused.
//
// A change may refer to an object that the same plan creates or changes. When the server
// refuses such a reference, the change is validated again without it. The values that a
// change gives to a job of the plan are checked here. A deletion is not validated while the
// plan changes objects that may refer to it.
//
// progress is called with the number of changes that are validated so far. The error is one
// that is not about a change, such as Unreachable.
func (p *Plan) Validate(ctx context.Context, dry Server, progress func(done int)) ([]Refusal, error) {
	planned := make(map[ID]*Object, len(p.Changes))
	for i := range p.Changes {
		if c := &p.Changes[i]; c.Action == ActionCreate || c.Action == ActionChange {
			planned[c.ID()] = c.want
		}
	}
	var refusals []Refusal
	for i := range p.Changes {
		c := &p.Changes[i]
		step, err := p.validate(ctx, dry, c, planned)
		switch {
		case err == nil:
		case !refused(err):
			return nil, err
		default:
			c.Refused = err.Error()
			refusals = append(refusals, Refusal{step, err})
		}
		progress(i + 1)
	}
	return refusals, nil
}

// refused reports whether an error is about the change itself.
func refused(err error) bool {
	switch job.KindOf(err) {
	case job.Invalid, job.Forbidden, job.NotFound, job.Conflict, job.Duplicate, job.Full, job.Refused:
		return true
	case job.Unauthorized, job.Unreachable, job.Unavailable, job.Ambiguous, job.Interrupted, job.Internal:
	}
	return false
}

// validate validates one change. It returns the step that the server refuses.
func (p *Plan) validate(ctx context.Context, dry Server, c *Change, planned map[ID]*Object) (Step, error) {
	if err := context.Cause(ctx); err != nil {
		return Step{}, err
	}
	switch c.Action {
	case ActionNone:
		return Step{}, nil
	case ActionDelete:
		if p.mentions(c) {
			return Step{}, nil
		}
		return carryEach(ctx, dry, []Step{{Verb: VerbDelete, Object: *c.have, Version: c.have.Version}})
	case ActionCreate, ActionChange:
		if err := c.misfit(planned); err != nil {
			return Step{Verb: Verb(c.Action), Object: *c.want}, err
		}
	}
	step, err := carryEach(ctx, dry, c.dryRun())
	if err == nil || !refersTo(err, c.want, planned) {
		return step, err
	}
	rest, ok := without(c.want, planned)
	if !ok {
		return Step{}, nil
	}
	reduced := *c
	reduced.want = &rest
	step, err = carryEach(ctx, dry, reduced.dryRun())
	if wrong, ok := errors.AsType[*job.Error](err); ok && strings.HasPrefix(wrong.Field, fieldNodes+"[") {
		plain := *wrong
		plain.Field = fieldNodes // the document has more nodes, and counts them differently
		err = &plain
	}
	return step, err
}

// carryEach carries out steps up to the first that fails, and returns that one.
func carryEach(ctx context.Context, s Server, steps []Step) (Step, error) {
	for _, step := range steps {
		if _, err := s.Carry(ctx, step); err != nil {
			return step, err
		}
	}
	return Step{}, nil
}

// dryRun returns the steps that validate a change, each of which stands alone: the
// server undoes one before it sees the next. That a job is started is only validated
// when nothing else of it changes.
func (c *Change) dryRun() []Step {
	if c.Action == ActionCreate {
		if c.Kind == KindGroup {
			made, _ := creationOfGroup(*c.want)
			return []Step{made}
		}
		return []Step{{Verb: VerbCreate, Object: *c.want, Secrets: c.want.Secrets}}
	}
	steps, links, starts := c.changing()
	steps = slices.DeleteFunc(steps, func(s Step) bool { return s.Verb == VerbStop })
	switch {
	case len(links) > 0 && len(steps) > 0:
		steps[0].Patch[fieldChildren] = links[0].Patch[fieldChildren]
		return steps
	case len(links)+len(steps) > 0:
		return slices.Concat(steps, links)
	}
	return starts
}

// mentions reports whether another change of the plan is about an object that names
// that of c, now or before.
func (p *Plan) mentions(c *Change) bool {
	for i := range p.Changes {
		other := &p.Changes[i]
		if other.Action == ActionNone || other.ID() == c.ID() {
			continue
		}
		if other.have != nil && holds(other.have.Spec, c.Key) || other.want != nil && holds(other.want.Spec, c.Key) {
			return true
		}
	}
	return false
}

// holds reports whether a text is among the values.
func holds(value any, text string) bool {
	switch value := value.(type) {
	case string:
		return value == text
	case []any:
		return slices.ContainsFunc(value, func(v any) bool { return holds(v, text) })
	case map[string]any:
		for _, v := range value {
			if holds(v, text) {
				return true
			}
		}
	}
	return false
}

// Fields that hold references.
const (
	fieldTemplate   = "template"
	fieldCalendars  = "calendars"
	fieldNodes      = "nodes"
	fieldAfter      = "after"
	fieldJob        = "job"
	fieldChannels   = "channels"
	fieldEscalation = "escalation"
)

// refersTo reports whether an error is about a field that refers to an object which the
// plan creates or changes.
func refersTo(err error, o *Object, planned map[ID]*Object) bool {
	wrong, ok := errors.AsType[*job.Error](err)
	if !ok {
		return false
	}
	root, _, _ := strings.Cut(wrong.Field, ".")
	root, _, _ = strings.Cut(root, "[")
	root = strings.TrimSuffix(root, "_version")
	return slices.Contains(references(o, planned), root)
}

// references returns the fields of an object that refer to objects which the plan creates
// or changes.
func references(o *Object, planned map[ID]*Object) (fields []string) {
	is := func(kind Kind, key any) bool { return isPlanned(planned, kind, o.Namespace, key) }
	switch o.Kind { //nolint:exhaustive // the others refer to nothing that must exist
	case KindJob:
		if is(KindJob, o.Spec[fieldTemplate]) {
			fields = append(fields, fieldTemplate)
		}
		if slices.ContainsFunc(mapsOf(o.Spec[fieldChildren]), func(child map[string]any) bool { return is(KindJob, child[fieldKey]) }) {
			fields = append(fields, fieldChildren)
		}
		eachSchedule(o.Spec, func(s map[string]any) {
			if calendars, _ := s[fieldCalendars].([]any); slices.ContainsFunc(calendars, func(key any) bool { return is(KindCalendar, key) }) {
				fields = append(fields, fieldSchedule)
			}
		})
	case KindWorkflow:
		if slices.ContainsFunc(mapsOf(o.Spec[fieldNodes]), func(node map[string]any) bool { return is(KindJob, node[fieldJob]) }) {
			fields = append(fields, fieldNodes)
		}
	case KindAlarmRule:
		eachChannels(o.Spec, func(at map[string]any) {
			if channels, _ := at[fieldChannels].([]any); slices.ContainsFunc(channels, func(key any) bool { return is(KindAlarmChannel, key) }) {
				fields = append(fields, fieldChannels, fieldEscalation)
			}
		})
	}
	return fields
}

func isPlanned(planned map[ID]*Object, kind Kind, namespace string, key any) bool {
	text, _ := key.(string)
	return planned[ID{kind, namespace, text}] != nil
}

// without returns a copy of an object without references to objects that the plan creates
// or changes. It reports false when nothing is left to validate.
func without(o *Object, planned map[ID]*Object) (Object, bool) {
	rest := *o
	rest.Spec = copied(o.Spec)
	is := func(kind Kind, key any) bool { return isPlanned(planned, kind, o.Namespace, key) }
	leaveOut := func(at map[string]any, field string, gone func(any) bool) {
		list, _ := at[field].([]any)
		if list = slices.DeleteFunc(list, gone); len(list) == 0 {
			delete(at, field)
			return
		}
		at[field] = list
	}
	switch o.Kind { //nolint:exhaustive // the others refer to nothing that must exist
	case KindJob:
		if is(KindJob, rest.Spec[fieldTemplate]) {
			code := planned[ID{KindJob, o.Namespace, o.text(fieldTemplate)}].Spec[fieldHandler]
			if code == nil {
				return rest, false
			}
			rest.Spec[fieldHandler] = copiedValue(code)
			delete(rest.Spec, fieldTemplate)
			delete(rest.Spec, fieldTemplate+"_version")
		}
		leaveOut(rest.Spec, fieldChildren, func(child any) bool {
			fields, _ := child.(map[string]any)
			return is(KindJob, fields[fieldKey])
		})
		eachSchedule(rest.Spec, func(s map[string]any) {
			if leaveOut(s, fieldCalendars, func(key any) bool { return is(KindCalendar, key) }); s[fieldCalendars] == nil {
				delete(s, "excluded") // it is the handling of days that calendars exclude
			}
		})
	case KindWorkflow:
		return withoutNodes(rest, func(node map[string]any) bool { return is(KindJob, node[fieldJob]) })
	case KindAlarmRule:
		eachChannels(rest.Spec, func(at map[string]any) {
			leaveOut(at, fieldChannels, func(key any) bool { return is(KindAlarmChannel, key) })
		})
		leaveOut(rest.Spec, fieldEscalation, func(step any) bool {
			fields, _ := step.(map[string]any)
			return fields[fieldChannels] == nil
		})
		return rest, rest.Spec[fieldChannels] != nil
	}
	return rest, true
}

// withoutNodes takes nodes out of a workflow, and the edges that lead from them.
func withoutNodes(o Object, gone func(map[string]any) bool) (Object, bool) {
	var kept []any
	names := map[any]bool{}
	for _, node := range mapsOf(o.Spec[fieldNodes]) {
		if gone(node) {
			names[node["name"]] = true
			continue
		}
		kept = append(kept, node)
	}
	for _, node := range mapsOf(kept) {
		edges, _ := node[fieldAfter].([]any)
		left := slices.DeleteFunc(slices.Clone(edges), func(edge any) bool {
			fields, _ := edge.(map[string]any)
			return names[fields["node"]]
		})
		if len(left) == len(edges) {
			continue
		}
		delete(node, "join") // it may be a number of edges
		delete(node, fieldAfter)
		if len(left) > 0 {
			node[fieldAfter] = left
		}
	}
	o.Spec[fieldNodes] = kept
	return o, len(kept) > 0
}

// eachChannels hands over what names channels: the rule and the steps of its escalation.
func eachChannels(spec map[string]any, do func(map[string]any)) {
	do(spec)
	for _, step := range mapsOf(spec[fieldEscalation]) {
		do(step)
	}
}
