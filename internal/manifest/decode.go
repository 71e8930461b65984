package manifest

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/orthd/orth/internal/manifest/tree"
	"github.com/orthd/orth/internal/message"
)

// member is a field of a struct as JSON names it.
type member struct {
	name  string
	index []int
	tag   reflect.StructTag
	of    reflect.Type
	must  bool // nothing is complete without
}

// membersOf returns the fields of a struct that a user may write, those of embedded
// structs included, in the order of their declaration.
func membersOf(t reflect.Type) (all []member) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			for _, inner := range membersOf(f.Type) {
				inner.index = append([]int{i}, inner.index...)
				all = append(all, inner)
			}
		case f.IsExported() && name != "-" && f.Tag.Get("readOnly") != "true":
			all = append(all, member{name, []int{i}, f.Tag, f.Type, rest == "" && f.Tag.Get("required") != "false"})
		}
	}
	return all
}

// decode reads a node into a value that can be set. Fields that are hidden are
// unknown at this level.
func decode(n *tree.Node, into reflect.Value, hidden []string) error {
	if n.Sort == tree.Null {
		return nil
	}
	if into.Kind() == reflect.Pointer {
		into.Set(reflect.New(into.Type().Elem()))
		return decode(n, into.Elem(), hidden)
	}
	if reader, ok := reflect.TypeAssert[encoding.TextUnmarshaler](into.Addr()); ok {
		return decodeText(n, reader)
	}
	switch into.Kind() {
	case reflect.Struct:
		return decodeStruct(n, into, hidden)
	case reflect.Slice:
		return decodeList(n, into)
	case reflect.Map:
		return decodeMap(n, into)
	case reflect.String:
		if n.Sort != tree.Text {
			return n.Expected(tree.Text)
		}
		into.SetString(n.Text)
	case reflect.Bool:
		if n.Sort != tree.Bool {
			return n.Expected(tree.Bool)
		}
		into.SetBool(n.Text == "true")
	case reflect.Int, reflect.Int64:
		whole, err := strconv.ParseInt(n.Text, 10, 64)
		if n.Sort != tree.Number || err != nil {
			return n.Wrong("must be a whole number, and is %s", n.Shown())
		}
		into.SetInt(whole)
	case reflect.Float64:
		number, err := strconv.ParseFloat(n.Text, 64)
		if n.Sort != tree.Number || err != nil {
			return n.Expected(tree.Number)
		}
		into.SetFloat(number)
	default:
		return n.Wrong("cannot be read here")
	}
	return nil
}

func decodeText(n *tree.Node, into encoding.TextUnmarshaler) error {
	if n.Sort != tree.Text {
		return n.Expected(tree.Text)
	}
	if err := into.UnmarshalText([]byte(n.Text)); err != nil {
		return n.Wrong("%s", err)
	}
	return nil
}

func decodeStruct(n *tree.Node, into reflect.Value, hidden []string) error {
	if n.Sort != tree.Map {
		return n.Expected(tree.Map)
	}
	members := slices.DeleteFunc(membersOf(into.Type()), func(m member) bool { return slices.Contains(hidden, m.name) })
	for i := range n.Fields {
		f := &n.Fields[i]
		at := slices.IndexFunc(members, func(m member) bool { return m.name == f.Name })
		if at < 0 {
			names := make([]string, len(members))
			for i := range members {
				names[i] = members[i].name
			}
			return unknownField(n, f, names)
		}
		m := &members[at]
		if err := decode(f.Value, into.FieldByIndex(m.index), nil); err != nil {
			return err
		}
		if err := checkEnum(f.Value, m); err != nil {
			return err
		}
	}
	for i := range members {
		given := n.Get(members[i].name)
		if members[i].must && (given == nil || given.Sort == tree.List && len(given.List) == 0) {
			return n.Wrong("%s is missing", members[i].name)
		}
	}
	return nil
}

// unknownField is the error for an unknown field, with the most similar field.
func unknownField(n *tree.Node, f *tree.Field, names []string) error {
	wrong := f.Wrong(n.Origin, "there is no field %q here", f.Name)
	if near := message.Nearest(f.Name, names); near != "" {
		wrong.Hint = fmt.Sprintf("did you mean %q?", near)
	} else {
		slices.Sort(names)
		wrong.Hint = "there are " + strings.Join(names, ", ")
	}
	return wrong
}

func decodeList(n *tree.Node, into reflect.Value) error {
	if n.Sort != tree.List {
		return n.Expected(tree.List)
	}
	list := reflect.MakeSlice(into.Type(), len(n.List), len(n.List))
	for i, entry := range n.List {
		if entry.Sort == tree.Null {
			return entry.Wrong("is nothing: an entry of a list must say something")
		}
		if err := decode(entry, list.Index(i), nil); err != nil {
			return err
		}
	}
	into.Set(list)
	return nil
}

func decodeMap(n *tree.Node, into reflect.Value) error {
	if n.Sort != tree.Map {
		return n.Expected(tree.Map)
	}
	entries := reflect.MakeMapWithSize(into.Type(), len(n.Fields))
	for i := range n.Fields {
		value := reflect.New(into.Type().Elem()).Elem()
		if err := decode(n.Fields[i].Value, value, nil); err != nil {
			return err
		}
		entries.SetMapIndex(reflect.ValueOf(n.Fields[i].Name), value)
	}
	into.Set(entries)
	return nil
}

// checkEnum refuses a text that the API does not know.
func checkEnum(n *tree.Node, m *member) error {
	words := m.tag.Get("enum")
	if words == "" {
		return nil
	}
	choices := strings.Split(words, ",")
	values := []*tree.Node{n}
	if n.Sort == tree.List {
		values = n.List
	}
	for _, value := range values {
		if value.Sort != tree.Text || slices.Contains(choices, value.Text) {
			continue
		}
		wrong := value.Wrong("%.40q is no %s", value.Text, strings.ReplaceAll(m.name, "_", " "))
		wrong.Hint = "write one of " + strings.Join(choices, ", ")
		if near := message.Nearest(value.Text, choices); near != "" {
			wrong.Hint = fmt.Sprintf("did you mean %q?", near)
		}
		return wrong
	}
	return nil
}
