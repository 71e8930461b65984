package importer

import (
	"bytes"
	"cmp"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// Crontab converts the jobs of a crontab. system means that it has a user column, like
// /etc/crontab. It is Invalid when the text is too large or not text, or an option is
// wrong. An invalid line is skipped with a note.
func Crontab(text []byte, system bool, o Options) (Imported, error) {
	if err := o.check(); err != nil {
		return Imported{}, err
	}
	if len(text) > MaxSize {
		return Imported{}, job.Errorf(job.Invalid, "it is larger than %d MiB", MaxSize>>20)
	}
	if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		return Imported{}, job.Errorf(job.Invalid, "it is no text in UTF-8")
	}
	text = bytes.TrimPrefix(text, bom)
	if bytes.IndexByte(text, '\r') >= 0 && bytes.IndexByte(text, '\n') < 0 {
		return Imported{}, job.Errorf(job.Invalid, "its lines end with carriage returns alone: write it with line feeds")
	}
	t := table{importing: importing{Options: o}, system: system, shell: posixShell, zone: o.Zone}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		t.parseLine(number, strings.TrimSpace(line))
		if err := t.checkScripts(number); err != nil {
			return Imported{}, err
		}
	}
	return t.result(), nil
}

// posixShell is the default shell of a crontab.
const posixShell = "/bin/sh"

// table is the state of a parsed crontab.
type table struct {
	importing

	system  bool
	shell   string
	zone    string
	env     []string // names and values, in the order of the table
	comment string   // the comment above the line
	zoned   bool     // the missing zone was noted
}

// parseLine parses one line.
func (t *table) parseLine(number int, line string) {
	comment := t.comment
	t.comment = ""
	switch {
	case line == "":
	case strings.HasPrefix(line, "#"):
		if text := strings.TrimSpace(strings.TrimLeft(line, "#")); !looksLikeEntry(text) && !strings.Contains(text, "dom mon dow") {
			t.comment = text
		}
	case t.assignment(number, line):
	default:
		t.entry(number, line, comment)
	}
}

// looksLikeEntry reports whether a comment is a disabled entry, and so not the title of the
// next one.
func looksLikeEntry(text string) bool {
	fields := strings.Fields(text)
	if len(fields) > 1 && strings.HasPrefix(text, "@") {
		return true
	}
	if len(fields) < 6 {
		return false
	}
	for _, f := range fields[:3] {
		if strings.Trim(f, "0123456789*/,-") != "" {
			return false
		}
	}
	return true
}

// assignment parses NAME = value, and reports false for anything else.
func (t *table) assignment(number int, line string) bool {
	name, value, found := strings.Cut(line, "=")
	name = strings.TrimSpace(name)
	if len(name) > 1 && (name[0] == '"' || name[0] == '\'') && name[len(name)-1] == name[0] {
		name = name[1 : len(name)-1]
	}
	if !found || !isVariable(name) {
		return false
	}
	value = strings.TrimSpace(value)
	if len(value) > 1 && (value[0] == '"' || value[0] == '\'') && value[len(value)-1] == value[0] {
		value = value[1 : len(value)-1]
	}
	switch name {
	case "SHELL":
		t.shell = cmp.Or(value, posixShell)
		return true
	case "MAILTO", "MAILFROM":
		if value != "" {
			t.addNote(number, "", "mail-left-out", "%s is not taken over: what jobs write is in their logs, and alarms tell of failures", name)
		}
		return true
	case "CRON_TZ":
		t.zone = value
		return true
	case "RANDOM_DELAY":
		t.addNote(number, "", "random-delay", "RANDOM_DELAY is not taken over: give jobs a jitter")
		return true
	case "LOGNAME", "USER":
		t.addNote(number, "", "user-variable", "%s is not taken over: jobs run as the user of the executor", name)
		return true
	case "TZ":
		t.addNote(number, "", "tz-no-zone", "TZ is handed to the commands and does not move the schedule: CRON_TZ does")
	}
	t.setVariable(name, value)
	return true
}

func (t *table) setVariable(name, value string) {
	for i := 0; i < len(t.env); i += 2 {
		if t.env[i] == name {
			t.env[i+1] = value
			return
		}
	}
	if len(t.env) < 2*100 {
		t.env = append(t.env, name, value)
	}
}

// entry parses a schedule and its command.
func (t *table) entry(number int, line, comment string) {
	when, rest, ok := t.parseSchedule(number, line)
	if !ok {
		return
	}
	user := ""
	if t.system {
		user, rest = firstField(rest)
	}
	command, input, piped := percent(rest)
	if command == "" {
		t.addNote(number, "", "no-command", "it is left out: there is no command in it%s", hintOfUser(t.system))
		return
	}
	key := t.uniqueKey(nameOf(command))
	if user != "" && user != "root" {
		t.addNote(number, key, "ran-as", "it ran as %s: here it runs as the user of the executor", shellQuote(user))
	}
	if user == "root" {
		t.addNote(number, key, "ran-as-root", "it ran as root: here it runs as the user of the executor")
	}
	if t.zone == "" && !t.zoned {
		t.zoned = true
		t.addNote(number, "", "no-zone-machine", "the table names no time zone, and means that of its machine: here it is UTC; name another with --zone")
	}
	made := api.NewJob{Title: title(comment), Schedule: cronSchedule(when, t.zone)}
	made.Handler = api.Handler{Kind: job.HandlerShell, Source: t.script(command, input, piped)}
	t.addJob(number, namespaceOf(t.Namespace), key, made, true)
}

func hintOfUser(system bool) string {
	if system {
		return " behind the user"
	}
	return ""
}

// parseSchedule parses the schedule of a line, with a note when it is invalid.
func (t *table) parseSchedule(number int, line string) (when, rest string, ok bool) {
	if strings.HasPrefix(line, "@") {
		when, rest = firstField(line)
		if when = strings.ToLower(when); when == "@reboot" {
			t.addNote(number, "", "at-reboot", "it is left out: nothing fires at the start of a machine; trigger a job from its start-up instead")
			return "", "", false
		}
		return when, rest, true
	}
	rest = line
	var fields []string
	for range 5 {
		var field string
		if field, rest = firstField(rest); field == "" {
			t.addNote(number, "", "no-fields", "it is left out: it has no five fields and a command")
			return "", "", false
		}
		fields = append(fields, field)
	}
	return strings.Join(fields, " "), rest, true
}

// firstField returns the first word of a text, and the rest.
func firstField(text string) (field, rest string) {
	text = strings.TrimLeft(text, " \t")
	end := strings.IndexAny(text, " \t")
	if end < 0 {
		return text, ""
	}
	return text[:end], strings.TrimLeft(text[end:], " \t")
}

// percent splits a command at its first % without a backslash. The rest is its standard
// input, in which each further % is a line feed.
func percent(text string) (command, input string, piped bool) {
	var out [2]strings.Builder
	at := 0
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text) && text[i+1] == '%':
			out[at].WriteByte('%')
			i++
		case text[i] == '%' && at == 0:
			at = 1
		case text[i] == '%':
			out[at].WriteByte('\n')
		default:
			out[at].WriteByte(text[i])
		}
	}
	return strings.TrimSpace(out[0].String()), out[1].String(), at == 1
}

// script returns what the executor's shell runs.
func (t *table) script(command, input string, piped bool) string {
	var out strings.Builder
	for i := 0; i < len(t.env); i += 2 {
		out.WriteString("export " + t.env[i] + "=" + quoted(t.env[i+1]) + "\n")
	}
	if t.shell == posixShell && !piped {
		return out.String() + command + "\n"
	}
	out.WriteString("exec " + shellQuote(t.shell) + " -c " + quoted(command))
	if piped {
		end := "END"
		for n := 1; strings.Contains("\n"+input+"\n", "\n"+end+"\n"); n++ {
			end = "END" + strconv.Itoa(n)
		}
		out.WriteString(" <<'" + end + "'\n" + input + "\n" + end)
	}
	return out.String() + "\n"
}

// nameOf returns the name for a command: its program, without the directory.
func nameOf(command string) string {
	skip := false
	for field := range strings.FieldsSeq(command) {
		if skip {
			skip = false
			continue
		}
		name, _, set := strings.Cut(field, "=")
		switch field = strings.Trim(field, `"'();&|[]{}`); {
		case set && isVariable(name), field == "", strings.HasPrefix(field, "-"), strings.HasPrefix(field, "$"):
			continue
		case field == "cd":
			skip = true
			continue
		case strings.Trim(field, "0123456789smhd") == "", field == "test", field == "exec", field == "nice", field == "ionice", field == "sudo", field == "command",
			field == "env", field == "sh", field == "bash", field == "flock", field == "timeout":
			continue
		}
		base := path.Base(field)
		if dot := strings.LastIndexByte(base, '.'); dot > 0 {
			base = base[:dot]
		}
		if toKey(base) != "" {
			return base
		}
	}
	return "job"
}

func namespaceOf(name string) string {
	if name == "" {
		return job.DefaultNamespace
	}
	return name
}
