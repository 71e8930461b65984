package alarm

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/orthd/orth/job"
)

// Limits of definitions, over all namespaces together, and of their values.
const (
	MaxRules        = 500
	MaxChannelsKept = 200
	MaxSilences     = 500
	MaxPerMinute    = 600
	MaxCount        = 1_000_000
)

// MinFor is the shortest duration in a rule.
const MinFor = time.Second

// Check returns an error that names the invalid field of a rule. It does not check that the
// channels exist.
func (r *Rule) Check() error {
	return firstOf(
		job.CheckKey("namespace", r.Namespace),
		job.CheckKey("key", r.Key),
		checkText("title", r.Title, MaxTitle),
		r.checkKinds(),
		r.Scope.check(),
		oneOf("severity", r.Severity, append(Severities(), "")),
		r.checkNumbers(),
		checkChannels("channels", r.Channels, 1),
		oneOf("group_by", r.GroupBy, []GroupBy{ByJob, ByPool, ByRule, ""}),
		r.checkTimes(),
		r.checkSteps(),
	)
}

// checkKinds checks the kinds, and that they fit the scope and each other.
func (r *Rule) checkKinds() error {
	if err := checkKinds("kinds", r.Kinds, 1); err != nil {
		return err
	}
	if slices.Contains(r.Kinds, KindStreak) && slices.Contains(r.Kinds, KindBacklog) {
		return job.FieldErrorf("kinds", "%s and %s both use count: create a rule for each", KindStreak, KindBacklog)
	}
	if i := slices.IndexFunc(r.Kinds, Kind.OfGroup); i >= 0 && (len(r.Scope.Jobs) > 0 || len(r.Scope.Labels) > 0) {
		return job.FieldErrorf("kinds", "%s applies to a group of executors, but scope names jobs or labels: name groups only, "+
			"or create a separate rule for it", r.Kinds[i])
	}
	if slices.Contains(r.Kinds, KindSlow) && r.Longer == 0 && r.Factor == 0 {
		return job.FieldErrorf("longer", "is missing: %s needs longer (a duration), factor (a multiple of the usual duration), or both", KindSlow)
	}
	return nil
}

func (r *Rule) checkNumbers() error {
	return firstOf(
		within("count", r.Count, MaxCount),
		within("percent", r.Percent, 100),
		within("min_runs", r.MinRuns, MaxCount),
		checkFactor(r.Factor),
	)
}

func checkFactor(factor float64) error {
	if factor == 0 || factor >= 1.1 && factor <= 100 { // NaN satisfies neither
		return nil
	}
	return job.FieldErrorf("factor", "must be from 1.1 to 100")
}

func (r *Rule) checkTimes() error {
	for _, d := range []struct {
		field string
		value time.Duration
	}{
		{"window", r.Window}, {"longer", r.Longer}, {"within", r.Within}, {"for", r.For}, {"wait", r.Wait}, {"interval", r.Interval},
	} {
		if err := checkFor(d.field, d.value); err != nil {
			return err
		}
	}
	if r.Repeat == Never {
		return nil
	}
	return checkFor("repeat", r.Repeat)
}

func (r *Rule) checkSteps() error {
	if len(r.Escalation) > MaxSteps {
		return job.FieldErrorf("escalation", "has %d steps, at most %d are allowed", len(r.Escalation), MaxSteps)
	}
	for i, step := range r.Escalation {
		field := "escalation[" + strconv.Itoa(i) + "]"
		if step.After == 0 {
			return job.FieldErrorf(field+".after", "is missing")
		}
		if i > 0 && step.After <= r.Escalation[i-1].After {
			return job.FieldErrorf(field+".after", "must be longer than in the previous step")
		}
		if err := firstOf(checkFor(field+".after", step.After), checkChannels(field+".channels", step.Channels, 1)); err != nil {
			return err
		}
	}
	return nil
}

// check returns an error that names the invalid field of a scope.
func (s *Scope) check() error {
	if err := checkPatterns("scope.jobs", s.Jobs, job.CheckKey); err != nil {
		return err
	}
	if err := checkPatterns("scope.groups", s.Groups, job.CheckGroup); err != nil {
		return err
	}
	return job.CheckLabels("scope.labels", s.Labels)
}

// checkPatterns checks keys that may end in a *.
func checkPatterns(field string, patterns []string, check func(field, key string) error) error {
	if len(patterns) > MaxScope {
		return job.FieldErrorf(field, "are %d, at most %d are allowed", len(patterns), MaxScope)
	}
	for _, pattern := range patterns {
		start, open := strings.CutSuffix(pattern, "*")
		if open {
			start += "x" // any start of a key is a key then
		}
		if check(field, start) != nil {
			return job.FieldErrorf(field, "%q is not a key: use a key, such as billing, or a prefix, such as billing-*", pattern)
		}
	}
	return nil
}

// Check returns an error that names the invalid field of a channel. It does not check the
// settings that the kind requires.
func (c *Channel) Check() error {
	if err := firstOf(
		job.CheckKey("namespace", c.Namespace),
		job.CheckKey("key", c.Key),
		checkText("title", c.Title, MaxTitle),
		oneOf("kind", c.Kind, ChannelKinds()),
		oneOf("language", c.Language, []string{English, Chinese, ""}),
		within("per_minute", c.PerMinute, MaxPerMinute),
		checkTemplate("template.title", c.Template.Title),
		checkTemplate("template.text", c.Template.Text),
		checkPairs("settings", c.Settings),
		checkPairs("secrets", c.Secrets),
	); err != nil {
		return err
	}
	if c.Default && c.Kind != Email {
		return job.FieldErrorf("default", "is allowed only for channels of kind %s: jobs name e-mail addresses", Email)
	}
	return nil
}

// Limits of a channel's settings and secrets.
const (
	maxPairs = 32
	maxPair  = 16 << 10 // bytes of a value
)

// checkPairs checks settings or secrets. Its errors do not contain the values.
func checkPairs(field string, pairs map[string]string) error {
	if len(pairs) > maxPairs {
		return job.FieldErrorf(field, "are %d, at most %d are allowed", len(pairs), maxPairs)
	}
	for name, value := range pairs {
		if err := job.CheckKey(field, name); err != nil {
			return err
		}
		if len(value) > maxPair || !utf8.ValidString(value) || strings.ContainsRune(value, 0) {
			return job.FieldErrorf(field+"."+name, "must be text of at most %d bytes", maxPair)
		}
	}
	return nil
}

func checkTemplate(field, text string) error {
	if len(text) > MaxTemplate || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return job.FieldErrorf(field, "must be text of at most %d bytes", MaxTemplate)
	}
	return nil
}

// checkKinds checks a list of kinds: each is known and unique.
func checkKinds(field string, kinds []Kind, least int) error {
	if len(kinds) < least {
		return job.FieldErrorf(field, "are missing: name at least one of %s", list(Kinds()))
	}
	for i, kind := range kinds {
		if !kind.Known() {
			return job.FieldErrorf(field, "%q must be one of %s", kind, list(Kinds()))
		}
		if slices.Contains(kinds[:i], kind) {
			return job.FieldErrorf(field, "names %s twice", kind)
		}
	}
	return nil
}

// checkChannels checks a list of keys: each is valid and unique.
func checkChannels(field string, keys []string, least int) error {
	switch {
	case len(keys) < least:
		return job.FieldErrorf(field, "are missing: name at least one")
	case len(keys) > MaxChannels:
		return job.FieldErrorf(field, "are %d, at most %d are allowed", len(keys), MaxChannels)
	}
	for i, key := range keys {
		if err := job.CheckKey(field, key); err != nil {
			return err
		}
		if slices.Contains(keys[:i], key) {
			return job.FieldErrorf(field, "names %s twice", key)
		}
	}
	return nil
}

// checkText checks a one-line text.
func checkText(field, text string, most int) error {
	if utf8.RuneCountInString(text) > most || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return job.FieldErrorf(field, "must be one line of at most %d characters", most)
	}
	return nil
}

// checkFor checks a duration. Zero means the default.
func checkFor(field string, d time.Duration) error {
	if d == 0 || d >= MinFor && d <= MaxFor && d%time.Millisecond == 0 {
		return nil
	}
	return job.FieldErrorf(field, "%s must be from %s to %d days, in whole milliseconds", d, MinFor, MaxFor/(24*time.Hour))
}

// within checks a number. Zero means the default.
func within(field string, n, most int) error {
	if n < 0 || n > most {
		return job.FieldErrorf(field, "%d must be from 1 to %d", n, most)
	}
	return nil
}

func oneOf[T ~string](field string, value T, allowed []T) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	named := slices.DeleteFunc(slices.Clone(allowed), func(word T) bool { return word == "" })
	if value == "" {
		return job.FieldErrorf(field, "is missing: use one of %s", list(named))
	}
	return job.FieldErrorf(field, "%q must be one of %s", value, list(named))
}

func list[T ~string](words []T) string {
	texts := make([]string, len(words))
	for i, word := range words {
		texts[i] = string(word)
	}
	return strings.Join(texts, ", ")
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
