package cli

import (
	"context"
	"strings"
	"time"

	humanize "github.com/dustin/go-humanize"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/store/mysql"
	"github.com/orthd/orth/internal/store/postgres"
	"github.com/orthd/orth/internal/store/schema"
)

const (
	// lookFor bounds the look at a database that is not in a folder.
	lookFor = 15 * time.Second
	// fewConnections is how many have to be free for one more server.
	fewConnections = 10
	// smallDrift is told, though a server starts with it.
	smallDrift = 500 * time.Millisecond
)

// sharedDatabase checks the database of an address, in which servers keep everything but
// files.
func (d *doctor) sharedDatabase(ctx context.Context, address string) {
	ctx, cancel := context.WithTimeout(ctx, lookFor)
	defer cancel()
	found, err := inspectDatabase(ctx, address)
	if err != nil {
		message, hint := explain(err)
		d.say("database", checkFail, firstOf(hint, "look whether it runs and can be reached from here"), "%s", message)
		return
	}
	if found.Unfit != nil {
		d.say("database", checkFail, found.Unfit.Hint, "%s, %s: %s", found.Server, found.Name, found.Unfit.Message)
	} else {
		d.say("database", checkOK, "", "%s, %s, takes writes, %s", found.Server, found.Name, humanize.IBytes(uint64(max(found.Size, 0))))
	}
	if found.Drift > smallDrift {
		d.say("database clock", checkWarn, "let both machines take the time from the same source (chrony, systemd-timesyncd): by it servers agree what is due",
			"it is %s from that of this machine; a server starts with up to 1s", found.Drift.Round(time.Millisecond))
	} else {
		d.say("database clock", checkOK, "", "agrees with that of this machine")
	}
	d.schema(&found)
	d.connections(&found)
	if found.Loses != "" {
		d.say("commits", checkWarn, "give it the value that waits for the disk, unless all that is told here has been overruled", "what was acknowledged may be lost: %s", found.Loses)
	}
}

// inspectDatabase looks at a database of either kind.
func inspectDatabase(ctx context.Context, address string) (schema.Condition, error) {
	switch {
	case isPostgres(address):
		return postgres.Inspect(ctx, address)
	case mysql.IsAddress(address):
		return mysql.Inspect(ctx, address)
	}
	return schema.Condition{}, knownDatabase(address)
}

// schema checks the tables, and what the role may do with them.
func (d *doctor) schema(found *schema.Condition) {
	const grant = "let the role own the database and its tables; in PostgreSQL GRANT CREATE ON SCHEMA and ALL ON ALL TABLES to it, in MySQL GRANT ALL ON orth.*"
	switch {
	case found.Refused != nil:
		d.say("schema", checkFail, found.Refused.Hint, "%s", found.Refused.Message)
	case found.Version == 0 && len(found.Denied) > 0:
		d.say("schema", checkFail, grant, "the role may not read it")
	case found.Version == 0:
		d.say("schema", checkWarn, "a server makes the tables when it starts", "there are no tables yet")
	case found.Version < found.Newest:
		d.say("schema", checkWarn, "a server of this version brings it up to date when it starts, and older ones do not start then; take a backup first", "it is %d, this program has %d", found.Version, found.Newest)
	default:
		d.say("schema", checkOK, "", "it is %d, the newest", found.Version)
	}
	switch {
	case len(found.Denied) > 0:
		d.say("privileges", checkFail, grant, "the role may not read and write %s", strings.Join(found.Denied, ", "))
	case !found.MayCreate && found.Version < found.Newest && found.Refused == nil:
		d.say("privileges", checkFail, grant, "the role may make no tables, and some are to be made")
	case !found.MayCreate:
		d.say("privileges", checkWarn, grant, "the role may make no tables: the next version of Orth cannot bring the schema up to date")
	default:
		d.say("privileges", checkOK, "", "the role may read, write and make tables")
	}
}

// connections checks whether there is room for one more server.
func (d *doctor) connections(found *schema.Condition) {
	status, left := checkOK, found.Most-found.Connections
	switch {
	case left <= 0:
		status = checkFail
	case left < fewConnections:
		status = checkWarn
	}
	d.say("connections", status, "raise max_connections, or end what does not need them: a server has one that writes, and as many that read as it has processors, at least 4",
		"%d of %d are left", max(left, 0), found.Most)
	if n := len(found.Others); n > 0 {
		d.say("servers there", checkOK, "", "%s: %s", plural.Count(n, "session"), firstFew(found.Others))
		return
	}
	d.say("servers there", checkWarn, "start one with 'orth server --db …'", "no server has it open")
}

// firstFew writes the first of some texts.
func firstFew(all []string) string {
	const few = 3
	if len(all) <= few {
		return printable(strings.Join(all, ", "))
	}
	return printable(strings.Join(all[:few], ", ")) + " and " + plural.Count(len(all)-few, "other")
}
