package manifest

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/orthd/orth/job"
)

// Object is what a document describes, or a server has, in one form: fields that
// mean the same are written the same, and those that have their defaults are not
// there.
type Object struct {
	Kind      Kind   `json:"kind"`
	Namespace string `json:"namespace,omitempty"` // empty for a kind that lives in none
	Key       string `json:"key"`
	// Spec has the fields as JSON reads them. A channel's secrets are not among
	// them.
	Spec map[string]any `json:"spec,omitempty"`
	// Secrets are the names of a channel's secrets with the variable of the
	// environment that holds each; an object of a server knows only the names.
	Secrets map[string]string `json:"-"`
	// Absent is set when the object must not exist.
	Absent bool `json:"absent,omitempty"`
	// Version is the one that the server has; 0 in documents.
	Version int64 `json:"-"`
	// Origin is the place of the document, "" for an object of a server.
	Origin string `json:"-"`
}

// ID names an object among all of a server.
type ID struct {
	Kind           Kind
	Namespace, Key string
}

// ID returns the name of the object.
func (o *Object) ID() ID { return ID{o.Kind, o.Namespace, o.Key} }

// String returns the name for people, such as "job default/report".
func (id ID) String() string {
	if id.Namespace == "" {
		return id.Kind.Noun() + " " + id.Key
	}
	return id.Kind.Noun() + " " + id.Namespace + "/" + id.Key
}

// As reads the spec into a type of the API, such as api.NewJob. Secrets are not in
// it.
func (o *Object) As(into any) error { return reread(o.Spec, into) }

// reread turns a value into another one through JSON.
func reread(value, into any) error {
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		return job.Errorf(job.Invalid, "the document does not have the fields of the API: %w", err)
	}
	return nil
}

// text returns the text of a field, "" when it is none.
func (o *Object) text(path ...string) string {
	var at any = o.Spec
	for _, name := range path {
		fields, _ := at.(map[string]any)
		at = fields[name]
	}
	text, _ := at.(string)
	return text
}

// reference is how documents write a secret.
const reference = "${env:%s}"

// readReference returns the variable that a text refers to.
func readReference(text string) (string, bool) {
	name, ok := strings.CutPrefix(text, "${env:")
	name, closed := strings.CutSuffix(name, "}")
	if !ok || !closed || name == "" || strings.ContainsFunc(name, notInVariable) {
		return "", false
	}
	return name, true
}

func notInVariable(r rune) bool {
	return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}

// Variable returns the variable of the environment that exports name for a secret
// of a channel.
func Variable(channel, secret string) string {
	name := strings.ToUpper("ORTH_CHANNEL_" + channel + "_" + secret)
	return strings.Map(func(r rune) rune {
		if notInVariable(r) {
			return '_'
		}
		return r
	}, name)
}

// asReference returns the text that refers to a variable.
func asReference(variable string) string { return fmt.Sprintf(reference, variable) }

// Unmark takes the mark of a set of documents from a job or a group.
func (o *Object) Unmark() {
	labels, ok := o.Spec[fieldLabels].(map[string]any)
	if !ok || labels[Mark] == nil || !o.Kind.Marked() {
		return
	}
	o.Spec = copied(o.Spec)
	labels, _ = o.Spec[fieldLabels].(map[string]any)
	if delete(labels, Mark); len(labels) == 0 {
		delete(o.Spec, fieldLabels)
	}
}
