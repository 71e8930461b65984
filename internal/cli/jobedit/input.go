package jobedit

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
)

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
				return nil, output.Usagef("--%s: cannot parse %q: %v; the fields are name, type, description, default, options, pattern, min and max", kit.InputFlag, text, err)
			}
		} else {
			name, value, given := strings.Cut(text, "=")
			if input.Name = name; given {
				input.Default = &value
			}
		}
		if err := job.CheckKey("--"+kit.InputFlag, input.Name); err != nil {
			return nil, output.Usagef("%v", err)
		}
		all = append(all, input)
	}
	return all, nil
}
