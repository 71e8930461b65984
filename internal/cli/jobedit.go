package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
)

// editFlags are the flags that describe a change of a job.
type editFlags struct {
	jobFlags
	rename, file, note string
	version            int64
	unsets             []string
}

func (t *tool) jobEditCommand() *cobra.Command {
	f := editFlags{jobFlags: newJobFlags()}
	cmd := &cobra.Command{
		Use:                   "edit KEY (--cron EXPR | --param TEXT | … | --file FILE)",
		DisableFlagsInUseLine: true,
		Short:                 "Change a job",
		Long: "Change a job: what is given changes, and everything else stays as it is. The flags are those of\n" +
			"'orth job create'; --unset gives a field its default, --label and --select add or replace single ones.\n\n" +
			"A started job stays started and goes by a changed schedule from now on. Waiting runs go with the job as it is then.\n\n" +
			"--file reads what 'orth job show KEY -o json' prints, or only the fields that change; null takes one away.\n" +
			"When the file has a version, the job must still have it.",
		Example: "  orth job edit report --cron '0 0 3 * * ?' --param all\n" +
			"  orth job edit report --timeout 10m --unset labels.team --unset calendar\n" +
			"  orth job edit report --rename nightly-report\n" +
			"  orth job edit import --template etl-base\n" +
			"  orth job show report -o json > report.json && orth job edit report --file report.json",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return t.editJob(cmd, &f, args[0]) },
	}
	flags := cmd.Flags()
	f.add(flags)
	flags.Lookup("group").Usage = "`group` of the executors that may run the job"
	flags.StringVar(&f.rename, "rename", "", "new `key` of the job")
	flags.StringArrayVar(&f.unsets, "unset", nil, "`field` that gets its default: the name of a flag, or of a field as retry.max or labels.team; may be repeated")
	flags.StringVar(&f.file, "file", "", "JSON `file` with what changes; - reads standard input")
	flags.Int64Var(&f.version, "if-version", 0, "change the job only if it has this `version` (default the one that it has now)")
	noteFlag(cmd, &f.note)
	return cmd
}

func (t *tool) editJob(cmd *cobra.Command, f *editFlags, key string) error {
	flags := cmd.Flags()
	given := changeFlag(flags)
	switch {
	case f.file == "" && given == "":
		return usagef("nothing is to change: give a flag, or --file")
	case f.file != "" && given != "":
		return usagef("--file and --%s exclude each other", given)
	case flags.Changed("if-version") && f.version < 1:
		return usagef("--if-version: %d is not a version: they count from 1", f.version)
	}
	c, err := t.connect()
	if err != nil {
		return err
	}
	defer c.Close()
	present, err := c.Job(cmd.Context(), key)
	if err != nil {
		return err
	}
	var patch map[string]any
	version := present.Version // what the patch was made for
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
	if err := t.done(j, t.edited(present, j)); err != nil {
		return err
	}
	if j.Group != present.Group || j.Handler.Kind != present.Handler.Kind || j.Handler.Name != present.Handler.Name {
		t.warnUnserved(cmd.Context(), c, runsOn(&j))
	}
	return nil
}

// edited says what became of a job.
func (t *tool) edited(was, j api.Job) string {
	if j.Version == was.Version {
		return fmt.Sprintf("job %s is like that already: nothing has changed", j.Key)
	}
	text := fmt.Sprintf("job %s changed: it has version %d", j.Key, j.Version)
	if was.Key != j.Key {
		text = fmt.Sprintf("job %s is %s now: it has version %d", was.Key, j.Key, j.Version)
	}
	if j.Enabled && !j.NextAt.Equal(was.NextAt.Time) {
		text += ", and fires " + t.firesNext(j)
	}
	return text
}
