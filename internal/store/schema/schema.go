// Package schema brings the schema of a database up to date, and reports its state.
//
// It knows numbered steps, which of them were made, and how they were like then. It must
// never know which database it is: a dialect, a pool and a folder of steps come in; what was made,
// or why nothing may be, goes out. Whoever calls it holds the lock of the schema.
//
// A step only adds: servers of the version before go on working while those of the next
// one are started. A step that must do more declares it in a line
//
//	-- breaks: why
//
// and is not made while a server is alive.
package schema

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pressly/goose/v3"

	"github.com/orthd/orth/internal/failpoint"
	"github.com/orthd/orth/job"
)

// Table records which steps were made. Only this package writes it.
const Table = "schema_versions"

// Checksums is the table of what steps were like when they were made.
const Checksums = "schema_steps"

// Step is a step of the schema.
type Step struct {
	Number int64
	// Name is that of its file, and SQL what is in it. A step that only another version knows
	// has the name that the database keeps, and no SQL.
	Name, SQL string
	// Checksum is the SHA-256 of the file, in hexadecimal digits.
	Checksum string
	// Made reports that it was made, and when; the time is zero when it is unknown.
	Made   bool
	MadeAt time.Time
	// Altered reports that it was made with another content. Unknown reports that only a
	// newer version has it.
	Altered, Unknown bool
	// renamed reports that the database has a step of this number under another name.
	renamed bool
	// Breaks is the reason why no server may be alive while it is made; empty for a step
	// that only adds.
	Breaks string
}

// Schema is that of one database.
type Schema struct {
	DB      *sql.DB
	Dialect goose.Dialect
	// Steps is the folder of the steps: 0001_name.sql and so on.
	Steps fs.FS
	// Name is the address of the database, without a password.
	Name string
	// Fit returns why the database cannot be Orth's, whatever its steps; nil for no reason.
	Fit func(ctx context.Context) error
	// Has is a query that counts the tables with a name, its only argument; Live one for
	// the names of servers that are alive.
	Has, Live string
	// Insert is the statement that keeps the checksum of a step: number, name, checksum.
	Insert string
	// Versions is a query for the numbers of the steps that were made, and when: NULL where
	// that is unknown. Defaults to one on goose's table.
	Versions string
	// Expand returns the statements of a step as they are carried out. Defaults to those of
	// its file.
	Expand func(sql string) string
	// Make makes one step, as far as it is not made, and notes it, where its statements
	// have no transaction together. Defaults to goose, with one for each step.
	Make func(ctx context.Context, one *Step) error
}

// State is how the schema of a database stands.
type State struct {
	// Name is the address of the database, without a password.
	Name string
	// Steps are all of them in their order.
	Steps []Step
	// Refused is the reason why it cannot be brought up to date and no server starts on it;
	// nil for none. It does not include steps that live servers prevent.
	Refused *job.Error
}

// Version is the number of the last step that was made, 0 when none was.
func (s *State) Version() (newest int64) {
	for i := range s.Steps {
		if s.Steps[i].Made {
			newest = s.Steps[i].Number
		}
	}
	return newest
}

// Look returns how the schema stands, and changes nothing.
func (s *Schema) Look(ctx context.Context) (State, error) {
	found := State{Name: s.Name}
	var err error
	if found.Steps, err = s.Read(ctx); err != nil {
		return found, err
	}
	wrong := s.sound(ctx, found.Steps)
	if refused, ok := errors.AsType[*job.Error](wrong); ok {
		found.Refused, wrong = refused, nil
	}
	return found, wrong
}

// Read returns all steps in their order, and changes nothing.
func (s *Schema) Read(ctx context.Context) ([]Step, error) {
	all, err := s.folder()
	if err != nil {
		return nil, err
	}
	made, err := s.appliedAt(ctx)
	if err != nil {
		return nil, err
	}
	kept, err := s.readRecords(ctx)
	if err != nil {
		return nil, err
	}
	for i := range all {
		one := &all[i]
		one.MadeAt, one.Made = made[one.Number]
		was, known := kept[one.Number]
		one.Altered = one.Made && known && was.checksum != one.Checksum
		one.renamed = one.Made && known && was.name != one.Name
		delete(made, one.Number)
	}
	for number, at := range made {
		if number > 0 { // the first row of the table is no step
			was := kept[number]
			all = append(all, Step{Number: number, Name: was.name, Made: true, MadeAt: at, Checksum: was.checksum, Unknown: true})
		}
	}
	slices.SortFunc(all, func(a, b Step) int { return int(a.Number - b.Number) })
	return all, nil
}

// Up makes the steps that are missing, each in a separate transaction, so that an
// interrupted call can be continued. It returns those that it has made. Kinds: Invalid when
// a newer version has used the database, a step was altered, or tables or notes of it are
// missing; Conflict when a step may not be made while servers are alive.
func (s *Schema) Up(ctx context.Context) (made []Step, err error) {
	all, err := s.Read(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.sound(ctx, all); err != nil {
		return nil, err
	}
	if err := s.alone(ctx, all); err != nil {
		return nil, err
	}
	if s.Make == nil {
		return s.byGoose(ctx, all)
	}
	for i := range all {
		if all[i].Made {
			continue
		}
		if err := s.Make(ctx, &all[i]); err != nil {
			return made, fmt.Errorf("bring the schema up to version %d: %w", all[i].Number, err)
		}
		made = append(made, all[i])
		failpoint.Hit("schema/step")
	}
	return made, s.writeChecksums(ctx, all)
}

// byGoose makes the missing steps of all, each in a separate transaction.
func (s *Schema) byGoose(ctx context.Context, all []Step) (made []Step, err error) {
	provider, err := goose.NewProvider(s.Dialect, s.DB, s.Steps,
		goose.WithDisableGlobalRegistry(true), goose.WithTableName(Table), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return nil, fmt.Errorf("read the steps of the schema: %w", err)
	}
	if _, err := provider.GetDBVersion(ctx); err != nil { // it makes its table
		return nil, fmt.Errorf("read the schema's version: %w", err)
	}
	for {
		result, err := provider.UpByOne(ctx)
		switch {
		case errors.Is(err, goose.ErrNoNextVersion):
			return made, s.writeChecksums(ctx, all)
		case err != nil:
			return made, fmt.Errorf("bring the schema up to date: %w", err)
		}
		for i := range all {
			if all[i].Number == result.Source.Version {
				made = append(made, all[i])
			}
		}
		failpoint.Hit("schema/step")
	}
}

// sound returns why no step may be made: the database is another program's, or of another
// version, or was changed by hand. all are the steps.
func (s *Schema) sound(ctx context.Context, all []Step) error {
	if s.Fit != nil {
		if err := s.Fit(ctx); err != nil {
			return err
		}
	}
	if err := s.released(ctx, all); err != nil {
		return err
	}
	if err := s.known(all); err != nil {
		return err
	}
	return s.whole(ctx, all)
}

// released refuses the database of a development build from before today's first step: another
// step has the number of the first one, or none has, or no table has checksums of later ones.
func (s *Schema) released(ctx context.Context, all []Step) error {
	var newest *Step
	unknown := false
	for i := range all {
		if one := &all[i]; one.Made {
			newest, unknown = one, unknown || one.Unknown
		}
	}
	if newest == nil {
		return nil
	}
	if first := &all[0]; first.Made && !first.renamed {
		if !unknown {
			return nil
		}
		if recorded, err := s.hasTable(ctx, Checksums); recorded || err != nil {
			return err
		}
	}
	wrong := job.Errorf(job.Invalid, "the database %s has schema version %d of a development build of Orth, and no version of Orth upgrades it", s.Name, newest.Number)
	wrong.Hint = "start the build that made it and write its definitions to files with 'orth export DIR'; " +
		"then name an empty database or another data folder, and apply them there with 'orth apply -f DIR'"
	return wrong
}

// known returns why the notes of steps are not those that this program makes.
func (s *Schema) known(all []Step) error {
	target, newest := int64(0), int64(0) // the newest step that is known, and that is made too
	for i := range all {
		if !all[i].Unknown {
			target = max(target, all[i].Number)
		}
		if !all[i].Unknown && all[i].Made {
			newest = max(newest, all[i].Number)
		}
	}
	for i := range all {
		switch one := &all[i]; {
		case one.Unknown && one.Number > target:
			wrong := job.Errorf(job.Invalid, "the database %s has schema version %d, and this Orth knows versions up to %d", s.Name, all[len(all)-1].Number, target)
			wrong.Hint = "it was used by a newer Orth: start that one, or put a backup in its place"
			return wrong
		case one.Altered:
			wrong := job.Errorf(job.Invalid, "step %d of the schema of %s (%s) was made with another content than this Orth has", one.Number, s.Name, one.Name)
			wrong.Hint = "the database comes from a build that was changed: start that one, or put a backup in its place"
			return wrong
		case !one.Made && one.Number < newest:
			return s.spoilt("step %d of the schema of %s (%s) is not noted as made, and step %d is", one.Number, s.Name, one.Name, newest)
		}
	}
	return nil
}

// alone returns an error with the servers that have to be stopped before the missing steps
// are made.
func (s *Schema) alone(ctx context.Context, all []Step) error {
	for i := range all {
		one := &all[i]
		if one.Made || one.Breaks == "" {
			continue
		}
		live, err := s.liveServers(ctx)
		if err != nil {
			return err
		}
		if len(live) > 0 {
			wrong := job.Errorf(job.Conflict, "step %d of the schema (%s) cannot be made while servers run: %s", one.Number, one.Name, one.Breaks)
			wrong.Hint = "stop them first: " + strings.Join(live, ", ")
			return wrong
		}
	}
	return nil
}

// whole returns why the steps cannot be continued: tables that they are noted in are
// missing. all are those that exist.
func (s *Schema) whole(ctx context.Context, all []Step) error {
	for i := range all {
		one := &all[i]
		for _, made := range creations.FindAllStringSubmatch(one.SQL, -1) {
			table := made[1]
			if one.Made && table != Checksums || !one.Made && i > 0 {
				continue
			}
			there, err := s.hasTable(ctx, table)
			switch {
			case err != nil:
				return err
			case one.Made && !there:
				return s.spoilt("the database %s lacks the table %s, which step %d of its schema has made", s.Name, table, one.Number)
			case !one.Made && there && s.Make == nil: // where a step is made whole or not at all
				return s.spoilt("the database %s has a table %s, and no step of its schema is noted as made: it is of another program, or its table %s is gone", s.Name, table, Table)
			}
		}
	}
	return nil
}

// creations finds the tables that a step makes.
var creations = regexp.MustCompile(`(?m)^CREATE TABLE (\w+)`)

// Foreign is the error of a database that has tables, but not the table that records the
// steps. orths reports that tables of Orth are among them, and elsewhere where else Orth
// can be.
func Foreign(name, elsewhere string, orths bool) *job.Error {
	wrong := job.Errorf(job.Invalid, "the database %s has tables of another program", name)
	wrong.Hint = elsewhere
	if orths {
		wrong.Message = fmt.Sprintf("the database %s has tables of Orth, and not the table %s, which records the steps of its schema", name, Table)
		wrong.Hint = "put a backup in its place; or " + elsewhere
	}
	return wrong
}

// spoilt is the error of a database that was changed by hand.
func (*Schema) spoilt(format string, args ...any) error {
	wrong := job.Errorf(job.Invalid, format, args...)
	wrong.Hint = "put a backup in its place, or name another database or schema, an empty one"
	return wrong
}

// folder returns the steps of the folder.
func (s *Schema) folder() ([]Step, error) {
	names, err := fs.Glob(s.Steps, "*.sql")
	if err != nil {
		return nil, fmt.Errorf("read the steps of the schema: %w", err)
	}
	all := make([]Step, 0, len(names))
	for _, name := range names {
		raw, err := fs.ReadFile(s.Steps, name)
		if err != nil {
			return nil, fmt.Errorf("read the steps of the schema: %w", err)
		}
		digits, title, _ := strings.Cut(strings.TrimSuffix(path.Base(name), ".sql"), "_")
		number, err := strconv.ParseInt(digits, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("the step %s has no number: %w", name, err)
		}
		sum := sha256.Sum256(raw)
		one := Step{Number: number, Name: title, SQL: string(raw), Checksum: hex.EncodeToString(sum[:])}
		if s.Expand != nil {
			one.SQL = s.Expand(one.SQL)
		}
		for line := range strings.Lines(one.SQL) {
			if why, is := strings.CutPrefix(line, "-- breaks:"); is {
				one.Breaks = strings.TrimSpace(why)
			}
		}
		all = append(all, one)
	}
	return all, nil
}

// hasTable reports whether a table is there.
func (s *Schema) hasTable(ctx context.Context, table string) (bool, error) {
	var n int
	if err := s.DB.QueryRowContext(ctx, s.Has, table).Scan(&n); err != nil {
		return false, fmt.Errorf("read the schema: %w", err)
	}
	return n > 0, nil
}

// eachRow hands each row of a query on a table to take; no table has no rows.
func (s *Schema) eachRow(ctx context.Context, table, query string, take func(*sql.Rows) error) error {
	if there, err := s.hasTable(ctx, table); err != nil || !there {
		return err
	}
	rows, err := s.DB.QueryContext(ctx, query)
	if err != nil {
		return fmt.Errorf("read the schema: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := take(rows); err != nil {
			return fmt.Errorf("read the schema: %w", err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read the schema: %w", err)
	}
	return nil
}

// appliedAt returns when steps were made, by their numbers.
func (s *Schema) appliedAt(ctx context.Context) (map[int64]time.Time, error) {
	all := make(map[int64]time.Time)
	query := cmp.Or(s.Versions, "SELECT version_id, tstamp FROM "+Table+" ORDER BY id")
	err := s.eachRow(ctx, Table, query, func(rows *sql.Rows) error {
		var number int64
		var at any
		if err := rows.Scan(&number, &at); err != nil {
			return err
		}
		when, _ := at.(time.Time)
		all[number] = when.UTC()
		return nil
	})
	return all, err
}

// appliedStep is what the database keeps of a step that was made.
type appliedStep struct{ name, checksum string }

// readRecords returns the records of steps, by their numbers.
func (s *Schema) readRecords(ctx context.Context) (map[int64]appliedStep, error) {
	all := make(map[int64]appliedStep)
	err := s.eachRow(ctx, Checksums, "SELECT number, name, checksum FROM schema_steps", func(rows *sql.Rows) error {
		var number int64
		var one appliedStep
		if err := rows.Scan(&number, &one.name, &one.checksum); err != nil {
			return err
		}
		all[number] = one
		return nil
	})
	return all, err
}

// liveServers returns the names of servers that are alive.
func (s *Schema) liveServers(ctx context.Context) (all []string, err error) {
	err = s.eachRow(ctx, "servers", s.Live, func(rows *sql.Rows) error {
		var name string
		if err := rows.Scan(&name); err != nil {
			return err
		}
		all = append(all, name)
		return nil
	})
	return all, err
}

// writeChecksums writes the checksums of steps down that have none yet.
func (s *Schema) writeChecksums(ctx context.Context, all []Step) error {
	kept, err := s.readRecords(ctx)
	if err != nil {
		return err
	}
	if len(kept) == len(all) {
		return nil
	}
	tx, err := s.DB.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("keep the checksums of the schema: %w", err)
	}
	defer func() { _ = tx.Rollback() }()
	for i := range all {
		one := &all[i]
		if _, known := kept[one.Number]; known {
			continue
		}
		if _, err := tx.ExecContext(ctx, s.Insert, one.Number, one.Name, one.Checksum); err != nil {
			return fmt.Errorf("keep the checksum of step %d: %w", one.Number, err)
		}
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("keep the checksums of the schema: %w", err)
	}
	return nil
}
