package api

import (
	"encoding/json"

	"github.com/orthd/orth/job"
)

// Author is the author of a change.
type Author struct {
	Kind string `json:"kind" enum:"user,token,service,system,group,server" doc:"user, token and service: an account; system: the holder of the server's token; group: executors of a group; server: the server itself, or unknown."`
	Name string `json:"name,omitempty" example:"ada" doc:"The name of the account, or the key of the group; absent for the server."`
}

// Revision is a saved version of a job, without its content.
type Revision struct {
	Number    int64    `json:"number" example:"7" doc:"The version that the job has had since. Numbers grow, and some may be missing."`
	At        Time     `json:"at" format:"date-time" doc:"When it was saved."`
	By        Author   `json:"by" doc:"The author of the revision."`
	Operation string   `json:"operation,omitempty" example:"update-job" doc:"The operation of this API that saved it; absent when none did."`
	Note      string   `json:"note,omitempty" doc:"The note of the author."`
	Changed   []string `json:"changed" nullable:"false" doc:"The fields that differ from the revision before, in alphabetical order; none for the first one."`
	Code      bool     `json:"code,omitempty" doc:"Whether the code differs from that of the revision before; that of the first one does."`
	Deleted   bool     `json:"deleted,omitempty" doc:"Whether the job was deleted: this is how it was then."`
}

// RevisionList is a page of the revisions of a job, the newest first.
type RevisionList struct {
	Revisions []Revision `json:"revisions" nullable:"false"`
	Next      int64      `json:"next,omitempty" doc:"Send it as before for the next page; absent on the last one."`
}

// SavedJob is a revision with the job as it was saved.
type SavedJob struct {
	Revision
	Job Job `json:"job" doc:"The job. Fields that its user does not set are left out, such as its next firing."`
}

// FieldChange is one field that two revisions have different values of.
type FieldChange struct {
	Field  string          `json:"field" example:"retry.tries" doc:"The field; a field within an object has the object's name and a dot in front."`
	Before json.RawMessage `json:"before,omitempty" doc:"The value before; absent when there was none."`
	After  json.RawMessage `json:"after,omitempty" doc:"The value after; absent when there is none."`
}

// RevisionDiff is what two revisions of a job differ in.
type RevisionDiff struct {
	Before Revision      `json:"before"`
	After  Revision      `json:"after"`
	Fields []FieldChange `json:"fields" nullable:"false" doc:"The fields that differ, in alphabetical order, but for the source of the handler."`
	Source string        `json:"source,omitempty" doc:"The difference of the sources in the unified format, without its head; absent when they are the same."`
}

// Restoring is the body of a request that makes a job what it was.
type Restoring struct {
	Revision int64 `json:"revision" minimum:"1" doc:"The number of the revision."`
	Version  int64 `json:"version,omitempty" minimum:"0" doc:"The job is changed only if it has this version, else the answer is a conflict. Defaults to any."`
}

// FromRevision returns the revision as the API shows it.
func FromRevision(r *job.Revision) Revision {
	changed := r.Changed
	if changed == nil {
		changed = []string{}
	}
	return Revision{
		Number: r.Number, At: At(r.At), By: Author{Kind: r.By.Kind, Name: r.By.Name}, Operation: r.Operation, Note: r.Note,
		Changed: changed, Code: r.Recoded, Deleted: r.Deleted,
	}
}
