package manifest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// Mark is the label of a job or a group that names the set of documents which made it.
const Mark = "orth.managed"

// Options are the options of a plan.
type Options struct {
	// Set names the set of documents: jobs and groups get it as their mark. Empty marks
	// none.
	Set string
	// Prune deletes jobs and groups that have the mark of the set and no document, in
	// the namespaces that Namespaces names. It needs a Set.
	Prune      bool
	Namespaces []string
	// Secrets sends the secrets of all channels again.
	Secrets bool
}

// Check reports what is wrong with the options.
func (o *Options) Check() error {
	if o.Prune && o.Set == "" {
		wrong := job.FieldErrorf("prune", "deletes what a set of documents has made, and no set is named")
		wrong.Hint = "name it with --set, the same that was named when they were applied"
		return wrong
	}
	if o.Set == "" {
		return nil
	}
	return job.CheckKey("set", o.Set)
}

// Plan has the changes that bring a server to the state of documents, in the order in which
// they are carried out.
type Plan struct {
	Changes []Change `json:"changes"`
}

// Count returns how many changes do something like it.
func (p *Plan) Count(a Action) (n int) {
	for i := range p.Changes {
		if p.Changes[i].Action == a {
			n++
		}
	}
	return n
}

// Empty reports whether nothing has to be done.
func (p *Plan) Empty() bool { return p.Count(ActionNone) == len(p.Changes) }

// Wanted returns the objects of a kind that the plan creates or changes, as they are to be.
func (p *Plan) Wanted(kind Kind) (objects []Object) {
	for i := range p.Changes {
		if c := &p.Changes[i]; c.Kind == kind && (c.Action == ActionCreate || c.Action == ActionChange) {
			objects = append(objects, *c.want)
		}
	}
	return objects
}

// Decide compares what documents want with what a server has; have holds at least
// all objects that want names, and with Prune all jobs and groups of the namespaces. Both are
// left as they are. Kinds: Invalid, and Conflict for a job or a group that another set of
// documents has made.
func Decide(want, have []Object, o Options) (Plan, error) {
	if err := o.Check(); err != nil {
		return Plan{}, err
	}
	stored := make(map[ID]*Object, len(have))
	for i := range have {
		stored[have[i].ID()] = &have[i]
	}
	plan := Plan{Changes: []Change{}}
	named := make(map[ID]bool, len(want))
	for i := range want {
		named[want[i].ID()] = true
		c, err := decide(want[i], stored[want[i].ID()], o)
		if err != nil {
			return Plan{}, err
		}
		plan.Changes = append(plan.Changes, c)
	}
	for i := range have {
		h := &have[i]
		if o.Prune && h.Kind.Marked() && !named[h.ID()] && h.text(fieldLabels, Mark) == o.Set && slices.Contains(o.Namespaces, h.Namespace) {
			plan.Changes = append(plan.Changes, deletion(h))
		}
	}
	slices.SortStableFunc(plan.Changes, inOrder)
	return plan, nil
}

// decide returns the change of one object.
func decide(want Object, have *Object, o Options) (Change, error) {
	c := Change{Action: ActionNone, Kind: want.Kind, Namespace: want.Namespace, Key: want.Key, have: have}
	if want.Absent {
		if have != nil {
			return deletion(have), nil
		}
		return c, nil
	}
	want.Spec = copied(want.Spec)
	if err := mark(&want, have, o.Set); err != nil {
		return c, err
	}
	c.want = &want
	if have == nil {
		c.Action = ActionCreate
		c.Fields = compare("", nil, want.Spec)
		for _, name := range slices.Sorted(maps.Keys(want.Secrets)) {
			c.Fields = append(c.Fields, FieldChange{quotedPath(fieldSecrets, name), nil, secretSet})
		}
		return c, nil
	}
	inherit(&want, have)
	c.Fields = compare("", have.Spec, want.Spec)
	c.compareSecrets(o.Secrets)
	if len(c.Fields) > 0 {
		c.Action = ActionChange
	}
	return c, nil
}

func deletion(have *Object) Change {
	return Change{Action: ActionDelete, Kind: have.Kind, Namespace: have.Namespace, Key: have.Key, have: have}
}

// mark gives a job or a group the mark of the set. Without a set it keeps the one that it has.
func mark(want, have *Object, set string) error {
	if !want.Kind.Marked() {
		return nil
	}
	has := ""
	if have != nil {
		has = have.text(fieldLabels, Mark)
	}
	if given := want.text(fieldLabels, Mark); given != "" {
		return job.Errorf(job.Invalid, "%s: the label %s is the mark of a set of documents: leave it out, and name the set with --set", want.Origin, Mark)
	}
	switch {
	case set == "":
		set = has
	case has != "" && has != set:
		taken := job.Errorf(job.Conflict, "%s: %s belongs to the set %s, and this is the set %s", want.Origin, want.ID(), has, set)
		taken.Hint = "apply it with --set " + has + ", or take the label " + Mark + " from it"
		return taken
	}
	if set == "" {
		return nil
	}
	labels, _ := want.Spec[fieldLabels].(map[string]any)
	if labels == nil {
		labels = map[string]any{}
		want.Spec[fieldLabels] = labels
	}
	labels[Mark] = set
	return nil
}

// Texts of a secret that is there, and is not shown.
const (
	secretSet     = "(set)"
	secretNotSeen = "secrets are not compared: a server never shows them"
)

// compareSecrets adds the secrets that come, go or are sent again.
func (c *Change) compareSecrets(again bool) {
	if c.Kind != KindAlarmChannel {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(c.want.Secrets)) {
		path := quotedPath(fieldSecrets, name)
		if _, has := c.have.Secrets[name]; !has {
			c.Fields = append(c.Fields, FieldChange{path, nil, secretSet})
		} else if again {
			c.Fields = append(c.Fields, FieldChange{path, secretSet, "(sent again)"})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.have.Secrets)) {
		if _, wanted := c.want.Secrets[name]; !wanted {
			c.Fields = append(c.Fields, FieldChange{quotedPath(fieldSecrets, name), secretSet, nil})
		}
	}
	if len(c.want.Secrets) > 0 && !again {
		c.Notes = append(c.Notes, secretNotSeen)
	}
}

// inOrder sorts changes as they are carried out: first what is made and changed,
// by kind, jobs that others take their code from before those; then deletions, in
// reverse.
func inOrder(a, b Change) int {
	if gone := a.Action == ActionDelete; gone != (b.Action == ActionDelete) {
		if gone {
			return 1
		}
		return -1
	}
	order := Kinds()
	way := 1
	if a.Action == ActionDelete {
		way = -1
	}
	return cmp.Or(
		way*cmp.Compare(slices.Index(order, a.Kind), slices.Index(order, b.Kind)),
		way*cmp.Compare(a.templated(), b.templated()),
		strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Key, b.Key),
	)
}

// templated is 1 for a job that runs the code of another one.
func (c *Change) templated() int {
	o := c.want
	if o == nil {
		o = c.have
	}
	if o != nil && o.text(fieldTemplate) != "" {
		return 1
	}
	return 0
}

// Summary describes the plan in a sentence.
func (p *Plan) Summary() string {
	if p.Empty() {
		return "nothing to do: " + plural.Count(len(p.Changes), "object") + plural.Verb(len(p.Changes), " is as its document says", " are as their documents say")
	}
	return fmt.Sprintf("%d to create, %d to change, %d to delete, %d as they are",
		p.Count(ActionCreate), p.Count(ActionChange), p.Count(ActionDelete), p.Count(ActionNone))
}
