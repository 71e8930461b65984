package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
)

// inputFlag is the flag for inputs of a job and input values of a run.
const inputFlag = "input"

// paramFlags holds the parameter of a run: a text, or the input values of the job.
type paramFlags struct {
	text   string
	values []string
}

// add defines the flags; instead is the help of the text parameter.
func (f *paramFlags) add(flags *pflag.FlagSet, instead string) {
	flags.StringVar(&f.text, "param", "", instead)
	flags.StringArrayVar(&f.values, inputFlag, nil, "input value as `name=value`; 'orth job show' lists the inputs; may be repeated")
}

// param returns the parameter of the flags, nil for none.
func (f *paramFlags) param(flags *pflag.FlagSet) (*string, error) {
	switch {
	case len(f.values) == 0 && flags.Changed("param"):
		return &f.text, nil
	case len(f.values) == 0:
		return nil, nil //nolint:nilnil // nil means no parameter
	case flags.Changed("param"):
		return nil, output.Usagef("--param and --%s are mutually exclusive: input values form the parameter of the run", inputFlag)
	}
	values := make(map[string]string, len(f.values))
	for _, text := range f.values {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, output.Usagef("--%s: %q must have the form name=value", inputFlag, text)
		}
		if _, twice := values[name]; twice {
			return nil, output.Usagef("--%s: %s is given twice", inputFlag, name)
		}
		values[name] = value
	}
	param, err := json.Marshal(values)
	text := string(param)
	return &text, err
}

// inputsOf parses the inputs of a job: each is a name, a name with its default, or a JSON
// object of the API.
func (f *jobFlags) inputsOf() ([]api.Input, error) {
	var all []api.Input
	for _, text := range f.inputs {
		var input api.Input
		if strings.HasPrefix(strings.TrimSpace(text), "{") {
			in := json.NewDecoder(strings.NewReader(text))
			in.DisallowUnknownFields()
			err := in.Decode(&input)
			if _, more := in.Token(); err == nil && !errors.Is(more, io.EOF) {
				err = errors.New("unexpected text after the object")
			}
			if err != nil {
				return nil, output.Usagef("--%s: cannot parse %q: %v; the fields are name, type, description, default, options, pattern, min and max", inputFlag, text, err)
			}
		} else {
			name, value, given := strings.Cut(text, "=")
			if input.Name = name; given {
				input.Default = &value
			}
		}
		if err := job.CheckKey("--"+inputFlag, input.Name); err != nil {
			return nil, output.Usagef("%v", err)
		}
		all = append(all, input)
	}
	return all, nil
}

// inputLines formats the inputs of a job, one per line.
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
