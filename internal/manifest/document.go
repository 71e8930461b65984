package manifest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/holidays"
	"github.com/orthd/orth/internal/message"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule/calendar"
)

// beside reads a file in the folder of a document.
type beside func(name string, most int) (string, error)

// reader makes objects of documents.
type reader struct {
	namespace string // of documents that name none
	beside    beside
}

// object reads one document.
func (r *reader) object(n *node) (Object, error) {
	if n.sort != isMap {
		return Object{}, n.wrong("a document must be a mapping with apiVersion, kind, metadata and spec")
	}
	o, err := r.head(n)
	if err != nil {
		return Object{}, err
	}
	spec := n.get("spec")
	switch {
	case o.Absent && spec != nil:
		return Object{}, spec.wrong("there is a spec, and absent says that there is no such %s", o.Kind.Noun())
	case o.Absent:
		return o, nil
	case spec == nil:
		return Object{}, n.wrong("spec is missing")
	case spec.sort != isMap:
		return Object{}, spec.expected(isMap)
	}
	err = r.spec(&o, spec)
	return o, err
}

// head reads what all documents have.
func (r *reader) head(n *node) (o Object, err error) {
	for i := range n.fields {
		if names := []string{"apiVersion", "kind", "metadata", "spec"}; !slices.Contains(names, n.fields[i].name) {
			return o, unknownField(n, &n.fields[i], names)
		}
	}
	version, err := n.need("apiVersion")
	if err != nil {
		return o, err
	}
	if version.text != APIVersion {
		wrong := version.wrong("%.40q is no version that is known here", version.text)
		wrong.Hint = "write apiVersion: " + APIVersion
		return o, wrong
	}
	kind, err := n.need("kind")
	if err != nil {
		return o, err
	}
	var found bool
	if o.Kind, found = known(kind.text); !found {
		wrong := kind.wrong("%.40q is no kind of document", kind.text)
		names := kindNames()
		if wrong.Hint = "write one of " + strings.Join(names, ", "); message.Nearest(kind.text, names) != "" {
			wrong.Hint = fmt.Sprintf("did you mean %q?", message.Nearest(kind.text, names))
		}
		if kind.text == kindSecret {
			wrong.Hint = secretHint
		}
		return o, wrong
	}
	o.Origin = fmt.Sprintf("%s:%d", n.origin, n.line)
	err = r.metadata(n, &o)
	return o, err
}

func kindNames() []string {
	names := make([]string, 0, len(Kinds()))
	for _, k := range Kinds() {
		names = append(names, string(k))
	}
	return names
}

// need returns a field that must be a text.
func (n *node) need(name string) (*node, error) {
	value := n.get(name)
	if value == nil {
		return nil, n.wrong("%s is missing", name)
	}
	if value.sort != isText {
		return nil, value.expected(isText)
	}
	return value, nil
}

// metadata identifies the object of a document.
type metadata struct {
	Key       string `json:"key,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Absent    bool   `json:"absent,omitempty"`
}

func (r *reader) metadata(n *node, o *Object) error {
	meta := n.get("metadata")
	if meta == nil {
		return n.wrong("metadata is missing: it says the key")
	}
	var m metadata
	if err := decode(meta, reflect.ValueOf(&m).Elem(), nil); err != nil {
		return err
	}
	o.Key, o.Namespace, o.Absent = m.Key, m.Namespace, m.Absent
	check := job.CheckKey
	if o.Kind == KindGroup {
		check = job.CheckGroup
	}
	if err := check(fieldKey, o.Key); err != nil {
		return orSelf(meta.get(fieldKey), meta).wrong("the key %s", messageOf(err))
	}
	space := meta.get(fieldNamespace)
	switch {
	case !o.Kind.Spaced() && space != nil:
		return space.wrong("a %s lives in no namespace: say in its spec which one it is about", o.Kind.Noun())
	case !o.Kind.Spaced():
		return nil
	case o.Namespace == "":
		o.Namespace = r.namespace
		return nil
	}
	if err := job.CheckKey(fieldNamespace, o.Namespace); err != nil {
		return space.wrong("the namespace %s", messageOf(err))
	}
	return nil
}

func orSelf(n, other *node) *node {
	if n != nil {
		return n
	}
	return other
}

// messageOf returns the message of an error of package job.
func messageOf(err error) string {
	if known, ok := err.(*job.Error); ok { //nolint:errorlint // the caller has it from a check
		return known.Message
	}
	return err.Error()
}

// spec reads the fields of an object.
func (r *reader) spec(o *Object, n *node) error {
	shape := shapeOf(o.Kind)
	if err := r.inline(o.Kind, n); err != nil {
		return err
	}
	if o.Kind == KindAlarmChannel {
		if err := readSecrets(o, n.take(fieldSecrets)); err != nil {
			return err
		}
	}
	enabled := n.get(fieldEnabled)
	value := reflect.New(shape.spec)
	if err := decode(n, value.Elem(), shape.hidden); err != nil {
		return err
	}
	if text, ok := reflect.TypeAssert[*api.CalendarText](value); ok {
		if err := compileCalendar(text, n); err != nil {
			return err
		}
	}
	fields := map[string]any{}
	if err := reread(value.Interface(), &fields); err != nil {
		return err
	}
	if delete(fields, fieldEnabled); enabled != nil && o.Kind != KindPause {
		fields[fieldEnabled] = enabled.text == "true"
	}
	o.Spec = normal(o.Kind, fields)
	return nil
}

// spellEdges writes out edges that are only the name of a node.
func spellEdges(nodes *node) {
	if nodes == nil {
		return
	}
	for _, n := range nodes.list {
		after := n.get("after")
		if after == nil {
			continue
		}
		if after.sort == isText {
			alone := *after
			after.sort, after.list = isList, []*node{&alone}
		}
		for i, edge := range after.list {
			if edge.sort == isText {
				spelled := &node{sort: isMap, origin: edge.origin, line: edge.line, column: edge.column}
				spelled.fields = []field{{"node", edge.line, edge.column, edge}}
				after.list[i] = spelled
			}
		}
	}
}

// inline replaces the names of files in the folder of the document by their text, and
// expands short forms.
func (r *reader) inline(kind Kind, n *node) error {
	switch kind { //nolint:exhaustive // the others name no files
	case KindWorkflow:
		spellEdges(n.get("nodes"))
	case KindJob:
		handler := n.get(fieldHandler)
		if handler == nil || handler.sort != isMap {
			return nil
		}
		return r.inlineField(handler, fieldSourceFile, fieldSource, job.MaxSource)
	case KindCalendar:
		name := n.get(fieldTextFile)
		if err := r.inlineField(n, fieldTextFile, "text", holidays.MaxBytes); err != nil || name == nil {
			return err
		}
		if at := strings.LastIndexByte(name.text, '.'); n.get("format") == nil && at >= 0 {
			format := *name
			format.text = strings.ToLower(name.text[at+1:])
			return n.add(field{"format", name.line, name.column, &format})
		}
	}
	return nil
}

func (r *reader) inlineField(n *node, from, to string, most int) error {
	name := n.take(from)
	if name == nil {
		return nil
	}
	if name.sort != isText {
		return name.expected(isText)
	}
	if n.get(to) != nil {
		return name.wrong("there is %s, and %s too: leave one of them out", from, to)
	}
	text, err := r.beside(name.text, most)
	if err != nil {
		return name.wrong("%s: %s", name.text, err)
	}
	value := *name
	value.text = text
	n.take(to) // one that is null
	return n.add(field{to, name.line, name.column, &value})
}

// readSecrets reads the secrets of a channel, all of them references.
func readSecrets(o *Object, n *node) error {
	if n == nil {
		return nil
	}
	var given map[string]string
	if err := decode(n, reflect.ValueOf(&given).Elem(), nil); err != nil {
		return err
	}
	o.Secrets = make(map[string]string, len(given))
	for name, text := range given {
		variable, ok := readReference(text)
		if !ok {
			wrong := n.get(name).wrong("the secret %q must not stand in a file", name)
			wrong.Hint = "write " + asReference(Variable(o.Key, name)) + " and set this variable where it is applied"
			return wrong
		}
		o.Secrets[name] = variable
	}
	return nil
}

// compileCalendar makes rules of what a calendar is to be made from, so that they
// can be compared.
func compileCalendar(text *api.CalendarText, n *node) error {
	weekends := text.Weekends == nil || *text.Weekends
	sources := 0
	for _, given := range []bool{text.Rules != nil, text.Text != "" || text.Format != "", text.Shipped != ""} {
		if given {
			sources++
		}
	}
	if sources != 1 {
		return n.wrong("a calendar has one of rules, shipped, text_file, and text with its format")
	}
	var rules calendar.Rules
	var err error
	switch {
	case text.Rules != nil:
		if text.Weekends != nil {
			return n.get("weekends").wrong("rules say by themselves which weekdays they name")
		}
		return nil
	case text.Shipped != "":
		var ok bool
		if rules, ok = holidays.Load(text.Shipped, weekends); !ok {
			return n.get("shipped").wrong("no holiday data has the key %.40q: 'orth calendar builtin' lists them", text.Shipped)
		}
	case text.Format == "ics":
		rules, _, err = holidays.ParseICS([]byte(text.Text), holidays.Options{Weekends: weekends})
	default:
		rules, _, err = holidays.ParseCSV([]byte(text.Text), holidays.Options{Weekends: weekends})
	}
	if err != nil {
		return orSelf(n.get("text"), n).wrong("%s", messageOf(err))
	}
	*text = api.CalendarText{Title: text.Title, Rules: &rules}
	return nil
}
