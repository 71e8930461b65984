package job

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// MaxNote bounds the characters of a note about a change of a job.
const MaxNote = 200

// AuthorServer is the kind of an Author that is the server itself, or unknown.
const AuthorServer = "server"

// Author is the author of a change: the kind of a principal and its name.
type Author struct{ Kind, Name string }

// Revision is a saved version of a Job.
type Revision struct {
	JobID int64
	// Number is the version that the job has had since.
	Number int64
	At     time.Time
	By     Author
	// Operation is the id of the API operation that saved it, and Note the note of its
	// user; empty for none.
	Operation, Note string
	// Changed are the fields that differ from the revision before, as in [ChangedFields].
	// Recoded is set when the code is one of them, and for the first revision.
	Changed []string
	Recoded bool
	// Deleted is set when the job was deleted: Job is its last state.
	Deleted bool
	// Job is the saved job, as in [Job.Written]; filled only where a revision is read
	// alone.
	Job Job
}

// Written returns the job without the fields that its user does not set, except its id, its
// creation time and whether it is enabled. It shares the contents of slices and maps.
func (j Job) Written() Job {
	j.GroupID, j.Version, j.Fired, j.Failures = 0, 0, 0, 0
	j.StopReason, j.HeldBy = "", ""
	j.NextAt, j.LastAt, j.UpdatedAt = time.Time{}, time.Time{}, time.Time{}
	return j
}

// SameCode reports whether two jobs run the same code, whenever it was written.
func SameCode(a, b *Job) bool {
	return a.Handler.Kind == b.Handler.Kind && a.Handler.Name == b.Handler.Name && a.Handler.Source == b.Handler.Source &&
		a.Template == b.Template && a.TemplateVersion == b.TemplateVersion
}

// ChangedFields returns the user-set fields, by their JSON names, that differ between two
// jobs, in alphabetical order.
func ChangedFields(before, after *Job) ([]string, error) {
	was, err := before.fields()
	if err != nil {
		return nil, err
	}
	is, err := after.fields()
	if err != nil {
		return nil, err
	}
	names := maps.Clone(was)
	maps.Copy(names, is)
	maps.DeleteFunc(names, func(name string, _ json.RawMessage) bool { return bytes.Equal(was[name], is[name]) })
	return slices.Sorted(maps.Keys(names)), nil
}

// fields returns the user-set fields of a job by name.
func (j *Job) fields() (map[string]json.RawMessage, error) {
	written := j.Written()
	written.ID, written.CreatedAt, written.Handler.SourceAt = 0, time.Time{}, time.Time{}
	if len(written.Children) == 0 {
		written.Children = nil
	}
	text, err := json.Marshal(written)
	if err != nil {
		return nil, Errorf(Internal, "write job %s as JSON: %w", j.Key, err)
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, Errorf(Internal, "read job %s as JSON: %w", j.Key, err)
	}
	return fields, nil
}

// CheckNote reports what is wrong with a note: at most [MaxNote] characters, no control
// characters.
func CheckNote(field, note string) error {
	switch {
	case utf8.RuneCountInString(note) > MaxNote:
		return FieldErrorf(field, "has more than %d characters", MaxNote)
	case !utf8.ValidString(note) || strings.ContainsFunc(note, unicode.IsControl):
		return FieldErrorf(field, "must be one line of text, without control characters")
	}
	return nil
}
