package storage

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

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/backup"
	"github.com/orthd/orth/internal/cli/database"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/store/mysql"
	"github.com/orthd/orth/internal/store/sqlite"
	"github.com/orthd/orth/internal/terminal"
	"github.com/orthd/orth/job"
)

// backupFlags holds the flags that select the content of an archive.
type backupFlags struct {
	withoutKey, withLogs, overwrite bool
	logFolder, db                   string
}

// NewBackupCommand returns the command orth backup.
func NewBackupCommand(t *kit.Tool) *cobra.Command {
	var f backupFlags
	cmd := &cobra.Command{
		Use: "backup FILE", Short: "Back up the embedded database and its keys while the server runs", Args: cobra.ExactArgs(1),
		Long: "Back up a consistent snapshot of the embedded database and the keys of a data folder into one archive, a tar file\n" +
			"compressed by zstd with mode 0600. The server may keep running and is not blocked. - writes to standard output.\n\n" +
			"The archive contains secrets.key, executor.token and api.token, which open secrets and authenticate executors. Protect\n" +
			"it like these files, or omit them with --without-key. --with-logs includes logs. 'orth restore' restores an archive.\n\n" +
			"External databases (--db, ORTH_DB) are backed up with their own tools: the command prints the steps and copies nothing.",
		Example: "  orth backup /backups/orth-$(date +%F).tar.zst --data /var/lib/orth\n  orth backup - --data /var/lib/orth | ssh backups 'cat > orth.tar.zst'\n" +
			"  orth backup verify /backups/orth.tar.zst",
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := kit.FirstOf(t.Data, t.Getenv("ORTH_DATA"), kit.DefaultData)
			if db := kit.FirstOf(f.db, t.Getenv("ORTH_DB")); db != "" {
				return ownTools(db, dir)
			}
			m, err := writeBackup(cmd.Context(), t, dir, args[0], f)
			if err != nil {
				return err
			}
			if args[0] == "-" {
				toldBackup(t, &m, args[0])
				return nil
			}
			return t.Show(m, func() error { toldBackup(t, &m, args[0]); return nil })
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.BoolVar(&f.withoutKey, "without-key", false, "omit keys and tokens; the secrets in the copy cannot be decrypted without them")
	flags.BoolVar(&f.withLogs, "with-logs", false, "include the log folder")
	flags.StringVar(&f.logFolder, "log-folder", "", "`folder` with the logs (default logs in the data folder)")
	flags.BoolVar(&f.overwrite, "overwrite", false, "overwrite an existing file")
	flags.StringVar(&f.db, "db", "", "`address` of an external database (env ORTH_DB): print how to back it up")
	folderFlags(t, cmd)
	cmd.AddCommand(newBackupVerifyCommand(t))
	return cmd
}

// folderFlags adds the flags of commands that work on a data folder without a server.
func folderFlags(t *kit.Tool, cmd *cobra.Command) {
	cmd.Flags().StringVar(&t.Data, "data", "", "data `folder` of the server (env ORTH_DATA; default: "+kit.DefaultData+")")
	t.OutputFlags(cmd.Flags())
}

// writeBackup writes the archive to a temporary file in the same folder and renames it when
// it is complete and synced.
func writeBackup(ctx context.Context, t *kit.Tool, dir, path string, f backupFlags) (m backup.Meta, err error) {
	database := filepath.Join(dir, backup.Database)
	if _, err := os.Stat(database); err != nil {
		return m, noDatabase(dir, err)
	}
	parent := os.TempDir()
	if path != "-" {
		parent = filepath.Dir(path)
		if _, err := os.Lstat(path); err == nil && !f.overwrite {
			return m, conflicting(path+" already exists", "choose another file, or add --overwrite")
		}
	}
	work, err := os.MkdirTemp(parent, ".orth-backup-")
	if err != nil {
		return m, fmt.Errorf("create the archive: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	printStep(t, "Copying the database")
	copied, err := sqlite.Copy(ctx, database, filepath.Join(work, backup.Database))
	if err != nil {
		return m, err
	}
	m = backup.Meta{Taken: copied.Taken.UTC().Truncate(time.Millisecond), Schema: copied.Schema, Orth: t.Version, Contents: copied.Contents}
	if path == "-" {
		return pack(ctx, t, t.Stdout, dir, work, m, f)
	}
	made := filepath.Join(work, "archive")
	file, err := os.OpenFile(made, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return m, fmt.Errorf("create the archive: %w", err)
	}
	if m, err = pack(ctx, t, file, dir, work, m, f); err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(made, path)
	}
	if err == nil {
		syncFolder(parent)
	}
	return m, err
}

// pack writes the archive to out.
func pack(ctx context.Context, t *kit.Tool, out io.Writer, dir, work string, m backup.Meta, f backupFlags) (backup.Meta, error) {
	bar, done := newPackingBar(t, "packing")
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
			err = nil // The server may get it from another place.
		}
	}
	if err == nil && f.withLogs {
		err = w.AddFolder(ctx, kit.FirstOf(f.logFolder, filepath.Join(dir, backup.LogFolder)))
	}
	if err != nil {
		w.Abandon()
		return m, err
	}
	return w.Close(m)
}

// newPackingBar returns a progress bar and a callback that advances it by bytes.
func newPackingBar(t *kit.Tool, verb string) (bar *terminal.Bar, done func(int64)) {
	bar = terminal.NewBar(t.Stderr)
	var all, shown int64
	return bar, func(n int64) {
		if all += n; all-shown >= 8<<20 {
			shown = all
			bar.Show(0, 1, verb+": "+humanize.IBytes(uint64(all)))
		}
	}
}

// printStep prints the current step on a terminal.
func printStep(t *kit.Tool, what string) {
	if terminal.Is(t.Stderr) {
		t.PrintNote("%s", what)
	}
}

func toldBackup(t *kit.Tool, m *backup.Meta, path string) {
	where := path
	if path == "-" {
		where = "standard output"
	}
	t.PrintNote("Backed up %s, %s (%d unfinished) as of %s to %s.", plural.Count(int(m.Jobs), "job"), plural.Count(int(m.Runs), "run"), m.Open,
		m.Taken.In(t.Location).Format(time.RFC3339), where)
	var missing []string
	for _, name := range backup.Keys() {
		if !m.Has(name) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		t.PrintNote("Warning: the archive has no %s. Named secrets and group tokens need secrets.key; executors need executor.token.",
			strings.Join(missing, ", "))
	}
}

func newBackupVerifyCommand(t *kit.Tool) *cobra.Command {
	var most string
	cmd := &cobra.Command{
		Use: "verify FILE", Short: "Verify the checksums, the database and the version of an archive", Args: cobra.ExactArgs(1),
		Long: "Verify an archive of 'orth backup': the checksum of each entry, the integrity of the database, and whether this version\n" +
			"of Orth can open it. The archive is unpacked next to itself, which needs disk space. Nothing is changed.",
		Example: "  orth backup verify /backups/orth.tar.zst",
		RunE: func(cmd *cobra.Command, args []string) error {
			work, err := os.MkdirTemp(besideArchive(args[0]), ".orth-verify-")
			if err != nil {
				return fmt.Errorf("unpack the archive: %w", err)
			}
			defer func() { _ = os.RemoveAll(work) }()
			m, err := unpack(cmd.Context(), t, args[0], work, most)
			if err != nil {
				return err
			}
			return t.Show(m, func() error {
				t.PrintNote("%s is a valid backup of %s by Orth %s: %s, %s (%d unfinished), schema %d, %s, %s", args[0],
					m.Taken.In(t.Location).Format(time.RFC3339), output.Printable(m.Orth), plural.Count(int(m.Jobs), "job"), plural.Count(int(m.Runs), "run"),
					m.Open, m.Schema, plural.Count(len(m.Entries), "file"), humanize.IBytes(uint64(m.Size())))
				return nil
			})
		},
	}
	sizeFlag(cmd, &most)
	t.OutputFlags(cmd.Flags())
	return cmd
}

func sizeFlag(cmd *cobra.Command, most *string) {
	cmd.Flags().StringVar(most, "max-size", "1TiB", "maximum unpacked size of the archive")
}

// besideArchive returns the folder in which an archive is unpacked.
func besideArchive(path string) string {
	if path == "-" {
		return os.TempDir()
	}
	return filepath.Dir(path)
}

// unpack extracts an archive into a folder and checks its database.
func unpack(ctx context.Context, t *kit.Tool, path, folder, most string) (backup.Meta, error) {
	limit, err := humanize.ParseBytes(most)
	if err != nil || limit == 0 || limit > 1<<62 {
		return backup.Meta{}, output.Usagef("--max-size: %q is not a size such as 10GiB", most)
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
	bar, done := newPackingBar(t, "unpacking")
	m, err := backup.Unpack(ctx, in, folder, int64(limit), done)
	bar.Clear()
	if err != nil {
		return m, kit.WrapError(path, err)
	}
	printStep(t, "Checking the database")
	database := filepath.Join(folder, backup.Database)
	found, err := sqlite.Check(ctx, database)
	switch {
	case err != nil:
		return m, kit.WrapError(path, err)
	case found.Damage != "":
		return m, job.Errorf(job.Invalid, "%s: the database in the archive is damaged: %s", path, found.Damage)
	case found.Refused != nil: // the message must not name the temporary folder
		wrong := job.Errorf(found.Refused.Kind, "%s: %s", path, strings.ReplaceAll(found.Refused.Message, "the database "+database, "its database"))
		wrong.Hint = "it was made by Orth " + m.Orth + ": restore it with that version"
		return m, wrong
	}
	return m, nil
}

// ownTools describes how to back up an external database. It does not repeat the
// address, which may contain a password.
func ownTools(address, dir string) error {
	if err := database.CheckAddress(address); err != nil {
		return err
	}
	name, dump, back := "PostgreSQL", `pg_dump --format=custom --file=orth.dump "$ORTH_DB"`, "pg_restore"
	if mysql.IsAddress(address) {
		name, dump, back = "MySQL or MariaDB", "mariadb-dump --single-transaction --hex-blob --result-file=orth.sql DATABASE", "mariadb (or mysqldump and mysql)"
	}
	wrong := job.Errorf(job.Invalid, "%s must be backed up with its own tools, while servers run; nothing was copied", name)
	wrong.Hint = fmt.Sprintf(`run
        %s
        tar -cf orth-keys.tar -C %s %s
      in this order. Protect both files like passwords, and copy log folders separately. To restore: %s
      into an empty database, the keys into the data folder of each server, then 'orth restore --db' before any server starts.
      See docs/backup.md`, dump, dir, strings.Join(backup.Keys(), " "), back)
	return wrong
}

func noDatabase(dir string, err error) error {
	wrong := job.Errorf(job.NotFound, "no embedded database in %s: %w", dir, err)
	wrong.Hint = "set the data folder of a server with --data; back up external databases with their own tools, such as pg_dump or mysqldump"
	return wrong
}

func conflicting(message, hint string) error {
	return &job.Error{Kind: job.Conflict, Message: message, Hint: hint}
}

// syncFolder makes new names in a folder durable where the system supports it.
func syncFolder(dir string) {
	folder, err := os.Open(dir)
	if err != nil {
		return // The files themselves are already synced.
	}
	defer folder.Close()
	_ = folder.Sync() // Some file systems do not support it.
}
