package xxlimport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/manifest"
	"github.com/orthd/orth/internal/manifest/tree"
	"github.com/orthd/orth/internal/message"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// Limits of an export.
const (
	MaxOrthJSON = 16 << 20 // bytes
	maxJobs     = tree.MaxDocuments
)

// OrthOptions configure the conversion of jobs.
type OrthOptions struct {
	Namespace string
	// Zone is the time zone of the expressions, which an export does not contain. Empty is
	// UTC.
	Zone string
	// Groups are group keys by the group's number in the export. Group is the key for other
	// numbers; if it is empty, those are refused.
	Groups map[int64]string
	Group  string
}

// number is an integer that some exports write as a string.
type number int64

// UnmarshalJSON reads digits, with or without quotes; null and "" are 0.
func (n *number) UnmarshalJSON(text []byte) error {
	digits := strings.Trim(string(text), `" `)
	if digits == "" || digits == "null" {
		*n = 0
		return nil
	}
	whole, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return fmt.Errorf("%.40q is no whole number", digits)
	}
	*n = number(whole)
	return nil
}

// orthJob is a job as the consoles of the Java servers export it.
type orthJob struct {
	ID           number `json:"id"`
	Group        number `json:"jobGroup"`
	Title        string `json:"jobDesc"`
	Name         string `json:"name"` // of later servers, instead of jobDesc
	Author       string `json:"author"`
	Emails       string `json:"alarmEmail"`
	ScheduleType string `json:"scheduleType"`
	ScheduleConf string `json:"scheduleConf"`
	Cron         string `json:"jobCron"` // of early servers, instead of the two above
	Misfire      string `json:"misfireStrategy"`
	Route        string `json:"executorRouteStrategy"`
	Handler      string `json:"executorHandler"`
	Param        string `json:"executorParam"`
	Overlap      string `json:"executorBlockStrategy"`
	Concurrency  number `json:"executorConcurrency"`
	Timeout      number `json:"executorTimeout"`
	Retries      number `json:"executorFailRetryCount"`
	CodeKind     string `json:"glueType"`
	Source       string `json:"glueSource"`
	Remark       string `json:"glueRemark"`
	Children     string `json:"childJobId"`
	Template     number `json:"superTaskId"`
	Started      number `json:"triggerStatus"`
}

// OrthJSON converts the jobs of a Java server's export to documents, in order. The export
// is one job, a list of jobs, or a server's response with such a list in its data. notes
// has what was not imported. Jobs that cannot be converted are skipped with a note. It is
// Invalid when the text is not such an export.
func OrthJSON(text []byte, o OrthOptions) (objects []manifest.Object, notes []Note, err error) {
	entries, err := orthEntries(text, 0)
	if err != nil {
		return nil, nil, err
	}
	if len(entries) > maxJobs {
		return nil, nil, job.Errorf(job.Invalid, "there are more than %d jobs", maxJobs)
	}
	jobs := make([]orthJob, 0, len(entries))
	for i, entry := range entries {
		var one orthJob
		if err := json.Unmarshal(entry, &one); err != nil {
			notes = append(notes, Note{"", message.New("job-left-out", "job %d is left out: %v", i+1, err)})
			continue
		}
		jobs = append(jobs, one)
	}
	t := turner{OrthOptions: o, byID: map[number]string{}}
	t.assignKeys(jobs, func(i int) string { return "job-" + strconv.Itoa(i+1) })
	for i := range jobs {
		object, err := t.convertJob(i, &jobs[i])
		if err != nil {
			notes = append(notes, Note{t.keys[i], message.FromError("left-out", "it is left out", err)})
			continue
		}
		objects = append(objects, object)
	}
	return objects, append(notes, t.notes...), nil
}

// orthEntries finds the jobs in an export.
func orthEntries(text []byte, depth int) ([]json.RawMessage, error) {
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))
	if len(text) > 0 && text[0] == '[' {
		var list []json.RawMessage
		if err := json.Unmarshal(text, &list); err != nil {
			return nil, job.Errorf(job.Invalid, "it is not JSON: %w", err)
		}
		return list, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, job.Errorf(job.Invalid, "it is neither a job nor a list of jobs in JSON: %w", err)
	}
	if fields["jobGroup"] != nil || fields["executorHandler"] != nil {
		return []json.RawMessage{text}, nil
	}
	for _, name := range []string{"data", "content", "jobs"} {
		inner := fields[name]
		if depth >= 3 || inner == nil {
			continue
		}
		var quoted string // a response has its data as a string
		if json.Unmarshal(inner, &quoted) == nil {
			inner = []byte(quoted)
		}
		return orthEntries(inner, depth+1)
	}
	return nil, job.Errorf(job.Invalid, "there are no jobs in it: an export is a job or a list of jobs")
}

// turner converts jobs to documents.
type turner struct {
	OrthOptions

	prefix string            // of each key
	keys   []string          // by index in the export
	byID   map[number]string // keys of jobs with a known number
	notes  []Note
}

// Note is a finding about a job. Its key is empty when the job has none.
type Note struct {
	Job string
	message.Message
}

// String returns the note as text for people.
func (n Note) String() string {
	if n.Job == "" {
		return n.Text
	}
	return n.Job + ": " + n.Text
}

func (t *turner) addNote(key, code, format string, args ...any) {
	t.notes = append(t.notes, Note{key, message.New(code, format, args...)})
}

// assignKeys gives each job a key, from its title, its handler, or the fallback for its index.
func (t *turner) assignKeys(jobs []orthJob, otherwise func(i int) string) {
	taken := make(map[string]bool, len(jobs))
	last := map[string]int{} // last suffix of each duplicate name
	for i := range jobs {
		j := &jobs[i]
		key := toKey(j.title())
		if key == "" {
			key = toKey(j.Handler)
		}
		if key == "" {
			key = otherwise(i)
		}
		whole := toKey(t.prefix + key)
		key = whole
		for n := max(last[whole], 1) + 1; taken[key]; n++ {
			tail := "-" + strconv.Itoa(n)
			key = strings.TrimRight(whole[:min(len(whole), job.MaxKey-len(tail))], "-._") + tail
			last[whole] = n
		}
		taken[key] = true
		t.keys = append(t.keys, key)
		if j.ID > 0 {
			t.byID[j.ID] = key
		}
	}
}

func (j *orthJob) title() string {
	if j.Title != "" {
		return j.Title
	}
	return j.Name
}

// toKey converts a text to a key. It returns "" when no character is valid in a key.
func toKey(text string) string {
	var out strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			out.WriteRune(r)
		case out.Len() > 0 && !strings.HasSuffix(out.String(), "-"):
			out.WriteByte('-')
		}
	}
	return strings.Trim(out.String()[:min(out.Len(), job.MaxKey)], "-")
}

// convertJob converts one job to a document.
func (t *turner) convertJob(i int, old *orthJob) (manifest.Object, error) {
	key := t.keys[i]
	group, err := t.group(old)
	if err != nil {
		return manifest.Object{}, err
	}
	made := api.NewJob{
		Title: strings.TrimSpace(old.title()), Group: group, Param: old.Param,
		Timeout: api.Duration(time.Duration(max(old.Timeout, 0)) * time.Second), Retry: api.Retry{Tries: int(max(old.Retries, 0))},
	}
	if runes := []rune(made.Title); len(runes) > job.MaxTitle {
		made.Title, made.Description = string(runes[:job.MaxTitle]), string(runes[:min(len(runes), job.MaxDescription)])
		t.addNote(key, "title-cut", "its title was cut to %d characters", job.MaxTitle)
	}
	if made.Schedule, err = t.schedule(key, old); err != nil {
		return manifest.Object{}, err
	}
	if err := t.rules(&made, old); err != nil {
		return manifest.Object{}, err
	}
	if err := t.convertCode(key, &made, old); err != nil {
		return manifest.Object{}, err
	}
	t.people(key, &made, old)
	t.children(key, &made, old)
	if old.Started != 0 {
		t.addNote(key, "was-started", "it was started there, and is stopped here: start it when executors are there")
	}
	return manifest.NewJob(t.Namespace, key, made)
}

func (t *turner) group(old *orthJob) (string, error) {
	group := t.Groups[int64(old.Group)]
	if group == "" {
		group = t.Group
	}
	if group == "" {
		return "", message.Errorf("group-unnamed", "nothing says which group has the number %d: name it with --group-key %d=KEY, or all with --group", old.Group, old.Group)
	}
	return group, checkGroup("group", group)
}

// checkGroup is job.CheckGroup with a code for each error.
func checkGroup(field, key string) error {
	err := job.CheckGroup(field, key)
	if key == "" {
		return message.Wrap(err, "group-no-name")
	}
	return message.Wrap(err, "group-name", key, strconv.Itoa(job.MaxKey))
}

// schedule converts the schedule of a job. It follows Quartz at clock changes, like the old
// server.
func (t *turner) schedule(key string, old *orthJob) (api.Schedule, error) {
	kind, conf := old.ScheduleType, strings.TrimSpace(old.ScheduleConf)
	if kind == "" && old.Cron != "" {
		kind, conf = "CRON", old.Cron
	}
	switch kind {
	case "", "NONE":
		return api.Schedule{}, nil
	case "CRON":
		quartz := schedule.Quartz()
		s := schedule.Spec{Kind: schedule.KindCron, Cron: conf, Zone: t.Zone, DST: &quartz}
		if err := s.Validate(); err != nil {
			return api.Schedule{}, message.WrapSchedule(fmt.Errorf("its expression %.60q: %w", conf, err), &s)
		}
		return api.FromSchedule(s), nil
	case "FIX_RATE", "FIX_DELAY":
		seconds, err := strconv.ParseInt(conf, 10, 64)
		if err != nil || seconds < 1 || seconds > int64(schedule.MaxEvery/time.Second) {
			return api.Schedule{}, message.Errorf("pace-no-number", "its pace %.40q is no number of seconds", conf)
		}
		pace := api.Duration(time.Duration(seconds) * time.Second)
		if kind == "FIX_DELAY" {
			return api.Schedule{Kind: schedule.KindAfter, After: pace}, nil
		}
		return api.Schedule{Kind: schedule.KindEvery, Every: pace}, nil
	}
	t.addNote(key, "schedule-unknown", "its schedule %.40q is unknown here: it has none", kind)
	return api.Schedule{}, nil
}

// rules converts the misfire, overlap and route policies of a job.
func (t *turner) rules(made *api.NewJob, old *orthJob) error {
	var known bool
	if made.Misfire, known = misfires()[old.Misfire]; !known {
		return message.Errorf("misfire-unknown", "its rule for missed firings, %.40q, is unknown", old.Misfire)
	}
	if made.Route, known = routes()[old.Route]; !known {
		return message.Errorf("route-unknown", "its route, %.40q, is unknown", old.Route)
	}
	if made.Overlap, known = overlaps()[old.Overlap]; !known {
		return message.Errorf("overlap-unknown", "its overlap, %.40q, is unknown", old.Overlap)
	}
	return nil
}

func misfires() map[string]schedule.Misfire {
	return map[string]schedule.Misfire{"": "", "DO_NOTHING": schedule.MisfireSkip, "FIRE_ONCE_NOW": schedule.MisfireFireOnce}
}

func routes() map[string]job.Route {
	return map[string]job.Route{
		"": "", "FIRST": job.RouteFirst, "LAST": job.RouteLast, "ROUND": job.RouteRound, "RANDOM": job.RouteRandom,
		"CONSISTENT_HASH": job.RouteConsistentHash, "LEAST_FREQUENTLY_USED": job.RouteLeastFrequent,
		"LEAST_RECENTLY_USED": job.RouteLeastRecent, "FAILOVER": job.RouteFailover, "BUSYOVER": job.RouteBusyover,
		"SHARDING_BROADCAST": job.RouteBroadcast,
	}
}

func overlaps() map[string]job.Overlap {
	return map[string]job.Overlap{
		"": "", "SERIAL_EXECUTION": job.OverlapSerial, "DISCARD_LATER": job.OverlapDiscard, "COVER_EARLY": job.OverlapCover,
		"CONCURRENT": job.OverlapConcurrent,
	}
}

func codeKinds() map[string]job.HandlerKind {
	return map[string]job.HandlerKind{
		"": job.HandlerNamed, "BEAN": job.HandlerNamed, "GLUE_SHELL": job.HandlerShell, "GLUE_PYTHON": job.HandlerPython,
		"GLUE_PYTHON2": job.HandlerPython2, "GLUE_NODEJS": job.HandlerNode, "GLUE_PHP": job.HandlerPHP,
		"GLUE_POWERSHELL": job.HandlerPowerShell, "GLUE_GROOVY": job.HandlerGroovy,
	}
}

// CodeKind converts a glue_type; false when it is unknown.
func CodeKind(text string) (job.HandlerKind, bool) {
	kind, known := codeKinds()[strings.TrimSpace(text)]
	return kind, known
}

// convertCode converts the code of a job: its own, or a reference to another job.
func (t *turner) convertCode(key string, made *api.NewJob, old *orthJob) error {
	if made.Overlap == job.OverlapConcurrent {
		if made.Concurrency = int(old.Concurrency); made.Concurrency == 0 {
			t.addNote(key, "at-once-unknown", "the export does not say how many runs may be worked on at once: it is 1")
		}
	}
	if old.Template > 0 {
		if template := t.byID[old.Template]; template != "" && template != key {
			made.Template = template
			return nil
		}
		t.addNote(key, "template-missing", "it runs the code of the job with the number %d, which is not in the export: it has the code that the export shows", old.Template)
	}
	kind, known := codeKinds()[old.CodeKind]
	if !known {
		return message.Errorf("code-unknown", "its code of the kind %.40q is unknown", old.CodeKind)
	}
	made.Handler = api.Handler{Kind: kind}
	if kind == job.HandlerNamed {
		if made.Handler.Name = strings.TrimSpace(old.Handler); made.Handler.Name == "" {
			return message.Errorf("no-handler", "it names no handler")
		}
		return nil
	}
	if made.Handler.Source = old.Source; strings.TrimSpace(old.Source) == "" {
		return message.Errorf("script-empty", "its script is empty")
	}
	return nil
}

// maxLabel bounds the value of a label, in bytes.
const maxLabel = 100

// people converts the author of a job, and its mail addresses.
func (t *turner) people(key string, made *api.NewJob, old *orthJob) {
	for name, text := range map[string]string{"author": old.Author, "glue_remark": old.Remark} {
		switch text = strings.TrimSpace(text); {
		case text == "":
		case len(text) > maxLabel:
			t.addNote(key, "label-too-long", "%s has more than %d bytes, and is no label", name, maxLabel)
		default:
			if made.Labels == nil {
				made.Labels = map[string]string{}
			}
			made.Labels[name] = text
		}
	}
	for address := range strings.SplitSeq(old.Emails, ",") {
		if address = strings.TrimSpace(address); address != "" {
			made.AlarmEmails = append(made.AlarmEmails, address)
		}
	}
}

// children converts the child jobs.
func (t *turner) children(key string, made *api.NewJob, old *orthJob) {
	for text := range strings.SplitSeq(old.Children, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		id, err := strconv.ParseInt(text, 10, 64)
		child := t.byID[number(id)]
		if err != nil || child == "" {
			t.addNote(key, "child-unknown", "its child %.40q is a number of the old server, and no job of the export has it: add the child by key", text)
			continue
		}
		made.Children = append(made.Children, api.Child{Key: child, On: job.ChildOnSuccess})
	}
}
