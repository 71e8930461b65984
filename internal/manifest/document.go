package manifest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/holidays"
	"github.com/orthd/orth/internal/manifest/tree"
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
func (r *reader) object(n *tree.Node) (Object, error) {
	if n.Sort != tree.Map {
		return Object{}, n.Wrong("a document must be a mapping with apiVersion, kind, metadata and spec")
	}
	o, err := r.head(n)
	if err != nil {
		return Object{}, err
	}
	spec := n.Get("spec")
	switch {
	case o.Absent && spec != nil:
		return Object{}, spec.Wrong("there is a spec, and absent says that there is no such %s", o.Kind.Noun())
	case o.Absent:
		return o, nil
	case spec == nil:
		return Object{}, n.Wrong("spec is missing")
	case spec.Sort != tree.Map:
		return Object{}, spec.Expected(tree.Map)
	}
	err = r.spec(&o, spec)
	return o, err
}

// head reads what all documents have.
func (r *reader) head(n *tree.Node) (o Object, err error) {
	for i := range n.Fields {
		if names := []string{"apiVersion", "kind", "metadata", "spec"}; !slices.Contains(names, n.Fields[i].Name) {
			return o, unknownField(n, &n.Fields[i], names)
		}
	}
	version, err := n.Need("apiVersion")
	if err != nil {
		return o, err
	}
	if version.Text != APIVersion {
		wrong := version.Wrong("%.40q is no version that is known here", version.Text)
		wrong.Hint = "write apiVersion: " + APIVersion
		return o, wrong
	}
	kind, err := n.Need("kind")
	if err != nil {
		return o, err
	}
	var found bool
	if o.Kind, found = known(kind.Text); !found {
		wrong := kind.Wrong("%.40q is no kind of document", kind.Text)
		names := kindNames()
		if wrong.Hint = "write one of " + strings.Join(names, ", "); message.Nearest(kind.Text, names) != "" {
			wrong.Hint = fmt.Sprintf("did you mean %q?", message.Nearest(kind.Text, names))
		}
		if kind.Text == kindSecret {
			wrong.Hint = secretHint
		}
		return o, wrong
	}
	o.Origin = fmt.Sprintf("%s:%d", n.Origin, n.Line)
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

// metadata identifies the object of a document.
type metadata struct {
	Key       string `json:"key,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Absent    bool   `json:"absent,omitempty"`
}

func (r *reader) metadata(n *tree.Node, o *Object) error {
	meta := n.Get("metadata")
	if meta == nil {
		return n.Wrong("metadata is missing: it says the key")
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
		return orSelf(meta.Get(fieldKey), meta).Wrong("the key %s", messageOf(err))
	}
	space := meta.Get(fieldNamespace)
	switch {
	case !o.Kind.Spaced() && space != nil:
		return space.Wrong("a %s lives in no namespace: say in its spec which one it is about", o.Kind.Noun())
	case !o.Kind.Spaced():
		return nil
	case o.Namespace == "":
		o.Namespace = r.namespace
		return nil
	}
	if err := job.CheckKey(fieldNamespace, o.Namespace); err != nil {
		return space.Wrong("the namespace %s", messageOf(err))
	}
	return nil
}

func orSelf(n, other *tree.Node) *tree.Node {
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
func (r *reader) spec(o *Object, n *tree.Node) error {
	shape := shapeOf(o.Kind)
	if err := r.inline(o.Kind, n); err != nil {
		return err
	}
	if o.Kind == KindAlarmChannel {
		if err := readSecrets(o, n.Take(fieldSecrets)); err != nil {
			return err
		}
	}
	enabled := n.Get(fieldEnabled)
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
		fields[fieldEnabled] = enabled.Text == "true"
	}
	o.Spec = normal(o.Kind, fields)
	return nil
}

// spellEdges writes out edges that are only the name of a node.
func spellEdges(nodes *tree.Node) {
	if nodes == nil {
		return
	}
	for _, n := range nodes.List {
		after := n.Get("after")
		if after == nil {
			continue
		}
		if after.Sort == tree.Text {
			alone := *after
			after.Sort, after.List = tree.List, []*tree.Node{&alone}
		}
		for i, edge := range after.List {
			if edge.Sort == tree.Text {
				spelled := &tree.Node{Sort: tree.Map, Origin: edge.Origin, Line: edge.Line, Column: edge.Column}
				spelled.Fields = []tree.Field{{Name: "node", Line: edge.Line, Column: edge.Column, Value: edge}}
				after.List[i] = spelled
			}
		}
	}
}

// inline replaces the names of files in the folder of the document by their text, and
// expands short forms.
func (r *reader) inline(kind Kind, n *tree.Node) error {
	switch kind { //nolint:exhaustive // the others name no files
	case KindWorkflow:
		spellEdges(n.Get("nodes"))
	case KindJob:
		handler := n.Get(fieldHandler)
		if handler == nil || handler.Sort != tree.Map {
			return nil
		}
		return r.inlineField(handler, fieldSourceFile, fieldSource, job.MaxSource)
	case KindCalendar:
		name := n.Get(fieldTextFile)
		if err := r.inlineField(n, fieldTextFile, "text", holidays.MaxBytes); err != nil || name == nil {
			return err
		}
		if at := strings.LastIndexByte(name.Text, '.'); n.Get("format") == nil && at >= 0 {
			format := *name
			format.Text = strings.ToLower(name.Text[at+1:])
			return n.Add(tree.Field{Name: "format", Line: name.Line, Column: name.Column, Value: &format})
		}
	}
	return nil
}

func (r *reader) inlineField(n *tree.Node, from, to string, most int) error {
	name := n.Take(from)
	if name == nil {
		return nil
	}
	if name.Sort != tree.Text {
		return name.Expected(tree.Text)
	}
	if n.Get(to) != nil {
		return name.Wrong("there is %s, and %s too: leave one of them out", from, to)
	}
	text, err := r.beside(name.Text, most)
	if err != nil {
		return name.Wrong("%s: %s", name.Text, err)
	}
	value := *name
	value.Text = text
	n.Take(to) // one that is null
	return n.Add(tree.Field{Name: to, Line: name.Line, Column: name.Column, Value: &value})
}

// readSecrets reads the secrets of a channel, all of them references.
func readSecrets(o *Object, n *tree.Node) error {
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
			wrong := n.Get(name).Wrong("the secret %q must not stand in a file", name)
			wrong.Hint = "write " + asReference(Variable(o.Key, name)) + " and set this variable where it is applied"
			return wrong
		}
		o.Secrets[name] = variable
	}
	return nil
}

// compileCalendar makes rules of what a calendar is to be made from, so that they
// can be compared.
func compileCalendar(text *api.CalendarText, n *tree.Node) error {
	weekends := text.Weekends == nil || *text.Weekends
	sources := 0
	for _, given := range []bool{text.Rules != nil, text.Text != "" || text.Format != "", text.Shipped != ""} {
		if given {
			sources++
		}
	}
	if sources != 1 {
		return n.Wrong("a calendar has one of rules, shipped, text_file, and text with its format")
	}
	var rules calendar.Rules
	var err error
	switch {
	case text.Rules != nil:
		if text.Weekends != nil {
			return n.Get("weekends").Wrong("rules say by themselves which weekdays they name")
		}
		return nil
	case text.Shipped != "":
		var ok bool
		if rules, ok = holidays.Load(text.Shipped, weekends); !ok {
			return n.Get("shipped").Wrong("no holiday data has the key %.40q: 'orth calendar builtin' lists them", text.Shipped)
		}
	case text.Format == "ics":
		rules, _, err = holidays.ParseICS([]byte(text.Text), holidays.Options{Weekends: weekends})
	default:
		rules, _, err = holidays.ParseCSV([]byte(text.Text), holidays.Options{Weekends: weekends})
	}
	if err != nil {
		return orSelf(n.Get("text"), n).Wrong("%s", messageOf(err))
	}
	*text = api.CalendarText{Title: text.Title, Rules: &rules}
	return nil
}
