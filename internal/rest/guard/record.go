package guard

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/rest/operation"
)

// Op is an operation of the API: all that there is to know about it, but the function that
// carries it out. Its route, the right that it takes, its rate limit, how it is carried out
// and its part of the OpenAPI document follow from this.
type Op struct {
	ID, Method, Path string
	Tags             []string
	// Summary and Description are for the OpenAPI document.
	Summary, Description string
	// Right is the one that is needed, on what Scope finds.
	Right access.Right
	Scope Scope
	// Class selects the rate limit of a credential.
	Class  Class
	Policy Policy
	// Spreads is set when it covers all namespaces if a request names none. The star has
	// the same meaning.
	Spreads bool
	// Lenient is set when it accepts query parameters that it does not know.
	Lenient bool
	// Limit returns how long a request may take, from the usual time. Defaults to that;
	// streams have none.
	Limit func(usual time.Duration) time.Duration
	// Status is that of success. Defaults to 200, or 204 without a body.
	Status int
	// Body describes the body of requests. Defaults to what the type of the input has.
	Body *huma.RequestBody
	// Example is one of a body, in JSON. Defaults to one made of the schema.
	Example string
	// Responses describe answers beside what the type of the output has.
	Responses map[string]*huma.Response
}

// Class is a kind of requests that are counted together, for each credential.
type Class int

// The classes of requests.
const (
	_ Class = iota
	Reading
	Writing
	// Searching reads much to answer little.
	Searching
	// Streaming lasts.
	Streaming
	// Signing tries a password or a code.
	Signing
	// Strange comes without a good credential.
	Strange
)

// Policy defines how an operation is carried out, and what the audit log records. That of an
// operation that only reads is empty, or has the kind of the one object that it shows as it
// is stored: then the answer has an ETag.
type Policy struct {
	// Kind is what the object of the path is, as the store knows it; empty for what the
	// scope has found. Made is set when the operation makes one, which the path does not
	// name.
	Kind string
	Made bool
	// Acts is set when it acts outside of the database.
	Acts bool
	// Dry is set when it has a dry run: everything is checked, and rolled back.
	Dry bool
	// Part is set when it changes a part that belongs to the object, and not the object.
	Part bool
	// Shown is set when its answer has a secret that is shown once.
	Shown bool
	// Noted is set when it makes a revision, for which it accepts a note; Match when it
	// accepts If-Match although it is no PUT, PATCH or DELETE.
	Noted, Match bool
}

// The kinds of objects that policies name.
const (
	KindJob          = "job"
	KindCalendar     = "calendar"
	KindPause        = "pause"
	KindWorkflow     = "workflow"
	KindAlarmRule    = "alarm rule"
	KindAlarmChannel = "alarm channel"
	KindSilence      = "silence"
	KindLetter       = "dead letter"
	KindBackfill     = "backfill"
	KindGroup        = "group"
	KindUser         = "user"
	KindSecret       = "secret"
)

// check panics when the record lacks what decides who may use the operation, and how often:
// that is a mistake of ours.
func (o *Op) check() {
	if o.ID == "" || o.Right == "" || o.Scope == nil || o.Class == 0 {
		panic(fmt.Sprintf("rest: the operation %q, %s %s, has no id, right, scope or class", o.ID, o.Method, o.Path))
	}
}

// reads reports whether the operation only reads.
func (o *Op) reads() bool {
	return (o.Method == http.MethodGet || o.Method == http.MethodHead) && !o.Policy.Made
}

// shows reports whether the operation shows one object as it is stored.
func (o *Op) shows() bool { return o.reads() && o.Policy.Kind != "" }

// matches reports whether the operation takes If-Match: it changes, or removes, an object
// that is read with its tag.
func (o *Op) matches() bool {
	p := &o.Policy
	changes := o.Method == http.MethodPatch || o.Method == http.MethodPut || o.Method == http.MethodDelete || p.Match
	return changes && p.Kind != "" && !p.Made && !p.Part
}

// limit returns how long a request may take, 0 when it bounds itself.
func (o *Op) limit(usual time.Duration) time.Duration {
	switch {
	case o.Class == Streaming:
		return 0
	case o.Limit != nil:
		return o.Limit(usual)
	}
	return usual
}

// described returns the operation as the OpenAPI document has it, before its types are known.
func (o *Op) described() *huma.Operation {
	op := &huma.Operation{
		OperationID: o.ID, Method: o.Method, Path: o.Path, Tags: o.Tags, Summary: o.Summary, Description: o.explained(),
		DefaultStatus: o.Status, RequestBody: o.Body, Responses: o.Responses, SkipValidateParams: o.Lenient,
	}
	if o.Right == Open {
		op.Security = []map[string][]string{}
	}
	if o.Example != "" {
		op.RequestBody.Content[operation.MediaJSON].Example = json.RawMessage(o.Example)
	}
	o.offer(op)
	return op
}

// Prefix is where the API lives. A server routes this tree to
// the handler of the API.
const Prefix = "/api/v1"

// The groups of operations in the OpenAPI document.
const (
	TagJobs      = "jobs"
	TagServer    = "server"
	TagRuns      = "runs"
	TagCalendars = "calendars"
	TagPauses    = "pauses"
	TagBackfills = "backfills"
)
