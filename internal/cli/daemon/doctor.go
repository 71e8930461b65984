package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/machine"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/servernote"
	"github.com/orthd/orth/internal/store/sqlite"
)

// Statuses of a check.
const (
	checkOK   = "ok"
	checkWarn = "warn"
	checkFail = "fail"
)

// Thresholds for a machine.
const (
	littleSpace = 5 << 30 // bytes
	tooLittle   = 500 << 20
	fewFiles    = 4096
)

// checkFor is the timeout of a database inspection, and probeFor of each server request.
const (
	checkFor = 2 * time.Minute
	probeFor = 5 * time.Second
)

// finding is the result of a check, with its remedy.
type finding struct {
	Check   string `json:"check"`
	Status  string `json:"status"`
	Message string `json:"message"`
	Remedy  string `json:"remedy,omitempty"`
}

// doctor collects findings.
type doctor struct {
	*kit.Tool
	findings []finding
	// db is the address of an external database; empty for none.
	db string
}

// NewDoctorCommand returns the command orth doctor.
func NewDoctorCommand(t *kit.Tool) *cobra.Command {
	config, db := "", ""
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check an installation and suggest fixes", Args: cobra.NoArgs,
		Long: "Check an installation and suggest fixes: this machine, the data folder and its database, the server, its clock and\n" +
			"certificate, the token, the executors, and the warnings of the server. Nothing is changed.\n\n" +
			"Each check results in ok, warn or fail; the exit code is 1 when one fails. The data folder is checked when --data or\n" +
			"ORTH_DATA is set, or when it exists here. A PostgreSQL, MySQL or MariaDB database from --db, ORTH_DB or the file of\n" +
			"--config is checked for its connection, version, clock, schema, privileges and free connections.",
		Example: "  orth doctor\n  orth doctor --data /var/lib/orth --config /etc/orth/server.yaml\n  ORTH_DB=\"postgres://orth:$PASSWORD@db.example/orth\" orth doctor\n  orth doctor --server https://orth.example.com -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := doctor{Tool: t, db: kit.FirstOf(db, t.Getenv("ORTH_DB"))}
			d.machine()
			d.settings(config)
			d.folder(cmd.Context())
			if d.db != "" {
				d.sharedDatabase(cmd.Context(), d.db)
			}
			d.remote(cmd.Context())
			if cmd.Context().Err() != nil {
				return context.Cause(cmd.Context())
			}
			return d.report()
		},
	}
	cmd.Flags().StringVar(&config, "config", "", "configuration `file` of a server to check")
	cmd.Flags().StringVar(&db, "db", "", "`address` of a PostgreSQL, MySQL or MariaDB database to check (env ORTH_DB)")
	return cmd
}

func (d *doctor) record(check, status, remedy, format string, args ...any) {
	if status == checkOK {
		remedy = ""
	}
	d.findings = append(d.findings, finding{check, status, fmt.Sprintf(format, args...), remedy})
}

// report prints the findings and returns an error when a check fails.
func (d *doctor) report() error {
	count := map[string]int{}
	rows := make([][]string, len(d.findings))
	for i, f := range d.findings {
		count[f.Status]++
		rows[i] = []string{f.Status, f.Check, f.Message}
	}
	err := d.Show(d.findings, func() error {
		d.Output.Value = output.Wide // do not truncate the remedies
		if err := d.PrintTable("STATUS CHECK MESSAGE", rows); err != nil {
			return err
		}
		for _, f := range d.findings {
			if f.Remedy != "" {
				d.PrintNote("%s: %s", f.Check, output.Printable(f.Remedy))
			}
		}
		d.PrintNote("%d ok, %d warn, %d failed", count[checkOK], count[checkWarn], count[checkFail])
		return nil
	})
	if err == nil && count[checkFail] > 0 {
		return kit.ErrShown
	}
	return err
}

// machine checks the requirements of every Orth process.
func (d *doctor) machine() {
	d.record("program", checkOK, "", "orth %s, %s, %s/%s", d.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if _, err := time.LoadLocation("Europe/Berlin"); err != nil {
		d.record("time zones", checkFail, "install the package tzdata, or set ZONEINFO", "no time zone data found: %v", err)
	} else {
		d.record("time zones", checkOK, "", "available; times are shown in %s", d.Location)
	}
	switch files := machine.FileLimit(); {
	case files == 0:
	case files < fewFiles:
		d.record("file limit", checkWarn, "raise the limit before the server starts, such as with LimitNOFILE=65536 in a systemd unit", "a process may open %d files and connections", files)
	default:
		d.record("file limit", checkOK, "", "a process may open %d files and connections", files)
	}
}

// settings checks the configuration files.
func (d *doctor) settings(config string) {
	contexts, err := d.Contexts()
	switch {
	case err != nil:
		message, hint := kit.ExplainError(err)
		d.record("contexts", checkFail, kit.FirstOf(hint, "fix or remove the file"), "%s", message)
	case len(contexts.Contexts) > 0:
		d.record("contexts", checkOK, "", "%s in %s", plural.Count(len(contexts.Contexts), "context"), contexts.Path)
	}
	if config == "" {
		return
	}
	cmd := NewServer(d.Version)
	var s serverSettings
	err = cmd.ParseFlags([]string{"--config", config})
	if err == nil {
		_, err = loadSettings(cmd, &s)
	}
	if err != nil {
		message, hint := kit.ExplainError(err)
		d.record("settings", checkFail, kit.FirstOf(hint, "fix the file"), "%s", message)
		return
	}
	d.record("settings", checkOK, "", "%s is valid", config)
	if d.Data == "" && s.Data != "" {
		d.Data = s.Data
	}
	d.db = kit.FirstOf(d.db, s.DB)
}

// folder checks the data folder if there is one.
func (d *doctor) folder(ctx context.Context) {
	named := kit.FirstOf(d.Data, d.Getenv("ORTH_DATA"))
	dir := kit.FirstOf(named, kit.DefaultData)
	info, err := os.Stat(dir)
	switch {
	case named == "" && errors.Is(err, fs.ErrNotExist):
		return // the server runs on another machine
	case err != nil:
		d.record("data folder", checkFail, "set the data folder of a server with --data", "%v", err)
		return
	case !info.IsDir():
		d.record("data folder", checkFail, "set the data folder of a server with --data", "%s is not a folder", dir)
		return
	}
	d.modes(dir, info)
	if free, total, err := machine.DiskSpace(dir); err == nil && total > 0 {
		status, remedy := checkOK, "free disk space, shorten retention (--keep-logs-for, --keep-runs-for), or limit logs with --log-max-total"
		switch {
		case free < tooLittle:
			status = checkFail
		case free < littleSpace:
			status = checkWarn
		}
		d.record("disk", status, remedy, "%s of %s free", humanize.IBytes(free), humanize.IBytes(total))
	}
	d.secrets(dir)
	if d.db == "" {
		d.database(ctx, dir)
	}
}

// modes checks that only the owner can read the files of a data folder.
func (d *doctor) modes(dir string, info fs.FileInfo) {
	if runtime.GOOS == "windows" {
		d.record("data folder", checkOK, "", "%s", dir)
		return
	}
	var open []string
	if info.Mode().Perm()&0o077 != 0 {
		for _, name := range []string{"executor.token", "api.token", "secrets.key", "orth.db", "orth.db-wal"} {
			if file, err := os.Stat(filepath.Join(dir, name)); err == nil && file.Mode().Perm()&0o077 != 0 {
				open = append(open, name)
			}
		}
	}
	if len(open) > 0 {
		d.record("data folder", checkFail, "run: chmod -R go= "+dir, "other users can read %s in %s", strings.Join(open, ", "), dir)
		return
	}
	d.record("data folder", checkOK, "", "%s is readable only by its owner", dir)
}

// secrets finds well-known tokens.
func (d *doctor) secrets(dir string) {
	for _, name := range []string{"executor.token", "api.token"} {
		token, err := credential.Load(filepath.Join(dir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist): // stored elsewhere, or created by the first start
		case err != nil:
			message, hint := kit.ExplainError(err)
			d.record(name, checkFail, kit.FirstOf(hint, "run this command as the user of the server"), "%s", message)
		case credential.WellKnown(token):
			d.record(name, checkFail, "replace it with a random secret, then restart the server and its executors", "the token is a well-known default")
		default:
			d.record(name, checkOK, "", "not a well-known token")
		}
	}
}

// database checks the file of the embedded database.
func (d *doctor) database(ctx context.Context, dir string) {
	ctx, cancel := context.WithTimeout(ctx, checkFor)
	defer cancel()
	found, err := sqlite.Inspect(ctx, filepath.Join(dir, "orth.db"))
	switch {
	case ctx.Err() != nil:
		d.record("database", checkWarn, "check again under less load", "the check did not finish within %s", checkFor)
	case errors.Is(err, fs.ErrNotExist):
		d.record("database", checkWarn, "start a server on the folder to create one", "no database in %s", dir)
	case err != nil:
		message, hint := kit.ExplainError(err)
		d.record("database", checkFail, kit.FirstOf(hint, "run this command as the user of the server"), "%s", message)
	case found.Damage != "":
		d.record("database", checkFail, "stop the server, keep a copy of the folder, and restore a backup", "damaged: %s", found.Damage)
	case found.Refused != nil:
		d.record("database", checkFail, found.Refused.Hint, "%s", found.Refused.Message)
	case found.Version < found.Newest:
		d.record("database", checkWarn, "take a backup, then start a server of this version, which migrates the database", "schema version %d, this program has %d", found.Version, found.Newest)
	default:
		d.record("database", checkOK, "", "%s, intact, schema %d", humanize.IBytes(uint64(max(found.Size, 0))), found.Version)
	}
	if _, err := os.Stat(filepath.Join(dir, servernote.File)); errors.Is(err, fs.ErrNotExist) {
		d.record("server here", checkWarn, "start one with "+kit.Quote(kit.ShellLine("server", "--data", dir)), "no server runs on %s", dir)
	}
}
