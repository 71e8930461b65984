package job

import (
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Limits of what is stored. Larger input is refused, larger output is cut with
// a visible mark.
const (
	MaxKey         = 64        // bytes of a key
	MaxTitle       = 200       // characters of a title
	MaxDescription = 4000      // characters of a job's description
	MaxParam       = 64 << 10  // bytes of a parameter
	MaxSource      = 512 << 10 // bytes of a script
	MaxChildren    = 32
	// MaxChildParam bounds the bytes of a child's template: all of them are read at each
	// end of a run.
	MaxChildParam = 4 << 10
	// MaxConcurrency is the limit of the Java Orth's protocol too.
	MaxConcurrency = 64
	MaxStopAfter   = 1000
	// MaxHold is how long before its time an executor may accept a task.
	MaxHold       = time.Second
	MaxAddresses  = 64
	MaxLabels     = 16
	MaxLabelKey   = 64  // bytes
	MaxLabelValue = 100 // bytes; all labels fit a header of 8 KiB, which Java peers read at most
	MaxFeatures   = 32
	MaxFeature    = 64 // bytes
	// MaxHandlers is the handler names that an executor announces.
	MaxHandlers    = 500
	MaxHandlerName = 255 // bytes, as XXL-JOB's column has
	// MaxMessage is the characters of an outcome's message that a server
	// keeps; the run log has the rest. The old admins' column has this size.
	MaxMessage = 15000
	// MaxAlarmEmails is the addresses that a job may name for its alarms.
	MaxAlarmEmails = 16
)

var keyPattern = regexp.MustCompile(`^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$`)

// CheckKey reports what is wrong with a key: 1..64 bytes of lower-case
// letters, digits, dot, dash and underscore, with a letter or digit at each
// end. field names the input in the error.
func CheckKey(field, key string) error {
	switch {
	case key == "":
		return FieldErrorf(field, "is missing")
	case len(key) > MaxKey:
		return FieldErrorf(field, "has %d characters, at most %d are allowed", len(key), MaxKey)
	case !keyPattern.MatchString(key):
		return FieldErrorf(field,
			"%q must be lower-case letters, digits, '.', '-' or '_', with a letter or digit at each end", key)
	}
	return nil
}

var groupPattern = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`)

// CheckGroup reports what is wrong with a group's key. It is like [CheckKey],
// and capital letters are allowed: the key is the app name that executors of
// the family register with.
func CheckGroup(field, key string) error {
	switch {
	case key == "":
		return FieldErrorf(field, "is missing")
	case len(key) > MaxKey:
		return FieldErrorf(field, "has %d characters, at most %d are allowed", len(key), MaxKey)
	case !groupPattern.MatchString(key):
		return FieldErrorf(field,
			"%q must be letters, digits, '.', '-' or '_', with a letter or digit at each end", key)
	}
	return nil
}

// CheckLabels reports what is wrong with labels: at most [MaxLabels], keys as
// [CheckKey] wants them, values of valid UTF-8 without control characters.
func CheckLabels(field string, labels map[string]string) error {
	if len(labels) > MaxLabels {
		return FieldErrorf(field, "are %d, at most %d are allowed", len(labels), MaxLabels)
	}
	for key, value := range labels {
		if err := CheckKey(field, key); err != nil {
			return err
		}
		if len(value) > MaxLabelValue {
			return FieldErrorf(field, "%s has %d bytes, at most %d are allowed", key, len(value), MaxLabelValue)
		}
		if !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl) {
			return FieldErrorf(field, "the value of %s must be text without control characters", key)
		}
	}
	return nil
}

// CutMark ends a text that was cut.
const CutMark = "… [cut]"

// Clean makes text fit for storage: invalid UTF-8 and NUL become U+FFFD, and a
// text of more than limit characters is cut and ends in [CutMark].
func Clean(text string, limit int) string { return CleanTo(text, limit, CutMark) }

// CleanTo is Clean with a mark of the caller's, which must be shorter than the limit.
func CleanTo(text string, limit int, mark string) string {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	if strings.ContainsRune(text, 0) {
		text = strings.ReplaceAll(text, "\x00", "\uFFFD")
	}
	if len(text) <= limit || utf8.RuneCountInString(text) <= limit {
		return text
	}
	keep := limit - utf8.RuneCountInString(mark)
	seen := 0
	for i := range text {
		if seen == keep {
			return text[:i] + mark
		}
		seen++
	}
	return text
}
