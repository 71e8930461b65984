package app

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// dice makes requests up. The same seed makes the same ones, as long as the server
// gives the same answers.
type dice struct {
	*rand.Rand

	contract *contract
	known    map[string][]string // names and ids of what there is, by the collection
	faults   int                 // of the request that is made
}

func newDice(seed uint64, c *contract) *dice {
	return &dice{Rand: rand.New(rand.NewPCG(seed, 9)), contract: c, known: map[string][]string{}}
}

// of reports whether something of that probability, in percent, comes about.
func (d *dice) of(percent int) bool { return d.IntN(100) < percent }

func pick[T any](d *dice, from []T) T { return from[d.IntN(len(from))] }

// plausible are values that get through where a schema alone says too little.
func plausible() map[string][]string {
	return map[string][]string{
		"key": {"report", "theirs", "bank", "night", "fresh", "flow"}, "group": {"g", "h", "*"}, "namespace": {"default", "default", "other", "*"},
		"name": {"hello", "ann", "bob"}, "cron": {"0 0 2 * * ?", "*/5 * * * * ?"}, "zone": {"UTC", "Europe/Rome"}, "every": {"1h"}, "after": {"1h"},
		"job": {"report", "theirs"}, "user": {"ann", "bob"}, "kind": {"manual", "named", "webhook", "user", "service", "job"}, "address": {"http://127.0.0.1:1/", "http://169.254.169.254/"},
		"url": {"http://127.0.0.1:1/", "https://metadata.google.internal/"}, "host": {"127.0.0.1"}, "source": {"echo hi"}, "text": {"x", "%", "'"}, "regexp": {"a+", "("},
		"password": {"a long password of ours"}, "state": {"succeeded", "failed"}, "label": {"a=b", "ci"}, "channel": {"ops"}, "workflow": {"flow"}, "rule": {"all"},
		"email": {"ann@example.com"}, "role": {"viewer", "operator", "editor", "scripter", "owner", "admin"}, "action": {"start", "stop", "delete", "cancel"}, "for": {"1s"},
	}
}

// odd are texts that somebody may trip over.
func odd() []string {
	return []string{
		"", " ", "\x00", "null", "../../etc/passwd", "'; DROP TABLE jobs; --", "%00", "%", "_", "\\", "${7*7}", "{{7*7}}", "<script>alert(1)</script>", "\u202e\u2028\ufeff",
		strings.Repeat("é", 3000), strings.Repeat("a", 10_000), "😀", "\U0010ffff", "\r\nX: y", "-1", "1e400", "9223372036854775808", "NaN", "true", "2030-02-30T25:61:00Z",
		"0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999+14:00", "-1h", "99999999999h", ";", "?", "#", ".", "..", "a/b", "*", "\"", "`id`", "ſ", "İ",
	}
}

// value makes a value that a schema allows, now and then one that it does not.
func (d *dice) value(name string, s *schema, depth, faulty int) any {
	s = d.contract.resolve(s)
	if d.of(faulty) {
		d.faults++
		return d.wrong(depth)
	}
	if s == nil || depth > 6 {
		return nil
	}
	kind := ""
	if len(s.Type) > 0 {
		kind = pick(d, s.Type)
	}
	switch {
	case len(s.Enum) > 0:
		return pick(d, s.Enum)
	case kind == "string":
		return d.text(name, s)
	case kind == "integer", kind == "number":
		return d.number(s)
	case kind == "boolean":
		return d.of(50)
	case kind == "array":
		list := []any{}
		for range s.MinItems + d.IntN(3) {
			list = append(list, d.value(strings.TrimSuffix(name, "s"), s.Items, depth+1, faulty))
		}
		return list
	case kind == "object":
		return d.object(s, depth, faulty)
	}
	return nil
}

func (d *dice) object(s *schema, depth, faulty int) map[string]any {
	o := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		required := slices.Contains(s.Required, name)
		if required && !d.of(faulty) || !required && d.of(25) {
			o[name] = d.value(name, s.Properties[name], depth+1, faulty)
		}
	}
	if rest := s.AdditionalProperties; rest != nil && rest.each != nil {
		for range d.IntN(3) {
			o[pick(d, []string{"a", "b", "url"})] = d.value("", rest.each, depth+1, faulty)
		}
	}
	if d.of(faulty) {
		d.faults++
		o[pick(d, append(odd(), "id", "uid", "admin", "__proto__"))] = d.wrong(depth)
	}
	return o
}

func (d *dice) text(name string, s *schema) string {
	if known := d.known[name+"s"]; len(known) > 0 && d.of(30) {
		return pick(d, known)
	}
	switch {
	case s.Format == "date-time":
		return fmt.Sprintf("20%02d-0%d-1%dT0%d:00:00Z", d.IntN(99), 1+d.IntN(9), d.IntN(9), d.IntN(9))
	case s.Format == "date":
		return fmt.Sprintf("20%02d-0%d-1%d", d.IntN(99), 1+d.IntN(9), d.IntN(9))
	case s.Pattern != nil:
		expression, _ := syntax.Parse(s.Pattern.String(), syntax.Perl) // It was compiled before.
		return d.match(expression)
	}
	var text string
	switch likely := plausible()[name]; {
	case len(likely) > 0 && d.of(80):
		text = pick(d, likely)
	case d.of(60):
		text = fmt.Sprintf("x%d", d.IntN(50))
	default:
		text = pick(d, odd())
	}
	for utf8.RuneCountInString(text) < s.MinLength {
		text += "x"
	}
	if s.MaxLength != nil && utf8.RuneCountInString(text) > *s.MaxLength {
		text = string([]rune(text)[:*s.MaxLength])
	}
	return text
}

// match makes a text of a regular expression.
func (d *dice) match(x *syntax.Regexp) string {
	repeat := func(low, high int) string {
		var text strings.Builder
		for range low + d.IntN(high-low+1) {
			text.WriteString(d.match(x.Sub[0]))
		}
		return text.String()
	}
	switch x.Op { //nolint:exhaustive // The others are empty, or in no pattern of ours.
	case syntax.OpLiteral:
		return string(x.Rune)
	case syntax.OpCharClass:
		i := 2 * d.IntN(len(x.Rune)/2)
		return string(x.Rune[i] + rune(d.IntN(int(x.Rune[i+1]-x.Rune[i])+1)))
	case syntax.OpConcat:
		var text strings.Builder
		for _, part := range x.Sub {
			text.WriteString(d.match(part))
		}
		return text.String()
	case syntax.OpAlternate:
		return d.match(pick(d, x.Sub))
	case syntax.OpCapture:
		return d.match(x.Sub[0])
	case syntax.OpStar:
		return repeat(0, 2)
	case syntax.OpPlus:
		return repeat(1, 2)
	case syntax.OpQuest:
		return repeat(0, 1)
	case syntax.OpRepeat:
		return repeat(x.Min, max(x.Min, min(x.Max, x.Min+3)))
	}
	return ""
}

func (d *dice) number(s *schema) any {
	low, high := 0.0, 1000.0
	if s.Minimum != nil {
		low, high = *s.Minimum, *s.Minimum+1000
	}
	if s.Maximum != nil {
		high = *s.Maximum
	}
	if d.of(20) {
		return json.Number(fmt.Sprint(int64(pick(d, []float64{low, high}))))
	}
	return json.Number(fmt.Sprint(int64(low + d.Float64()*(high-low))))
}

// wrong makes what no schema expects.
func (d *dice) wrong(depth int) any {
	switch d.IntN(8) {
	case 0:
		return json.Number(pick(d, []string{"1e400", "-1", "9223372036854775808", "0.1", "1e3", "-0", "99999999999999999999999999"}))
	case 1:
		return nil
	case 2:
		return d.of(50)
	case 3:
		return []any{}
	case 4:
		return map[string]any{"x": pick(d, odd())}
	case 5:
		var deep any = "x"
		for range pick(d, []int{2, 30, 200}) {
			deep = []any{deep}
		}
		return deep
	case 6:
		many := make([]any, pick(d, []int{5, 300}))
		for i := range many {
			many[i] = depth
		}
		return many
	}
	return pick(d, odd())
}
