package jobedit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
)

// copyFlags holds the flags that select the copies.
type copyFlags struct {
	params      []string
	file, name  string
	asInstances bool
	dryRun      bool
}

// NewCopyCommand returns the command orth job copy.
func NewCopyCommand(t *kit.Tool) *cobra.Command {
	var f copyFlags
	cmd := &cobra.Command{
		Use:                   "copy KEY (NEWKEY | --params a,b,c | --file FILE)",
		DisableFlagsInUseLine: true,
		Aliases:               []string{"cp"},
		Short:                 "Copy a job; copies are disabled",
		Long: "Create one copy of a job, or one per parameter. Copies are disabled: enable them with 'orth job enable'.\n\n" +
			"With --as-instances the copies use the job as a template and follow changes of its code.\n" +
			"--file reads a JSON list of up to 100 tasks, each with any of key, title, param, schedule and labels.",
		Example: "  orth job copy report report-test\n" +
			"  orth job copy import --params berlin,paris,rome --as-instances --key-template 'import-{index}'\n" +
			"  orth job copy import --file tasks.json --dry-run",
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted, err := f.copies(cmd.Flags(), args[1:], t.Stdin)
			if err != nil {
				return err
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			made, err := c.CopyJob(cmd.Context(), args[0], wanted)
			if err != nil {
				return err
			}
			return showCopies(t, args[0], made, f.dryRun)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringSliceVar(&f.params, "params", nil, "`list` of parameters such as a,b,c: one copy each")
	flags.StringVar(&f.file, "file", "", "JSON `file` with a list of tasks: one copy each; - reads standard input")
	flags.StringVar(&f.name, "key-template", "", "`template` of the keys: {origin} is KEY, {index} counts from 0 (default {origin}-{index})")
	flags.BoolVar(&f.asInstances, "as-instances", false, "use the job as a template of the copies instead of copying its code")
	flags.BoolVar(&f.dryRun, "dry-run", false, "validate only; create nothing")
	return cmd
}

// copies builds the request.
func (f *copyFlags) copies(flags *pflag.FlagSet, keys []string, stdin io.Reader) (api.NewCopies, error) {
	wanted := api.NewCopies{KeyTemplate: f.name, AsInstances: f.asInstances, DryRun: f.dryRun, Params: f.params}
	ways := len(keys)
	for _, name := range []string{"params", "file"} {
		if flags.Changed(name) {
			ways++
		}
	}
	switch {
	case ways != 1:
		return wanted, output.Usagef("give exactly one of NEWKEY, --params and --file")
	case flags.Changed("params") && len(f.params) == 0:
		return wanted, output.Usagef("--params: must not be empty")
	case len(keys) > 0 && f.name != "":
		return wanted, output.Usagef("--key-template cannot be combined with NEWKEY")
	case len(keys) > 0:
		wanted.Tasks = []api.Copy{{Key: keys[0]}}
		return wanted, nil
	case f.file == "":
		return wanted, nil
	}
	text, err := readJSON(f.file, stdin)
	if err != nil {
		return wanted, fmt.Errorf("--file: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&wanted.Tasks); err != nil {
		return wanted, output.Usagef("--file: %s does not contain a list of tasks: %s", f.file, whyNot(err))
	}
	return wanted, nil
}

// readJSON reads a file up to the size limit of the server.
func readJSON(path string, stdin io.Reader) ([]byte, error) {
	reader := stdin
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		reader = file
	}
	text, err := io.ReadAll(io.LimitReader(reader, maxJobFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", path, err)
	case len(bytes.TrimSpace(text)) == 0:
		return nil, fmt.Errorf("%s is empty", path)
	case len(text) > maxJobFile:
		return nil, fmt.Errorf("%s is larger than %d KiB", path, maxJobFile>>10)
	}
	return text, nil
}

// showCopies prints the result of each copy, and returns an error if one was not created.
func showCopies(t *kit.Tool, origin string, made api.Copies, dry bool) error {
	var err error
	switch {
	case t.ForPrograms():
		err = t.Encode(made)
	case len(made.Copies) == 1 && made.Failed == 0 && !dry:
		key := made.Copies[0].Key
		err = t.PrintResult(made, fmt.Sprintf("job %s created as a copy of %s, disabled: enable it with %s", key, origin, t.CommandLineIn("job", "enable", key)))
	default:
		rows := make([][]string, len(made.Copies))
		for i, c := range made.Copies {
			rows[i] = []string{c.Key, "", "would be created"}
			switch {
			case c.Error != nil:
				rows[i][2] = strings.TrimSpace(c.Error.Field + " " + c.Error.Detail)
			case !dry:
				rows[i][1], rows[i][2] = strconv.FormatInt(c.ID, 10), "created"
			}
		}
		err = t.PrintTable("KEY ID RESULT", rows)
	}
	switch {
	case err != nil:
		return err
	case made.Failed > 0:
		t.PrintNote("%d of %d copies were not created", made.Failed, made.Failed+made.Made)
		return kit.ErrShown
	}
	return nil
}
