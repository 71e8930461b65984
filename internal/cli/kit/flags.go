package kit

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
)

// maxValue limits the bytes read for one value. The server accepts less.
const maxValue = 64 << 10

// ReadValue reads a value and removes the line break at its end.
func ReadValue(from io.Reader, name string) (string, error) {
	raw, err := io.ReadAll(io.LimitReader(from, maxValue+1))
	if err != nil {
		return "", fmt.Errorf("read %s: %w", name, err)
	}
	if len(raw) > maxValue {
		return "", output.Usagef("%s is longer than %d bytes", name, maxValue)
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(raw), "\n"), "\r"), nil
}

// FieldEnabled is the field of rules and channels that the flag disabled changes,
// GroupFlag the flag for groups of executors, TitleFlag the flag and the field of a
// display name.
const (
	FieldEnabled = "enabled"
	GroupFlag    = "group"
	TitleFlag    = "title"
)

// ParsePast parses a time or an age.
func ParsePast(flag, text string, zone *time.Location) (time.Time, error) {
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return time.Now().Add(-ago), nil
	}
	return timing.ParseFlag(flag, text, zone)
}

// ParseSize parses a size in bytes with its unit; an empty text changes nothing.
func ParseSize(field, text string, to *int64) error {
	if text == "" {
		return nil
	}
	n, err := humanize.ParseBytes(text)
	if err != nil || n > 1<<62 {
		return job.FieldErrorf(field, "%q is not a size such as 512MiB", text)
	}
	*to = int64(n)
	return nil
}

// OneFlagOf returns the flag that was given, and an error unless exactly one was.
func OneFlagOf(flags *pflag.FlagSet, names ...string) (string, error) {
	var given []string
	for _, name := range names {
		if flags.Changed(name) {
			given = append(given, name)
		}
	}
	all := "--" + strings.Join(names[:len(names)-1], ", --") + " or --" + names[len(names)-1]
	switch len(given) {
	case 0:
		return "", output.Usagef("one of %s is required", all)
	case 1:
		return given[0], nil
	}
	return "", output.Usagef("--%s and --%s are mutually exclusive: use one of %s", given[0], given[1], all)
}

// ParsePairs parses the key=value texts of a flag; nil for none.
func ParsePairs(flag string, texts []string) (map[string]string, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	values := make(map[string]string, len(texts))
	for _, text := range texts {
		key, value, ok := strings.Cut(text, "=")
		if !ok || key == "" {
			return nil, output.Usagef("--%s: %q must have the form key=value", flag, text)
		}
		if _, twice := values[key]; twice {
			return nil, output.Usagef("--%s: %s is given twice", flag, key)
		}
		values[key] = value
	}
	if err := job.CheckLabels("--"+flag, values); err != nil {
		return nil, output.Usagef("%v", err)
	}
	return values, nil
}

// NoteFlag adds the flag for a note about a change of a job.
func NoteFlag(cmd *cobra.Command, note *string) {
	cmd.Flags().StringVar(note, "note", "", "`text` about the change, stored with the revision: one line, at most "+strconv.Itoa(job.MaxNote)+" characters")
}

// InputFlag is the flag for inputs of a job and input values of a run.
const InputFlag = "input"

// ParamFlags holds the parameter of a run: a text, or the input values of the job.
type ParamFlags struct {
	text   string
	values []string
}

// Add defines the flags; instead is the help of the text parameter.
func (f *ParamFlags) Add(flags *pflag.FlagSet, instead string) {
	flags.StringVar(&f.text, "param", "", instead)
	flags.StringArrayVar(&f.values, InputFlag, nil, "input value as `name=value`; 'orth job show' lists the inputs; may be repeated")
}

// Param returns the parameter of the flags, nil for none.
func (f *ParamFlags) Param(flags *pflag.FlagSet) (*string, error) {
	switch {
	case len(f.values) == 0 && flags.Changed("param"):
		return &f.text, nil
	case len(f.values) == 0:
		return nil, nil //nolint:nilnil // nil means no parameter
	case flags.Changed("param"):
		return nil, output.Usagef("--param and --%s are mutually exclusive: input values form the parameter of the run", InputFlag)
	}
	values := make(map[string]string, len(f.values))
	for _, text := range f.values {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, output.Usagef("--%s: %q must have the form name=value", InputFlag, text)
		}
		if _, twice := values[name]; twice {
			return nil, output.Usagef("--%s: %s is given twice", InputFlag, name)
		}
		values[name] = value
	}
	param, err := json.Marshal(values)
	text := string(param)
	return &text, err
}

// CountFlag is the flag and the schedule field that limit the number of runs.
const CountFlag = "count"

// ReadScript reads a script up to the size limit of a job.
func ReadScript(path string, stdin io.Reader) (string, error) {
	reader := stdin
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return "", err
		}
		defer file.Close()
		reader = file
	}
	text, err := io.ReadAll(io.LimitReader(reader, job.MaxSource+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("read %s: %w", path, err)
	case len(text) == 0:
		return "", fmt.Errorf("%s is empty", path)
	case len(text) > job.MaxSource:
		return "", fmt.Errorf("%s is larger than %d KiB", path, job.MaxSource>>10)
	}
	return string(text), nil
}
