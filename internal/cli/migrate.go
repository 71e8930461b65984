package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/backup"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/store/mysql"
	"github.com/orthd/orth/internal/store/postgres"
	"github.com/orthd/orth/internal/store/schema"
	"github.com/orthd/orth/internal/store/sqlite"
	"github.com/orthd/orth/job"
)

// step is a step of the schema as programs read it.
type step struct {
	Number   int64      `json:"number"`
	Name     string     `json:"name,omitempty"`
	State    string     `json:"state"`
	MadeAt   *time.Time `json:"made_at,omitempty"`
	Checksum string     `json:"checksum,omitempty"`
	Breaks   string     `json:"breaks,omitempty"`
	SQL      string     `json:"sql,omitempty"`
}

// stepMissing is the state of a step that is to be made.
const stepMissing = "missing"

// migrated is the database that a command of the schema works on.
type migrated struct {
	address string // empty for SQLite
	file    string
}

func (t *tool) migrateCommand() *cobra.Command {
	var db string
	where := func() *migrated {
		m := &migrated{address: firstOf(db, t.Getenv("ORTH_DB"))}
		m.file = filepath.Join(firstOf(t.data, t.Getenv("ORTH_DATA"), defaultData), backup.Database)
		return m
	}
	flags := func(cmd *cobra.Command) *cobra.Command {
		cmd.Flags().SortFlags = false
		cmd.Flags().StringVar(&db, "db", "", "`address` of a PostgreSQL, MySQL or MariaDB database; one with a password is better in ORTH_DB (default SQLite in the data folder)")
		t.folderFlags(cmd)
		return cmd
	}
	cmd := &cobra.Command{
		Use: "migrate", Short: "Show the steps of a database's schema, and make those that are missing",
		Long: "Show the steps of a database's schema, and make those that are missing. A server makes them when it starts; who wants\n" +
			"to know before, or to do it by a role of its own, does it with these commands. They ask no server.",
		Example: "  orth migrate status\n  ORTH_DB=postgres://db.example/orth orth migrate plan",
	}
	cmd.AddCommand(
		flags(&cobra.Command{
			Use: "status", Short: "Show which steps were made, and when", Args: cobra.NoArgs, Example: "  orth migrate status --data /var/lib/orth",
			Long: "Show the number, the name and the checksum of each step, whether it was made, and when. Nothing is changed; servers may run.",
			RunE: func(cmd *cobra.Command, _ []string) error { return t.schemaStatus(cmd.Context(), where()) },
		}),
		flags(&cobra.Command{
			Use: "plan", Short: "Print the SQL of the steps that are missing", Args: cobra.NoArgs, Example: "  orth migrate plan --data /var/lib/orth > steps.sql",
			Long: "Print the SQL of the steps that 'up' would make. Nothing is changed. Make them with 'up', and not by hand: it also\nwrites down that they were made.",
			RunE: func(cmd *cobra.Command, _ []string) error { return t.schemaPlan(cmd.Context(), where()) },
		}),
		flags(&cobra.Command{
			Use: "up", Short: "Make the steps that are missing", Args: cobra.NoArgs, Example: "  orth migrate up --data /var/lib/orth",
			Long: "Make the steps that are missing, each in a transaction of its own (of MySQL each statement), under a lock: of several\n" +
				"that try one does it. One that was interrupted goes on. Where servers share the database those of the version before\n" +
				"may run meanwhile, unless a step says that it breaks them: then it is refused while they are alive. A schema of a\n" +
				"newer version, or of a development build, is refused.",
			RunE: func(cmd *cobra.Command, _ []string) error { return t.schemaUp(cmd.Context(), where()) },
		}),
	)
	return cmd
}

// look reads how the schema of the database stands.
func (m *migrated) look(ctx context.Context) (schema.State, error) {
	if m.address == "" {
		return sqlite.Steps(ctx, m.file)
	}
	if mysql.IsAddress(m.address) {
		return mysql.Steps(ctx, m.address)
	}
	if !strings.HasPrefix(m.address, "postgres://") && !strings.HasPrefix(m.address, "postgresql://") {
		wrong := job.FieldErrorf("db", "the address of the database begins neither with postgres:// nor with mysql:// or mariadb://")
		wrong.Hint = "leave it out for SQLite in the data folder"
		return schema.State{}, wrong
	}
	return postgres.Steps(ctx, m.address)
}

// stepOf is a step as programs read it.
func stepOf(s *schema.Step) step {
	one := step{Number: s.Number, Name: s.Name, State: stepMissing, Checksum: s.Checksum, Breaks: s.Breaks}
	switch {
	case s.Unknown:
		one.State = "unknown"
	case s.Altered:
		one.State = "altered"
	case s.Made:
		one.State = "made"
	}
	if !s.MadeAt.IsZero() {
		one.MadeAt = &s.MadeAt
	}
	return one
}

// schemaStatus shows all steps. Of a schema that is refused it says why, as 'up' does.
func (t *tool) schemaStatus(ctx context.Context, m *migrated) error {
	found, err := m.look(ctx)
	if err != nil {
		return err
	}
	all, rows, missing := make([]step, len(found.Steps)), make([][]string, len(found.Steps)), 0
	for i := range found.Steps {
		one := stepOf(&found.Steps[i])
		all[i] = one
		if one.State == stepMissing {
			missing++
		}
		at := ""
		if one.MadeAt != nil {
			at = one.MadeAt.Format(time.RFC3339)
		}
		rows[i] = []string{fmt.Sprintf("%04d", one.Number), one.Name, one.State, at, one.Checksum[:min(len(one.Checksum), 12)], one.Breaks}
	}
	stands := found.Name + " is up to date"
	if missing > 0 {
		stands = fmt.Sprintf("%s %s missing in %s: 'orth migrate up' makes %s, and so does the start of a server",
			plural.Count(missing, "step"), plural.Verb(missing, "is", "are"), found.Name, plural.Verb(missing, "it", "them"))
	}
	said := func() error {
		err := t.table("NUMBER NAME STATE MADE CHECKSUM BREAKS", rows)
		if err == nil && found.Refused == nil {
			t.tell("%s", stands)
		}
		return err
	}
	if err := t.show(all, said); err != nil || found.Refused == nil {
		return err
	}
	return found.Refused
}

// schemaPlan prints what is missing. Of a schema that is refused nothing is made.
func (t *tool) schemaPlan(ctx context.Context, m *migrated) error {
	found, err := m.look(ctx)
	if err != nil {
		return err
	}
	if found.Refused != nil {
		return found.Refused
	}
	missing := []step{}
	var text strings.Builder
	for i := range found.Steps {
		if s := &found.Steps[i]; !s.Made {
			one := stepOf(s)
			one.SQL = s.SQL
			missing = append(missing, one)
			fmt.Fprintf(&text, "-- %04d_%s, sha256 %s\n%s\n", s.Number, s.Name, s.Checksum, strings.TrimRight(s.SQL, "\n"))
		}
	}
	return t.show(missing, func() error {
		if len(missing) == 0 {
			t.tell("%s is up to date: there is nothing to make", found.Name)
			return nil
		}
		_, err := fmt.Fprint(t.Stdout, text.String())
		return err
	})
}

// schemaUp makes what is missing.
func (t *tool) schemaUp(ctx context.Context, m *migrated) error {
	before, err := m.look(ctx)
	if err != nil && !job.Is(err, job.NotFound) {
		return err
	}
	switch {
	case m.address == "":
		var db *sqlite.Store
		if db, err = sqlite.Open(m.file, sqlite.Config{Readers: 1}); err == nil {
			err = db.Close()
		}
	case mysql.IsAddress(m.address):
		err = mysql.Migrate(ctx, m.address)
	default:
		err = postgres.Migrate(ctx, m.address)
	}
	if err != nil {
		return err
	}
	after, err := m.look(ctx)
	if err != nil {
		return err
	}
	was := make(map[int64]bool, len(before.Steps))
	for i := range before.Steps {
		was[before.Steps[i].Number] = before.Steps[i].Made
	}
	made := []step{}
	var names []string
	for i := range after.Steps {
		if s := &after.Steps[i]; s.Made && !was[s.Number] {
			made = append(made, stepOf(s))
			names = append(names, fmt.Sprintf("%04d_%s", s.Number, s.Name))
		}
	}
	said := after.Name + " is up to date: there was nothing to make"
	if len(made) > 0 {
		said = fmt.Sprintf("made %s in %s: %s", plural.Count(len(made), "step"), after.Name, strings.Join(names, ", "))
	}
	return t.done(made, said)
}
