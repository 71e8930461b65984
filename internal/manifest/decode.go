package manifest

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

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
func decode(n *node, into reflect.Value, hidden []string) error {
	if n.sort == isNull {
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
		if n.sort != isText {
			return n.expected(isText)
		}
		into.SetString(n.text)
	case reflect.Bool:
		if n.sort != isBool {
			return n.expected(isBool)
		}
		into.SetBool(n.text == "true")
	case reflect.Int, reflect.Int64:
		whole, err := strconv.ParseInt(n.text, 10, 64)
		if n.sort != isNumber || err != nil {
			return n.wrong("must be a whole number, and is %s", n.shown())
		}
		into.SetInt(whole)
	case reflect.Float64:
		number, err := strconv.ParseFloat(n.text, 64)
		if n.sort != isNumber || err != nil {
			return n.expected(isNumber)
		}
		into.SetFloat(number)
	default:
		return n.wrong("cannot be read here")
	}
	return nil
}

// expected is the error for a value of another sort than the wanted one.
func (n *node) expected(wanted sort) error {
	wrong := n.wrong("must be %s, and is %s", wanted, n.shown())
	if wanted == isText && (n.sort == isNumber || n.sort == isBool) {
		wrong.Hint = "put it in quotes"
	}
	return wrong
}

// shown returns the value for an error.
func (n *node) shown() string {
	if n.sort == isList || n.sort == isMap || n.sort == isNull {
		return n.sort.String()
	}
	return fmt.Sprintf("%.40q", n.text)
}

func decodeText(n *node, into encoding.TextUnmarshaler) error {
	if n.sort != isText {
		return n.expected(isText)
	}
	if err := into.UnmarshalText([]byte(n.text)); err != nil {
		return n.wrong("%s", err)
	}
	return nil
}

func decodeStruct(n *node, into reflect.Value, hidden []string) error {
	if n.sort != isMap {
		return n.expected(isMap)
	}
	members := slices.DeleteFunc(membersOf(into.Type()), func(m member) bool { return slices.Contains(hidden, m.name) })
	for i := range n.fields {
		f := &n.fields[i]
		at := slices.IndexFunc(members, func(m member) bool { return m.name == f.name })
		if at < 0 {
			names := make([]string, len(members))
			for i := range members {
				names[i] = members[i].name
			}
			return unknownField(n, f, names)
		}
		m := &members[at]
		if err := decode(f.value, into.FieldByIndex(m.index), nil); err != nil {
			return err
		}
		if err := checkEnum(f.value, m); err != nil {
			return err
		}
	}
	for i := range members {
		given := n.get(members[i].name)
		if members[i].must && (given == nil || given.sort == isList && len(given.list) == 0) {
			return n.wrong("%s is missing", members[i].name)
		}
	}
	return nil
}

// unknownField is the error for an unknown field, with the most similar field.
func unknownField(n *node, f *field, names []string) error {
	wrong := f.wrong(n.origin, "there is no field %q here", f.name)
	if near := message.Nearest(f.name, names); near != "" {
		wrong.Hint = fmt.Sprintf("did you mean %q?", near)
	} else {
		slices.Sort(names)
		wrong.Hint = "there are " + strings.Join(names, ", ")
	}
	return wrong
}

func decodeList(n *node, into reflect.Value) error {
	if n.sort != isList {
		return n.expected(isList)
	}
	list := reflect.MakeSlice(into.Type(), len(n.list), len(n.list))
	for i, entry := range n.list {
		if entry.sort == isNull {
			return entry.wrong("is nothing: an entry of a list must say something")
		}
		if err := decode(entry, list.Index(i), nil); err != nil {
			return err
		}
	}
	into.Set(list)
	return nil
}

func decodeMap(n *node, into reflect.Value) error {
	if n.sort != isMap {
		return n.expected(isMap)
	}
	entries := reflect.MakeMapWithSize(into.Type(), len(n.fields))
	for i := range n.fields {
		value := reflect.New(into.Type().Elem()).Elem()
		if err := decode(n.fields[i].value, value, nil); err != nil {
			return err
		}
		entries.SetMapIndex(reflect.ValueOf(n.fields[i].name), value)
	}
	into.Set(entries)
	return nil
}

// checkEnum refuses a text that the API does not know.
func checkEnum(n *node, m *member) error {
	words := m.tag.Get("enum")
	if words == "" {
		return nil
	}
	choices := strings.Split(words, ",")
	values := []*node{n}
	if n.sort == isList {
		values = n.list
	}
	for _, value := range values {
		if value.sort != isText || slices.Contains(choices, value.text) {
			continue
		}
		wrong := value.wrong("%.40q is no %s", value.text, strings.ReplaceAll(m.name, "_", " "))
		wrong.Hint = "write one of " + strings.Join(choices, ", ")
		if near := message.Nearest(value.text, choices); near != "" {
			wrong.Hint = fmt.Sprintf("did you mean %q?", near)
		}
		return wrong
	}
	return nil
}
