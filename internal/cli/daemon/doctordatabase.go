package daemon

import (
	"context"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/orthd/orth/internal/cli/database"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/store/schema"
)

const (
	// lookFor is the timeout of an inspection of an external database.
	lookFor = 15 * time.Second
	// fewConnections is the number of free connections that one more server needs.
	fewConnections = 10
	// smallDrift is reported, although a server starts with it.
	smallDrift = 500 * time.Millisecond
)

// sharedDatabase checks an external database.
func (d *doctor) sharedDatabase(ctx context.Context, address string) {
	ctx, cancel := context.WithTimeout(ctx, lookFor)
	defer cancel()
	found, err := database.Inspect(ctx, address)
	if err != nil {
		message, hint := kit.ExplainError(err)
		d.record("database", checkFail, kit.FirstOf(hint, "check that it runs and is reachable from here"), "%s", message)
		return
	}
	if found.Unfit != nil {
		d.record("database", checkFail, found.Unfit.Hint, "%s, %s: %s", found.Server, found.Name, found.Unfit.Message)
	} else {
		d.record("database", checkOK, "", "%s, %s, writable, %s", found.Server, found.Name, humanize.IBytes(uint64(max(found.Size, 0))))
	}
	if found.Drift > smallDrift {
		d.record("database clock", checkWarn, "synchronize both machines with the same time source (chrony, systemd-timesyncd); servers use the database clock to determine due runs",
			"differs from this machine by %s; a server starts with up to 1s", found.Drift.Round(time.Millisecond))
	} else {
		d.record("database clock", checkOK, "", "matches this machine")
	}
	d.schema(&found)
	d.connections(&found)
	if found.Loses != "" {
		d.record("commits", checkWarn, "configure durable commits, unless data loss is accepted", "acknowledged writes may be lost: %s", found.Loses)
	}
}

// schema checks the tables and the privileges of the role.
func (d *doctor) schema(found *schema.Condition) {
	const grant = "make the role the owner of the database and its tables; in PostgreSQL GRANT CREATE ON SCHEMA and ALL ON ALL TABLES to it, in MySQL GRANT ALL ON orth.*"
	switch {
	case found.Refused != nil:
		d.record("schema", checkFail, found.Refused.Hint, "%s", found.Refused.Message)
	case found.Version == 0 && len(found.Denied) > 0:
		d.record("schema", checkFail, grant, "the role cannot read it")
	case found.Version == 0:
		d.record("schema", checkWarn, "start a server, which creates the tables", "no tables exist")
	case found.Version < found.Newest:
		d.record("schema", checkWarn, "take a backup, then start a server of this version, which migrates the schema; older servers cannot start afterwards", "version %d, this program has %d", found.Version, found.Newest)
	default:
		d.record("schema", checkOK, "", "version %d, up to date", found.Version)
	}
	switch {
	case len(found.Denied) > 0:
		d.record("privileges", checkFail, grant, "the role cannot read and write %s", strings.Join(found.Denied, ", "))
	case !found.MayCreate && found.Version < found.Newest && found.Refused == nil:
		d.record("privileges", checkFail, grant, "the role cannot create tables, and some are missing")
	case !found.MayCreate:
		d.record("privileges", checkWarn, grant, "the role cannot create tables: the next version of Orth cannot migrate the schema")
	default:
		d.record("privileges", checkOK, "", "the role can read, write and create tables")
	}
}

// connections checks that one more server can connect.
func (d *doctor) connections(found *schema.Condition) {
	status, left := checkOK, found.Most-found.Connections
	switch {
	case left <= 0:
		status = checkFail
	case left < fewConnections:
		status = checkWarn
	}
	d.record("connections", status, "raise max_connections, or close unneeded connections: a server uses one writer and one reader per processor, at least 4",
		"%d of %d free", max(left, 0), found.Most)
	if n := len(found.Others); n > 0 {
		d.record("servers connected", checkOK, "", "%s: %s", plural.Count(n, "session"), firstFew(found.Others))
		return
	}
	d.record("servers connected", checkWarn, "start one with 'orth server --db …'", "no server is connected")
}

// firstFew lists the first of some texts.
func firstFew(all []string) string {
	const few = 3
	if len(all) <= few {
		return output.Printable(strings.Join(all, ", "))
	}
	return output.Printable(strings.Join(all[:few], ", ")) + " and " + plural.Count(len(all)-few, "other")
}
