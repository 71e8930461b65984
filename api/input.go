package api

import "github.com/orthd/orth/job"

// Input is a named value that a run of a job may be given.
type Input struct {
	Name        string        `json:"name" maxLength:"64" example:"day" doc:"The name, in ${input:NAME} and in the param of a run: lower-case letters, digits, '.', '-' or '_', with a letter or digit at each end."`
	Type        job.InputType `json:"type,omitempty" enum:"text,integer,number,boolean" doc:"The type of the value. Where ${input:NAME} is a whole text of JSON, a value of another type than text is inserted without quotes. Defaults to text."`
	Description string        `json:"description,omitempty" maxLength:"200" doc:"The purpose of the value, for people."`
	Default     *string       `json:"default,omitempty" doc:"The value of runs that are given none. Without it each run needs one: such a job has no schedule but manual."`
	Options     []string      `json:"options,omitempty" maxItems:"50" nullable:"false" doc:"All that the value may be. Defaults to anything."`
	Pattern     string        `json:"pattern,omitempty" maxLength:"200" example:"[0-9]{4}-[0-9]{2}-[0-9]{2}" doc:"An expression of the RE2 syntax that the whole value must match. Defaults to any value."`
	Min         *float64      `json:"min,omitempty" doc:"The least number, or the least characters of a text. Defaults to no bound."`
	Max         *float64      `json:"max,omitempty" doc:"The greatest number, or the most characters of a text. Defaults to no bound, but for the 1,000 bytes of any value."`
}

// fromInputs returns the inputs as the API shows them.
func fromInputs(of []job.Input) []Input {
	var shown []Input
	for _, input := range of {
		shown = append(shown, Input(input))
	}
	return shown
}

// inputs is the reverse of fromInputs.
func inputs(of []Input) []job.Input {
	var read []job.Input
	for _, input := range of {
		read = append(read, job.Input(input))
	}
	return read
}
