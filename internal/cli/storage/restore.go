package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/backup"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/store/sqlite"
	"github.com/orthd/orth/job"
)

// restored is the result of a restore, for programs.
type restored struct {
	// Folder is the restored folder; empty for a restored database, which Database names.
	Folder   string `json:"folder,omitempty"`
	Database string `json:"database,omitempty"`
	// Aside is the new path of the previous folder.
	Aside string `json:"aside,omitempty"`
	// Missing lists the keys that the archive lacks.
	Missing []string `json:"missing_keys,omitempty"`
	backup.Report
}

// NewRestoreCommand returns the command orth restore.
func NewRestoreCommand(t *kit.Tool) *cobra.Command {
	var missed, most string
	var db databaseRestore
	replace, dry := false, false
	cmd := &cobra.Command{
		Use: "restore FILE --data DIR | --db ADDRESS", DisableFlagsInUseLine: true,
		Short: "Restore a backup, or reconcile a restored database", Args: cobra.MaximumNArgs(1),
		Long: "Restore an archive of 'orth backup' as a data folder before a server is started. The folder must not be in use; a folder\n" +
			"with a database is replaced only with --replace, which moves it aside.\n\n" +
			"The archive lacks everything after the backup. To avoid duplicate runs, slots between the backup and now are skipped,\n" +
			"and waiting runs, backfills and workflows are ended with the reason that their state is unknown; with --missed policy\n" +
			"they are handled like after a server outage. Executors are asked about open attempts. Ids of runs and attempts skip\n" +
			"ahead, so that a late outcome never matches a new attempt. The command reports all of this.\n\n" +
			"A PostgreSQL, MySQL or MariaDB database is restored with its own tools, such as pg_restore or mariadb. Then, before a\n" +
			"server starts, 'orth restore --db ADDRESS' applies the same steps to it. See docs/backup.md.",
		Example: "  orth restore /backups/orth.tar.zst --data /var/lib/orth\n  orth restore orth.tar.zst --data orth-data --replace --missed policy --yes\n" +
			"  orth restore orth.tar.zst --data /var/lib/orth --replace --dry-run -o json\n" +
			"  orth restore --db postgres://orth@db.example/orth --taken-at 2030-01-31T02:00:00Z",
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := kit.FirstOf(t.Data, t.Getenv("ORTH_DATA"))
			if dir == "" {
				return output.Usagef("--data is required: the target folder")
			}
			if missed != string(backup.MissedSkip) && missed != string(backup.MissedPolicy) {
				return output.Usagef("--missed: must be %[2]s or %[3]s, got %[1]q", missed, backup.MissedSkip, backup.MissedPolicy)
			}
			r := restoring{Tool: t, dir: filepath.Clean(dir), replace: replace, dry: dry, missed: backup.Missed(missed), most: most}
			done, err := r.run(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return t.Show(done, func() error { return printRestored(t, &done, dry) })
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.BoolVar(&replace, "replace", false, "move an existing folder with a database aside")
	flags.StringVar(&missed, "missed", string(backup.MissedSkip), "handling of slots and waiting runs since the backup: `skip or policy`")
	flags.BoolVar(&dry, "dry-run", false, "only print the result")
	sizeFlag(cmd, &most)
	flags.StringVar(&db.address, "db", "", "`address` of a PostgreSQL, MySQL or MariaDB database restored with its own tools (env ORTH_DB, used when no archive is given)")
	flags.StringVar(&db.taken, "taken-at", "", "with --db: start `time` of the backup (default: the newest time in it)")
	folderFlags(t, cmd)
	cmd = t.ConfirmFirst(cmd, "Restore %s as a data folder?")
	folder := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			db.address = kit.FirstOf(db.address, t.Getenv("ORTH_DB"))
		}
		switch {
		case db.address == "" && len(args) == 0:
			return output.Usagef("give an archive, or a restored database with --db")
		case db.address == "":
			return folder(cmd, args)
		}
		db.yes, db.dry, db.missed = cmd.Flags().Lookup("yes").Value.String() == "true", dry, backup.Missed(missed)
		return restoreDatabase(cmd.Context(), t, db, args)
	}
	return cmd
}

// restoring is one restore.
type restoring struct {
	*kit.Tool

	dir          string
	replace, dry bool
	missed       backup.Missed
	most         string
}

// run prepares the new folder next to the old one and renames it into place at the end.
func (r *restoring) run(ctx context.Context, path string) (done restored, err error) {
	done.Folder = r.dir
	there, release, err := r.claim()
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, release()) }()
	parent := filepath.Dir(r.dir)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return done, fmt.Errorf("create the folder: %w", err)
	}
	work, err := os.MkdirTemp(parent, ".orth-restore-")
	if err != nil {
		return done, fmt.Errorf("unpack the archive: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	m, err := unpack(ctx, r.Tool, path, work, r.most)
	if err != nil {
		return done, err
	}
	for _, name := range backup.Keys() {
		if !m.Has(name) {
			done.Missing = append(done.Missing, name)
		}
	}
	printStep(r.Tool, "reconciling the time since the backup")
	if done.Report, err = r.settle(ctx, filepath.Join(work, backup.Database), m.Taken); err != nil || r.dry {
		return done, err
	}
	if runtime.GOOS == "windows" { // Windows cannot rename a folder with open files
		if err := release(); err != nil {
			return done, err
		}
	}
	done.Aside, err = r.place(work, there)
	return done, err
}

// claim locks the folder and checks that it may be replaced. there reports that the
// folder is not empty. release may be called twice.
func (r *restoring) claim() (there bool, release func() error, err error) {
	release = func() error { return nil }
	entries, err := os.ReadDir(r.dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return false, release, nil
	}
	if err != nil {
		return false, release, fmt.Errorf("read the folder: %w", err)
	}
	database := filepath.Join(r.dir, backup.Database)
	_, err = os.Stat(database)
	switch {
	case err == nil || !errors.Is(err, fs.ErrNotExist):
		letGo, err := sqlite.Hold(database)
		if err != nil {
			return true, release, err
		}
		held := true
		release = func() error {
			if !held {
				return nil
			}
			held = false
			return letGo()
		}
		if r.replace {
			return true, release, nil
		}
		return true, release, errors.Join(conflicting(r.dir+" already has a database",
			"choose another folder, or add --replace to move this one aside"), release())
	case r.replace:
		return true, release, nil
	}
	return true, release, conflicting(r.dir+" is not empty", "choose another folder, or add --replace to move this one aside")
}

// settle opens the copy, migrates its schema, and reconciles it.
func (r *restoring) settle(ctx context.Context, path string, taken time.Time) (report backup.Report, err error) {
	s, err := sqlite.Open(path, sqlite.Config{})
	if err != nil {
		return report, err
	}
	writing, stop := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() { ended <- s.Run(writing) }()
	defer func() {
		stop()
		err = errors.Join(err, <-ended, s.Close(), os.Remove(path+".lock"))
	}()
	return settle(ctx, s.Store, &settlement{missed: r.missed, taken: taken, version: r.Version})
}

// place renames the new folder into place, and returns the new path of the old one.
func (r *restoring) place(work string, there bool) (aside string, err error) {
	if there {
		aside = r.dir + ".before-restore-" + time.Now().UTC().Format("20060102T150405.000Z")
		if err := os.Rename(r.dir, aside); err != nil {
			return "", r.unmoved(err)
		}
	} else if err := os.Remove(r.dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", r.unmoved(err)
	}
	if err := os.Rename(work, r.dir); err != nil {
		if aside != "" {
			err = errors.Join(err, os.Rename(aside, r.dir))
		}
		return "", r.unmoved(err)
	}
	syncFolder(filepath.Dir(r.dir))
	return aside, nil
}

func (r *restoring) unmoved(err error) error {
	wrong := job.Errorf(job.Unavailable, "%s cannot be moved: %w", r.dir, err)
	wrong.Hint = "if it is the root of a volume, restore into a subfolder and use it as the data folder of the server"
	return wrong
}

// maxPrintedJobs is the maximum number of jobs in a printed report.
const maxPrintedJobs = 50

// printRestored prints the result of a restore.
func printRestored(t *kit.Tool, d *restored, dry bool) error {
	at := func(i time.Time) string {
		if i.IsZero() {
			return "-"
		}
		return i.In(t.Location).Format(time.RFC3339)
	}
	became, waited, unfinished := "skipped because their state is unknown", "ended", "ended"
	if d.Report.Missed == backup.MissedPolicy {
		became, waited, unfinished = "handled by the misfire policy of each job", "will be dispatched, even if they already ran", "continue"
	}
	t.PrintNote("Backup of %s. It lacks everything until %s (%s): runs, outcomes, and changes of jobs, users and tokens.", at(d.Taken), at(d.Restored),
		d.Restored.Sub(d.Taken).Round(time.Second))
	if d.LateJobs > 0 {
		t.PrintNote("%s of %s in this time %s:", plural.Count(d.Slots, "slot"), plural.Count(d.LateJobs, "job"), became)
		rows := make([][]string, 0, maxPrintedJobs)
		for _, j := range d.Jobs[:min(len(d.Jobs), maxPrintedJobs)] {
			number := fmt.Sprint(j.Slots)
			if j.More {
				number = "more than " + number
			}
			next := at(j.Next)
			if j.Policy != "" {
				next = "by " + string(j.Policy)
			}
			rows = append(rows, []string{j.Namespace + "/" + j.Job, number, at(j.First), at(j.Last), kit.FirstOf(j.Problem, next)})
		}
		if err := t.PrintTable("JOB SLOTS FIRST LAST NEXT", rows); err != nil {
			return err
		}
		if more := d.LateJobs - len(rows); more > 0 {
			t.PrintNote("... and %s; use -o json for all.", plural.Count(more, "further job"))
		}
	}
	for _, line := range []struct {
		count int
		text  string
	}{
		{d.Waited, fmt.Sprintf("%s in the backup were waiting: %s", plural.Count(d.Waited, "run"), waited)},
		{d.Asked, fmt.Sprintf("%s in the backup: executors are asked when the server starts; a job that retries lost attempts may run again", plural.Count(d.Asked, "open attempt"))},
		{len(d.Backfills), fmt.Sprintf("backfills %v were running: %s", d.Backfills, unfinished)},
		{len(d.Workflows), fmt.Sprintf("workflow runs %v were running: %s", d.Workflows, unfinished)},
		{int(d.Sessions), fmt.Sprintf("%s ended; users must sign in again", plural.Count(int(d.Sessions), "sign-in"))},
	} {
		if line.count > 0 {
			t.PrintNote("%s", line.text)
		}
	}
	t.PrintNote("new runs and attempts have ids from %d", d.NumbersFrom)
	t.PrintNote("tokens revoked and users locked after the backup are valid again; repeated requests with an Idempotency-Key of that time are executed again")
	if len(d.Missing) > 0 {
		t.PrintNote("Warning: the archive has no %v. Copy them into %s before the server starts; otherwise it creates new ones and cannot decrypt secrets.", d.Missing, d.Folder)
	}
	switch {
	case dry:
		t.PrintNote("nothing was changed")
	case d.Database != "":
		t.PrintNote("database %s is ready: servers may start", d.Database)
	case d.Aside != "":
		t.PrintNote("restored %s; the previous folder is %s", d.Folder, d.Aside)
	default:
		t.PrintNote("restored %s", d.Folder)
	}
	return nil
}
