package importing

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/message"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/xxlimport"
	"github.com/orthd/orth/internal/xxlimport/database"
	"github.com/orthd/orth/job"
)

// oldServer holds the flags that select the database of a Java server.
type oldServer struct {
	dsn, user, passwordFile, tablePrefix, zone string
}

func (o *oldServer) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&o.dsn, "dsn", "", "`address` of the database: user@tcp(host:3306)/xxl_job, mysql://user@host/xxl_job, or the JDBC URL of the old admin")
	_ = cmd.MarkFlagRequired("dsn") // the flag exists: it was added above
	flags.StringVar(&o.user, "user", "", "database user `name`, overrides the one in the address")
	flags.StringVar(&o.passwordFile, "password-file", "", "`file` with the database password, - for standard input")
	flags.StringVar(&o.tablePrefix, "table-prefix", "", "`prefix` of the table names (default: detected, such as xxl_job_)")
	flags.StringVar(&o.zone, "zone", "", "time `zone` of cron expressions, which is the one of the old admin process (default: the one of the database, which is printed)")
}

// open opens the database.
func (o *oldServer) open(t *kit.Tool) (*database.Source, error) {
	var password redacted.Text
	if o.passwordFile != "" {
		text, err := readExport(t, o.passwordFile, 1<<10)
		if err != nil {
			return nil, err
		}
		password = redacted.New(firstLine(string(text)))
	}
	return database.Open(o.dsn, o.user, password, nil)
}

// zoneOf returns the zone of cron expressions: the one of --zone, or that of the
// database, which is printed.
func (o *oldServer) zoneOf(t *kit.Tool, zoneName, from string) (string, error) {
	if o.zone != "" {
		return o.zone, nil
	}
	zone, err := xxlimport.Zone(zoneName)
	if err != nil {
		return "", job.FieldErrorf("--zone", "is required: the tables do not record the zone of cron expressions, and %s reports %.60q, which is not a portable zone; set the zone of the old admin process, such as Asia/Shanghai", from, zoneName)
	}
	t.PrintNote("Warning: assuming that cron expressions use %s, the zone of %s. If the old admin process has another zone, set --zone.", zone, output.Printable(from))
	return zone, nil
}

// databaseFlags holds the flags that select the imported objects and their destination.
type databaseFlags struct {
	oldServer
	importFlags

	report           string
	users, addresses bool
	tokens, versions bool
	historyFlags
	role string
	cutoverFlags
}

func newImportDatabaseCommand(t *kit.Tool) *cobra.Command {
	var f databaseFlags
	cmd := &cobra.Command{
		Use: "xxl-job", Aliases: []string{"orth"}, Short: "Import from the database of XXL-JOB or of the Java Orth", Args: cobra.NoArgs,
		Long: "Import groups, jobs, and optionally users and executor addresses from the MySQL or MariaDB database of XXL-JOB 2.2 to\n" +
			"3.5, or of the Java Orth. The command reads one snapshot in a read-only session and writes nothing to that database.\n\n" +
			"Groups and jobs become manifests, written to standard output, into a folder (--out), or to a server (--apply). Users\n" +
			"and addresses need a server. Everything that is skipped or changes its meaning is reported with its row; one invalid\n" +
			"row does not stop the import. Repeating the command changes nothing. See docs/import.md for the mapping.",
		Example: "  orth import xxl-job --dsn 'reader@tcp(db:3306)/xxl_job' --password-file password --out jobs/\n" +
			"  orth import xxl-job --dsn 'reader@tcp(db:3306)/xxl_job' --password-file password --zone Asia/Shanghai --users --apply --dry-run\n" +
			"  orth import xxl-job --dsn 'mover@tcp(db:3306)/xxl_job' --password-file password --zone Asia/Shanghai --apply --group reports --enable --stop-old\n" +
			"  orth import orth --dsn 'jdbc:mysql://db:3306/orth_job' --user reader --password-file - --apply < password",
		RunE: func(cmd *cobra.Command, _ []string) error { return importDatabase(cmd.Context(), t, &f) },
	}
	f.oldServer.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.Prefix, "prefix", "", "key `prefix` of each job")
	flags.BoolVar(&f.Start, "enable", false, "enable the jobs that are started there and disable the others; by default new jobs are disabled and existing ones unchanged")
	flags.BoolVar(&f.users, "users", false, "with --apply: also import users with their groups and password hashes (requires the role admin)")
	flags.StringVar(&f.role, "role", string(access.Editor), "with --users: `role` of users who are not administrators, in their groups")
	flags.BoolVar(&f.addresses, "addresses", false, "with --apply: also import manually added executor addresses; use it when the old admin no longer calls them")
	flags.BoolVar(&f.tokens, "tokens", false, "with --apply: also import group tokens (XXL-JOB 3.5), so that executors can keep them")
	flags.BoolVar(&f.versions, "versions", false, "with --apply: also import older script versions of disabled jobs as revisions, with their remarks and times")
	f.historyFlags.add(flags)
	flags.StringVar(&f.report, "report", "", "JSON `file` for the report of skipped and changed items")
	f.cutoverFlags.add(&f, flags)
	f.place(t, cmd)
	return cmd
}

// importDatabase imports a database into the selected destination.
func importDatabase(ctx context.Context, t *kit.Tool, f *databaseFlags) error {
	if (f.users || f.addresses || f.tokens || f.versions || f.history) && !f.apply {
		return output.Usagef("--users, --addresses, --tokens, --versions and --history require --apply")
	}
	if role := access.Role(f.role); !slices.Contains(access.Roles(), role) || role == access.Administrator {
		return output.Usagef("--role: %q cannot be granted for a group; use one of viewer, operator, editor, scripter or owner", f.role)
	}
	if err := f.checkCutover(); err != nil {
		return err
	}
	if err := f.historyFlags.check(t.Location); err != nil {
		return err
	}
	source, err := f.open(t)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	found, err := source.Read(ctx, f.tablePrefix, f.users)
	if err != nil {
		return err
	}
	zone, err := f.zoneOf(t, found.Zone, found.ZoneFrom)
	if err != nil {
		return err
	}
	space := cmp.Or(t.SelectedNamespace(), job.DefaultNamespace)
	made, err := found.Turn(xxlimport.InstallationOptions{Namespace: space, Zone: zone, Prefix: f.Prefix, Start: f.Start && !f.cutsOver(), Role: f.role, Tokens: f.tokens, Codes: f.versions})
	if err != nil {
		return err
	}
	t.PrintNote("Tables %s* belong to %s: %s, %s.", output.Printable(found.Prefix), made.Version, plural.Count(len(found.Groups), "group"), plural.Count(len(found.Jobs), "job"))
	if err := findings(t, made.Notes, f.report); err != nil {
		return err
	}
	if !f.addresses && len(made.Addresses) > 0 {
		t.PrintNote("%s with manually added addresses not imported: add --addresses when the old admin no longer calls them.", plural.Count(len(made.Addresses), "executor"))
	}
	if f.Group != "" {
		made.Objects = made.Within(f.Group)
	}
	if len(made.Objects) == 0 {
		return job.Errorf(job.Invalid, "no group and no job can be imported")
	}
	if !f.apply {
		return placeImported(ctx, t, &f.importFlags, made.Objects)
	}
	carried, err := applyImported(ctx, t, &f.importFlags, made.Objects)
	if err != nil || !carried && !f.dry {
		return err
	}
	if f.addresses {
		err = addAddresses(ctx, t, f, made.Addresses)
	}
	if f.users {
		err = cmp.Or(err, addUsers(ctx, t, f, made.Users)) // continue after a rejected object
	}
	if f.tokens {
		err = cmp.Or(err, addTokens(ctx, t, f, made.Tokens))
	}
	if f.versions {
		err = cmp.Or(err, addVersions(ctx, t, f, source, &made))
	}
	if err == nil && f.history {
		err = addHistory(ctx, t, f, source, &made, zone)
	}
	if err == nil && f.cutsOver() {
		err = cutOver(ctx, t, f, source, &made, zone)
	}
	return err
}

// maxPrintedFindings is the maximum number of findings per kind to print.
const maxPrintedFindings = 50

// findings prints the skipped and changed items, and writes them to the --report file.
func findings(t *kit.Tool, all []xxlimport.Finding, file string) error {
	printed, rest := map[string]int{}, message.Omitted{}
	for _, one := range all {
		if printed[one.Code]++; printed[one.Code] > maxPrintedFindings {
			rest[one.Code]++
			continue
		}
		t.PrintNote("%s", output.Printable(one.String()))
	}
	for _, omitted := range rest.Messages() {
		t.PrintNote("%s: use --report to write all of them to a file", omitted.Text)
	}
	if file == "" {
		return nil
	}
	if all == nil {
		all = []xxlimport.Finding{}
	}
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o600)
}
