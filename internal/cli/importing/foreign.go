package importing

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/cli/documents"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/importer"
	"github.com/orthd/orth/internal/manifest"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
)

// importFlags holds the flags of an import from another scheduler.
type importFlags struct {
	importer.Options

	out                        string
	overwrite, apply, dry, yes bool
}

func (f *importFlags) add(t *kit.Tool, cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.Group, "group", "", "`key` of the group that runs the jobs")
	_ = cmd.MarkFlagRequired("group") // the flag exists: it was added above
	flags.StringVar(&f.Zone, "zone", "", "time `zone` of schedules without one (default UTC)")
	flags.StringVar(&f.Prefix, "prefix", "", "key `prefix` of each job")
	flags.BoolVar(&f.Start, "enable", false, "enable the jobs; by default new jobs are disabled and existing ones unchanged")
	f.place(t, cmd)
}

// place adds the flags that select the destination of the manifests.
func (f *importFlags) place(t *kit.Tool, cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.out, "out", "", "output `folder` of the manifests (default: standard output)")
	flags.BoolVar(&f.overwrite, "overwrite", false, "overwrite existing files with different content")
	flags.BoolVar(&f.apply, "apply", false, "apply the manifests to the server after confirmation of the plan")
	flags.BoolVar(&f.dry, "dry-run", false, "with --apply: only print the plan")
	flags.BoolVar(&f.yes, "yes", false, "with --apply: do not ask for confirmation")
	t.ServerFlags(cmd)
}

const importWords = "No server is called without --apply. Everything that is skipped or changes its meaning is reported with its line.\n" +
	"See docs/import.md for the mapping."

func newImportCrontabCommand(t *kit.Tool) *cobra.Command {
	var f importFlags
	system := false
	cmd := &cobra.Command{
		Use: "crontab FILE", Short: "Convert a crontab into manifests", Args: cobra.ExactArgs(1),
		Long: "Convert a crontab into manifests: one job per line, with a shell script for executors. - reads standard\n" +
			"input.\n\n" + importWords,
		Example: "  crontab -l | orth import crontab - --group ops --zone Europe/Berlin --out jobs/\n" +
			"  orth import crontab /etc/crontab --system --group host1 --prefix host1- --apply",
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Namespace = t.Namespace
			text, err := readExport(t, args[0], importer.MaxSize)
			if err != nil {
				return err
			}
			made, err := importer.Crontab(text, system, f.Options)
			if err != nil {
				return kit.WrapError(args[0], err)
			}
			return imported(cmd.Context(), t, &f, args[:1], []importer.Imported{made})
		},
	}
	f.add(t, cmd)
	cmd.Flags().BoolVar(&system, "system", false, "the table has a user column, like /etc/crontab")
	return cmd
}

func newImportKubernetesCommand(t *kit.Tool) *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use: "kubernetes FILE...", Aliases: []string{"k8s"}, Short: "Convert Kubernetes CronJobs into manifests", Args: cobra.RangeArgs(1, 1000),
		Long: "Convert Kubernetes CronJobs (batch/v1 and batch/v1beta1), in YAML or JSON, into manifests: one job per CronJob, with a\n" +
			"script that runs the command of its container. - reads standard input. Images are not run: executors must have the\n" +
			"programs.\n\n" + importWords,
		Example: "  kubectl get cronjobs -o yaml | orth import kubernetes - --group batch --out jobs/\n" +
			"  orth import kubernetes report.yaml cleanup.yaml --group batch --zone UTC --apply --dry-run",
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Namespace = t.Namespace
			var all []importer.Imported
			for _, path := range args {
				text, err := readExport(t, path, importer.MaxSize)
				if err != nil {
					return err
				}
				made, err := importer.Kubernetes(text, f.Options)
				if err != nil {
					return kit.WrapError(path, err)
				}
				all = append(all, made)
			}
			return imported(cmd.Context(), t, &f, args, all)
		},
	}
	f.add(t, cmd)
	return cmd
}

// imported prints the skipped items and delivers the manifests.
func imported(ctx context.Context, t *kit.Tool, f *importFlags, paths []string, made []importer.Imported) error {
	var objects []manifest.Object
	origin := map[manifest.ID]string{}
	for i, one := range made {
		for _, note := range one.Notes {
			separator := ":"
			if note.Line == 0 {
				separator = ": "
			}
			t.PrintNote("%s%s%s", paths[i], separator, output.Printable(note.String()))
		}
		for k := range one.Objects {
			id := one.Objects[k].ID()
			if first, twice := origin[id]; twice {
				return job.Errorf(job.Invalid, "%s: %s was already created from %s: import the files one by one with different prefixes (--prefix)", paths[i], id, first)
			}
			origin[id] = paths[i]
		}
		objects = append(objects, one.Objects...)
	}
	if len(objects) == 0 {
		return job.Errorf(job.Invalid, "no job can be imported")
	}
	return placeImported(ctx, t, f, objects)
}

// placeImported delivers manifests to the selected destination.
func placeImported(ctx context.Context, t *kit.Tool, f *importFlags, objects []manifest.Object) error {
	if f.apply {
		_, err := applyImported(ctx, t, f, objects)
		return err
	}
	if f.dry || f.yes {
		return output.Usagef("--dry-run and --yes require --apply")
	}
	files, err := manifest.Files(objects, f.out != "")
	if err != nil {
		return err
	}
	if f.out != "" {
		return documents.WriteFiles(t, f.out, files, len(objects), f.overwrite)
	}
	return documents.PrintFiles(t, files)
}

// applyImported compares the manifests with the server and applies the difference.
// carried is false when nothing was applied.
func applyImported(ctx context.Context, t *kit.Tool, f *importFlags, objects []manifest.Object) (carried bool, err error) {
	s, err := documents.OpenServer(t)
	if err != nil {
		return false, err
	}
	defer s.Close()
	have, err := s.Among(ctx, objects, false)
	if err != nil {
		return false, err
	}
	var options manifest.Options
	for i := range objects {
		if space := objects[i].Namespace; !slices.Contains(options.Namespaces, space) {
			options.Namespaces = append(options.Namespaces, space)
		}
	}
	plan, err := manifest.Decide(objects, have, options)
	if err != nil {
		return false, err
	}
	return documents.ApplyPlan(ctx, t, s, &plan, f.dry, f.yes)
}
