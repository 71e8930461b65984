package job

import (
	"maps"
	"slices"
	"strings"
)

// CheckRunTemplate reports as Invalid why a template of the parameter of the job's runs
// fits none of the job's inputs: an unknown name, a value that the input does not take, or
// a required input without a value. nil is a run without a parameter of its own. Values in
// {{…}} are unknown until the run is made and pass, as does a template that is JSON only
// with them. The field of the error is field, or field.NAME for the input at fault.
func (j *Job) CheckRunTemplate(field string, template *string) error {
	if len(j.Inputs) == 0 {
		return nil
	}
	var text string
	if template != nil {
		text = *template
	}
	form, variable := templateForm(text, blank)
	if !variable {
		_, err := j.FillInputs(text)
		return under(field, err)
	}
	if !isDocument(form) && strings.HasPrefix(strings.TrimSpace(text), "{") {
		return nil // the values make it whole, or do not
	}
	// What differs between two forms with other digits comes from a value in braces.
	other, _ := templateForm(text, "1")
	given, err := readInputs(form)
	if err != nil {
		return under(field, err)
	}
	again, err := readInputs(other)
	if err != nil {
		return under(field, err)
	}
	openName := false
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if _, same := again[name]; !same {
			openName = true
			delete(given, name)
		}
	}
	return under(field, j.checkGiven(given, func(input *Input, value string) error {
		if again[input.Name] != value {
			return nil
		}
		return input.checkValue(value)
	}, openName))
}

// templateForm returns a template with filler in the place of each {{…}}, and whether it
// has any.
func templateForm(template, filler string) (form string, variable bool) {
	var out strings.Builder
	for rest := template; rest != ""; {
		before, after, opened := strings.Cut(rest, "{{")
		_, behind, closed := strings.Cut(after, "}}")
		if !opened || !closed {
			out.WriteString(rest)
			break
		}
		variable = true
		out.WriteString(before + filler)
		rest = behind
	}
	return out.String(), variable
}

// under returns an error about the parameter of a run under the name that the parameter
// has where it is written.
func under(field string, err error) error {
	wrong, ok := err.(*Error) //nolint:errorlint // It is one of ours, as it is.
	if !ok || !strings.HasPrefix(wrong.Field, "param") {
		return err
	}
	named := *wrong
	named.Field = field + strings.TrimPrefix(wrong.Field, "param")
	return &named
}
