package cli

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

	humanize "github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/app"
	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/machine"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/store/sqlite"
)

// The ends of a check.
const (
	checkOK   = "ok"
	checkWarn = "warn"
	checkFail = "fail"
)

// What is asked of a machine.
const (
	littleSpace = 5 << 30 // bytes
	tooLittle   = 500 << 20
	fewFiles    = 4096
)

// checkFor bounds the inspection of a database, and probeFor each question to a server.
const (
	checkFor = 2 * time.Minute
	probeFor = 5 * time.Second
)

// finding is what one check came to, and what to do about it.
type finding struct {
	Check  string `json:"check"`
	Status string `json:"status"`
	Says   string `json:"says"`
	Remedy string `json:"remedy,omitempty"`
}

// doctor gathers findings.
type doctor struct {
	*tool
	findings []finding
	// db is the address of a database that is not in a folder; empty for none.
	db string
}

func (t *tool) doctorCommand() *cobra.Command {
	config, db := "", ""
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check an installation, and say what to do", Args: cobra.NoArgs,
		Long: "Check an installation, and say what to do: this machine, the data folder and its database, the server, its\n" +
			"clock and certificate, the token, the executors, and what the server itself warns of. Nothing is changed.\n\n" +
			"Each check ends as ok, warn or fail; the exit code is 1 when one fails. The data folder is looked at where one\n" +
			"is named with --data or ORTH_DATA, or is here; a PostgreSQL, MySQL or MariaDB database where one is named with\n" +
			"--db, ORTH_DB, or in the file of --config: its connection, version, clock, schema, the rights of the role, and the connections left.",
		Example: "  orth doctor\n  orth doctor --data /var/lib/orth --config /etc/orth/server.yaml\n  ORTH_DB=\"postgres://orth:$PASSWORD@db.example/orth\" orth doctor\n  orth doctor --server https://orth.example.com -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := doctor{tool: t, db: firstOf(db, t.Getenv("ORTH_DB"))}
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
	cmd.Flags().StringVar(&config, "config", "", "settings `file` of a server to check too")
	cmd.Flags().StringVar(&db, "db", "", "`address` of a PostgreSQL, MySQL or MariaDB database to check too (env ORTH_DB)")
	return cmd
}

func (d *doctor) say(check, status, remedy, format string, args ...any) {
	if status == checkOK {
		remedy = ""
	}
	d.findings = append(d.findings, finding{check, status, fmt.Sprintf(format, args...), remedy})
}

// report prints the findings; one that fails is an error.
func (d *doctor) report() error {
	count := map[string]int{}
	rows := make([][]string, len(d.findings))
	for i, f := range d.findings {
		count[f.Status]++
		rows[i] = []string{f.Status, f.Check, f.Says}
	}
	err := d.show(d.findings, func() error {
		d.output.value = outWide // a remedy that is cut helps nobody
		if err := d.table("STATUS CHECK SAYS", rows); err != nil {
			return err
		}
		for _, f := range d.findings {
			if f.Remedy != "" {
				d.tell("%s: %s", f.Check, printable(f.Remedy))
			}
		}
		d.tell("%d ok, %d to look at, %d failed", count[checkOK], count[checkWarn], count[checkFail])
		return nil
	})
	if err == nil && count[checkFail] > 0 {
		return errShown
	}
	return err
}

// machine checks what every process of Orth needs of its machine.
func (d *doctor) machine() {
	d.say("program", checkOK, "", "orth %s, %s, %s/%s", d.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if _, err := time.LoadLocation("Europe/Berlin"); err != nil {
		d.say("time zones", checkFail, "install the package tzdata, or set ZONEINFO", "there is no time zone data: %v", err)
	} else {
		d.say("time zones", checkOK, "", "known; times are shown in %s", d.Location)
	}
	switch files := machine.FileLimit(); {
	case files == 0:
	case files < fewFiles:
		d.say("file limit", checkWarn, "raise it before the start of a server, such as with LimitNOFILE=65536 in a unit of systemd", "a process may have %d files and connections open", files)
	default:
		d.say("file limit", checkOK, "", "a process may have %d files and connections open", files)
	}
}

// settings checks the files with settings.
func (d *doctor) settings(config string) {
	contexts, err := d.contexts()
	switch {
	case err != nil:
		message, hint := explain(err)
		d.say("contexts", checkFail, firstOf(hint, "mend or remove the file"), "%s", message)
	case len(contexts.Contexts) > 0:
		d.say("contexts", checkOK, "", "%s in %s", plural.Count(len(contexts.Contexts), "context"), contexts.path)
	}
	if config == "" {
		return
	}
	cmd := newServer(d.Version)
	var s serverSettings
	err = cmd.ParseFlags([]string{"--config", config})
	if err == nil {
		_, err = loadSettings(cmd, &s)
	}
	if err != nil {
		message, hint := explain(err)
		d.say("settings", checkFail, firstOf(hint, "mend the file"), "%s", message)
		return
	}
	d.say("settings", checkOK, "", "%s can be read", config)
	if d.data == "" && s.Data != "" {
		d.data = s.Data
	}
	d.db = firstOf(d.db, s.DB)
}

// folder checks a data folder, where there is one.
func (d *doctor) folder(ctx context.Context) {
	named := firstOf(d.data, d.Getenv("ORTH_DATA"))
	dir := firstOf(named, defaultData)
	info, err := os.Stat(dir)
	switch {
	case named == "" && errors.Is(err, fs.ErrNotExist):
		return // The server is elsewhere.
	case err != nil:
		d.say("data folder", checkFail, "name the folder of a server with --data", "%v", err)
		return
	case !info.IsDir():
		d.say("data folder", checkFail, "name the folder of a server with --data", "%s is no folder", dir)
		return
	}
	d.modes(dir, info)
	if free, total, err := machine.DiskSpace(dir); err == nil && total > 0 {
		status, remedy := checkOK, "make room, keep logs and runs for less long (--keep-logs-for, --keep-runs-for), or bound logs with --log-max-total"
		switch {
		case free < tooLittle:
			status = checkFail
		case free < littleSpace:
			status = checkWarn
		}
		d.say("disk", status, remedy, "%s of %s are free", humanize.IBytes(free), humanize.IBytes(total))
	}
	d.secrets(dir)
	if d.db == "" {
		d.database(ctx, dir)
	}
}

// modes checks that only the owner can read what is in a data folder.
func (d *doctor) modes(dir string, info fs.FileInfo) {
	if runtime.GOOS == "windows" {
		d.say("data folder", checkOK, "", "%s", dir)
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
		d.say("data folder", checkFail, "run: chmod -R go= "+dir, "others on this machine may read %s in %s", strings.Join(open, ", "), dir)
		return
	}
	d.say("data folder", checkOK, "", "%s is for its owner only", dir)
}

// secrets finds tokens that everybody knows.
func (d *doctor) secrets(dir string) {
	for _, name := range []string{"executor.token", "api.token"} {
		token, err := credential.Load(filepath.Join(dir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist): // It is kept elsewhere, or comes with the first start.
		case err != nil:
			message, hint := explain(err)
			d.say(name, checkFail, firstOf(hint, "run this as the user of the server"), "%s", message)
		case credential.WellKnown(token):
			d.say(name, checkFail, "write a secret of your own into the file, and restart the server and its executors", "it is a token that everybody knows")
		default:
			d.say(name, checkOK, "", "is a secret of its own")
		}
	}
}

// database checks the file of the database.
func (d *doctor) database(ctx context.Context, dir string) {
	ctx, cancel := context.WithTimeout(ctx, checkFor)
	defer cancel()
	found, err := sqlite.Inspect(ctx, filepath.Join(dir, "orth.db"))
	switch {
	case ctx.Err() != nil:
		d.say("database", checkWarn, "look again while less is going on", "it was not read through within %s", checkFor)
	case errors.Is(err, fs.ErrNotExist):
		d.say("database", checkWarn, "start a server on the folder: it makes one", "there is none in %s", dir)
	case err != nil:
		message, hint := explain(err)
		d.say("database", checkFail, firstOf(hint, "run this as the user of the server"), "%s", message)
	case found.Damage != "":
		d.say("database", checkFail, "stop the server, keep a copy of the folder, and put a backup in its place", "it is damaged: %s", found.Damage)
	case found.Refused != nil:
		d.say("database", checkFail, found.Refused.Hint, "%s", found.Refused.Message)
	case found.Version < found.Newest:
		d.say("database", checkWarn, "a server of this version brings it up to date when it starts; take a backup first", "its schema is %d, this program has %d", found.Version, found.Newest)
	default:
		d.say("database", checkOK, "", "%s, sound, schema %d", humanize.IBytes(uint64(max(found.Size, 0))), found.Version)
	}
	if _, err := os.Stat(filepath.Join(dir, app.NoteFile)); errors.Is(err, fs.ErrNotExist) {
		d.say("server here", checkWarn, "start one with "+inQuotes(shellLine("server", "--data", dir)), "no server runs on %s", dir)
	}
}
