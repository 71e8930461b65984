package jobedit

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
)

// editFlags holds the flags that describe a change of a job.
type editFlags struct {
	jobFlags
	rename, file, note string
	version            int64
	unsets             []string
}

// NewEditCommand returns the command orth job edit.
func NewEditCommand(t *kit.Tool) *cobra.Command {
	f := editFlags{jobFlags: newFlags()}
	cmd := &cobra.Command{
		Use:                   "edit KEY (--cron EXPR | --param TEXT | … | --file FILE)",
		DisableFlagsInUseLine: true,
		Short:                 "Change a job",
		Long: "Change a job. Only the given fields change. The flags are those of 'orth job create'; --unset resets a field to its\n" +
			"default, --label and --select add or replace single entries.\n\n" +
			"An enabled job stays enabled and follows the new schedule immediately. Waiting runs use the changed job.\n\n" +
			"--file reads the output of 'orth job show KEY -o json', or only the fields to change; null removes a field. If the\n" +
			"file contains a version, the job must still have it.",
		Example: "  orth job edit report --cron '0 0 3 * * ?' --param all\n" +
			"  orth job edit report --timeout 10m --unset labels.team --unset calendar\n" +
			"  orth job edit report --rename nightly-report\n" +
			"  orth job edit import --template etl-base\n" +
			"  orth job show report -o json > report.json && orth job edit report --file report.json",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return editJob(t, cmd, &f, args[0]) },
	}
	flags := cmd.Flags()
	f.add(flags)
	flags.Lookup("group").Usage = "`group` of the executors that run the job"
	flags.StringVar(&f.rename, "rename", "", "new `key` of the job")
	flags.StringArrayVar(&f.unsets, "unset", nil, "`field` to reset to its default: a flag name, or a field such as retry.max or labels.team; may be repeated")
	flags.StringVar(&f.file, "file", "", "JSON `file` with the fields to change; - reads standard input")
	flags.Int64Var(&f.version, "if-version", 0, "update the job only if it has this `version` (default the current one)")
	kit.NoteFlag(cmd, &f.note)
	return cmd
}

func editJob(t *kit.Tool, cmd *cobra.Command, f *editFlags, key string) error {
	flags := cmd.Flags()
	given := changeFlag(flags)
	switch {
	case f.file == "" && given == "":
		return output.Usagef("nothing to change: give at least one flag, or --file")
	case f.file != "" && given != "":
		return output.Usagef("--file and --%s are mutually exclusive", given)
	case flags.Changed("if-version") && f.version < 1:
		return output.Usagef("--if-version: must be at least 1, got %d", f.version)
	}
	c, err := t.Connect()
	if err != nil {
		return err
	}
	defer c.Close()
	present, err := c.Job(cmd.Context(), key)
	if err != nil {
		return err
	}
	var patch map[string]any
	version := present.Version // the version that the patch is based on
	if f.file != "" {
		patch, version, err = patchFile(f.file, key, t.Stdin)
	} else {
		patch, err = f.patch(flags, present, t.Stdin)
	}
	if err != nil {
		return err
	}
	if f.version != 0 {
		version = f.version
	}
	j, err := c.UpdateJob(client.WithNote(cmd.Context(), f.note), key, version, patch)
	if err != nil {
		return err
	}
	if err := t.PrintResult(j, edited(t, present, j)); err != nil {
		return err
	}
	if j.Group != present.Group || j.Handler.Kind != present.Handler.Kind || j.Handler.Name != present.Handler.Name {
		t.WarnUnserved(cmd.Context(), c, kit.NewJobOf(&j))
	}
	return nil
}

// edited describes an updated job.
func edited(t *kit.Tool, was, j api.Job) string {
	if j.Version == was.Version {
		return fmt.Sprintf("job %s unchanged", j.Key)
	}
	text := fmt.Sprintf("job %s updated to version %d", j.Key, j.Version)
	if was.Key != j.Key {
		text = fmt.Sprintf("job %s renamed to %s, version %d", was.Key, j.Key, j.Version)
	}
	if j.Enabled && !j.NextAt.Equal(was.NextAt.Time) {
		text += "; next firing: " + t.DescribeEnabled(j)
	}
	return text
}
