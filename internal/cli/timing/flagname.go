package timing

import (
	"slices"
	"strings"
)

// FlagOf returns the flag of a field, "" for a field with several flags. A name that is
// not an API field, such as a path, stays unchanged.
func FlagOf(field string) string {
	if rest, ok := strings.CutPrefix(field, "schedule.of["); ok {
		if _, member, ok := strings.Cut(rest, "]."); ok {
			field = "schedule." + member
		}
	}
	at := slices.IndexFunc(flagWords[:], func(row [2]string) bool { return row[0] == field })
	if at >= 0 {
		return flagWords[at][1]
	}
	for _, pair := range [...][2]string{{"settings.", "--set "}, {"secrets.", "--secret "}} { // fields of a channel
		if name, of := strings.CutPrefix(field, pair[0]); of {
			return pair[1] + name
		}
	}
	if strings.HasPrefix(field, "-") || strings.ContainsAny(field, `./\`) {
		return field
	}
	return "--" + strings.ReplaceAll(field, "_", "-")
}

// flagWords maps fields to flags with other names.
var flagWords = [...][2]string{
	{"", ""},
	{"body", ""},
	{"schedule", ""},
	{"key", "KEY"},
	{"id", "ID"},
	{"version", "--if-version"},
	{"schedule.kind", ""},
	{"schedule.of", ""},
	{"schedule.cron", "--cron"},
	{"schedule.daily", "--daily"},
	{"schedule.every", "--every"},
	{"schedule.after", "--after"},
	{"schedule.at", "--at"},
	{"schedule.delay", "--in"},
	{"schedule.zone", "--zone"},
	{"schedule.dst", "--dst"},
	{"schedule.start", "--from"},
	{"schedule.end", "--until"},
	{"schedule.count", "--count"},
	{"schedule.jitter", "--jitter"},
	{"schedule.calendars", "--calendar"},
	{"schedule.excluded", "--excluded"},
	{"addresses", "--address"},
	{"delivery.priority", "--priority"},
	{"delivery.expire_after", "--expire-after"},
	{"delivery.deadline", "--deadline"},
	{"delivery.selector", "--select"},
	{"delivery.keep_for", "--keep-for"},
	{"delivery.keep_runs", "--keep-runs"},
	{"alarm_emails", "--alarm-email"},
	{"inputs", "--input"},
	{"logs.off", "--logs"},
	{"logs.keep_for", "--keep-logs-for"},
	{"logs.max_bytes", "--max-log"},
	{"misfire_limits.threshold", "--misfire-threshold"},
	{"misfire_limits.window", "--misfire-window"},
	{"misfire_limits.max", "--misfire-max"},
	{"misfire_limits.spacing", "--misfire-spacing"},
	{"window.cron", "--cron"},
	{"window.zone", "--zone"},
	{"window.for", "--for"},
	{"groups", "--group"},
	{"channels", "--channel"},
	{"text", "--file"},
	{"value", "the value"},
	{"handler.name", "--handler"},
	{"handler.source", "--shell"},
	{"retry.tries", "--retries"},
	{"retry.initial", "--retry-delay"},
	{"retry.multiplier", "--retry-multiplier"},
	{"retry.max", "--retry-max"},
	{"retry.jitter", "--retry-jitter"},
	{"children", "--child"},
	{"nodes", "nodes"},
	{"enabled", "--enable"},
	{"longer", "--longer-than"},
	{"recovered", "--notify-resolved"},
	{"length", "--duration"},
	{"shipped", "--builtin"},
	{"final", "--permanent"},
}
