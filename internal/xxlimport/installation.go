package xxlimport

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/manifest"
	"github.com/orthd/orth/internal/manifest/tree"
	"github.com/orthd/orth/internal/message"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// Limits of an import from a database.
const (
	// MaxGroups, MaxJobs and MaxUsers bound the objects of one database. Groups and jobs
	// together are at most [manifest.MaxDocuments].
	MaxGroups = 10_000
	MaxJobs   = tree.MaxDocuments
	MaxUsers  = 10_000
)

// The tables, without their prefix.
const (
	TableGroups = "group"
	TableJobs   = "info"
	TableUsers  = "user"
	TableCode   = "logglue"
	TableRuns   = "log"
)

// Row is a table row as stored: texts by column name in lower case. NULL columns and
// missing columns are absent.
type Row map[string]string

// Installation is the content of a Java server's database.
type Installation struct {
	// Prefix is the prefix of its tables, such as "xxl_job_".
	Prefix string
	// Columns are the columns of each table, by its name without the prefix.
	Columns map[string][]string
	// UniqueBeats means that the registry table has a unique key. WideParams means that
	// parameters may exceed 512 characters. Versions differ in both.
	UniqueBeats, WideParams bool
	// Groups, Jobs and Users are rows in the order of their ids.
	Groups, Jobs, Users []Row
	// Versions counts the older versions of the code of jobs, by job id.
	Versions map[int64]int
}

// Contents is an installation with its time zone.
type Contents struct {
	Installation

	// Zone is the time zone from the database or its address: a name, or an offset such as
	// +08:00. ZoneFrom describes its source for people.
	Zone, ZoneFrom string
}

// InstallationOptions configure the conversion of an installation.
type InstallationOptions struct {
	// Namespace of all created objects.
	Namespace string
	// Zone is the time zone of cron expressions, which no column holds. Empty is UTC.
	Zone string
	// Prefix is the prefix of each job key.
	Prefix string
	// Start enables the jobs that are started there. Otherwise the import does not set it.
	Start bool
	// Role is the role of a user in each group that it has access to there.
	Role string
	// Tokens and Codes mean that group tokens and older script versions are imported too,
	// so that no finding is needed for them.
	Tokens, Codes bool
}

// Migration is a converted installation.
type Migration struct {
	// Version describes the version of the old server for people.
	Version string
	// Objects are groups, then jobs, in the order of their ids.
	Objects []manifest.Object
	// Keys are the keys of the jobs, by their old ids.
	Keys map[int64]string
	// Addresses are the manually registered executors.
	Addresses []Address
	Users     []User
	// Tokens are the group tokens.
	Tokens []Token
	// Notes are findings: what was not imported, or has another meaning here.
	Notes []Finding

	prefix string
}

// TableOf returns the full name of a table.
func (m *Migration) TableOf(name string) string { return m.prefix + name }

// Address is the address of a manually registered executor.
type Address struct{ Group, URL string }

// Token is the token of a group's executors.
type Token struct {
	// Group is the group's key, and ID the id of the row with the token.
	Group string
	ID    int64
	Text  redacted.Text
}

// Within returns the group with a key and its jobs.
func (m *Migration) Within(group string) (objects []manifest.Object) {
	for i := range m.Objects {
		o := &m.Objects[i]
		if o.Kind == manifest.KindGroup && o.Key == group || o.Kind == manifest.KindJob && o.Spec["group"] == group {
			objects = append(objects, *o)
		}
	}
	return objects
}

// Finding is something that was not imported, or has another meaning here.
type Finding struct {
	Table string `json:"table"` // with its prefix
	ID    int64  `json:"id"`    // of the row, 0 for the whole table
	Name  string `json:"name,omitempty"`
	message.Message
}

// String returns the finding as text for people.
func (f Finding) String() string {
	where := f.Table
	if f.ID != 0 {
		where += " " + strconv.FormatInt(f.ID, 10)
	}
	if f.Name != "" {
		where += " (" + f.Name + ")"
	}
	return where + ": " + f.Text
}

// migrating is the state of one Turn.
type migrating struct {
	Migration

	from   *Installation
	option InstallationOptions
	groups map[int64]string // group keys by old id
	hosts  map[Address]bool // set of Addresses
}

// Turn converts an installation. It skips rows that cannot be converted, with a finding for
// each. It is Invalid when an option is wrong, or a limit is exceeded.
func (i *Installation) Turn(o InstallationOptions) (Migration, error) {
	switch {
	case len(i.Groups)+len(i.Jobs) > tree.MaxDocuments:
		return Migration{}, job.Errorf(job.Invalid, "there are more than %d groups and jobs", tree.MaxDocuments)
	case len(i.Users) > MaxUsers:
		return Migration{}, job.Errorf(job.Invalid, "there are more than %d users", MaxUsers)
	}
	if o.Prefix != "" && toKey(o.Prefix+"x") != o.Prefix+"x" || len(o.Prefix) > job.MaxKey/2 {
		return Migration{}, job.FieldErrorf("--prefix", "%.70q cannot begin a key: use up to %d lower-case letters, digits and '-'", o.Prefix, job.MaxKey/2)
	}
	m := migrating{Migration: Migration{Version: i.Version(), Keys: map[int64]string{}, prefix: i.Prefix}, from: i, option: o, groups: map[int64]string{}, hosts: map[Address]bool{}}
	rows := *i
	m.from = &rows
	rows.Groups, rows.Jobs, rows.Users = m.numbered(TableGroups, i.Groups), m.numbered(TableJobs, i.Jobs), m.numbered(TableUsers, i.Users)
	m.takeGroups()
	m.takeJobs()
	m.takeUsers()
	return m.Migration, nil
}

func (m *migrating) addNote(table string, id int64, name, code, format string, args ...any) {
	m.addMessage(table, id, name, message.New(code, format, args...))
}

func (m *migrating) addMessage(table string, id int64, name string, said message.Message) {
	m.Notes = append(m.Notes, Finding{m.from.Prefix + table, id, name, said})
}

// number returns an integer column. It returns 0 with a finding when the value is not an
// integer.
func (m *migrating) number(table string, r Row, column string) int64 {
	text := strings.TrimSpace(r[column])
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		m.addNote(table, r.rowID(), "", "no-number", "%s, %.40q, is no whole number: it counts as 0", column, text)
	}
	return n
}

// numbered skips rows of a table without a valid id, with a finding.
func (m *migrating) numbered(table string, rows []Row) []Row {
	return slices.DeleteFunc(slices.Clone(rows), func(r Row) bool {
		if r.rowID() > 0 && strconv.FormatInt(r.rowID(), 10) == r["id"] {
			return false
		}
		name := clean(cmp.Or(r["app_name"], r["username"], r["job_desc"], r["name"]))
		m.addNote(table, 0, name, "id-no-number", "it is left out: its id, %.40q, is no number above 0", r["id"])
		return true
	})
}

// rowID returns the row's id, 0 for none.
func (r Row) rowID() int64 {
	n, _ := strconv.ParseInt(r["id"], 10, 64) // a primary key is a number
	return n
}

// takeGroups converts groups. Rows with the same name become one group.
func (m *migrating) takeGroups() {
	made := map[string]int64{}
	for _, r := range m.from.Groups {
		id, key := r.rowID(), strings.TrimSpace(r["app_name"])
		if err := checkGroup("app_name", key); err != nil {
			m.addMessage(TableGroups, id, "", message.FromError("group-name", "it is left out with its jobs", err))
			continue
		}
		m.groups[id] = key
		if first := made[key]; first != 0 {
			m.addNote(TableGroups, id, key, "group-joined", "it has the name of group %d: here they are one group", first)
		} else {
			made[key] = id
			m.Objects = append(m.Objects, manifest.Object{
				Kind: manifest.KindGroup, Namespace: m.option.Namespace, Key: key, Spec: describeGroup(r),
			})
		}
		m.takeToken(key, r)
		m.takeAddresses(key, r)
	}
}

func describeGroup(r Row) map[string]any {
	spec := map[string]any{}
	title := strings.Join(strings.Fields(strings.ToValidUTF8(cmp.Or(r["title"], r["name"]), "")), " ")
	if runes := []rune(title); len(runes) > job.MaxTitle {
		title = string(runes[:job.MaxTitle])
	}
	if title != "" {
		spec["title"] = title
	}
	return spec
}

// takeToken converts the token of a group, which XXL-JOB 3.5 has.
func (m *migrating) takeToken(key string, r Row) {
	text := strings.TrimSpace(r["access_token"])
	if text == "" {
		return
	}
	m.Tokens = append(m.Tokens, Token{Group: key, ID: r.rowID(), Text: redacted.New(text)})
	if !m.option.Tokens {
		m.addNote(TableGroups, r.rowID(), key, "token-kept-back", "its access_token is not taken over without --tokens: give it to the group with that, or with 'orth group token add %s --stdin'", key)
	}
}

// takeAddresses converts the manually registered executors.
func (m *migrating) takeAddresses(key string, r Row) {
	if m.number(TableGroups, r, "address_type") == 0 {
		return // executors registered themselves, and will register here
	}
	for text := range strings.SplitSeq(r["address_list"], ",") {
		text = strings.TrimRight(strings.TrimSpace(text), "/")
		if text == "" {
			continue
		}
		if !strings.Contains(text, "://") {
			text = "http://" + text
		}
		if one := (Address{key, text}); !m.hosts[one] {
			m.hosts[one] = true
			m.Addresses = append(m.Addresses, one)
		}
	}
}

// takeJobs converts the jobs.
func (m *migrating) takeJobs() {
	jobs := make([]orthJob, len(m.from.Jobs))
	for i, r := range m.from.Jobs {
		jobs[i] = m.readJob(r)
	}
	t := turner{OrthOptions: OrthOptions{Namespace: m.option.Namespace, Zone: m.option.Zone, Groups: m.groups}, byID: map[number]string{}}
	t.prefix = m.option.Prefix
	t.assignKeys(jobs, func(i int) string { return "job-" + m.from.Jobs[i]["id"] })
	ids := make(map[string]int64, len(jobs))
	for i := range jobs {
		ids[t.keys[i]] = int64(jobs[i].ID)
	}
	out := map[string]bool{} // keys of skipped jobs
	made := make([]*manifest.Object, len(jobs))
	m.mendTemplates(jobs)
	for i := range jobs {
		object, err := m.convertJob(&t, i, &jobs[i])
		if err != nil {
			out[t.keys[i]] = true
			m.addMessage(TableJobs, int64(jobs[i].ID), t.keys[i], message.FromError("left-out", "it is left out", err))
			continue
		}
		made[i] = &object
	}
	for _, n := range t.notes {
		m.Notes = append(m.Notes, Finding{m.from.Prefix + TableJobs, ids[n.Job], n.Job, n.Message})
	}
	m.removeBadLinks(made, ids, out)
	m.wordsOnCode(jobs, t.keys)
}

// readJob returns a row in the form of an export.
func (m *migrating) readJob(r Row) orthJob {
	n := func(column string) number { return number(m.number(TableJobs, r, column)) }
	return orthJob{
		ID: number(r.rowID()), Group: n("job_group"), Title: clean(r["job_desc"]), Name: clean(r["name"]), Author: clean(r["author"]), Emails: r["alarm_email"],
		ScheduleType: strings.TrimSpace(r["schedule_type"]), ScheduleConf: r["schedule_conf"], Cron: r["job_cron"], Misfire: strings.TrimSpace(r["misfire_strategy"]),
		Route: strings.TrimSpace(r["executor_route_strategy"]), Handler: r["executor_handler"], Param: r["executor_param"],
		Overlap: strings.TrimSpace(r["executor_block_strategy"]), Concurrency: n("executor_concurrency"), Timeout: n("executor_timeout"),
		Retries: n("executor_fail_retry_count"), CodeKind: strings.TrimSpace(r["glue_type"]), Source: r["glue_source"], Remark: clean(r["glue_remark"]),
		Children: r["child_jobid"], Template: n("super_task_id"), Started: n("trigger_status"),
	}
}

// clean returns a text as one line.
func clean(text string) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
}

// mendTemplates handles jobs whose template takes its code from another template. They get
// the template's own code: the old server did not look further, and a template here has
// code of its own.
func (m *migrating) mendTemplates(jobs []orthJob) {
	at := make(map[number]*orthJob, len(jobs))
	for i := range jobs {
		at[jobs[i].ID] = &jobs[i]
	}
	type code struct{ handler, kind, source string }
	copies := map[*orthJob]code{}
	for i := range jobs {
		if of := at[jobs[i].Template]; jobs[i].Template > 0 && of != nil && of != &jobs[i] && of.Template > 0 && of.Template != of.ID {
			copies[&jobs[i]] = code{of.Handler, of.CodeKind, of.Source}
			m.addNote(TableJobs, int64(jobs[i].ID), "", "template-copied", "its super_task_id, %d, is of a job that takes its code from another one: here it has a copy of that job's own code", of.ID)
		}
	}
	for one, c := range copies {
		one.Handler, one.CodeKind, one.Source, one.Template = c.handler, c.kind, c.source, 0
	}
}

// maxSeconds is the maximum timeout of a job, in seconds.
const maxSeconds = 30 * 24 * 3600

// convertJob converts one job to a document that a server accepts.
func (m *migrating) convertJob(t *turner, i int, old *orthJob) (manifest.Object, error) {
	key := t.keys[i]
	if m.groups[int64(old.Group)] == "" {
		return manifest.Object{}, message.Errorf("group-not-taken", "job_group, %d, is no group that was taken over", old.Group)
	}
	if old.Timeout > maxSeconds {
		t.addNote(key, "timeout-too-long", "executor_timeout, %d, is longer than 30 days: it has no timeout", old.Timeout)
		old.Timeout = 0
	}
	started := old.Started
	old.Started = 0 // reported once for all jobs
	old.Children = m.children(t, key, old)
	old.Emails = m.emails(t, key, old)
	object, err := t.convertJob(i, old)
	if err != nil {
		return object, err
	}
	old.Started = started
	var made api.NewJob
	if err := object.As(&made); err != nil {
		return object, err
	}
	made.OverlapScope = job.ScopeExecutor // as in the old server
	whole := made.Job()
	whole.Namespace, whole.Key = m.option.Namespace, key
	if made.Template != "" {
		whole.Template = 1 // any: it has no code of its own
	}
	if err := jobs.CheckNew(whole); err != nil {
		return object, err
	}
	if object, err = manifest.NewJob(m.option.Namespace, key, made); err == nil && m.option.Start {
		object.Spec["enabled"] = started > 0 && made.Schedule.Kind != "" && made.Schedule.Kind != schedule.KindManual
	}
	return object, err
}

// children returns the list of children without invalid entries: text that is not a number,
// the job itself, and duplicates.
func (m *migrating) children(t *turner, key string, old *orthJob) string {
	var list []string
	for text := range strings.SplitSeq(old.Children, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		id, err := strconv.ParseInt(text, 10, 64)
		switch name := strconv.FormatInt(id, 10); {
		case err != nil || id <= 0:
			t.addNote(key, "child-no-number", "its child_jobid %.40q is no number of a job: it is left out", text)
		case number(id) == old.ID:
			t.addNote(key, "child-itself", "its child_jobid %d is itself: it is left out", id)
		case slices.Contains(list, name):
			t.addNote(key, "child-twice", "its child_jobid %d is named twice, and was started twice: here it is started once", id)
		case len(list) >= job.MaxChildren:
			t.addNote(key, "too-many-children", "its child_jobid %d is left out: a job has at most %d children", id, job.MaxChildren)
		default:
			list = append(list, name)
		}
	}
	return strings.Join(list, ",")
}

// ofAddress gives the error of an address in a list its code.
func ofAddress(err error, others []string, address string) error {
	switch {
	case len(others) >= job.MaxAlarmEmails:
		return message.Wrap(err, "too-many-addresses", strconv.Itoa(job.MaxAlarmEmails))
	case slices.ContainsFunc(others, func(other string) bool { return strings.EqualFold(other, address) }):
		return message.Wrap(err, "address-twice", address)
	}
	return message.Wrap(err, "address-wrong", fmt.Sprintf("%.100q", address))
}

// emails returns the addresses that a server accepts.
func (m *migrating) emails(t *turner, key string, old *orthJob) string {
	var list []string
	for text := range strings.SplitSeq(old.Emails, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		if err := jobs.CheckEmails("alarm_email", append(slices.Clone(list), text)); err != nil {
			t.notes = append(t.notes, Note{key, message.FromError("address-wrong", "an address of alarm_email is left out", ofAddress(err, list, text))})
			continue
		}
		list = append(list, text)
	}
	return strings.Join(list, ",")
}

// removeBadLinks removes references that a server would refuse: skipped templates and children, and
// children that form a cycle.
func (m *migrating) removeBadLinks(made []*manifest.Object, ids map[string]int64, out map[string]bool) {
	for again := true; again; {
		again = false
		for i, o := range made {
			if o == nil {
				continue
			}
			if template, _ := o.Spec["template"].(string); out[template] {
				m.addNote(TableJobs, ids[o.Key], o.Key, "template-left-out", "it is left out: the job whose code it runs, %s, is left out", template)
				out[o.Key], made[i], again = true, nil, true
			}
		}
	}
	edges := make(map[string][]string, len(made))
	for _, o := range made {
		if o == nil {
			continue
		}
		for _, child := range childrenOf(o) {
			if !out[keyOf(child)] {
				edges[o.Key] = append(edges[o.Key], keyOf(child))
			}
		}
	}
	found := loops{edges: edges, seen: make(map[string]sight, len(made)), back: map[[2]string]bool{}}
	for _, o := range made {
		if o == nil {
			continue
		}
		found.searchFrom(o.Key)
		var kept []any
		for _, child := range childrenOf(o) {
			switch name := keyOf(child); {
			case out[name]:
				m.addNote(TableJobs, ids[o.Key], o.Key, "child-left-out", "its child_jobid %d is left out, as the job itself is", ids[name])
			case found.back[[2]string{o.Key, name}]:
				m.addNote(TableJobs, ids[o.Key], o.Key, "child-loop", "its child_jobid %d is left out: that job starts this one again, for ever", ids[name])
			default:
				kept = append(kept, child)
			}
		}
		if delete(o.Spec, "children"); len(kept) > 0 {
			o.Spec["children"] = kept
		}
		m.Objects = append(m.Objects, *o)
		m.Keys[ids[o.Key]] = o.Key
	}
}

// childrenOf returns the children in a job's document.
func childrenOf(o *manifest.Object) []any {
	children, _ := o.Spec["children"].([]any)
	return children
}

func keyOf(child any) string {
	fields, _ := child.(map[string]any)
	key, _ := fields["key"].(string)
	return key
}

// sight is the state of a job in the search for cycles.
type sight byte

const (
	under sight = iota + 1 // its children are being searched
	through
)

// loops finds the links that close a cycle, in one search over all jobs.
type loops struct {
	edges map[string][]string
	seen  map[string]sight
	back  map[[2]string]bool // links that close a cycle, by both jobs
}

// searchFrom searches down from a job. It keeps its own stack: a chain may contain all jobs.
func (l *loops) searchFrom(key string) {
	if l.seen[key] != 0 {
		return
	}
	way, next := []string{key}, []int{0} // the jobs of the path, and the next child of each
	l.seen[key] = under
	for len(way) > 0 {
		last := len(way) - 1
		at := way[last]
		if next[last] == len(l.edges[at]) {
			l.seen[at] = through
			way, next = way[:last], next[:last]
			continue
		}
		child := l.edges[at][next[last]]
		next[last]++
		switch l.seen[child] {
		case under:
			l.back[[2]string{at, child}] = true
		case through:
		default:
			l.seen[child] = under
			way, next = append(way, child), append(next, 0)
		}
	}
}

// wordsOnCode reports what the old server's version means for scripts, and which older
// versions are not imported.
func (m *migrating) wordsOnCode(jobs []orthJob, keys []string) {
	python, versions, started := 0, 0, 0
	for i := range jobs {
		if jobs[i].CodeKind == "GLUE_PYTHON" && m.from.pythonIsOld() {
			python++
			if python == 1 {
				m.addNote(TableJobs, int64(jobs[i].ID), keys[i], "python-two", "GLUE_PYTHON was started with the command python there, and is with python3 here: look whether its script is for Python 3, and so those of other jobs")
			}
		}
		versions += m.from.Versions[int64(jobs[i].ID)]
		started += int(min(max(jobs[i].Started, 0), 1))
	}
	if versions > 0 && !m.option.Codes {
		m.addNote(TableCode, 0, "", "versions-kept-back", "older texts of scripts stay there (%d) without --versions: the history of a job begins with its import", versions)
	}
	if started > 0 && !m.option.Start {
		m.addNote(TableJobs, 0, "", "started-there", "jobs that are started there: %d; here new ones are stopped until 'orth job enable', or with --enable", started)
	}
}
