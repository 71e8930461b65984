package cli

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
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/store/sqlite"
	"github.com/orthd/orth/job"
)

// restored is what a restore came to, for programs.
type restored struct {
	// Folder is where the archive was put; empty when a database was marked, which
	// Database names then.
	Folder   string `json:"folder,omitempty"`
	Database string `json:"database,omitempty"`
	// Aside is where the folder that was there is now.
	Aside string `json:"aside,omitempty"`
	// Missing are the keys that the archive does not have.
	Missing []string `json:"missing_keys,omitempty"`
	backup.Report
}

func (t *tool) restoreCommand() *cobra.Command {
	var missed, most string
	var db databaseRestore
	replace, dry := false, false
	cmd := &cobra.Command{
		Use: "restore FILE --data DIR | --db ADDRESS", DisableFlagsInUseLine: true,
		Short: "Put an archive of 'orth backup' back as a data folder, or make a restored database fit for now", Args: cobra.MaximumNArgs(1),
		Long: "Put an archive of 'orth backup' back as a data folder, for a server that is started then. The folder must not be in use;\n" +
			"one with a database is only replaced with --replace, which moves it aside.\n\n" +
			"What happened after the copy is not in it. So that nothing runs twice, slots between the copy and now are left out, and\n" +
			"runs, backfills and workflows that waited are ended, each with the reason that nobody knows whether they went on; with\n" +
			"--missed policy they are treated as after a time without a server. Executors are asked about attempts that were under\n" +
			"way. Numbers of runs and attempts go on far ahead, so that no late outcome meets a new attempt. All of it is told.\n\n" +
			"A PostgreSQL, MySQL or MariaDB database is put back by its own tools, such as pg_restore or mariadb. After that, and\n" +
			"before a server starts on it, 'orth restore --db ADDRESS' does the same to it; docs/backup.md has the steps.",
		Example: "  orth restore /backups/orth.tar.zst --data /var/lib/orth\n  orth restore orth.tar.zst --data orth-data --replace --missed policy --yes\n" +
			"  orth restore orth.tar.zst --data /var/lib/orth --replace --dry-run -o json\n" +
			"  orth restore --db postgres://orth@db.example/orth --taken 2030-01-31T02:00:00Z",
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := firstOf(t.data, t.Getenv("ORTH_DATA"))
			if dir == "" {
				return usagef("--data: name the folder that the archive is put into")
			}
			if missed != string(backup.MissedSkip) && missed != string(backup.MissedPolicy) {
				return usagef("--missed: %q is unknown; use %s or %s", missed, backup.MissedSkip, backup.MissedPolicy)
			}
			r := restoring{tool: t, dir: filepath.Clean(dir), replace: replace, dry: dry, missed: backup.Missed(missed), most: most}
			done, err := r.run(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return t.show(done, func() error { return t.tellRestored(&done, dry) })
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.BoolVar(&replace, "replace", false, "move a folder that has a database aside, under a name that is told")
	flags.StringVar(&missed, "missed", string(backup.MissedSkip), "what becomes of slots and waiting runs since the copy: `skip or policy`")
	flags.BoolVar(&dry, "dry-run", false, "only tell what it would come to")
	sizeFlag(cmd, &most)
	flags.StringVar(&db.address, "db", "", "`address` of a PostgreSQL, MySQL or MariaDB database that was put back by its own tools (env ORTH_DB counts as well, when no archive is named)")
	flags.StringVar(&db.taken, "taken", "", "with --db: `time` at which the copy was begun (default: the newest instant that it has)")
	t.folderFlags(cmd)
	cmd = t.sure(cmd, "Put %s back as a data folder?")
	folder := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			db.address = firstOf(db.address, t.Getenv("ORTH_DB"))
		}
		switch {
		case db.address == "" && len(args) == 0:
			return usagef("name the archive, or with --db the database that was put back")
		case db.address == "":
			return folder(cmd, args)
		}
		db.yes, db.dry, db.missed = cmd.Flags().Lookup("yes").Value.String() == "true", dry, backup.Missed(missed)
		return t.restoreDatabase(cmd.Context(), db, args)
	}
	return cmd
}

// restoring is one restore.
type restoring struct {
	*tool

	dir          string
	replace, dry bool
	missed       backup.Missed
	most         string
}

// run makes the new folder beside the old one and puts it in its place at the end.
func (r *restoring) run(ctx context.Context, path string) (done restored, err error) {
	done.Folder = r.dir
	there, release, err := r.claim()
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, release()) }()
	parent := filepath.Dir(r.dir)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return done, fmt.Errorf("make the folder: %w", err)
	}
	work, err := os.MkdirTemp(parent, ".orth-restore-")
	if err != nil {
		return done, fmt.Errorf("unpack the archive: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	m, err := r.unpack(ctx, path, work, r.most)
	if err != nil {
		return done, err
	}
	for _, name := range backup.Keys() {
		if !m.Has(name) {
			done.Missing = append(done.Missing, name)
		}
	}
	r.step("settling what the copy does not know")
	if done.Report, err = r.settle(ctx, filepath.Join(work, backup.Database), m.Taken); err != nil || r.dry {
		return done, err
	}
	if runtime.GOOS == "windows" { // A folder with an open file cannot be moved there.
		if err := release(); err != nil {
			return done, err
		}
	}
	done.Aside, err = r.place(work, there)
	return done, err
}

// claim makes sure that nobody uses the folder, and that it may be replaced. there says
// that there is something in it. The release may be called twice.
func (r *restoring) claim() (there bool, release func() error, err error) {
	release = func() error { return nil }
	entries, err := os.ReadDir(r.dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return false, release, nil
	}
	if err != nil {
		return false, release, fmt.Errorf("look at the folder: %w", err)
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
		return true, release, errors.Join(conflicting(r.dir+" has a database already",
			"name another folder, or add --replace, which moves this one aside"), release())
	case r.replace:
		return true, release, nil
	}
	return true, release, conflicting(r.dir+" is not empty", "name another folder, or add --replace, which moves this one aside")
}

// settle opens the copy, brings its schema up to date, and makes it fit for now.
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

// place puts the new folder where the old one is, and returns where that is now.
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
	wrong.Hint = "when it is the root of a volume, put the archive into a folder within, and name that as the data folder of the server"
	return wrong
}

// maxToldJobs is how many jobs a report shows to people.
const maxToldJobs = 50

// tellRestored shows what a restore came to.
func (t *tool) tellRestored(d *restored, dry bool) error {
	at := func(i time.Time) string {
		if i.IsZero() {
			return "-"
		}
		return i.In(t.Location).Format(time.RFC3339)
	}
	became, waited, beside := "left out: nobody knows whether they ran", "ended", "ended"
	if d.Report.Missed == backup.MissedPolicy {
		became, waited, beside = "left to the misfire policy of each job", "will be sent, whether they ran or not", "go on"
	}
	t.tell("the copy is of %s; what happened until %s (%s) is not in it: runs and outcomes, and changes of jobs, users and tokens", at(d.Taken), at(d.Restored),
		d.Restored.Sub(d.Taken).Round(time.Second))
	if d.LateJobs > 0 {
		t.tell("%s of %s in that time, %s:", plural.Count(d.Slots, "slot"), plural.Count(d.LateJobs, "job"), became)
		rows := make([][]string, 0, maxToldJobs)
		for _, j := range d.Jobs[:min(len(d.Jobs), maxToldJobs)] {
			number := fmt.Sprint(j.Slots)
			if j.More {
				number = "more than " + number
			}
			next := at(j.Next)
			if j.Policy != "" {
				next = "by " + string(j.Policy)
			}
			rows = append(rows, []string{j.Namespace + "/" + j.Job, number, at(j.First), at(j.Last), firstOf(j.Problem, next)})
		}
		if err := t.table("JOB SLOTS FIRST LAST NEXT", rows); err != nil {
			return err
		}
		if more := d.LateJobs - len(rows); more > 0 {
			t.tell("and %s: see -o json", plural.Count(more, "further job"))
		}
	}
	for _, line := range []struct {
		count int
		text  string
	}{
		{d.Waited, fmt.Sprintf("%s of the copy waited: %s", plural.Count(d.Waited, "run"), waited)},
		{d.Asked, fmt.Sprintf("%s of the copy: executors are asked when the server runs; a job that is tried again when an attempt is lost may run again", plural.Count(d.Asked, "open attempt"))},
		{len(d.Backfills), fmt.Sprintf("backfills %v were under way: %s", d.Backfills, beside)},
		{len(d.Workflows), fmt.Sprintf("workflow runs %v were under way: %s", d.Workflows, beside)},
		{int(d.Sessions), fmt.Sprintf("%s ended: people sign in again", plural.Count(int(d.Sessions), "sign-in"))},
	} {
		if line.count > 0 {
			t.tell("%s", line.text)
		}
	}
	t.tell("new runs and attempts begin with number %d", d.NumbersFrom)
	t.tell("tokens that were revoked, and users that were locked, after the copy are good again; requests repeated with an Idempotency-Key of that time are new ones")
	if len(d.Missing) > 0 {
		t.tell("beware: the archive had no %v: put them into %s before the server starts, or it makes new ones and cannot open secrets", d.Missing, d.Folder)
	}
	switch {
	case dry:
		t.tell("nothing was changed")
	case d.Database != "":
		t.tell("the database %s is fit for now: servers may start on it", d.Database)
	case d.Aside != "":
		t.tell("%s is restored; what was there is in %s", d.Folder, d.Aside)
	default:
		t.tell("%s is restored", d.Folder)
	}
	return nil
}
