package output

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// writeYAML writes JSON as YAML, with the same names in the same order: YAML is read
// from JSON as it is, and written in its own style.
func writeYAML(out io.Writer, text []byte) error {
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	node, err := yamlNode(in)
	if err != nil {
		return fmt.Errorf("write the result as YAML: %w", err)
	}
	enc := yaml.NewEncoder(out)
	enc.SetIndent(2)
	return errors.Join(enc.Encode(node), enc.Close())
}

// yamlNode reads the next value of a JSON text.
func yamlNode(in *json.Decoder) (*yaml.Node, error) {
	token, err := in.Token()
	if err != nil {
		return nil, err
	}
	switch value := token.(type) {
	case json.Delim:
		node := &yaml.Node{Kind: yaml.SequenceNode}
		if value == '{' {
			node.Kind = yaml.MappingNode
		}
		for in.More() {
			inner, err := yamlNode(in) // the names of an object are values in the list of tokens too
			if err != nil {
				return nil, err
			}
			node.Content = append(node.Content, inner)
		}
		if len(node.Content) == 0 {
			node.Style = yaml.FlowStyle
		}
		_, err := in.Token() // the end
		return node, err
	case string:
		return yamlText(value), nil
	case json.Number:
		tag := "!!int"
		if strings.ContainsAny(value.String(), ".eE") {
			tag = "!!float"
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value.String()}, nil
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: fmt.Sprint(value)}, nil
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}, nil
}

// yamlText returns a text that stays a text: quoted where it would be read as
// something else, such as the id of a run, and as a block when it has several lines
// that a block can hold.
func yamlText(value string) *yaml.Node {
	node := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value}
	switch {
	case fitsBlock(value):
		node.Style = yaml.LiteralStyle
	case strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsPrint(r) }):
		node.Style = yaml.DoubleQuotedStyle
	}
	return node
}

// fitsBlock reports whether a text of several lines comes back from a block as it was:
// lines that begin with a blank or a tab at its start, and odd characters, do not.
func fitsBlock(text string) bool {
	return strings.Contains(text, "\n") && !strings.ContainsAny(text[:1], " \t\n") && !strings.Contains(text, "\n\t") &&
		!strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) })
}

// nameFields are the fields that name a thing, the best first.
var nameFields = [...]string{"key", "run_id", "id", "address", "name", "channel", "date", "from", "at"}

// writeNames writes the name of each thing of a result on a line: the key of what has
// one, with its namespace when things are of several, or else its id.
func writeNames(out io.Writer, text []byte, spaces bool) error {
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	var value any
	if err := in.Decode(&value); err != nil {
		return fmt.Errorf("find the names in the result: %w", err)
	}
	things, isList := value.([]any)
	if fields, ok := value.(map[string]any); ok && !isList {
		if things = onlyList(fields); things == nil {
			things = []any{value}
		}
	}
	for _, thing := range things {
		if name := nameOf(thing); name != "" {
			if spaces {
				name = spaced(thing, name)
			}
			if _, err := fmt.Fprintln(out, Printable(name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// spaced returns the name of a thing with its namespace before it, if it has a key and is in
// one.
func spaced(thing any, name string) string {
	fields, _ := thing.(map[string]any)
	key, _ := fields["key"].(string)
	space, _ := fields["namespace"].(string)
	if key == "" || key != name || space == "" {
		return name
	}
	return space + "/" + name
}

// onlyList returns the list in an object that has no name of its own and one list.
func onlyList(fields map[string]any) (found []any) {
	if nameOf(fields) != "" {
		return nil
	}
	for _, value := range fields {
		if list, ok := value.([]any); ok {
			if found != nil {
				return nil
			}
			found = list
		}
	}
	return found
}

// nameOf returns what a thing is called, "" when it has no name.
func nameOf(thing any) string {
	fields, ok := thing.(map[string]any)
	if !ok {
		if text, ok := thing.(string); ok {
			return text
		}
		return ""
	}
	for _, field := range nameFields {
		switch value := fields[field].(type) {
		case string:
			if value != "" {
				return value
			}
		case json.Number:
			return value.String()
		}
	}
	return ""
}
