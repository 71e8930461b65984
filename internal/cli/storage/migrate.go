package storage

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/backup"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/store/mysql"
	"github.com/orthd/orth/internal/store/postgres"
	"github.com/orthd/orth/internal/store/schema"
	"github.com/orthd/orth/internal/store/sqlite"
	"github.com/orthd/orth/job"
)

// step is a migration in JSON output.
type step struct {
	Number   int64      `json:"number"`
	Name     string     `json:"name,omitempty"`
	State    string     `json:"state"`
	MadeAt   *time.Time `json:"applied_at,omitempty"`
	Checksum string     `json:"checksum,omitempty"`
	Breaks   string     `json:"breaks,omitempty"`
	SQL      string     `json:"sql,omitempty"`
}

// stepMissing is the state of a pending migration.
const stepMissing = "pending"

// migrated is the database of a migrate command.
type migrated struct {
	address string // empty for SQLite
	file    string
}

// NewMigrateCommand returns the command orth migrate.
func NewMigrateCommand(t *kit.Tool) *cobra.Command {
	var db string
	where := func() *migrated {
		m := &migrated{address: kit.FirstOf(db, t.Getenv("ORTH_DB"))}
		m.file = filepath.Join(kit.FirstOf(t.Data, t.Getenv("ORTH_DATA"), kit.DefaultData), backup.Database)
		return m
	}
	flags := func(cmd *cobra.Command) *cobra.Command {
		cmd.Flags().SortFlags = false
		cmd.Flags().StringVar(&db, "db", "", "`address` of a PostgreSQL, MySQL or MariaDB database; pass one with a password in ORTH_DB (default SQLite in the data folder)")
		folderFlags(t, cmd)
		return cmd
	}
	cmd := &cobra.Command{
		Use: "migrate", Short: "Show and apply database migrations",
		Long: "Show and apply database migrations. A server applies pending migrations when it starts; these commands show them\n" +
			"beforehand, or apply them with a separate database role. They do not call a server.",
		Example: "  orth migrate status\n  ORTH_DB=postgres://db.example/orth orth migrate plan",
	}
	cmd.AddCommand(
		flags(&cobra.Command{
			Use: "status", Short: "Show the status of migrations", Args: cobra.NoArgs, Example: "  orth migrate status --data /var/lib/orth",
			Long: "Show the number, the name, the checksum and the state of each migration. Nothing is changed; servers may run.",
			RunE: func(cmd *cobra.Command, _ []string) error { return schemaStatus(cmd.Context(), t, where()) },
		}),
		flags(&cobra.Command{
			Use: "plan", Short: "Print the SQL of pending migrations", Args: cobra.NoArgs, Example: "  orth migrate plan --data /var/lib/orth > steps.sql",
			Long: "Print the SQL of pending migrations. Nothing is changed. Apply them with 'up' and not by hand: 'up' also records\nthem.",
			RunE: func(cmd *cobra.Command, _ []string) error { return schemaPlan(cmd.Context(), t, where()) },
		}),
		flags(&cobra.Command{
			Use: "up", Short: "Apply pending migrations", Args: cobra.NoArgs, Example: "  orth migrate up --data /var/lib/orth",
			Long: "Apply pending migrations under a lock, each in its own transaction (on MySQL each statement). An interrupted migration\n" +
				"continues. Servers of the previous version can keep running unless a migration is marked as breaking: then the\n" +
				"command fails while they are alive. A schema of a newer version or of a development build is rejected.",
			RunE: func(cmd *cobra.Command, _ []string) error { return schemaUp(cmd.Context(), t, where()) },
		}),
	)
	return cmd
}

// look reads the state of the schema.
func (m *migrated) look(ctx context.Context) (schema.State, error) {
	if m.address == "" {
		return sqlite.Steps(ctx, m.file)
	}
	if mysql.IsAddress(m.address) {
		return mysql.Steps(ctx, m.address)
	}
	if !strings.HasPrefix(m.address, "postgres://") && !strings.HasPrefix(m.address, "postgresql://") {
		wrong := job.FieldErrorf("db", "the database address must begin with postgres://, mysql:// or mariadb://")
		wrong.Hint = "omit it for SQLite in the data folder"
		return schema.State{}, wrong
	}
	return postgres.Steps(ctx, m.address)
}

// stepOf returns a migration for JSON output.
func stepOf(s *schema.Step) step {
	one := step{Number: s.Number, Name: s.Name, State: stepMissing, Checksum: s.Checksum, Breaks: s.Breaks}
	switch {
	case s.Unknown:
		one.State = "unknown"
	case s.Altered:
		one.State = "altered"
	case s.Made:
		one.State = "applied"
	}
	if !s.MadeAt.IsZero() {
		one.MadeAt = &s.MadeAt
	}
	return one
}

// schemaStatus prints all migrations, or returns the error of 'up' for a rejected schema.
func schemaStatus(ctx context.Context, t *kit.Tool, m *migrated) error {
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
		stands = fmt.Sprintf("%s %s pending in %s: apply %s with 'orth migrate up' or by starting a server",
			plural.Count(missing, "migration"), plural.Verb(missing, "is", "are"), found.Name, plural.Verb(missing, "it", "them"))
	}
	result := func() error {
		err := t.PrintTable("NUMBER NAME STATE APPLIED CHECKSUM BREAKS", rows)
		if err == nil && found.Refused == nil {
			t.PrintNote("%s", stands)
		}
		return err
	}
	if err := t.Show(all, result); err != nil || found.Refused == nil {
		return err
	}
	return found.Refused
}

// schemaPlan prints pending migrations, none for a rejected schema.
func schemaPlan(ctx context.Context, t *kit.Tool, m *migrated) error {
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
	return t.Show(missing, func() error {
		if len(missing) == 0 {
			t.PrintNote("%s is up to date.", found.Name)
			return nil
		}
		_, err := fmt.Fprint(t.Stdout, text.String())
		return err
	})
}

// schemaUp applies pending migrations.
func schemaUp(ctx context.Context, t *kit.Tool, m *migrated) error {
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
	result := after.Name + " is already up to date"
	if len(made) > 0 {
		result = fmt.Sprintf("applied %s to %s: %s", plural.Count(len(made), "migration"), after.Name, strings.Join(names, ", "))
	}
	return t.PrintResult(made, result)
}
