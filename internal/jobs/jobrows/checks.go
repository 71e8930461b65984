package jobrows

import (
	"cmp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// MaxDelay bounds the delay of a run made by hand.
const MaxDelay = 30 * 24 * time.Hour

// CheckText reports a text that a database or an executor cannot keep as it is.
func CheckText(field, text string) error {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return job.FieldErrorf(field, "must be valid UTF-8 without NUL characters")
	}
	return nil
}

// CheckParam reports what is wrong with the parameter of a job.
func CheckParam(param string) error {
	if len(param) > job.MaxParam {
		return job.FieldErrorf("param", "has %d bytes, at most %d are allowed", len(param), job.MaxParam)
	}
	return CheckText("param", param)
}

// CheckAnyParam reports what is wrong with the parameter of runs of many jobs: what it
// means to each of them is found out when its task is sent.
func CheckAnyParam(param string) error {
	return cmp.Or(CheckParam(param), job.CheckNoSecrets("param", param))
}

// CheckInstant refuses an instant, unless it is zero, that no schedule knows.
func CheckInstant(field string, at time.Time) error {
	if year := at.UTC().Year(); !at.IsZero() && (year < schedule.MinYear || year > schedule.MaxYear) {
		return job.FieldErrorf(field, "the year %d is out of range; allowed are the years %d-%d", year, schedule.MinYear, schedule.MaxYear)
	}
	return nil
}
