package job

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/orthd/orth/schedule"
)

// Limits of the inputs of a job.
const (
	MaxInputs       = 32
	MaxInputText    = 200  // characters of the description
	MaxInputValue   = 1000 // bytes
	MaxInputOptions = 50
	MaxInputPattern = 200 // bytes
	// maxPatternSize is the instructions of a compiled pattern.
	maxPatternSize = 1000

	maxIntegerDigits = 15
	maxNumberText    = 40
)

// inputRef is a reference to an input.
const inputRef = reference("input")

// Input is a named value that a run of a job may be given. It replaces ${input:NAME} in the
// parameter of the job, and nothing else.
type Input struct {
	// Name is as a key, see [CheckKey].
	Name string `json:"name"`
	// Type is the type of the value; empty means InputText.
	Type InputType `json:"type,omitempty"`
	// Description is the purpose of the value, for people.
	Description string `json:"description,omitempty"`
	// Default is the value of runs without one; nil makes the input required.
	Default *string `json:"default,omitempty"`
	// Options are all allowed values; empty means any.
	Options []string `json:"options,omitempty"`
	// Pattern is an RE2 expression that must match the whole value; empty matches any.
	Pattern string `json:"pattern,omitempty"`
	// Min and Max bound the value of a number, and the characters of a text. nil is no
	// bound.
	Min *float64 `json:"min,omitempty"`
	Max *float64 `json:"max,omitempty"`
}

// Size returns the bytes of an input that its user wrote.
func (i *Input) Size() int {
	size := len(i.Name) + len(i.Description) + len(i.Pattern)
	if i.Default != nil {
		size += len(*i.Default)
	}
	for _, option := range i.Options {
		size += len(option)
	}
	return size
}

// InputType is the type of the value of an input.
type InputType string

// The types of inputs. Values of all types but text are inserted in JSON without quotes
// where they are the whole text.
const (
	InputText    InputType = "text"
	InputInteger InputType = "integer" // at most 15 digits, which every reader of JSON keeps
	InputNumber  InputType = "number"  // as JSON writes it, at most 40 characters
	InputBoolean InputType = "boolean" // true or false
)

// InputTypes returns all types.
func InputTypes() []InputType { return []InputType{InputText, InputInteger, InputNumber, InputBoolean} }

// CheckInputs reports what is wrong with the inputs of the job and with the references to
// them in its parameter. Kinds: Invalid with the field at fault.
func (j *Job) CheckInputs() error {
	if len(j.Inputs) == 0 {
		return nil
	}
	if len(j.Inputs) > MaxInputs {
		return FieldErrorf("inputs", "are %d, at most %d are allowed", len(j.Inputs), MaxInputs)
	}
	seen := make(map[string]bool, len(j.Inputs))
	for i := range j.Inputs {
		input, field := &j.Inputs[i], fmt.Sprintf("inputs[%d]", i)
		if err := input.check(field); err != nil {
			return err
		}
		if seen[input.Name] {
			return FieldErrorf(field+".name", "%s is the name of two inputs", input.Name)
		}
		seen[input.Name] = true
		if input.Default == nil && j.Schedule.Kind != schedule.KindManual && j.Schedule.Kind != "" {
			return FieldErrorf(field+".default", "is missing: the schedule is %s, and the runs that it makes are given no values", j.Schedule.Kind)
		}
	}
	return j.checkReferences(seen)
}

// checkReferences reports inputs that the parameter does not refer to, and the reverse.
func (j *Job) checkReferences(declared map[string]bool) error {
	// The code of a template may become that of a command.
	fixed := j.Handler.FixesParam() || j.Template != 0 && j.TemplateVersion == 0
	if fixed && !isDocument(j.Param) {
		wrong := FieldErrorf("param", "must be an object or a list of JSON, in which an input stays one value: this parameter says what is executed")
		wrong.Hint = `write it such as {"url": "https://host/${input:NAME|url}"} for a call, or ["program", "${input:NAME}"] for a command`
		return wrong
	}
	used := make(map[string]bool, len(declared))
	_, err := inputRef.expand(j.Param, len(j.Param), false, nil, func(at place) (string, bool, error) {
		used[at.key] = true
		if !declared[at.key] {
			return "", false, Errorf(Invalid, "${input:%s} is none of the job's inputs: there are %s", at.key, names(declared))
		}
		return "", false, nil
	})
	if err != nil {
		return inField("param", err)
	}
	if fixed {
		if err := j.checkFixed(); err != nil {
			return err
		}
	}
	for i := range j.Inputs {
		if name := j.Inputs[i].Name; !used[name] {
			return FieldErrorf(fmt.Sprintf("inputs[%d]", i), "%s is not used: write ${input:%s} where it stands in the parameter", name, name)
		}
	}
	return nil
}

// checkFixed reports inputs whose value could determine the host of a call, or its secrets
// of the executor.
func (j *Job) checkFixed() error {
	var fields map[string]json.RawMessage
	if !strings.HasPrefix(strings.TrimSpace(j.Param), "{") { // a list has no fields
		return nil
	}
	if err := json.Unmarshal([]byte(j.Param), &fields); err != nil {
		return FieldErrorf("param", "cannot be read as JSON: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		var address string
		switch text := string(fields[name]); {
		case strings.EqualFold(name, "secrets") && strings.Contains(text, inputRef.begin()):
			return FieldErrorf("param", "the field %s names secrets, which no input may: write their names", Clean(name, 40))
		case !strings.EqualFold(name, "url") || json.Unmarshal(fields[name], &address) != nil:
			continue
		}
		if err := j.checkAddress(address); err != nil {
			return FieldErrorf("param", "the field %s is an address: %w", Clean(name, 40), err)
		}
	}
	return nil
}

// checkAddress reports inputs in an address whose values could name another host.
func (j *Job) checkAddress(address string) error {
	check := func(text string, allowed func(at place) error) error {
		_, err := inputRef.expand(text, len(text), false, nil, func(at place) (string, bool, error) { return "", false, allowed(at) })
		return err
	}
	begin := 0
	if at := strings.Index(address, "://"); at >= 0 {
		begin = at + len("://")
	}
	host := address
	if end := strings.IndexAny(address[begin:], "/?#"); end >= 0 {
		host = address[:begin+end]
	}
	return cmp.Or(check(address, func(at place) error {
		if at.url {
			return nil
		}
		return fmt.Errorf("a value could add to it more than was meant: write ${input:%s|url}", at.key)
	}), check(host, func(at place) error {
		if slices.ContainsFunc(j.Inputs, func(i Input) bool { return i.Name == at.key && len(i.Options) > 0 }) {
			return nil
		}
		return fmt.Errorf("%s stands in its host, where only an input with options may: write them, or put it behind the host", at.key)
	}))
}

func names(set map[string]bool) string { return strings.Join(slices.Sorted(maps.Keys(set)), ", ") }

// check reports what is wrong with an input alone.
func (i *Input) check(field string) error {
	if err := CheckKey(field+".name", i.Name); err != nil {
		return err
	}
	switch n := utf8.RuneCountInString(i.Description); {
	case i.Type != "" && !slices.Contains(InputTypes(), i.Type):
		return FieldErrorf(field+".type", "%q is none: use text, integer, number or boolean", Clean(string(i.Type), 40))
	case i.Type == InputBoolean && (i.Min != nil || i.Max != nil):
		return FieldErrorf(field+".min", "bounds numbers and the characters of texts, and the type is boolean")
	case i.Min != nil && i.Max != nil && *i.Min > *i.Max:
		return FieldErrorf(field+".max", "%v is less than min, which is %v", *i.Max, *i.Min)
	case n > MaxInputText:
		return FieldErrorf(field+".description", "has %d characters, at most %d are allowed", n, MaxInputText)
	case !plainLine(i.Description):
		return FieldErrorf(field+".description", "must be one line of text without control characters")
	case len(i.Pattern) > MaxInputPattern:
		return FieldErrorf(field+".pattern", "has %d bytes, at most %d are allowed", len(i.Pattern), MaxInputPattern)
	case len(i.Options) > MaxInputOptions:
		return FieldErrorf(field+".options", "are %d, at most %d are allowed", len(i.Options), MaxInputOptions)
	}
	if _, err := i.expression(); err != nil {
		return FieldErrorf(field+".pattern", "%w", err)
	}
	for at, option := range i.Options {
		if slices.Contains(i.Options[:at], option) {
			return FieldErrorf(field+".options", "%q stands twice", Clean(option, 40))
		}
		if err := i.checkValue(option); err != nil {
			return FieldErrorf(field+".options", "%w", err)
		}
	}
	if i.Default == nil {
		return nil
	}
	if err := i.checkValue(*i.Default); err != nil {
		return FieldErrorf(field+".default", "%w", err)
	}
	return nil
}

// expression returns the compiled pattern, nil for none.
func (i *Input) expression() (*regexp.Regexp, error) {
	if i.Pattern == "" {
		return nil, nil //nolint:nilnil // The comment says so.
	}
	if _, err := syntax.Parse(i.Pattern, syntax.Perl); err != nil { // apart: it must not close the group below
		return nil, fmt.Errorf("is no expression of the RE2 syntax: %w", err)
	}
	if n := ExpressionSize(i.Pattern); n > maxPatternSize {
		return nil, fmt.Errorf("compiles into %d instructions, at most %d are allowed: use smaller counts in braces", n, maxPatternSize)
	}
	return regexp.Compile(`^(?:` + i.Pattern + `)$`)
}

// ExpressionSize returns the instructions of an expression of the RE2 syntax; 0 for what
// is none. Counts in braces make a long program of a short text.
func ExpressionSize(expression string) int {
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return 0
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return 0
	}
	return len(program.Inst)
}

// checkValue reports why a value is not allowed for the input.
func (i *Input) checkValue(value string) error {
	switch {
	case len(value) > MaxInputValue:
		return fmt.Errorf("a value of %s has %d bytes, at most %d are allowed", i.Name, len(value), MaxInputValue)
	case !plainLine(value):
		return fmt.Errorf("the value %q of %s must be one line of text without control characters", Clean(value, 40), i.Name)
	case RefersToSecrets(value):
		return fmt.Errorf("the value %q of %s refers to a secret, which only the parameter and the labels of a job itself can", Clean(value, 40), i.Name)
	case len(i.Options) > 0 && !slices.Contains(i.Options, value):
		return fmt.Errorf("%q is no value of %s: use one of %s", Clean(value, 40), i.Name, Clean(strings.Join(i.Options, ", "), 400))
	}
	if err := i.checkType(value); err != nil {
		return err
	}
	expression, err := i.expression()
	if err == nil && expression != nil && !expression.MatchString(value) {
		err = fmt.Errorf("%q is no value of %s: all of it must match %s", Clean(value, 40), i.Name, i.Pattern)
	}
	return err
}

// checkType reports why a value does not have the input's type or exceeds its bounds.
func (i *Input) checkType(value string) error {
	size, what := float64(utf8.RuneCountInString(value)), "characters"
	var err error
	switch i.Type {
	case InputText, "":
	case InputInteger, InputNumber:
		if size, err = i.number(value); err != nil {
			return fmt.Errorf("%q is no value of %s: %w", Clean(value, 40), i.Name, err)
		}
		what = ""
	case InputBoolean:
		if value != "true" && value != "false" {
			return fmt.Errorf("%q is no value of %s: it must be true or false", Clean(value, 40), i.Name)
		}
		return nil
	}
	switch {
	case i.Min != nil && size < *i.Min:
		return fmt.Errorf("%q is no value of %s: at least %s are allowed", Clean(value, 40), i.Name, strings.TrimSpace(fmt.Sprint(*i.Min, " ", what)))
	case i.Max != nil && size > *i.Max:
		return fmt.Errorf("%q is no value of %s: at most %s are allowed", Clean(value, 40), i.Name, strings.TrimSpace(fmt.Sprint(*i.Max, " ", what)))
	}
	return nil
}

// number parses the value of a number.
func (i *Input) number(value string) (float64, error) {
	digits := strings.TrimPrefix(value, "-")
	plain := digits != "" && !strings.ContainsFunc(digits, func(r rune) bool { return r < '0' || r > '9' })
	switch {
	case i.Type == InputInteger && (!plain || len(digits) > maxIntegerDigits || len(digits) > 1 && digits[0] == '0'):
		return 0, fmt.Errorf("it must be a whole number of at most %d digits", maxIntegerDigits)
	case len(value) > maxNumberText || digits == "" || digits[0] < '0' || digits[0] > '9' || !json.Valid([]byte(value)):
		return 0, fmt.Errorf("it must be a number as JSON writes it, of at most %d characters", maxNumberText)
	}
	read, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return 0, errors.New("it is beyond what a number can be")
	}
	return read, nil
}

// plainLine reports whether a text is one line without control characters.
func plainLine(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

// FillInputs returns the parameter of the job with the values of a run in place of its
// inputs. values is a JSON object with texts, numbers and booleans by the names of the
// inputs; absent inputs have their default, and empty is the object without a field. Kinds:
// Invalid with the field param, or param.NAME for the input at fault.
func (j *Job) FillInputs(values string) (string, error) {
	given, err := readInputs(values)
	if err != nil {
		return "", err
	}
	if err := j.checkGiven(given, (*Input).checkValue, false); err != nil {
		return "", err
	}
	whole, bare := make(map[string]string, len(j.Inputs)), make(map[string]bool)
	for i := range j.Inputs {
		input := &j.Inputs[i]
		value, is := given[input.Name]
		if !is {
			value = *input.Default
		}
		whole[input.Name], bare[input.Name] = value, input.Type != "" && input.Type != InputText
	}
	inJSON, _ := readJSON(j.Param)
	text, err := inputRef.expand(j.Param, MaxParam, inJSON, nil, func(at place) (string, bool, error) {
		value, is := whole[at.key]
		if !is {
			return "", false, Errorf(Invalid, "${input:%s} is none of the job's inputs", at.key)
		}
		return value, bare[at.key], nil
	})
	if err != nil {
		return "", inField("param", err)
	}
	if !sameReferences(j.Param, text) {
		return "", FieldErrorf("param", "the values make a reference to a secret together, or hide one: only the job itself says where secrets stand")
	}
	return text, nil
}

// checkGiven reports values that check refuses, unknown names, and required inputs without
// a value unless more allows further values.
func (j *Job) checkGiven(given map[string]string, check func(*Input, string) error, more bool) error {
	declared := make(map[string]bool, len(j.Inputs))
	for i := range j.Inputs {
		input := &j.Inputs[i]
		declared[input.Name] = true
		value, is := given[input.Name]
		switch {
		case is:
			if err := check(input, value); err != nil {
				return FieldErrorf("param."+input.Name, "%w", err)
			}
		case input.Default == nil && !more:
			return FieldErrorf("param."+input.Name, `the input %s has no value and no default: give it as {%q: "…"}`, input.Name, input.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !declared[name] {
			return FieldErrorf("param", "%q is no input of job %s: there are %s", Clean(name, 40), j.Key, names(declared))
		}
	}
	return nil
}

// sameReferences reports whether a text has the same references to secrets as before values
// were inserted, and the same escaped ones.
func sameReferences(before, after string) bool {
	for _, part := range []string{secretRef.begin(), "$" + secretRef.begin()} {
		if strings.Count(before, part) != strings.Count(after, part) {
			return false
		}
	}
	return true
}

// readInputs parses the values of a run.
func readInputs(values string) (map[string]string, error) {
	if strings.TrimSpace(values) == "" {
		return nil, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(values), &fields); err != nil || fields == nil {
		return nil, noValues()
	}
	given := make(map[string]string, len(fields))
	for name, raw := range fields {
		var text string
		switch raw = bytes.TrimSpace(raw); {
		case raw[0] == '"':
			if err := json.Unmarshal(raw, &text); err != nil {
				return nil, noValues()
			}
		case raw[0] == '{' || raw[0] == '[':
			return nil, FieldErrorf("param", "the value of %q must be a text, a number, true or false", Clean(name, 40))
		case string(raw) == "null": // as if it were left out
			continue
		default:
			text = string(raw)
		}
		given[name] = text
	}
	return given, nil
}

func noValues() error {
	wrong := FieldErrorf("param", "must be an object of JSON with the values of the job's inputs")
	wrong.Hint = `write it such as {"day": "2030-01-31"}`
	return wrong
}

// CheckRunParam reports why a run of the job may not have a parameter of its own: the
// values of its inputs when it has some, any text otherwise. Kinds: Invalid with the
// field param, or param.NAME for the input at fault.
func (j *Job) CheckRunParam(param string) error {
	if len(j.Inputs) == 0 {
		return CheckNoSecrets("param", param)
	}
	_, err := j.FillInputs(param)
	return err
}

// FillTask returns a task of the job with the values of its run in place of the inputs in
// its parameter. Kinds: Invalid with the reason in words.
func (j *Job) FillTask(t Task) (Task, error) {
	if len(j.Inputs) == 0 {
		return t, nil
	}
	param, err := j.FillInputs(t.Param)
	if err != nil {
		return Task{}, err
	}
	t.Param = param
	return t, nil
}
