package reason

import (
	_ "embed"
	"encoding/json"
	"regexp"
	"strings"
	"sync"
	"time"
)

const (
	// longest is the most bytes of a reason that is looked at: longer texts are of
	// programs.
	longest = 4 << 10
	// deepest is how many reasons may be within one another.
	deepest = 4
)

//go:embed reasons.json
var written []byte

// sentence is one that servers say, ready to be recognised.
type sentence struct {
	pattern *regexp.Regexp
	gaps    []string // the name of each group of the pattern; "[" for a part that may be missing
	chinese string
}

// sentences returns all of them, those that say more before those that say less.
var sentences = sync.OnceValue(func() []sentence {
	var groups []struct {
		Reasons []struct {
			English string `json:"en"`
			Chinese string `json:"zh-CN"`
		} `json:"reasons"`
	}
	if err := json.Unmarshal(written, &groups); err != nil {
		panic("reason: reasons.json is not what it was when this was built: " + err.Error())
	}
	var all []sentence
	for _, g := range groups {
		for _, r := range g.Reasons {
			pattern, gaps := patternOf(r.English)
			all = append(all, sentence{pattern, gaps, r.Chinese})
		}
	}
	return all
})

var (
	marks   = regexp.MustCompile(`\{\w+\}|\[|\]`)
	parts   = regexp.MustCompile(`\[[^\]]*\]|\{\w+\}`)
	inParts = regexp.MustCompile(`\{\w+\}`)
)

// patternOf returns the expression that the English of a sentence is: names in braces
// stand for what changes, and a part in brackets may be missing.
func patternOf(english string) (pattern *regexp.Regexp, gaps []string) {
	var b strings.Builder
	b.WriteString(`(?s)^`)
	rest := english
	for at := marks.FindStringIndex(rest); at != nil; at = marks.FindStringIndex(rest) {
		b.WriteString(regexp.QuoteMeta(rest[:at[0]]))
		switch mark := rest[at[0]:at[1]]; mark {
		case "[":
			gaps = append(gaps, mark)
			b.WriteString("(")
		case "]":
			b.WriteString(")?")
		default:
			name := strings.Trim(mark, "{}")
			gaps = append(gaps, name)
			b.WriteString("(" + shapeOf(name) + ")")
		}
		rest = rest[at[1]:]
	}
	b.WriteString(regexp.QuoteMeta(rest) + `$`)
	return regexp.MustCompile(b.String()), gaps
}

// shapeOf returns what may stand in a gap, where that is not just anything.
func shapeOf(name string) string {
	switch name {
	case "attempt", "before", "count", "id", "run", "total":
		return `[\d,]+`
	case "executor", "group":
		return `\S+`
	case "overlap", "policy":
		return `\w+`
	case "firings", "runs":
		return `\d+ \w+`
	case "end":
		return `was not ready|was \w+|timed[ _]out|\w+`
	}
	return `.+?`
}

// Chinese returns a reason in 简体中文, its times in UTC, and whether it is one that a
// server says. Any text may come, of any length; what is none of them is not returned.
func Chinese(text string) (said string, known bool) { return say(text, 0) }

func say(text string, depth int) (said string, known bool) {
	if len(text) > longest || depth > deepest {
		return "", false
	}
	for _, s := range sentences() {
		if found := s.pattern.FindStringSubmatchIndex(text); found != nil {
			return s.fill(text, found, depth), true
		}
	}
	return "", false
}

// fill puts what was found in the gaps of the English into those of the Chinese. All at
// once, so that brackets and braces of values stay what they are.
func (s *sentence) fill(text string, found []int, depth int) string {
	values := make(map[string]string, len(s.gaps))
	var there []bool
	for i, name := range s.gaps {
		from, to := found[2*i+2], found[2*i+3]
		switch {
		case name == "[":
			there = append(there, from >= 0)
		case from >= 0:
			values[name] = text[from:to]
		}
	}
	gap := func(name string) string {
		name = strings.Trim(name, "{}")
		value, ok := values[name]
		if !ok {
			return ""
		}
		return filling(name, value, depth)
	}
	return parts.ReplaceAllStringFunc(s.chinese, func(part string) string {
		if part[0] == '{' {
			return gap(part)
		}
		is := there[0]
		there = there[1:]
		if !is {
			return ""
		}
		return inParts.ReplaceAllStringFunc(part[1:len(part)-1], gap)
	})
}

// moment returns an instant as texts for people have it.
func moment(text string) (string, bool) {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return "", false
	}
	return at.UTC().Format("2006-01-02 15:04:05 MST"), true
}
