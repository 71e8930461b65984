package cli

import (
	"io"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/manifest"
	"github.com/orthd/orth/internal/xxlimport"
	"github.com/orthd/orth/job"
)

func (t *tool) importCommand() *cobra.Command {
	return parent(
		&cobra.Command{Use: "import", Short: "Turn what other schedulers have into documents", Example: "  orth import xxl-job --dsn 'reader@tcp(db:3306)/xxl_job' --password-file password --apply --dry-run\n  orth import orth-json export.json jobs/ --group reports\n  crontab -l | orth import crontab - --group ops --apply"},
		t.importDatabaseCommand(), t.importOrthCommand(), t.importCrontabCommand(), t.importKubernetesCommand(),
	)
}

func (t *tool) importOrthCommand() *cobra.Command {
	var o xxlimport.OrthOptions
	var groups map[string]string
	overwrite := false
	cmd := &cobra.Command{
		Use: "orth-json FILE [DIR]", DisableFlagsInUseLine: true, Short: "Turn jobs that the Java servers have exported into documents", Args: cobra.RangeArgs(1, 2),
		Long: "Turn jobs that a console of the Java Orth or of XXL-JOB has exported as JSON into documents: into a folder, or to the\n" +
			"standard output. No server is asked and nothing is changed: look at the documents, then apply them.\n\n" +
			"Exports name groups, children and templates by numbers of the old server. Say with --group-key which key a group has;\n" +
			"children and templates are found when the export has the numbers of its jobs. What is not taken over is told.",
		Example: "  orth import orth-json export.json jobs/ --group reports --zone Asia/Shanghai\n" +
			"  orth import orth-json export.json --group-key 1=reports --group-key 2=billing | orth plan -f -",
		RunE: func(_ *cobra.Command, args []string) error {
			o.Groups = make(map[int64]string, len(groups))
			for number, key := range groups {
				n, err := strconv.ParseInt(number, 10, 64)
				if err != nil {
					return usagef("--group-key: %q is no number: write it such as 1=reports", number)
				}
				o.Groups[n] = key
			}
			text, err := t.readExport(args[0], xxlimport.MaxOrthJSON)
			if err != nil {
				return err
			}
			objects, notes, err := xxlimport.OrthJSON(text, o)
			if err != nil {
				return errorOf(args[0], err)
			}
			for _, note := range notes {
				t.tell("beware: %s", printable(note.String()))
			}
			if len(objects) == 0 {
				return job.Errorf(job.Invalid, "%s: no job of it can be taken over", args[0])
			}
			files, err := manifest.Files(objects, len(args) == 2)
			if err != nil {
				return err
			}
			if len(args) == 2 {
				return t.writeDocuments(args[1], files, len(objects), overwrite)
			}
			return t.printDocuments(files)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&o.Group, "group", "", "`key` of the group of all jobs whose group no --group-key names")
	flags.StringToStringVar(&groups, "group-key", nil, "which key a group of the export has, such as `1=reports`; may be given several times")
	flags.StringVar(&o.Zone, "zone", "", "`zone` of the expressions, which an export does not say (default UTC)")
	flags.StringVar(&o.Namespace, "namespace", job.DefaultNamespace, "`namespace` of the documents")
	flags.BoolVar(&overwrite, "overwrite", false, "write over files that are there with something else in them")
	return cmd
}

// readExport reads a file of at most so many bytes; - is the standard input.
func (t *tool) readExport(path string, most int) ([]byte, error) {
	in := t.Stdin
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		in = file
	}
	text, err := io.ReadAll(io.LimitReader(in, int64(most)+1))
	if err == nil && len(text) > most {
		err = job.Errorf(job.Invalid, "%s is larger than %d MiB", path, most>>20)
	}
	return text, err
}
