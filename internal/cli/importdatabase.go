package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/message"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/xxlimport"
	"github.com/orthd/orth/internal/xxlimport/database"
	"github.com/orthd/orth/job"
)

// oldServer says which database of a Java server is read.
type oldServer struct {
	dsn, user, passwordFile, tablePrefix, zone string
}

func (o *oldServer) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&o.dsn, "dsn", "", "`address` of the database: user@tcp(host:3306)/xxl_job, mysql://user@host/xxl_job, or the JDBC URL of the old admin")
	_ = cmd.MarkFlagRequired("dsn") // it was added just before
	flags.StringVar(&o.user, "user", "", "`name` to sign in to the database with, instead of the one in the address")
	flags.StringVar(&o.passwordFile, "password-file", "", "`file` with the password for it, - for the standard input")
	flags.StringVar(&o.tablePrefix, "table-prefix", "", "`text` that begins the names of the tables (default: found out, such as xxl_job_)")
	flags.StringVar(&o.zone, "zone", "", "`zone` that cron expressions are meant in: that of the old admin's process (default: the database's, which is told)")
}

// open returns the database.
func (o *oldServer) open(t *tool) (*database.Source, error) {
	var password redacted.Text
	if o.passwordFile != "" {
		text, err := t.readExport(o.passwordFile, 1<<10)
		if err != nil {
			return nil, err
		}
		password = redacted.New(firstLine(string(text)))
	}
	return database.Open(o.dsn, o.user, password, nil)
}

// zoneOf returns the zone of expressions: the one that was named, or that of the
// database, which is told.
func (o *oldServer) zoneOf(t *tool, said, from string) (string, error) {
	if o.zone != "" {
		return o.zone, nil
	}
	zone, err := xxlimport.Zone(said)
	if err != nil {
		return "", job.FieldErrorf("--zone", "is needed: no column says in which zone cron expressions are meant, and what %s says, %.60q, is not known everywhere; name the zone of the old admin's process, such as Asia/Shanghai", from, said)
	}
	t.tell("beware: cron expressions are taken to be meant in %s, which %s says; if the old admin's process has another zone, name it with --zone", zone, printable(from))
	return zone, nil
}

// databaseFlags say what of a database is taken over, and where it goes.
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

func (t *tool) importDatabaseCommand() *cobra.Command {
	var f databaseFlags
	cmd := &cobra.Command{
		Use: "xxl-job", Aliases: []string{"orth"}, Short: "Take over the database of XXL-JOB, or of the Java Orth", Args: cobra.NoArgs,
		Long: "Take over groups, jobs, and if wanted users and addresses of executors, from the MySQL or MariaDB database of XXL-JOB 2.2\n" +
			"to 3.5, or of the Java Orth. It reads one snapshot in a session that is read-only, and writes nothing there.\n\n" +
			"Documents are made of groups and jobs: they go to the standard output, into a folder (--out), or to a server (--apply).\n" +
			"Users and addresses go to a server only. What is not taken over, or means something else here, is told with its row;\n" +
			"a row that cannot be taken over stops no other. The same command again changes nothing. docs/import.md tells what\n" +
			"becomes of what.",
		Example: "  orth import xxl-job --dsn 'reader@tcp(db:3306)/xxl_job' --password-file password --out jobs/\n" +
			"  orth import xxl-job --dsn 'reader@tcp(db:3306)/xxl_job' --password-file password --zone Asia/Shanghai --users --apply --dry-run\n" +
			"  orth import xxl-job --dsn 'mover@tcp(db:3306)/xxl_job' --password-file password --zone Asia/Shanghai --apply --group reports --start --stop-old\n" +
			"  orth import orth --dsn 'jdbc:mysql://db:3306/orth_job' --user reader --password-file - --apply < password",
		RunE: func(cmd *cobra.Command, _ []string) error { return t.importDatabase(cmd.Context(), &f) },
	}
	f.oldServer.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.Prefix, "prefix", "", "`text` that begins the key of each job")
	flags.BoolVar(&f.Start, "start", false, "start the jobs that are started there, and stop the others; without it new ones are stopped, and others stay as they are")
	flags.BoolVar(&f.users, "users", false, "with --apply: make the users too, with their groups and the hashes of their passwords (needs the role admin)")
	flags.StringVar(&f.role, "role", string(access.Editor), "with --users: the `role` that users who are no administrators get in their groups")
	flags.BoolVar(&f.addresses, "addresses", false, "with --apply: enter the addresses of executors too that were entered by hand; do it when the old admin uses them no more")
	flags.BoolVar(&f.tokens, "tokens", false, "with --apply: give groups the tokens too that they have there (XXL-JOB 3.5), so that executors need no other")
	flags.BoolVar(&f.versions, "versions", false, "with --apply: make revisions of the older texts of scripts of jobs that are stopped here, with their remarks and times")
	f.historyFlags.add(flags)
	flags.StringVar(&f.report, "report", "", "`file` that gets, as JSON, all that is not taken over or means something else")
	f.cutoverFlags.add(&f, flags)
	f.place(t, cmd)
	return cmd
}

// importDatabase reads a database and puts what it has where it is wanted.
func (t *tool) importDatabase(ctx context.Context, f *databaseFlags) error {
	if (f.users || f.addresses || f.tokens || f.versions || f.history) && !f.apply {
		return usagef("--users, --addresses, --tokens, --versions and --history go with --apply: they are no documents")
	}
	if role := access.Role(f.role); !slices.Contains(access.Roles(), role) || role == access.Administrator {
		return usagef("--role: %q is not a role for a group: use viewer, operator, editor, scripter or owner", f.role)
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
	space := cmp.Or(t.space(), job.DefaultNamespace)
	made, err := found.Turn(xxlimport.InstallationOptions{Namespace: space, Zone: zone, Prefix: f.Prefix, Start: f.Start && !f.cutsOver(), Role: f.role, Tokens: f.tokens, Codes: f.versions})
	if err != nil {
		return err
	}
	t.tell("the tables %s* are those of %s: %s, %s", printable(found.Prefix), made.Version, plural.Count(len(found.Groups), "group"), plural.Count(len(found.Jobs), "job"))
	if err := t.findings(made.Notes, f.report); err != nil {
		return err
	}
	if !f.addresses && len(made.Addresses) > 0 {
		t.tell("%s with addresses that were entered by hand there are not entered here: add --addresses when the old admin uses them no more", plural.Count(len(made.Addresses), "executor"))
	}
	if f.Group != "" {
		made.Objects = made.Within(f.Group)
	}
	if len(made.Objects) == 0 {
		return job.Errorf(job.Invalid, "no group and no job of it can be taken over")
	}
	if !f.apply {
		return t.placeImported(ctx, &f.importFlags, made.Objects)
	}
	carried, err := t.applyImported(ctx, &f.importFlags, made.Objects)
	if err != nil || !carried && !f.dry {
		return err
	}
	if f.addresses {
		err = t.addAddresses(ctx, f, made.Addresses)
	}
	if f.users {
		err = cmp.Or(err, t.addUsers(ctx, f, made.Users)) // what is refused stops nothing
	}
	if f.tokens {
		err = cmp.Or(err, t.addTokens(ctx, f, made.Tokens))
	}
	if f.versions {
		err = cmp.Or(err, t.addVersions(ctx, f, source, &made))
	}
	if err == nil && f.history {
		err = t.addHistory(ctx, f, source, &made, zone)
	}
	if err == nil && f.cutsOver() {
		err = t.cutOver(ctx, f, source, &made, zone)
	}
	return err
}

// maxTold is how many findings of a kind are told to people.
const maxTold = 50

// findings tells what is not taken over, and writes it into a file when one is named.
func (t *tool) findings(all []xxlimport.Finding, file string) error {
	told, rest := map[string]int{}, message.Omitted{}
	for _, one := range all {
		if told[one.Code]++; told[one.Code] > maxTold {
			rest[one.Code]++
			continue
		}
		t.tell("%s", printable(one.String()))
	}
	for _, said := range rest.Messages() {
		t.tell("%s: --report names a file that gets all", said.Text)
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
