package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	humanize "github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/backup"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/store/mysql"
	"github.com/orthd/orth/internal/store/sqlite"
	"github.com/orthd/orth/internal/terminal"
	"github.com/orthd/orth/job"
)

// backupFlags say what goes into an archive.
type backupFlags struct {
	withoutKey, withLogs, overwrite bool
	logFolder, db                   string
}

func (t *tool) backupCommand() *cobra.Command {
	var f backupFlags
	cmd := &cobra.Command{
		Use: "backup FILE", Short: "Copy the embedded database and its keys into an archive, while the server runs", Args: cobra.ExactArgs(1),
		Long: "Copy the embedded database of a data folder, as it stands at one instant, with its keys into one archive: a tar in zstd,\n" +
			"with the mode 0600. The server may run or not; it does not wait. - is the standard output.\n\n" +
			"The archive holds what opens secrets and lets executors in (secrets.key, executor.token, api.token): keep it as you keep\n" +
			"those, or leave them out with --without-key. Logs are only in it with --with-logs. 'orth restore' puts it back.\n\n" +
			"A database of its own (--db, ORTH_DB) is copied by its own tools: the command says how, and copies nothing.",
		Example: "  orth backup /backups/orth-$(date +%F).tar.zst --data /var/lib/orth\n  orth backup - --data /var/lib/orth | ssh backups 'cat > orth.tar.zst'\n" +
			"  orth backup verify /backups/orth.tar.zst",
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := firstOf(t.data, t.Getenv("ORTH_DATA"), defaultData)
			if db := firstOf(f.db, t.Getenv("ORTH_DB")); db != "" {
				return ownTools(db, dir)
			}
			m, err := t.backup(cmd.Context(), dir, args[0], f)
			if err != nil {
				return err
			}
			if args[0] == "-" {
				t.toldBackup(&m, args[0])
				return nil
			}
			return t.show(m, func() error { t.toldBackup(&m, args[0]); return nil })
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.BoolVar(&f.withoutKey, "without-key", false, "leave keys and tokens out: then secrets of the copy cannot be opened without them")
	flags.BoolVar(&f.withLogs, "with-logs", false, "copy the folder with the text of logs too")
	flags.StringVar(&f.logFolder, "log-folder", "", "`folder` of the text of logs (default logs in the data folder)")
	flags.BoolVar(&f.overwrite, "overwrite", false, "write over a file that is there")
	flags.StringVar(&f.db, "db", "", "`address` of a database of its own (env ORTH_DB): the command says how it is copied")
	t.folderFlags(cmd)
	cmd.AddCommand(t.backupVerifyCommand())
	return cmd
}

// folderFlags adds the flags of commands that work on a data folder and ask no server.
func (t *tool) folderFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&t.data, "data", "", "data `folder` of the server (env ORTH_DATA; default: "+defaultData+")")
	t.outputFlags(cmd.Flags())
}

// backup makes the archive: beside the file under another name, which is renamed when
// everything is in it and on the disk.
func (t *tool) backup(ctx context.Context, dir, path string, f backupFlags) (m backup.Meta, err error) {
	database := filepath.Join(dir, backup.Database)
	if _, err := os.Stat(database); err != nil {
		return m, noDatabase(dir, err)
	}
	beside := os.TempDir()
	if path != "-" {
		beside = filepath.Dir(path)
		if _, err := os.Lstat(path); err == nil && !f.overwrite {
			return m, conflicting(path+" is there already", "name another file, or add --overwrite")
		}
	}
	work, err := os.MkdirTemp(beside, ".orth-backup-")
	if err != nil {
		return m, fmt.Errorf("make the archive: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	t.step("copying the database")
	copied, err := sqlite.Copy(ctx, database, filepath.Join(work, backup.Database))
	if err != nil {
		return m, err
	}
	m = backup.Meta{Taken: copied.Taken.UTC().Truncate(time.Millisecond), Schema: copied.Schema, Orth: t.Version, Contents: copied.Contents}
	if path == "-" {
		return t.pack(ctx, t.Stdout, dir, work, m, f)
	}
	made := filepath.Join(work, "archive")
	file, err := os.OpenFile(made, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return m, fmt.Errorf("make the archive: %w", err)
	}
	if m, err = t.pack(ctx, file, dir, work, m, f); err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(made, path)
	}
	if err == nil {
		syncFolder(beside)
	}
	return m, err
}

// pack writes everything into out.
func (t *tool) pack(ctx context.Context, out io.Writer, dir, work string, m backup.Meta, f backupFlags) (backup.Meta, error) {
	bar, done := t.packing("packing")
	defer bar.Clear()
	w, err := backup.NewWriter(out, done)
	if err != nil {
		return m, err
	}
	err = w.Add(ctx, backup.Database, filepath.Join(work, backup.Database))
	for _, name := range backup.Keys() {
		if err != nil || f.withoutKey {
			break
		}
		if err = w.Add(ctx, name, filepath.Join(dir, name)); errors.Is(err, fs.ErrNotExist) {
			err = nil // The server is given it elsewhere.
		}
	}
	if err == nil && f.withLogs {
		err = w.AddFolder(ctx, firstOf(f.logFolder, filepath.Join(dir, backup.LogFolder)))
	}
	if err != nil {
		w.Abandon()
		return m, err
	}
	return w.Close(m)
}

// packing returns a bar, and what shows on it how many bytes were worked on.
func (t *tool) packing(verb string) (bar *terminal.Bar, done func(int64)) {
	bar = terminal.NewBar(t.Stderr)
	var all, shown int64
	return bar, func(n int64) {
		if all += n; all-shown >= 8<<20 {
			shown = all
			bar.Show(0, 1, verb+": "+humanize.IBytes(uint64(all)))
		}
	}
}

// step says on a terminal what is being done.
func (t *tool) step(what string) {
	if terminal.Is(t.Stderr) {
		t.tell("%s", what)
	}
}

func (t *tool) toldBackup(m *backup.Meta, path string) {
	where := path
	if path == "-" {
		where = "the standard output"
	}
	t.tell("copied %s, %s (%d not over) as of %s to %s", plural.Count(int(m.Jobs), "job"), plural.Count(int(m.Runs), "run"), m.Open,
		m.Taken.In(t.Location).Format(time.RFC3339), where)
	var missing []string
	for _, name := range backup.Keys() {
		if !m.Has(name) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		t.tell("beware: it has no %s: without secrets.key named secrets and tokens of groups cannot be opened, without executor.token executors are not let in",
			strings.Join(missing, ", "))
	}
}

func (t *tool) backupVerifyCommand() *cobra.Command {
	var most string
	cmd := &cobra.Command{
		Use: "verify FILE", Short: "Check an archive: its sums, its database, its version", Args: cobra.ExactArgs(1),
		Long: "Check an archive that 'orth backup' has made: each entry by its sum, the database by SQLite, and whether this Orth can\n" +
			"open it. The archive is unpacked beside it for that, so there must be room. Nothing is changed.",
		Example: "  orth backup verify /backups/orth.tar.zst",
		RunE: func(cmd *cobra.Command, args []string) error {
			work, err := os.MkdirTemp(besideArchive(args[0]), ".orth-verify-")
			if err != nil {
				return fmt.Errorf("unpack the archive: %w", err)
			}
			defer func() { _ = os.RemoveAll(work) }()
			m, err := t.unpack(cmd.Context(), args[0], work, most)
			if err != nil {
				return err
			}
			return t.show(m, func() error {
				t.tell("%s is a whole backup of %s by Orth %s: %s, %s (%d not over), schema %d, %s, %s", args[0],
					m.Taken.In(t.Location).Format(time.RFC3339), printable(m.Orth), plural.Count(int(m.Jobs), "job"), plural.Count(int(m.Runs), "run"),
					m.Open, m.Schema, plural.Count(len(m.Entries), "file"), humanize.IBytes(uint64(m.Size())))
				return nil
			})
		},
	}
	sizeFlag(cmd, &most)
	t.outputFlags(cmd.Flags())
	return cmd
}

func sizeFlag(cmd *cobra.Command, most *string) {
	cmd.Flags().StringVar(most, "max-size", "1TiB", "most that the archive may hold, unpacked")
}

// besideArchive returns where an archive is unpacked.
func besideArchive(path string) string {
	if path == "-" {
		return os.TempDir()
	}
	return filepath.Dir(path)
}

// unpack reads an archive into a folder and checks its database.
func (t *tool) unpack(ctx context.Context, path, folder, most string) (backup.Meta, error) {
	limit, err := humanize.ParseBytes(most)
	if err != nil || limit == 0 || limit > 1<<62 {
		return backup.Meta{}, usagef("--max-size: %q is no size: write it such as 10GiB", most)
	}
	in := t.Stdin
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return backup.Meta{}, err
		}
		defer file.Close()
		in = file
	}
	bar, done := t.packing("unpacking")
	m, err := backup.Unpack(ctx, in, folder, int64(limit), done)
	bar.Clear()
	if err != nil {
		return m, errorOf(path, err)
	}
	t.step("checking the database")
	database := filepath.Join(folder, backup.Database)
	found, err := sqlite.Check(ctx, database)
	switch {
	case err != nil:
		return m, errorOf(path, err)
	case found.Damage != "":
		return m, job.Errorf(job.Invalid, "%s: the database in it is damaged: %s", path, found.Damage)
	case found.Refused != nil: // the folder of its database is removed at the end
		wrong := job.Errorf(found.Refused.Kind, "%s: %s", path, strings.ReplaceAll(found.Refused.Message, "the database "+database, "its database"))
		wrong.Hint = "it was made by Orth " + m.Orth + ": restore it with that version"
		return m, wrong
	}
	return m, nil
}

// ownTools says how a database is copied that is in no folder. It does not repeat the
// address, which may hold a password.
func ownTools(address, dir string) error {
	if err := knownDatabase(address); err != nil {
		return err
	}
	name, dump, back := "PostgreSQL", `pg_dump --format=custom --file=orth.dump "$ORTH_DB"`, "pg_restore"
	if mysql.IsAddress(address) {
		name, dump, back = "MySQL or MariaDB", "mariadb-dump --single-transaction --hex-blob --result-file=orth.sql DATABASE", "mariadb (or mysqldump and mysql)"
	}
	wrong := job.Errorf(job.Invalid, "%s is copied by its own tools, while servers run: nothing was copied", name)
	wrong.Hint = fmt.Sprintf(`run
        %s
        tar -cf orth-keys.tar -C %s %s
      in this order, and keep both as you keep passwords; logs in folders are copied beside them. To put it back: %s
      into an empty database, the keys into the data folder of each server, then 'orth restore --db' before a server starts.
      docs/backup.md has the steps`, dump, dir, strings.Join(backup.Keys(), " "), back)
	return wrong
}

func noDatabase(dir string, err error) error {
	wrong := job.Errorf(job.NotFound, "there is no embedded database in %s: %w", dir, err)
	wrong.Hint = "name the data folder of a server with --data; databases of their own are copied by their own tools, such as pg_dump or mysqldump"
	return wrong
}

func conflicting(message, hint string) error {
	return &job.Error{Kind: job.Conflict, Message: message, Hint: hint}
}

// syncFolder makes names in a folder durable, where the system can.
func syncFolder(dir string) {
	folder, err := os.Open(dir)
	if err != nil {
		return // What is in it is written already.
	}
	defer folder.Close()
	_ = folder.Sync() // Some file systems cannot, and need not be asked.
}
