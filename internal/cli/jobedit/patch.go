package jobedit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// patchField maps a flag to the API field that it sets.
type patchField struct{ flag, field string }

// The fields of a job, and of its parts, that flags set.
var (
	fields = [...]patchField{
		{"rename", "key"},
		{"group", "group"},
		{"title", "title"},
		{"description", "description"},
		{"stop-after", "stop_after"},
		{"param", "param"},
		{kit.InputFlag, "inputs"},
		{"label", "labels"},
		{"template", "template"},
		{"template-version", "template_version"},
		{"route", "route"},
		{"shards", "shards"},
		{"overlap", "overlap"},
		{"concurrency", "concurrency"},
		{"overlap-scope", "overlap_scope"},
		{"overlap-queue", "overlap_queue"},
		{"timeout", "timeout"},
		{"on-crash", "on_crash"},
		{"misfire", "misfire"},
		{"child", "children"},
		{"alarm-email", "alarm_emails"},
	}
	lateFields = [...]patchField{
		{"misfire-threshold", "threshold"}, {"misfire-window", "window"}, {"misfire-max", "max"}, {"misfire-spacing", "spacing"},
	}
	retryFields = [...]patchField{
		{"retries", "tries"},
		{"retry-delay", "initial"},
		{"retry-multiplier", "multiplier"},
		{"retry-max", "max"},
		{"retry-jitter", "jitter"},
		{"retry-delays", "delays"},
		{"retry-on", "on"},
	}
	deliveryFields = [...]patchField{
		{"priority", "priority"},
		{"expire-after", "expire_after"},
		{"deadline", "deadline"},
		{"select", "selector"},
		{"keep-for", "keep_for"},
		{"keep-runs", "keep_runs"},
	}
	logFields = [...]patchField{
		{"logs", "off"},
		{"keep-logs-for", "keep_for"},
		{"max-log", "max_bytes"},
	}
	boundFields = [...]patchField{
		{"zone", "zone"},
		{"from", "start"},
		{"until", "end"},
		{kit.CountFlag, kit.CountFlag},
		{"jitter", "jitter"},
		{"calendar", "calendars"},
		{"excluded", "excluded"},
	}
	// kindFields are the fields that belong to one kind of schedule; dst is kept unless it is
	// given.
	kindFields = [...]string{"kind", "cron", "every", "after", "daily", "at", "delay", "of"}
)

// patch returns a JSON merge patch of the changed flags.
func (f *editFlags) patch(flags *pflag.FlagSet, present api.Job, stdin io.Reader) (map[string]any, error) {
	labels, err := f.labelled()
	if err != nil {
		return nil, err
	}
	if err := f.counted.check(flags); err != nil {
		return nil, err
	}
	children, err := f.kin()
	if err != nil {
		return nil, err
	}
	inputs, err := f.inputsOf()
	if err != nil {
		return nil, err
	}
	patch, err := picked(flags, fields[:], api.NewJob{
		Key: f.rename, Title: f.title, Description: f.description, Group: f.group, StopAfter: f.stopAfter, Param: f.param, Inputs: inputs, Labels: labels,
		Template: f.template.key, TemplateVersion: f.template.version, Route: job.Route(f.route.Word()), Shards: f.shards,
		Overlap: job.Overlap(f.overlap.Word()), Concurrency: f.concurrency,
		OverlapScope: job.OverlapScope(f.counted.scope.Word()), OverlapQueue: f.counted.queue, Timeout: api.Duration(f.timeout),
		OnCrash: job.OnCrash(f.onCrash.Word()), Misfire: schedule.Misfire(f.late.policy.Word()), Children: children,
		AlarmEmails: f.emails,
	})
	if err != nil {
		return nil, err
	}
	for _, part := range []struct {
		field string
		make  func() (any, error)
	}{
		{"schedule", func() (any, error) { return f.schedulePatch(flags, present.Schedule) }},
		{"misfire_limits", func() (any, error) { return f.latePatch(flags, present) }},
		{"retry", func() (any, error) { return f.retryPatch(flags, present.Retry) }},
		{"delivery", func() (any, error) { return f.deliveryPatch(flags) }},
		{"logs", func() (any, error) { return f.logsPatch(flags) }},
		{"handler", func() (any, error) { return f.codePatch(flags, stdin) }},
	} {
		value, err := part.make()
		if err != nil {
			return nil, err
		}
		if fields, ok := value.(map[string]any); !ok || len(fields) > 0 {
			patch[part.field] = value
		}
	}
	return patch, f.unset(patch)
}

// picked returns the fields of v whose flags were given, null for empty ones.
func picked(flags *pflag.FlagSet, fields []patchField, v any) (map[string]any, error) {
	all, err := asFields(v)
	if err != nil {
		return nil, err
	}
	out := make(map[string]any)
	for _, f := range fields {
		if flags.Changed(f.flag) {
			out[f.field] = all[f.field]
		}
	}
	return out, nil
}

// asFields returns the JSON fields of v.
func asFields(v any) (fields map[string]any, err error) {
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &fields)
	}
	return fields, err
}

func anyChanged(flags *pflag.FlagSet, fields []patchField) bool {
	return slices.ContainsFunc(fields, func(f patchField) bool { return flags.Changed(f.flag) })
}

// schedulePatch keeps the limits of the schedule unless a flag changes them, even when
// the kind of schedule changes.
func (f *editFlags) schedulePatch(flags *pflag.FlagSet, present api.Schedule) (map[string]any, error) {
	newKind := slices.ContainsFunc(kindFlags[:], flags.Changed)
	if !newKind && !flags.Changed("dst") && !anyChanged(flags, boundFields[:]) {
		return map[string]any{}, nil
	}
	clock := len(f.when.cron)+len(f.when.daily) > 0 || timing.NeedsZone(append([]string{f.when.from, f.when.until}, f.when.at...))
	if !flags.Changed("zone") && clock {
		f.when.zone = present.Zone
	}
	if newKind {
		when, err := f.when.schedule(flags)
		if err != nil {
			return nil, err
		}
		patch, err := picked(flags, boundFields[:], when)
		if err != nil {
			return nil, err
		}
		made, err := asFields(when)
		for _, field := range kindFields {
			patch[field] = made[field]
		}
		if made["dst"] != nil {
			patch["dst"] = made["dst"]
		}
		return patch, err
	}
	zone, err := timing.Zones{}.Load(f.when.zone)
	if err != nil {
		return nil, timing.ExplainCronError("", err)
	}
	when, err := f.when.bounds(flags, zone)
	if err != nil {
		return nil, err
	}
	patch, err := picked(flags, boundFields[:], when)
	if err != nil || f.when.dst == "" {
		return patch, err
	}
	if present.Kind != schedule.KindCron && present.Kind != schedule.KindDaily {
		return nil, output.Usagef("--dst requires --cron or --daily")
	}
	rules, err := timing.ParseDST(f.when.dst)
	if err != nil {
		return nil, timing.ExplainCronError("", err)
	}
	patch["dst"] = api.DST{Gap: rules.Gap, Overlap: rules.Overlap, Straight: rules.Straight}
	return patch, nil
}

func (f *editFlags) latePatch(flags *pflag.FlagSet, present api.Job) (map[string]any, error) {
	if !flags.Changed("misfire") {
		f.late.policy.Value = strings.ReplaceAll(string(present.Misfire), "_", "-")
	}
	limits, err := f.late.limits(flags)
	if err != nil {
		return nil, err
	}
	return picked(flags, lateFields[:], limits)
}

// retryPatch returns the changes of the retry policy, or null to remove it.
func (f *editFlags) retryPatch(flags *pflag.FlagSet, present api.Retry) (any, error) {
	if !anyChanged(flags, retryFields[:]) {
		return map[string]any{}, nil
	}
	if !flags.Changed("retries") && !flags.Changed("retry-delays") {
		f.retries = present.Tries
	}
	made, err := f.retry(flags)
	switch {
	case err != nil:
		return nil, err
	case made.Tries == 0:
		return json.RawMessage("null"), nil
	}
	all, err := asFields(made)
	if err != nil || present.Tries == 0 {
		return all, err
	}
	patch, err := picked(flags, retryFields[:], made)
	switch {
	case flags.Changed("retry-delays"):
		patch["tries"], patch["initial"], patch["multiplier"], patch["max"] = made.Tries, nil, nil, nil
	case flags.Changed("retry-delay") || flags.Changed("retry-multiplier") || flags.Changed("retry-max"):
		patch["delays"] = nil
	}
	return patch, err
}

func (f *editFlags) deliveryPatch(flags *pflag.FlagSet) (map[string]any, error) {
	waits, err := f.waits.delivery(flags)
	if err != nil {
		return nil, err
	}
	return picked(flags, deliveryFields[:], waits)
}

func (f *editFlags) logsPatch(flags *pflag.FlagSet) (map[string]any, error) {
	kept, err := f.logs.policy()
	if err != nil {
		return nil, err
	}
	return picked(flags, logFields[:], kept)
}

// codePatch returns the code of the flags, if any.
func (f *editFlags) codePatch(flags *pflag.FlagSet, stdin io.Reader) (map[string]any, error) {
	given := flags.Changed("handler")
	for i := range f.scripts {
		given = given || flags.Changed(f.scripts[i].name) || flags.Changed(f.scripts[i].file())
	}
	if !given {
		return map[string]any{}, nil
	}
	made, err := f.code(flags, stdin)
	if err != nil {
		return nil, err
	}
	fields, err := asFields(made)
	return map[string]any{"kind": fields["kind"], "name": fields["name"], "source": fields["source"]}, err
}

// unset adds the fields to reset to their defaults.
func (f *editFlags) unset(patch map[string]any) error {
	for _, name := range f.unsets {
		field := fieldWord(name)
		whole, part, nested := strings.Cut(field, ".")
		into := patch
		if nested {
			inner, ok := patch[whole].(map[string]any)
			if _, given := patch[whole]; given && !ok {
				return output.Usagef("--unset: %s is set by another flag", name)
			}
			if !ok {
				inner = make(map[string]any)
				patch[whole] = inner
			}
			into, whole = inner, part
		}
		if _, given := into[whole]; given {
			return output.Usagef("--unset: %s is set by another flag", name)
		}
		into[whole] = nil
	}
	return nil
}

// fieldWord returns the API field for a field name or a flag name.
func fieldWord(name string) string {
	for part, fields := range map[string][]patchField{
		"": fields[:], "misfire_limits.": lateFields[:], "retry.": retryFields[:], "delivery.": deliveryFields[:],
		"schedule.": boundFields[:], "logs.": logFields[:],
	} {
		for _, f := range fields {
			if f.flag == strings.TrimPrefix(name, "--") {
				return part + f.field
			}
		}
	}
	return name
}

// maxJobFile is the maximum size of a job file in bytes, as on the server.
const maxJobFile = 1 << 20

// readOnlyFields are job fields of the server that cannot be edited.
func readOnlyFields() []string {
	return []string{
		"id", "enabled", "stop_reason", "held_by", "fired", "failures", "next_at", "last_at", "created_at", "updated_at",
	}
}

// patchFile reads a patch, or a job as printed by the server, and its version; 0 when it
// has none.
func patchFile(path, key string, stdin io.Reader) (patch map[string]any, version int64, err error) {
	text, err := readJSON(path, stdin)
	if err != nil {
		return nil, 0, fmt.Errorf("--file: %w", err)
	}
	if err := json.Unmarshal(text, &patch); err != nil {
		return nil, 0, output.Usagef("--file: %s does not contain a job: %s", path, whyNot(err))
	}
	for _, name := range readOnlyFields() {
		delete(patch, name)
	}
	if of, ok := patch["key"].(string); ok && of != key {
		return nil, 0, output.Usagef("--file: %s contains job %s, not %s; use --rename to change the key of a job", path, of, key)
	}
	delete(patch, "key")
	if given, ok := patch["version"].(float64); ok {
		version = int64(given)
	}
	delete(patch, "version")
	return patch, version, nil
}

// whyNot describes a JSON decoding error in plain words.
func whyNot(err error) string {
	if shape, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		place := "at its start"
		if shape.Field != "" {
			place = "in " + shape.Field
		}
		return fmt.Sprintf("unexpected JSON %s %s", shape.Value, place)
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Sprintf("invalid JSON: %v at byte %d", syntax, syntax.Offset)
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

// changeFlag returns one of the given flags that change a job, "" when there is none.
func changeFlag(flags *pflag.FlagSet) string {
	for _, name := range changeFlags() {
		if flags.Changed(name) {
			return name
		}
	}
	return ""
}

// changeFlags returns the flags that change a job.
func changeFlags() []string {
	names := slices.Concat(kindFlags[:], []string{"dst", "unset", "handler"})
	for _, fields := range [][]patchField{fields[:], lateFields[:], retryFields[:], deliveryFields[:], logFields[:], boundFields[:]} {
		for _, f := range fields {
			names = append(names, f.flag)
		}
	}
	for _, s := range scriptFlags() {
		names = append(names, s.name, s.file())
	}
	return names
}
