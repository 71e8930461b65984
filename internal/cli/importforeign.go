package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/importer"
	"github.com/orthd/orth/internal/manifest"
	"github.com/orthd/orth/job"
)

// importFlags say how foreign jobs are turned, and where they go.
type importFlags struct {
	importer.Options

	out                        string
	overwrite, apply, dry, yes bool
}

func (f *importFlags) add(t *tool, cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.Group, "group", "", "`key` of the group whose executors run the jobs")
	_ = cmd.MarkFlagRequired("group") // it was added just before
	flags.StringVar(&f.Zone, "zone", "", "`zone` of schedules that name none (default UTC)")
	flags.StringVar(&f.Prefix, "prefix", "", "`text` that begins each key")
	flags.BoolVar(&f.Start, "start", false, "start the jobs; without it new ones are stopped, and others stay as they are")
	f.place(t, cmd)
}

// place adds the flags that say where documents go.
func (f *importFlags) place(t *tool, cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.out, "out", "", "`folder` that the documents are written into (default: the standard output)")
	flags.BoolVar(&f.overwrite, "overwrite", false, "write over files of the folder that are there with something else in them")
	flags.BoolVar(&f.apply, "apply", false, "apply the documents: the plan is shown, and after a yes carried out")
	flags.BoolVar(&f.dry, "dry-run", false, "with --apply: only show the plan")
	flags.BoolVar(&f.yes, "yes", false, "with --apply: do not ask")
	t.serverFlags(cmd)
}

const importWords = "Nothing is asked of a server unless --apply is given. What is not taken over, or means something else here, is told with\n" +
	"its line. docs/import.md says what becomes of what."

func (t *tool) importCrontabCommand() *cobra.Command {
	var f importFlags
	system := false
	cmd := &cobra.Command{
		Use: "crontab FILE", Short: "Turn a table of cron into documents", Args: cobra.ExactArgs(1),
		Long: "Turn a table of cron into documents: one job for each line, with a script for the shell of an executor. - is the standard\n" +
			"input.\n\n" + importWords,
		Example: "  crontab -l | orth import crontab - --group ops --zone Europe/Berlin --out jobs/\n" +
			"  orth import crontab /etc/crontab --system --group host1 --prefix host1- --apply",
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Namespace = t.namespace
			text, err := t.readExport(args[0], importer.MaxSize)
			if err != nil {
				return err
			}
			made, err := importer.Crontab(text, system, f.Options)
			if err != nil {
				return errorOf(args[0], err)
			}
			return t.imported(cmd.Context(), &f, args[:1], []importer.Imported{made})
		},
	}
	f.add(t, cmd)
	cmd.Flags().BoolVar(&system, "system", false, "the table has a column with users, as /etc/crontab has")
	return cmd
}

func (t *tool) importKubernetesCommand() *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use: "kubernetes FILE...", Aliases: []string{"k8s"}, Short: "Turn CronJobs of Kubernetes into documents", Args: cobra.RangeArgs(1, 1000),
		Long: "Turn CronJobs of Kubernetes (batch/v1 and batch/v1beta1), in YAML or JSON, into documents: one job for each, with a script\n" +
			"that runs what its container runs. - is the standard input. No image is run: executors must have the programs.\n\n" + importWords,
		Example: "  kubectl get cronjobs -o yaml | orth import kubernetes - --group batch --out jobs/\n" +
			"  orth import kubernetes report.yaml cleanup.yaml --group batch --zone UTC --apply --dry-run",
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Namespace = t.namespace
			var all []importer.Imported
			for _, path := range args {
				text, err := t.readExport(path, importer.MaxSize)
				if err != nil {
					return err
				}
				made, err := importer.Kubernetes(text, f.Options)
				if err != nil {
					return errorOf(path, err)
				}
				all = append(all, made)
			}
			return t.imported(cmd.Context(), &f, args, all)
		},
	}
	f.add(t, cmd)
	return cmd
}

// imported tells what was not taken over and puts the documents where they are wanted.
func (t *tool) imported(ctx context.Context, f *importFlags, paths []string, made []importer.Imported) error {
	var objects []manifest.Object
	origin := map[manifest.ID]string{}
	for i, one := range made {
		for _, note := range one.Notes {
			separator := ":"
			if note.Line == 0 {
				separator = ": "
			}
			t.tell("%s%s%s", paths[i], separator, printable(note.String()))
		}
		for k := range one.Objects {
			id := one.Objects[k].ID()
			if first, twice := origin[id]; twice {
				return job.Errorf(job.Invalid, "%s: %s is made of %s already: import them one by one, with another --prefix", paths[i], id, first)
			}
			origin[id] = paths[i]
		}
		objects = append(objects, one.Objects...)
	}
	if len(objects) == 0 {
		return job.Errorf(job.Invalid, "no job of it can be taken over")
	}
	return t.placeImported(ctx, f, objects)
}

// placeImported puts documents where they are wanted.
func (t *tool) placeImported(ctx context.Context, f *importFlags, objects []manifest.Object) error {
	if f.apply {
		_, err := t.applyImported(ctx, f, objects)
		return err
	}
	if f.dry || f.yes {
		return usagef("--dry-run and --yes go with --apply")
	}
	files, err := manifest.Files(objects, f.out != "")
	if err != nil {
		return err
	}
	if f.out != "" {
		return t.writeDocuments(f.out, files, len(objects), f.overwrite)
	}
	return t.printDocuments(files)
}

// applyImported compares the documents with what a server has, and carries the
// difference out. carried is false when it was only looked at.
func (t *tool) applyImported(ctx context.Context, f *importFlags, objects []manifest.Object) (carried bool, err error) {
	s, err := t.documentsServer()
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
	return t.carryOut(ctx, s, &plan, f.dry, f.yes)
}
