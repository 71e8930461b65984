package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
)

const (
	// envPrefix begins the variables that are settings: ORTH_SOLANA_TPU_FANOUT is tpu-fanout.
	envPrefix = "ORTH_SOLANA_"
	// largestFile bounds a file of settings, in bytes.
	largestFile = 1 << 20

	fromDefault     = "default"
	fromFlag        = "flag"
	fromEnvironment = "environment"
)

// loadAll reads the settings in rising order from: the defaults, the file, the environment, and the flags of f that were given.
// A key of the file, or a variable, that is no setting is an error.
func (s *settings) loadAll(f *pflag.FlagSet, path string, environ []string) error {
	s.from = make(map[string]string)
	given := make(map[string]bool)
	f.VisitAll(func(flag *pflag.Flag) {
		if flag.Changed && flag.Name != configFlag {
			given[flag.Name], s.from[flag.Name] = true, fromFlag
		}
	})
	known := settingNames(settingFlags(new(settings)))
	if path != "" {
		s.file = path
		if err := s.loadFile(f, path, known, given); err != nil {
			return err
		}
	}
	for _, pair := range environ {
		variable, value, _ := strings.Cut(pair, "=")
		name := strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(variable, envPrefix)), "_", "-")
		switch {
		case !strings.HasPrefix(variable, envPrefix) || name == configFlag || given[name]:
			continue
		case !slices.Contains(known, name):
			return &job.Error{
				Kind: job.Invalid, Field: variable, Message: "is not a setting",
				Hint: "the settings are " + envPrefix + " with " + strings.ToUpper(strings.ReplaceAll(strings.Join(known, ", "), "-", "_")),
			}
		}
		if err := setFlag(f.Lookup(name), value); err != nil {
			return job.FieldErrorf(variable, "%w", err)
		}
		s.from[name] = variable
	}
	return s.check()
}

// loadFile reads a file of settings.
func (s *settings) loadFile(f *pflag.FlagSet, path string, known []string, given map[string]bool) error {
	file, err := os.Open(path)
	if err != nil {
		return job.Errorf(job.Invalid, "read the settings: %w", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, largestFile+1))
	if err != nil {
		return job.Errorf(job.Invalid, "read the settings: %w", err)
	}
	if len(text) > largestFile {
		return job.FieldErrorf(path, "a file of settings has at most %d bytes", largestFile)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return job.FieldErrorf(path, "%s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(document.Content) == 0 {
		return nil // Nothing but comments.
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode {
		return job.FieldErrorf(path, "a file of settings has lines such as 'keypair: executor.json'")
	}
	seen := make(map[string]bool)
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		place := fmt.Sprintf("%s:%d", path, key.Line)
		if !slices.Contains(known, key.Value) {
			return &job.Error{
				Kind: job.Invalid, Field: place, Message: fmt.Sprintf("%q is not a setting", key.Value), Hint: "the settings are " + strings.Join(known, ", "),
			}
		}
		if seen[key.Value] {
			return job.FieldErrorf(place, "%s stands there twice", key.Value)
		}
		if seen[key.Value] = true; given[key.Value] {
			continue
		}
		if err := s.setFromFile(f.Lookup(key.Value), value); err != nil {
			return job.FieldErrorf(place, "%s: %w", key.Value, err)
		}
		s.from[key.Value] = place
	}
	return nil
}

// setFromFile sets a setting to a value of the file.
func (s *settings) setFromFile(flag *pflag.Flag, value *yaml.Node) error {
	if flag.Name == "endpoints" {
		list, err := fileEndpoints(value)
		if err != nil {
			return err
		}
		return s.Endpoints.replace(list)
	}
	if list, several := flag.Value.(pflag.SliceValue); several {
		return takeList(flag, list, value)
	}
	if value.Kind != yaml.ScalarNode {
		return errors.New("takes one value")
	}
	text := value.Value
	if value.Tag == "!!null" {
		text = ""
	}
	return setFlag(flag, text)
}

// setFlag sets a setting to a text.
func setFlag(flag *pflag.Flag, text string) error {
	if err := flag.Value.Set(text); err != nil {
		return errors.New(output.Unfit(flag, text, err))
	}
	return nil
}

// fileEndpoints reads the nodes of a file: a list of addresses, or of options by their names.
func fileEndpoints(value *yaml.Node) (list []endpoint, err error) {
	if value.Kind != yaml.SequenceNode || len(value.Content) == 0 {
		return nil, errors.New("takes a list of nodes, such as '- url: https://example.com'")
	}
	for i, item := range value.Content {
		var e endpoint
		switch item.Kind {
		case yaml.ScalarNode:
			if e, err = parseEndpoint(item.Value); err != nil {
				return nil, fmt.Errorf("node %d, line %d: %w", i+1, item.Line, err)
			}
		case yaml.MappingNode:
			for j := 0; j+1 < len(item.Content); j += 2 {
				if err := e.setOption(item.Content[j].Value, item.Content[j+1].Value); err != nil {
					return nil, fmt.Errorf("node %d, line %d: %w", i+1, item.Content[j].Line, err)
				}
			}
			if err := e.whole(); err != nil {
				return nil, fmt.Errorf("node %d, line %d: %w", i+1, item.Line, err)
			}
		default:
			return nil, fmt.Errorf("node %d, line %d: is neither an address nor options", i+1, item.Line)
		}
		list = append(list, e)
	}
	return list, nil
}

// setting is one of the settings as they are in effect.
type setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	From  string `json:"from"`
}

// effective returns the settings as they are in effect. Of addresses only hosts are shown.
func (s *settings) effective(f *pflag.FlagSet) (all []setting) {
	for _, name := range settingNames(settingFlags(new(settings))) {
		from := fromDefault
		if given := s.from[name]; given != "" {
			from = given
		}
		all = append(all, setting{Name: name, Value: f.Lookup(name).Value.String(), From: from})
	}
	return all
}
