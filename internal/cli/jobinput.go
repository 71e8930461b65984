package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// inputFlag is the flag that gives a job its inputs, and a run their values.
const inputFlag = "input"

// paramFlags are the parameter of a run: a text, or the values of the job's inputs.
type paramFlags struct {
	text   string
	values []string
}

// add defines the flags; instead says whose parameter the text takes the place of.
func (f *paramFlags) add(flags *pflag.FlagSet, instead string) {
	flags.StringVar(&f.text, "param", "", instead)
	flags.StringArrayVar(&f.values, inputFlag, nil, "`name=value` of an input of the job, which 'orth job show' lists; may be repeated")
}

// param returns the parameter that the flags say, nil for none.
func (f *paramFlags) param(flags *pflag.FlagSet) (*string, error) {
	switch {
	case len(f.values) == 0 && flags.Changed("param"):
		return &f.text, nil
	case len(f.values) == 0:
		return nil, nil //nolint:nilnil // The comment says so.
	case flags.Changed("param"):
		return nil, usagef("--param and --%s exclude each other: the values of inputs are the parameter of the run", inputFlag)
	}
	values := make(map[string]string, len(f.values))
	for _, text := range f.values {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, usagef("--%s: %q is not name=value", inputFlag, text)
		}
		if _, twice := values[name]; twice {
			return nil, usagef("--%s: %s is named twice", inputFlag, name)
		}
		values[name] = value
	}
	param, err := json.Marshal(values)
	text := string(param)
	return &text, err
}

// inputsOf returns the inputs that a job is to have: each is a name, a name with its
// default, or an object of JSON with all that the API has of one.
func (f *jobFlags) inputsOf() ([]api.Input, error) {
	var all []api.Input
	for _, text := range f.inputs {
		var input api.Input
		if strings.HasPrefix(strings.TrimSpace(text), "{") {
			in := json.NewDecoder(strings.NewReader(text))
			in.DisallowUnknownFields()
			err := in.Decode(&input)
			if _, more := in.Token(); err == nil && !errors.Is(more, io.EOF) {
				err = errors.New("there is more behind the object")
			}
			if err != nil {
				return nil, usagef("--%s: %q cannot be read: %v; there are name, type, description, default, options, pattern, min and max", inputFlag, text, err)
			}
		} else {
			name, value, given := strings.Cut(text, "=")
			if input.Name = name; given {
				input.Default = &value
			}
		}
		if err := job.CheckKey("--"+inputFlag, input.Name); err != nil {
			return nil, usagef("%v", err)
		}
		all = append(all, input)
	}
	return all, nil
}

// inputLines shows the inputs of a job, a line each.
func inputLines(all []api.Input) string {
	lines := make([]string, len(all))
	for i, input := range all {
		lines[i] = input.Name
		if input.Default != nil {
			lines[i] += "=" + *input.Default
		}
		var about []string
		if input.Type != "" {
			about = append(about, string(input.Type))
		}
		if input.Default == nil {
			about = append(about, "required")
		}
		if len(input.Options) > 0 {
			about = append(about, "one of "+strings.Join(input.Options, ", "))
		}
		if input.Pattern != "" {
			about = append(about, "matches "+input.Pattern)
		}
		if input.Min != nil {
			about = append(about, fmt.Sprint("at least ", *input.Min))
		}
		if input.Max != nil {
			about = append(about, fmt.Sprint("at most ", *input.Max))
		}
		if len(about) > 0 {
			lines[i] += " (" + strings.Join(about, "; ") + ")"
		}
		if input.Description != "" {
			lines[i] += ": " + input.Description
		}
	}
	return strings.Join(lines, "\n")
}
