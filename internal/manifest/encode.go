package manifest

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/orthd/orth/job"
)

// File is a file of an export.
type File struct {
	Name string // a path with /, within the folder of the export
	Text []byte
}

// Files returns the objects as files, one for each and a further one for its code, in order
// of name. The same objects always give the same bytes. With aside false code stays within
// the documents.
func Files(objects []Object, aside bool) ([]File, error) {
	spaces := map[string]bool{}
	for i := range objects {
		if objects[i].Kind.Spaced() {
			spaces[objects[i].Namespace] = true
		}
	}
	var files []File
	for i := range objects {
		o := &objects[i]
		folder := shapeOf(o.Kind).folder
		if len(spaces) > 1 && o.Kind.Spaced() {
			folder = path.Join(o.Namespace, folder)
		}
		spec := copied(o.Spec)
		if aside {
			if code, ok := takeCode(o, spec); ok {
				code.Name = path.Join(folder, code.Name)
				files = append(files, code)
			}
		}
		text, err := encode(o, spec)
		if err != nil {
			return nil, err
		}
		files = append(files, File{path.Join(folder, o.Key+".yaml"), text})
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return files, nil
}

// takeCode moves the script of a job into a file of its own.
func takeCode(o *Object, spec map[string]any) (File, bool) {
	handler, ok := spec[fieldHandler].(map[string]any)
	source, _ := handler[fieldSource].(string)
	if o.Kind != KindJob || !ok || source == "" {
		return File{}, false
	}
	kind, _ := handler["kind"].(string)
	name := o.Key + "." + ending(job.HandlerKind(kind))
	delete(handler, fieldSource)
	handler[fieldSourceFile] = name
	return File{name, []byte(source)}, true
}

// ending returns what the name of a script's file ends in.
func ending(kind job.HandlerKind) string {
	switch kind {
	case job.HandlerPython, job.HandlerPython2:
		return "py"
	case job.HandlerNode, job.HandlerJS:
		return "js"
	case job.HandlerPHP:
		return "php"
	case job.HandlerPowerShell:
		return "ps1"
	case job.HandlerGroovy:
		return "groovy"
	case job.HandlerShell, job.HandlerNamed:
	}
	return "sh"
}

// encode writes a document in YAML.
func encode(o *Object, spec map[string]any) ([]byte, error) {
	if len(o.Secrets) > 0 {
		secrets := make(map[string]any, len(o.Secrets))
		for name, variable := range o.Secrets {
			secrets[name] = asReference(variable)
		}
		spec[fieldSecrets] = secrets
	}
	meta := []*yaml.Node{textNode(fieldKey), textNode(o.Key)}
	if o.Kind.Spaced() {
		meta = append(meta, textNode(fieldNamespace), textNode(o.Namespace))
	}
	document := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{
		textNode("apiVersion"), textNode(APIVersion),
		textNode("kind"), textNode(string(o.Kind)),
		textNode("metadata"),
		{Kind: yaml.MappingNode, Content: meta},
		textNode("spec"), valueNode(shapeOf(o.Kind).spec, spec),
	}}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(document); err != nil {
		return nil, fmt.Errorf("write %s: %w", o.ID(), err)
	}
	return out.Bytes(), encoder.Close()
}

// valueNode returns a value as the encoder takes it. Fields stand in the order in
// which the API declares them, and those of mappings with free names in order.
func valueNode(t reflect.Type, value any) *yaml.Node {
	switch value := value.(type) {
	case map[string]any:
		n := &yaml.Node{Kind: yaml.MappingNode}
		for _, f := range ordered(t, value) {
			n.Content = append(n.Content, textNode(f.name), valueNode(f.of, value[f.name]))
		}
		return n
	case []any:
		n := &yaml.Node{Kind: yaml.SequenceNode}
		for _, entry := range value {
			n.Content = append(n.Content, valueNode(elementOf(t), entry))
		}
		return n
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(value)}
	case float64:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: strconv.FormatFloat(value, 'f', -1, 64)}
	case string:
		return textNode(value)
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
}

// textNode returns a text; the encoder puts what would be read as something else
// in quotes, and gives what has several lines a block.
func textNode(text string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(text)
	return n
}

// ordered returns the fields that a mapping has, with the types that they have in
// the API, nil for a type that is not known.
func ordered(t reflect.Type, fields map[string]any) (found []member) {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	left := maps.Clone(fields)
	if t != nil && t.Kind() == reflect.Struct {
		for _, m := range membersOf(t) {
			if _, has := left[m.name]; has {
				found = append(found, m)
				delete(left, m.name)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		found = append(found, member{name: name, of: elementOf(t)})
	}
	return found
}

// elementOf returns the type of the entries of a list or a mapping, nil for
// another type.
func elementOf(t reflect.Type) reflect.Type {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Map) {
		return t.Elem()
	}
	return nil
}
