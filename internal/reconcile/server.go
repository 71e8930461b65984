package reconcile

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/manifest"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule/calendar"
)

// Server is a server to reconcile, with a client for each namespace.
type Server struct {
	// Namespace is the namespace of documents without one. Required.
	Namespace string
	// Dial returns a client of a namespace. Required.
	Dial func(namespace string) (*client.Client, error)
	// Getenv returns environment variables, which hold the secrets of channels. Defaults to
	// none.
	Getenv func(string) string

	clients map[string]*client.Client
}

// Close closes the connections.
func (s *Server) Close() {
	for _, c := range s.clients {
		c.Close()
	}
}

// ClientFor returns a client of a namespace, "" for objects without one.
func (s *Server) ClientFor(namespace string) (*client.Client, error) {
	namespace = cmp.Or(namespace, s.Namespace)
	if c := s.clients[namespace]; c != nil {
		return c, nil
	}
	c, err := s.Dial(namespace)
	if err != nil {
		return nil, err
	}
	if s.clients == nil {
		s.clients = map[string]*client.Client{}
	}
	s.clients[namespace] = c
	return c, nil
}

// fewKeys is the maximum number of jobs and groups that are read one by one.
const fewKeys = 50

// Stored returns the stored objects with the given keys, and possibly others; all for nil
// keys.
func (s *Server) Stored(ctx context.Context, kind manifest.Kind, namespace string, keys []string) ([]manifest.Object, error) {
	c, err := s.ClientFor(namespace)
	if err != nil {
		return nil, err
	}
	switch kind {
	case manifest.KindGroup:
		if keys != nil && len(keys) <= fewKeys {
			return oneByOne(ctx, keys, c.Group, manifest.FromGroup)
		}
		groups, err := allGroups(ctx, c)
		return turned(groups, err, manifest.FromGroup)
	case manifest.KindJob:
		if keys != nil && len(keys) <= fewKeys {
			return oneByOne(ctx, keys, c.Job, manifest.FromJob)
		}
		jobs, err := allJobs(ctx, c)
		return turned(jobs, err, manifest.FromJob)
	case manifest.KindCalendar:
		if keys == nil {
			if keys, err = keysOf(ctx, c.Calendars, func(c api.Calendar) string { return c.Key }); err != nil {
				return nil, err
			}
		}
		return oneByOne(ctx, keys, c.Calendar, manifest.FromCalendar)
	case manifest.KindWorkflow:
		if keys == nil {
			if keys, err = keysOf(ctx, c.Workflows, func(w api.Workflow) string { return w.Key }); err != nil {
				return nil, err
			}
		}
		return oneByOne(ctx, keys, c.Workflow, manifest.FromWorkflow)
	case manifest.KindPause:
		pauses, err := c.Pauses(ctx)
		return turned(pauses, err, manifest.FromPause)
	case manifest.KindAlarmRule:
		rules, err := c.AlarmRules(ctx)
		return turned(rules, err, manifest.FromAlarmRule)
	case manifest.KindAlarmChannel:
		channels, err := c.AlarmChannels(ctx)
		return turned(channels, err, manifest.FromAlarmChannel)
	}
	return nil, job.Errorf(job.Invalid, "%q is no kind of document", kind)
}

// allJobs returns all jobs of the client's namespace.
func allJobs(ctx context.Context, c *client.Client) (all []api.Job, err error) {
	for after := ""; ; {
		page, err := c.Jobs(ctx, client.JobQuery{After: after, Limit: 1000})
		if err != nil {
			return nil, err
		}
		if all = append(all, page.Jobs...); page.Next == "" {
			nameChildren(all)
			return all, nil
		}
		after = page.Next
	}
}

// allGroups returns all groups of the client's namespace.
func allGroups(ctx context.Context, c *client.Client) (all []api.GroupFigures, err error) {
	for after := ""; ; {
		page, err := c.Groups(ctx, after, 1000)
		if err != nil {
			return nil, err
		}
		if all = append(all, page.Groups...); page.Next == "" {
			return all, nil
		}
		after = page.Next
	}
}

// nameChildren gives children the keys that lists of jobs omit. all holds all jobs of a
// namespace, so a child not in it was deleted.
func nameChildren(all []api.Job) {
	keys := make(map[int64]string, len(all))
	for i := range all {
		keys[all[i].ID] = all[i].Key
	}
	for i := range all {
		for k := range all[i].Children {
			if c := &all[i].Children[k]; c.Key == "" {
				c.Key = keys[c.ID]
			}
		}
	}
}

// keysOf returns the keys of a list.
func keysOf[T any](ctx context.Context, list func(context.Context) ([]T, error), key func(T) string) ([]string, error) {
	entries, err := list(ctx)
	keys := make([]string, 0, len(entries))
	for _, entry := range entries {
		keys = append(keys, key(entry))
	}
	return keys, err
}

// oneByOne returns the objects with some keys. Missing ones are omitted.
func oneByOne[T any](
	ctx context.Context, keys []string, get func(context.Context, string) (T, error), turn func(T) (manifest.Object, error),
) ([]manifest.Object, error) {
	var found []T
	for _, key := range keys {
		one, err := get(ctx, key)
		if job.Is(err, job.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		found = append(found, one)
	}
	return turned(found, nil, turn)
}

// turned converts stored values to objects.
func turned[T any](found []T, err error, turn func(T) (manifest.Object, error)) ([]manifest.Object, error) {
	if err != nil {
		return nil, err
	}
	objects := make([]manifest.Object, 0, len(found))
	for _, one := range found {
		o, err := turn(one)
		if err != nil {
			return nil, err
		}
		objects = append(objects, o)
	}
	return objects, nil
}

// Among returns the stored objects that documents want. With all it also returns every
// other job and group of their namespaces.
func (s *Server) Among(ctx context.Context, want []manifest.Object, all bool) ([]manifest.Object, error) {
	type shelf struct {
		kind      manifest.Kind
		namespace string
	}
	keys := map[shelf][]string{}
	var order []shelf
	for i := range want {
		at := shelf{want[i].Kind, want[i].Namespace}
		spaces := []shelf{at}
		if all && at.kind.Spaced() {
			spaces = append(spaces, shelf{manifest.KindJob, at.namespace}, shelf{manifest.KindGroup, at.namespace})
		}
		for _, at := range spaces {
			if !slices.Contains(order, at) {
				order = append(order, at)
			}
		}
		keys[at] = append(keys[at], want[i].Key)
	}
	var have []manifest.Object
	for _, at := range order {
		wanted := keys[at]
		if all && at.kind.Marked() {
			wanted = nil
		}
		found, err := s.Stored(ctx, at.kind, at.namespace, wanted)
		if err != nil {
			return nil, fmt.Errorf("look at what the server has: %w", err)
		}
		have = append(have, found...)
	}
	return have, nil
}

// LackSecrets notes the named secrets in a plan that its jobs refer to and the server does
// not have. A server without secrets, or that does not list them, is asked once.
func (s *Server) LackSecrets(ctx context.Context, plan *manifest.Plan) error {
	for _, namespace := range plan.SecretSpaces() {
		c, err := s.ClientFor(namespace)
		if err != nil {
			return err
		}
		has, err := keysOf(ctx, c.Secrets, func(s api.Secret) string { return s.Key })
		switch {
		case job.Is(err, job.NotFound), job.Is(err, job.Forbidden):
			return nil
		case err != nil:
			return fmt.Errorf("look which secrets the server has: %w", err)
		}
		plan.LackSecrets(namespace, has)
	}
	return nil
}

// DryRun returns a server that checks steps and changes nothing. It does not check a
// channel whose secrets the environment does not hold.
func (s *Server) DryRun() manifest.Server { return dryRun{s} }

type dryRun struct{ *Server }

// Carry checks a step on the server.
func (d dryRun) Carry(ctx context.Context, step manifest.Step) (int64, error) {
	for _, variable := range step.Secrets {
		if variable != "" && (d.Getenv == nil || d.Getenv(variable) == "") {
			return 0, nil
		}
	}
	return d.Server.Carry(client.WithDryRun(ctx), step)
}

// Carry applies a step.
func (s *Server) Carry(ctx context.Context, step manifest.Step) (int64, error) {
	c, err := s.ClientFor(step.Object.Namespace)
	if err != nil {
		return 0, err
	}
	o := &step.Object
	if step.Verb == manifest.VerbDelete {
		return 0, remove(ctx, c, o)
	}
	switch o.Kind {
	case manifest.KindGroup:
		return carryGroup(ctx, c, step)
	case manifest.KindJob:
		return carryJob(ctx, c, step)
	case manifest.KindCalendar:
		var text api.CalendarText
		if err := o.As(&text); err != nil {
			return 0, err
		}
		if text.Rules == nil {
			text.Rules = &calendar.Rules{}
		}
		text.Version = step.Version
		saved, err := c.SaveCalendar(ctx, o.Key, text)
		return saved.Calendar.Version, err
	case manifest.KindWorkflow:
		var w api.NewWorkflow
		if err := o.As(&w); err != nil {
			return 0, err
		}
		w.Version = step.Version
		saved, err := c.SaveWorkflow(ctx, o.Key, w)
		return saved.Version, err
	case manifest.KindPause:
		var p api.NewPause
		if err := o.As(&p); err != nil {
			return 0, err
		}
		p.Version = step.Version
		saved, err := c.SavePause(ctx, o.Key, p)
		return saved.Version, err
	case manifest.KindAlarmRule:
		return carryRule(ctx, c, step)
	case manifest.KindAlarmChannel:
		return s.carryChannel(ctx, c, step)
	}
	return 0, job.Errorf(job.Invalid, "%q is no kind of document", o.Kind)
}

func remove(ctx context.Context, c *client.Client, o *manifest.Object) error {
	switch o.Kind {
	case manifest.KindGroup:
		return c.DeleteGroup(ctx, o.Key)
	case manifest.KindJob:
		return c.DeleteJob(ctx, o.Key)
	case manifest.KindCalendar:
		return c.DeleteCalendar(ctx, o.Key)
	case manifest.KindWorkflow:
		return c.DeleteWorkflow(ctx, o.Key)
	case manifest.KindPause:
		return c.DeletePause(ctx, o.Key)
	case manifest.KindAlarmRule:
		return c.DeleteAlarmRule(ctx, o.Key)
	case manifest.KindAlarmChannel:
		return c.DeleteAlarmChannel(ctx, o.Key)
	}
	return job.Errorf(job.Invalid, "%q is no kind of document", o.Kind)
}

// carryGroup creates a group, or updates it to match the document.
func carryGroup(ctx context.Context, c *client.Client, step manifest.Step) (int64, error) {
	if step.Verb == manifest.VerbCreate {
		wanted := api.NewGroup{Key: step.Object.Key}
		if err := step.Object.As(&wanted); err != nil {
			return 0, err
		}
		g, err := c.CreateGroup(ctx, wanted)
		return g.Version, err
	}
	var wanted api.GroupDefinition
	if err := step.Object.As(&wanted); err != nil {
		return 0, err
	}
	if wanted.Labels == nil {
		wanted.Labels = map[string]string{} // remove existing ones
	}
	g, err := c.EditGroup(ctx, step.Object.Key, api.GroupPatch{
		Version: step.Version, Title: &wanted.Title, Labels: wanted.Labels, OwnTokenOnly: &wanted.OwnTokenOnly,
	})
	return g.Version, err
}

func carryJob(ctx context.Context, c *client.Client, step manifest.Step) (int64, error) {
	key := step.Object.Key
	var j api.Job
	var err error
	switch step.Verb {
	case manifest.VerbCreate:
		var wanted api.NewJob
		if err := step.Object.As(&wanted); err != nil {
			return 0, err
		}
		wanted.Namespace, wanted.Key = step.Object.Namespace, key
		j, err = c.CreateJob(ctx, wanted)
	case manifest.VerbStart:
		j, err = c.StartJob(ctx, key)
	case manifest.VerbStop:
		j, err = c.StopJob(ctx, key)
	case manifest.VerbChange, manifest.VerbLink, manifest.VerbDelete:
		j, err = c.UpdateJob(ctx, key, step.Version, step.Patch)
	}
	return j.Version, err
}

func carryRule(ctx context.Context, c *client.Client, step manifest.Step) (int64, error) {
	if step.Verb != manifest.VerbCreate {
		r, err := c.UpdateAlarmRule(ctx, step.Object.Key, step.Version, step.Patch)
		return r.Version, err
	}
	var wanted api.NewAlarmRule
	if err := step.Object.As(&wanted); err != nil {
		return 0, err
	}
	wanted.Namespace, wanted.Key = step.Object.Namespace, step.Object.Key
	r, err := c.CreateAlarmRule(ctx, wanted)
	return r.Version, err
}

// carryChannel sends a channel with the secrets that a step names, read from the
// environment.
func (s *Server) carryChannel(ctx context.Context, c *client.Client, step manifest.Step) (int64, error) {
	values := map[string]any{}
	given := map[string]string{}
	for name, variable := range step.Secrets {
		values[name] = nil
		if variable != "" {
			values[name], given[name] = s.Getenv(variable), s.Getenv(variable)
		}
	}
	if step.Verb != manifest.VerbCreate {
		patch := step.Patch
		if len(values) > 0 {
			patch = map[string]any{"secrets": values}
			maps.Copy(patch, step.Patch)
		}
		changed, err := c.UpdateAlarmChannel(ctx, step.Object.Key, step.Version, patch)
		return changed.Version, err
	}
	var wanted api.NewAlarmChannel
	if err := step.Object.As(&wanted); err != nil {
		return 0, err
	}
	wanted.Namespace, wanted.Key, wanted.Secrets = step.Object.Namespace, step.Object.Key, given
	made, err := c.CreateAlarmChannel(ctx, wanted)
	return made.Version, err
}
