package process

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// usual are the variables that programs cannot do without and that hold no
// secrets. Those of Windows are found in any case there.
func usual() []string {
	return []string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR",
		"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP",
		"USERNAME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES",
	}
}

// Inherited returns the part of this process's environment that children may
// see: PATH, HOME and their like, the locale's, and those named in keep.
func Inherited(keep []string) []string { return inherited(os.Environ(), append(usual(), keep...)) }

func inherited(all, allowed []string) []string {
	var env []string
	for _, variable := range all {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, "LC_") || slices.ContainsFunc(allowed, func(a string) bool {
			return sameName(a, name)
		}) {
			env = append(env, variable)
		}
	}
	return env
}

// without returns env less the named variables.
func without(env []string, names ...string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.ContainsFunc(names, func(n string) bool { return sameName(n, name) })
	})
}

// Facts are the variables that describe the run to a child.
type Facts struct {
	JobID, AttemptID int64
	RunID            int64 // 0: not set
	Try              int   // 0: not set
	Param            string
	PlannedAt        time.Time // zero: set to empty
	TriggeredAt      time.Time // zero: set to empty
	Deadline         time.Time // zero: not set
	ShardIndex       int
	ShardTotal       int
	Labels           map[string]string
	Trace            string         // the trace context; empty: not set
	Zone             *time.Location // of the times; nil is time.Local
}

// Environ returns the facts as variables. The names without JOB in them are
// those of scripts written before there were the others.
func (f Facts) Environ() []string {
	attempt := strconv.FormatInt(f.AttemptID, 10)
	planned, triggered := f.instant(f.PlannedAt), f.instant(f.TriggeredAt)
	index, total := strconv.Itoa(f.ShardIndex), strconv.Itoa(f.ShardTotal)
	env := []string{
		"ORTH_JOB_ID=" + strconv.FormatInt(f.JobID, 10),
		"ORTH_JOB_PARAM=" + nulFree(f.Param),
		"ORTH_JOB_LOG_ID=" + attempt, "ORTH_LOG_ID=" + attempt,
		"ORTH_JOB_SCHEDULE_TIME=" + planned, "ORTH_SCHEDULE_TIME=" + planned,
		"ORTH_JOB_TRIGGER_TIME=" + triggered, "ORTH_TRIGGER_TIME=" + triggered,
		"ORTH_JOB_SHARD_INDEX=" + index, "ORTH_SHARD_INDEX=" + index,
		"ORTH_JOB_SHARD_TOTAL=" + total, "ORTH_SHARD_TOTAL=" + total,
	}
	if f.RunID != 0 {
		env = append(env, "ORTH_JOB_RUN_ID="+strconv.FormatInt(f.RunID, 10))
	}
	if f.Try != 0 {
		env = append(env, "ORTH_JOB_TRY="+strconv.Itoa(f.Try))
	}
	if !f.Deadline.IsZero() {
		env = append(env, "ORTH_JOB_DEADLINE="+f.instant(f.Deadline))
	}
	if f.Trace != "" {
		env = append(env, "TRACEPARENT="+nulFree(f.Trace))
	}
	for key, value := range f.Labels {
		env = append(env, "ORTH_LABEL_"+labelName(key)+"="+nulFree(value))
	}
	return env
}

// instant writes a time for `date -d` and its like: RFC 3339, with fractions
// of a second only when there are any. Empty for none.
func (f Facts) instant(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	zone := f.Zone
	if zone == nil {
		zone = time.Local
	}
	return at.In(zone).Format("2006-01-02T15:04:05.999Z07:00")
}

// labelName writes a label's key as the name of a variable.
func labelName(key string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, key)
}

// nulFree ends a text at its first NUL, as a variable cannot hold one.
func nulFree(text string) string {
	text, _, _ = strings.Cut(text, "\x00")
	return text
}
