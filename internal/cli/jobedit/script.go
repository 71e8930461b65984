package jobedit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
)

// scriptFlag is a pair of flags for one kind of script: text and file.
type scriptFlag struct {
	kind       job.HandlerKind
	name, what string
	text, path string // as given
}

// scriptFlags returns the flags of all kinds of scripts.
func scriptFlags() []scriptFlag {
	return []scriptFlag{
		{kind: job.HandlerShell, name: "shell", what: "a shell script"},
		{kind: job.HandlerPython, name: "python", what: "a Python 3 script"},
		{kind: job.HandlerPython2, name: "python2", what: "a Python 2 script"},
		{kind: job.HandlerNode, name: "node", what: "a Node.js script"},
		{kind: job.HandlerPHP, name: "php", what: "a PHP script"},
		{kind: job.HandlerPowerShell, name: "powershell", what: "a PowerShell script"},
		{kind: job.HandlerGroovy, name: "groovy", what: "a Groovy class"},
		{kind: job.HandlerJS, name: "js", what: "JavaScript that runs inside the executor"},
	}
}

func (s *scriptFlag) file() string { return s.name + "-file" }

// add defines the flags.
func (s *scriptFlag) add(flags *pflag.FlagSet) {
	flags.StringVar(&s.text, s.name, "", "`text` of "+s.what)
	flags.StringVar(&s.path, s.file(), "", "`file` with "+s.what+"; - reads standard input")
}

// code returns the handler of the one given flag; none for a job with a template.
func (f *jobFlags) code(flags *pflag.FlagSet, stdin io.Reader) (api.Handler, error) {
	names := []string{"handler"}
	for i := range f.scripts {
		names = append(names, f.scripts[i].name, f.scripts[i].file())
	}
	names = append(names, "template")
	one, err := kit.OneFlagOf(flags, names...)
	if err != nil {
		return api.Handler{}, err
	}
	if one == "template" {
		return api.Handler{}, nil
	}
	for i := range f.scripts {
		s := &f.scripts[i]
		switch one {
		case s.name:
			return api.Handler{Kind: s.kind, Source: s.text}, nil
		case s.file():
			source, err := kit.ReadScript(s.path, stdin)
			if err != nil {
				return api.Handler{}, fmt.Errorf("--%s: %w", one, err)
			}
			return api.Handler{Kind: s.kind, Source: source}, nil
		}
	}
	return api.Handler{Kind: job.HandlerNamed, Name: f.handler}, nil
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
