package manifest

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/orthd/orth/job"
)

// Verb is what a step does.
type Verb string

// The verbs.
const (
	VerbCreate Verb = "create"
	VerbChange Verb = "change"
	// VerbLink gives a job its children, once all jobs are there.
	VerbLink   Verb = "link"
	VerbStart  Verb = "start"
	VerbStop   Verb = "stop"
	VerbDelete Verb = "delete"
)

// Step is one request to a server.
type Step struct {
	Verb   Verb
	Object Object // as it is to be; for VerbDelete as it was
	// Patch is a JSON merge patch of the spec, for VerbChange and VerbLink.
	Patch map[string]any
	// Secrets are those of a channel that are sent: the variable of the environment
	// that holds each, "" for one that is taken away.
	Secrets map[string]string
	// Version is the one that the object must have; 0 for one that the server does
	// not count versions of.
	Version int64
}

// Server carries out steps.
type Server interface {
	// Carry carries out a step and returns the version that the object has then, 0
	// when it has none. It is job.Conflict when it has another one than the step
	// names, and for VerbDelete of an object that is gone it may be job.NotFound.
	Carry(ctx context.Context, s Step) (version int64, err error)
}

// Steps returns the requests that carry out the plan, in order. A job whose children come
// later, or are its own, is created without them and disabled, linked when all jobs exist,
// and then enabled. A new group that accepts only its own tokens gets that setting at the
// end, before deletions: it has no token before a user creates one.
func (p *Plan) Steps() (steps []Step) {
	var links, starts, shuts, deletions []Step
	atJobs := -1 // where what waits for all jobs belongs
	for i := range p.Changes {
		c := &p.Changes[i]
		switch c.Action {
		case ActionCreate:
			if c.Kind == KindGroup {
				made, shut := creationOfGroup(*c.want)
				steps, shuts = append(steps, made), append(shuts, shut...)
				continue
			}
			made, link, start := creation(*c.want)
			steps, links, starts = append(steps, made), append(links, link...), append(starts, start...)
		case ActionChange:
			first, link, start := c.changing()
			steps, links, starts = append(steps, first...), append(links, link...), append(starts, start...)
		case ActionDelete:
			deletions = append(deletions, Step{Verb: VerbDelete, Object: *c.have, Version: c.have.Version})
		case ActionNone:
		}
		if c.Kind == KindJob && c.Action != ActionDelete {
			atJobs = len(steps)
		}
	}
	if atJobs >= 0 {
		steps = slices.Insert(steps, min(atJobs, len(steps)), slices.Concat(links, starts)...)
	}
	return slices.Concat(steps, shuts, deletions)
}

// creationOfGroup returns the steps that make a group.
func creationOfGroup(o Object) (made Step, shut []Step) {
	made = Step{Verb: VerbCreate, Object: o}
	if o.Spec[fieldOwnToken] != true {
		return made, nil
	}
	made.Object.Spec = copied(o.Spec)
	delete(made.Object.Spec, fieldOwnToken)
	return made, []Step{{Verb: VerbChange, Object: o, Patch: map[string]any{fieldOwnToken: true}}}
}

// creation returns the steps that make an object.
func creation(o Object) (made Step, link, start []Step) {
	made = Step{Verb: VerbCreate, Object: o, Secrets: o.Secrets}
	if o.Kind != KindJob || o.Spec[fieldChildren] == nil {
		return made, nil, nil
	}
	made.Object.Spec = copied(o.Spec)
	delete(made.Object.Spec, fieldChildren)
	delete(made.Object.Spec, fieldEnabled)
	link = []Step{{Verb: VerbLink, Object: o, Patch: map[string]any{fieldChildren: o.Spec[fieldChildren]}}}
	if o.Spec[fieldEnabled] == true {
		start = []Step{{Verb: VerbStart, Object: o}}
	}
	return made, link, start
}

// changing returns the steps that change an object. A job is stopped before its
// other changes, and started after them.
func (c *Change) changing() (steps, link, start []Step) {
	changes := patch(c.have.Spec, c.want.Spec)
	turn, turns := changes[fieldEnabled]
	if c.Kind == KindJob {
		delete(changes, fieldEnabled)
		if turns && turn != true {
			steps = append(steps, Step{Verb: VerbStop, Object: *c.want, Version: c.have.Version})
		}
		if turns && turn == true {
			start = append(start, Step{Verb: VerbStart, Object: *c.want, Version: c.have.Version})
		}
		if children, ok := changes[fieldChildren]; ok {
			delete(changes, fieldChildren)
			link = append(link, Step{Verb: VerbLink, Object: *c.want, Patch: map[string]any{fieldChildren: children}, Version: c.have.Version})
		}
	}
	if secrets := c.secrets(changes); len(changes) > 0 || len(secrets) > 0 {
		steps = append(steps, Step{Verb: VerbChange, Object: *c.want, Patch: changes, Secrets: secrets, Version: c.have.Version})
	}
	return steps, link, start
}

// secrets returns those that a change of a channel sends: all of them when some
// come or go, when they are to be sent again, and when the channel's settings change,
// since a server lets no secret go to another place unless it is given again.
func (c *Change) secrets(changes map[string]any) map[string]string {
	_, moved := changes["settings"]
	said := slices.ContainsFunc(c.Fields, func(f FieldChange) bool { return strings.HasPrefix(f.Path, fieldSecrets+".") })
	if !moved && !said {
		return nil
	}
	secrets := make(map[string]string, len(c.want.Secrets)+len(c.have.Secrets))
	for name := range c.have.Secrets {
		secrets[name] = ""
	}
	maps.Copy(secrets, c.want.Secrets)
	return secrets
}

// Apply carries out steps one after the other and reports each. It ends with the first that
// fails, and returns how many are done: completed steps stay, and a new plan continues from
// there.
func Apply(ctx context.Context, s Server, steps []Step, tell func(Step)) (done int, err error) {
	a := applying{s, map[ID]int64{}}
	for i, step := range steps {
		if err := context.Cause(ctx); err != nil {
			return i, err
		}
		if err := a.carry(ctx, step); err != nil {
			return i, err
		}
		tell(step)
	}
	return len(steps), nil
}

// ApplyEach carries out steps one after the other and reports each, with its error. A
// failed step stops only the others of the same object, which are not reported. It is an
// error when ctx has ended before all were tried.
func ApplyEach(ctx context.Context, s Server, steps []Step, tell func(Step, error)) error {
	a := applying{s, map[ID]int64{}}
	failed := map[ID]bool{}
	for _, step := range steps {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		id := step.Object.ID()
		if failed[id] {
			continue
		}
		err := a.carry(ctx, step)
		failed[id] = err != nil
		tell(step, err)
	}
	return nil
}

// applying knows how objects stand that steps have moved on.
type applying struct {
	server   Server
	versions map[ID]int64
}

func (a *applying) carry(ctx context.Context, step Step) error {
	if now, known := a.versions[step.Object.ID()]; known {
		step.Version = now // a step before has moved it on
	}
	version, err := a.server.Carry(ctx, step)
	if err != nil && (step.Verb != VerbDelete || !job.Is(err, job.NotFound)) {
		return err
	}
	if (step.Verb == VerbStart || step.Verb == VerbStop) && step.Version != 0 && version > step.Version+1 {
		return job.Errorf(job.Conflict, "it has version %d by now, and the plan was made for version %d", version, step.Version)
	}
	a.versions[step.Object.ID()] = version
	return nil
}

// Variables returns the variables of the environment that steps need, each once, in
// order.
func Variables(steps []Step) []string {
	var names []string
	for i := range steps {
		for _, variable := range steps[i].Secrets {
			if variable != "" {
				names = append(names, variable)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
