package importer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/manifest"
	"github.com/orthd/orth/internal/message"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// MaxSize bounds a text, in bytes.
const MaxSize = 4 << 20

const (
	maxJobs = 5_000
	// maxNotes bounds the listed notes.
	maxNotes = 10_000
	// maxScripts bounds the scripts of all jobs together, in bytes: each script contains
	// the text's variables.
	maxScripts = 64 << 20
)

// Options configure the conversion.
type Options struct {
	// Group is the key of the group that runs all jobs.
	Group string
	// Namespace of the documents. Empty means the one in the text, or the default.
	Namespace string
	// Zone is the default time zone of schedules. Empty is UTC.
	Zone string
	// Prefix is the prefix of each key.
	Prefix string
	// Start enables the jobs that are not suspended. Otherwise the import does not set it.
	Start bool
}

// Note is something that was not imported, or has another meaning here.
type Note struct {
	Line int    `json:"line"` // of the text, from 1; 0 for the whole text
	Job  string `json:"job,omitempty"`
	message.Message
}

// String returns the note as text for people.
func (n Note) String() string {
	if n.Line == 0 {
		return n.Text
	}
	if n.Job == "" {
		return fmt.Sprintf("line %d: %s", n.Line, n.Text)
	}
	return fmt.Sprintf("line %d: %s: %s", n.Line, n.Job, n.Text)
}

// Imported is a converted text: jobs in its order, and notes in the order of lines. After
// the first 10,000 notes it counts the others by kind.
type Imported struct {
	Objects []manifest.Object
	Notes   []Note
}

// importing is the state of a conversion.
type importing struct {
	Options
	Imported

	taken   map[string]bool
	numbers map[string]int  // the last suffix of a key
	scripts int             // bytes of all scripts, including those of skipped jobs
	rest    message.Omitted // notes beyond maxNotes
}

func (o *Options) check() error {
	if err := job.CheckGroup("--group", o.Group); err != nil {
		return err
	}
	if o.Prefix != "" && toKey(o.Prefix+"x") != o.Prefix+"x" {
		return job.FieldErrorf("--prefix", "%q cannot begin a key: use lower-case letters, digits and '-'", o.Prefix)
	}
	if len(o.Prefix) > job.MaxKey/2 {
		return job.FieldErrorf("--prefix", "has more than %d characters", job.MaxKey/2)
	}
	return nil
}

func (i *importing) addNote(line int, key, code, format string, args ...any) {
	i.addMessage(line, key, message.New(code, format, args...))
}

func (i *importing) addMessage(line int, key string, said message.Message) {
	if len(i.Notes) < maxNotes {
		i.Notes = append(i.Notes, Note{line, key, said})
		return
	}
	if i.rest == nil {
		i.rest = message.Omitted{}
	}
	i.rest[said.Code]++
}

// uniqueKey converts a name to a unique key.
func (i *importing) uniqueKey(name string) string {
	if i.taken == nil {
		i.taken, i.numbers = map[string]bool{}, map[string]int{}
	}
	whole := toKey(i.Prefix + name)
	if whole == "" || whole == strings.Trim(i.Prefix, "-") {
		whole = toKey(i.Prefix + "job")
	}
	key := whole
	for n := max(i.numbers[whole]+1, 2); i.taken[key]; n++ {
		i.numbers[whole] = n
		tail := "-" + strconv.Itoa(n)
		key = strings.TrimRight(whole[:min(len(whole), job.MaxKey-len(tail))], "-") + tail
	}
	i.taken[key] = true
	return key
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
		if out.Len() >= job.MaxKey {
			break
		}
	}
	return strings.Trim(out.String()[:min(out.Len(), job.MaxKey)], "-")
}

// addJob checks a job and adds it. An invalid job is skipped with a note. on means that it is
// not suspended.
func (i *importing) addJob(line int, namespace, key string, made api.NewJob, on bool) {
	made.Group = i.Group
	i.scripts += len(made.Handler.Source)
	spec := made.Schedule.Spec()
	var err error
	if len(i.Objects) >= maxJobs {
		err = message.Errorf("too-many-jobs", "there are more than %d jobs", maxJobs)
	} else {
		err = message.WrapSchedule(spec.Validate(), &spec)
	}
	if err == nil && made.Handler.Source != "" && len(made.Handler.Source) > job.MaxSource {
		err = message.Errorf("script-too-long", "its script has more than %d bytes", job.MaxSource)
	}
	var object manifest.Object
	if err == nil {
		object, err = manifest.NewJob(namespace, key, made)
	}
	if err != nil {
		i.addMessage(line, key, message.FromError("left-out", "it is left out", err))
		return
	}
	if i.Start || !on {
		object.Spec["enabled"] = on
	}
	i.Objects = append(i.Objects, object)
}

// checkScripts returns Invalid when the scripts exceed their limit.
func (i *importing) checkScripts(line int) error {
	if i.scripts <= maxScripts {
		return nil
	}
	return job.Errorf(job.Invalid, "line %d: the scripts of the jobs up to it have more than %d MiB, because variables stand in each: divide the text", line, maxScripts>>20)
}

// bom is the byte order mark that some editors write.
var bom = []byte("\ufeff")

// result returns the result.
func (i *importing) result() Imported {
	slices.SortStableFunc(i.Notes, func(a, b Note) int { return a.Line - b.Line })
	for _, said := range i.rest.Messages() {
		i.Notes = append(i.Notes, Note{Message: said})
	}
	return i.Imported
}

// title converts a text to a title.
func title(text string) string {
	runes := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " "))
	return string(runes[:min(len(runes), job.MaxTitle)])
}

// quoted quotes a text for a POSIX shell.
func quoted(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// shellQuote quotes a text for a shell when necessary.
func shellQuote(text string) string {
	if text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-_./:,@%+", r)
	}) {
		return text
	}
	return quoted(text)
}

// cronSchedule returns the schedule of an expression.
func cronSchedule(expression, zone string) api.Schedule {
	return api.Schedule{Kind: schedule.KindCron, Cron: expression, Zone: zone}
}

func isVariable(name string) bool {
	for i, r := range name {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}
