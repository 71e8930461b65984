package script

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/handler"
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

// environment is what a script sees: the allowed part of the executor's
// environment, and the task. The names without JOB in them are those of
// scripts written before there were the others.
func environment(c Config, t *handler.Task) []string {
	env := inherited(os.Environ(), append(usual(), c.Keep...))
	attempt := strconv.FormatInt(t.AttemptID, 10)
	planned, triggered := instant(t.PlannedAt, c.Zone), instant(t.TriggeredAt, c.Zone)
	index, total := strconv.Itoa(t.ShardIndex), strconv.Itoa(t.ShardTotal)
	return append(env,
		"ORTH_JOB_ID="+strconv.FormatInt(t.JobID, 10),
		"ORTH_JOB_PARAM="+t.Param,
		"ORTH_JOB_LOG_ID="+attempt, "ORTH_LOG_ID="+attempt,
		"ORTH_JOB_SCHEDULE_TIME="+planned, "ORTH_SCHEDULE_TIME="+planned,
		"ORTH_JOB_TRIGGER_TIME="+triggered, "ORTH_TRIGGER_TIME="+triggered,
		"ORTH_JOB_SHARD_INDEX="+index, "ORTH_SHARD_INDEX="+index,
		"ORTH_JOB_SHARD_TOTAL="+total, "ORTH_SHARD_TOTAL="+total,
	)
}

// inherited returns the variables whose names are allowed, and the locale's.
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

// instant writes a time for `date -d` and its like: RFC 3339, with fractions of
// a second only when there are any. Empty for none.
func instant(at time.Time, zone *time.Location) string {
	if at.IsZero() {
		return ""
	}
	return at.In(zone).Format("2006-01-02T15:04:05.999Z07:00")
}
