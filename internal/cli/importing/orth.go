package importing

import (
	"io"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/cli/documents"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/manifest"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/xxlimport"
	"github.com/orthd/orth/job"
)

// NewImportCommand returns the command orth import.
func NewImportCommand(t *kit.Tool) *cobra.Command {
	return output.Parent(
		&cobra.Command{Use: "import", Short: "Import jobs from other schedulers", Example: "  orth import xxl-job --dsn 'reader@tcp(db:3306)/xxl_job' --password-file password --apply --dry-run\n  orth import orth-json export.json jobs/ --group reports\n  crontab -l | orth import crontab - --group ops --apply"},
		newImportDatabaseCommand(t), newImportOrthCommand(t), newImportCrontabCommand(t), newImportKubernetesCommand(t),
	)
}

func newImportOrthCommand(t *kit.Tool) *cobra.Command {
	var o xxlimport.OrthOptions
	var groups map[string]string
	overwrite := false
	cmd := &cobra.Command{
		Use: "orth-json FILE [DIR]", DisableFlagsInUseLine: true, Short: "Convert a JSON export of a Java server into manifests", Args: cobra.RangeArgs(1, 2),
		Long: "Convert jobs that a console of the Java Orth or of XXL-JOB exported as JSON into manifests, written into a folder or to\n" +
			"standard output. No server is called: review the manifests, then apply them.\n\n" +
			"Exports contain numeric ids of groups, children and templates. Map group ids to keys with --group-key. Children and\n" +
			"templates are resolved when the export contains job ids. Skipped items are reported.",
		Example: "  orth import orth-json export.json jobs/ --group reports --zone Asia/Shanghai\n" +
			"  orth import orth-json export.json --group-key 1=reports --group-key 2=billing | orth plan -f -",
		RunE: func(_ *cobra.Command, args []string) error {
			o.Groups = make(map[int64]string, len(groups))
			for number, key := range groups {
				n, err := strconv.ParseInt(number, 10, 64)
				if err != nil {
					return output.Usagef("--group-key: %q is not a number; use the form 1=reports", number)
				}
				o.Groups[n] = key
			}
			text, err := readExport(t, args[0], xxlimport.MaxOrthJSON)
			if err != nil {
				return err
			}
			objects, notes, err := xxlimport.OrthJSON(text, o)
			if err != nil {
				return kit.WrapError(args[0], err)
			}
			for _, note := range notes {
				t.PrintNote("beware: %s", output.Printable(note.String()))
			}
			if len(objects) == 0 {
				return job.Errorf(job.Invalid, "%s: no job can be imported", args[0])
			}
			files, err := manifest.Files(objects, len(args) == 2)
			if err != nil {
				return err
			}
			if len(args) == 2 {
				return documents.WriteFiles(t, args[1], files, len(objects), overwrite)
			}
			return documents.PrintFiles(t, files)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&o.Group, "group", "", "`key` of the group for jobs without a --group-key mapping")
	flags.StringToStringVar(&groups, "group-key", nil, "mapping of a group id to its key, such as `1=reports`; may be repeated")
	flags.StringVar(&o.Zone, "zone", "", "time `zone` of the cron expressions (default UTC)")
	flags.StringVar(&o.Namespace, "namespace", job.DefaultNamespace, "`namespace` of the manifests")
	flags.BoolVar(&overwrite, "overwrite", false, "overwrite existing files with different content")
	return cmd
}

// readExport reads a file of at most the given number of bytes; - is standard input.
func readExport(t *kit.Tool, path string, most int) ([]byte, error) {
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
