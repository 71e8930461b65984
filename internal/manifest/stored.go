package manifest

import (
	"slices"

	"github.com/orthd/orth/api"
)

// FromJob returns a job of a server as an object, without children whose jobs are
// gone.
func FromJob(j api.Job) (Object, error) {
	spec, err := specOf(KindJob, j)
	if err != nil {
		return Object{}, err
	}
	eachSchedule(spec, func(s map[string]any) {
		if kind := s["kind"]; s["dst"] == nil && (kind == "cron" || kind == "daily") {
			s["dst"] = map[string]any{} // a schedule of before there were rules: what they leave out
		}
		if s["delay"] != nil {
			delete(s, "at") // what the delay came to when the job was started
		}
	})
	if children, ok := spec[fieldChildren].([]any); ok {
		spec[fieldChildren] = slices.DeleteFunc(children, func(child any) bool {
			fields, _ := child.(map[string]any)
			return fields[fieldKey] == nil // its job is gone
		})
	}
	spec[fieldEnabled] = j.Enabled
	return Object{Kind: KindJob, Namespace: j.Namespace, Key: j.Key, Version: j.Version, Spec: normal(KindJob, spec)}, nil
}

// FromGroup returns a group of a server as an object, without its executors, tokens
// and addresses.
func FromGroup(g api.GroupFigures) (Object, error) {
	spec, err := specOf(KindGroup, g)
	return Object{Kind: KindGroup, Namespace: g.Namespace, Key: g.Key, Version: g.Version, Spec: normal(KindGroup, spec)}, err
}

// FromCalendar returns a calendar of a server, with its days, as an object.
func FromCalendar(c api.Calendar) (Object, error) {
	spec, err := specOf(KindCalendar, c)
	return Object{Kind: KindCalendar, Namespace: c.Namespace, Key: c.Key, Version: c.Version, Spec: normal(KindCalendar, spec)}, err
}

// FromWorkflow returns a workflow of a server, with its nodes, as an object.
func FromWorkflow(w api.Workflow) (Object, error) {
	spec, err := specOf(KindWorkflow, w)
	return Object{Kind: KindWorkflow, Namespace: w.Namespace, Key: w.Key, Version: w.Version, Spec: normal(KindWorkflow, spec)}, err
}

// FromPause returns a pause of a server as an object.
func FromPause(p api.Pause) (Object, error) {
	spec, err := specOf(KindPause, p)
	return Object{Kind: KindPause, Key: p.Key, Version: p.Version, Spec: normal(KindPause, spec)}, err
}

// FromAlarmRule returns a rule of a server as an object.
func FromAlarmRule(r api.AlarmRule) (Object, error) {
	spec, err := specOf(KindAlarmRule, r)
	return Object{Kind: KindAlarmRule, Namespace: r.Namespace, Key: r.Key, Version: r.Version, Spec: normal(KindAlarmRule, spec)}, err
}

// FromAlarmChannel returns a channel of a server as an object, with the names of
// its secrets.
func FromAlarmChannel(c api.AlarmChannel) (Object, error) {
	spec, err := specOf(KindAlarmChannel, c)
	delete(spec, fieldSecrets)
	o := Object{Kind: KindAlarmChannel, Namespace: c.Namespace, Key: c.Key, Version: c.Version, Spec: normal(KindAlarmChannel, spec)}
	for _, name := range c.Secrets {
		if o.Secrets == nil {
			o.Secrets = map[string]string{}
		}
		o.Secrets[name] = Variable(c.Key, name)
	}
	return o, err
}

// specOf returns of what the API shows the fields that documents of a kind have.
func specOf(kind Kind, shown any) (map[string]any, error) {
	fields := map[string]any{}
	if err := reread(shown, &fields); err != nil {
		return nil, err
	}
	spec := make(map[string]any, len(fields))
	for _, m := range membersOf(shapeOf(kind).spec) {
		if value, ok := fields[m.name]; ok {
			spec[m.name] = value
		}
	}
	return spec, nil
}

// NewJob returns a job to be created as an object. Whether it is enabled is left
// alone.
func NewJob(namespace, key string, j api.NewJob) (Object, error) {
	spec, err := specOf(KindJob, j)
	delete(spec, fieldEnabled)
	return Object{Kind: KindJob, Namespace: namespace, Key: key, Spec: normal(KindJob, spec)}, err
}
