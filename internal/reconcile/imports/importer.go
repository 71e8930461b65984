package imports

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/importer"
	"github.com/orthd/orth/internal/manifest"
	"github.com/orthd/orth/internal/message"
	"github.com/orthd/orth/internal/reconcile"
	"github.com/orthd/orth/internal/xxlimport"
	"github.com/orthd/orth/job"
)

// Importer imports from other schedulers on request. It runs one import at a time.
type Importer struct {
	// Read reads the database of an import: its address, user, password, table prefix, and
	// users when requested. Kinds: Invalid, Forbidden, Unavailable, Refused. Required.
	Read func(ctx context.Context, wanted *api.NewImport) (xxlimport.Contents, error)

	busy sync.Mutex // held by the running import
}

// material is the content to import.
type material struct {
	objects   []manifest.Object
	users     []xxlimport.User
	addresses []xxlimport.Address
	report    api.Import
}

// Import imports what wanted names, or previews that. through sends requests to the
// server's API as the caller. The report has the errors of single items. Kinds: Invalid,
// Forbidden and Unavailable of a database, and Full while another import is running.
func (i *Importer) Import(ctx context.Context, wanted api.NewImport, through http.RoundTripper) (api.Import, error) {
	if !i.busy.TryLock() {
		return api.Import{}, job.Errorf(job.Full, "another import is under way: wait until it has ended")
	}
	defer i.busy.Unlock()
	wanted.Namespace = cmp.Or(wanted.Namespace, job.DefaultNamespace)
	if err := job.CheckKey("namespace", wanted.Namespace); err != nil {
		return api.Import{}, err
	}
	m, err := i.readMaterial(ctx, &wanted)
	if err != nil {
		return api.Import{}, inFields(err)
	}
	m.report.DryRun, m.report.Namespace, m.report.Findings = wanted.DryRun, wanted.Namespace, firstFindings(m.report.Findings)
	for n := range m.report.Findings {
		m.report.Findings[n].Text = flagless.Replace(m.report.Findings[n].Text)
	}
	s := &reconcile.Server{Namespace: wanted.Namespace, Getenv: func(string) string { return "" }, Dial: func(namespace string) (*client.Client, error) {
		return client.New(client.Config{Address: "http://server.invalid", Namespace: namespace, Retries: -1, HTTPClient: &http.Client{Transport: through}})
	}}
	defer s.Close()
	b := bringing{server: s, report: &m.report}
	err = b.documents(ctx, m.objects)
	if err == nil && wanted.Executors {
		err = b.executors(ctx, m.addresses)
	}
	if err == nil && wanted.Users {
		err = b.users(ctx, m.users)
	}
	return m.report, err
}

// readMaterial returns the content to import.
func (i *Importer) readMaterial(ctx context.Context, wanted *api.NewImport) (*material, error) {
	switch wanted.Kind {
	case api.ImportDatabase:
		return i.readDatabase(ctx, wanted)
	case api.ImportJSON:
		return readJSON(wanted)
	case api.ImportCrontab, api.ImportKubernetes:
		return readForeign(wanted)
	}
	return nil, job.FieldErrorf("kind", "%q cannot be imported", wanted.Kind)
}

func (i *Importer) readDatabase(ctx context.Context, wanted *api.NewImport) (*material, error) {
	role := cmp.Or(wanted.Role, access.Editor)
	if !slices.Contains(access.Roles(), role) || role == access.Administrator {
		return nil, job.FieldErrorf("role", "%q is not a role for a group: use viewer, operator, editor, scripter or owner", role)
	}
	if wanted.Address == "" {
		return nil, job.FieldErrorf("address", "is missing: name the database, such as jdbc:mysql://db:3306/xxl_job")
	}
	found, err := i.Read(ctx, wanted)
	if err != nil {
		return nil, err
	}
	var m material
	if m.report.Zone = wanted.Zone; wanted.Zone == "" {
		m.report.ZoneFrom = found.ZoneFrom
		if m.report.Zone, err = xxlimport.Zone(found.Zone); err != nil {
			return nil, job.FieldErrorf("zone", "is needed: no column says in which zone cron expressions are meant, and what %s says, %.60q, is not known everywhere; name the zone of the old server's process, such as Asia/Shanghai", found.ZoneFrom, found.Zone)
		}
	}
	made, err := found.Turn(xxlimport.InstallationOptions{
		Namespace: wanted.Namespace, Zone: m.report.Zone, Prefix: wanted.Prefix, Start: wanted.Start, Role: string(role),
	})
	if err != nil {
		return nil, err
	}
	m.objects, m.users, m.addresses = made.Objects, made.Users, made.Addresses
	m.report.Source = made.Version
	m.report.Found = api.ImportFound{Groups: len(found.Groups), Jobs: len(found.Jobs), Links: links(made.Objects), Users: len(found.Users), Executors: len(made.Addresses)}
	m.report.Findings = make([]api.ImportFinding, len(made.Notes))
	for n, one := range made.Notes {
		m.report.Findings[n] = api.ImportFinding{Table: one.Table, Row: one.ID, Name: one.Name, Code: one.Code, Args: one.Args, Text: one.Text}
	}
	return &m, nil
}

func readJSON(wanted *api.NewImport) (*material, error) {
	o := xxlimport.OrthOptions{Namespace: wanted.Namespace, Zone: wanted.Zone, Group: wanted.Group, Groups: make(map[int64]string, len(wanted.Groups))}
	for digits, key := range wanted.Groups {
		number, err := strconv.ParseInt(digits, 10, 64)
		if err != nil {
			return nil, job.FieldErrorf("groups", "%.40q is no number of a group", digits)
		}
		o.Groups[number] = key
	}
	objects, notes, err := xxlimport.OrthJSON([]byte(wanted.Text), o)
	if err != nil {
		return nil, ofText(err)
	}
	m := &material{objects: objects, report: api.Import{Zone: cmp.Or(wanted.Zone, "UTC"), Findings: make([]api.ImportFinding, len(notes))}}
	for n, note := range notes {
		m.report.Findings[n] = api.ImportFinding{Name: note.Job, Code: note.Code, Args: note.Args, Text: note.Text}
	}
	m.report.Found = api.ImportFound{Jobs: len(objects), Links: links(objects)}
	return m, nil
}

func readForeign(wanted *api.NewImport) (*material, error) {
	o := importer.Options{Group: wanted.Group, Namespace: wanted.Namespace, Zone: wanted.Zone, Prefix: wanted.Prefix, Start: wanted.Start}
	var made importer.Imported
	var err error
	if wanted.Kind == api.ImportCrontab {
		made, err = importer.Crontab([]byte(wanted.Text), wanted.System, o)
	} else {
		made, err = importer.Kubernetes([]byte(wanted.Text), o)
	}
	if err != nil {
		return nil, ofText(err)
	}
	m := &material{objects: made.Objects, report: api.Import{Zone: cmp.Or(wanted.Zone, "UTC"), Findings: make([]api.ImportFinding, len(made.Notes))}}
	for n, note := range made.Notes {
		m.report.Findings[n] = api.ImportFinding{Line: note.Line, Name: note.Job, Code: note.Code, Args: note.Args, Text: note.Text}
	}
	m.report.Found = api.ImportFound{Jobs: len(made.Objects)}
	return m, nil
}

// maxFindings bounds the findings that a report lists.
const maxFindings = 10_000

// firstFindings returns the first findings, and the number of further ones of each kind.
func firstFindings(all []api.ImportFinding) []api.ImportFinding {
	if len(all) <= maxFindings {
		return all
	}
	rest := message.Omitted{}
	for _, one := range all[maxFindings:] {
		if one.Code == "more" { // the list was shortened already
			return all
		}
		rest[one.Code]++
	}
	all = all[:maxFindings:maxFindings]
	for _, said := range rest.Messages() {
		all = append(all, api.ImportFinding{Code: said.Code, Args: said.Args, Text: said.Text})
	}
	return all
}

// links counts the children that jobs name.
func links(objects []manifest.Object) (n int) {
	for i := range objects {
		children, _ := objects[i].Spec["children"].([]any)
		n += len(children)
	}
	return n
}

// flagless replaces flags of the command line in texts by fields of the API.
var flagless = strings.NewReplacer("--user and --password-file", "user and password", "--table-prefix", "table_prefix", "--group-key", "groups", "--", "")

// inFields returns an error that names the fields of the API.
func inFields(err error) error {
	known, ok := errors.AsType[*job.Error](err)
	if !ok {
		return err
	}
	said := *known
	switch said.Field {
	case "--dsn":
		said.Field = "address"
	case "":
		if said.Kind == job.Forbidden || said.Kind == job.Unavailable || said.Kind == job.Refused {
			said.Field = "address"
		}
	default:
		said.Field = strings.ReplaceAll(strings.TrimPrefix(said.Field, "--"), "-", "_")
	}
	if said.Kind == job.Refused { // no setting allows it
		said.Message, _, _ = strings.Cut(said.Message, ": an operator")
	}
	if said.Kind == job.Forbidden {
		said.Kind = job.Invalid // the database refused it, not this server
	}
	said.Message, said.Hint = flagless.Replace(said.Message), flagless.Replace(said.Hint)
	return &said
}

// ofText returns an error for the content of a text. An error without a field is about the
// field text.
func ofText(err error) error {
	if known, ok := errors.AsType[*job.Error](err); ok && known.Field != "" {
		return err
	}
	return job.FieldErrorf("text", "%v", err)
}
