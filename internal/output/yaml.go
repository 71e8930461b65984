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

// writeYAML converts JSON to YAML with the same names in the same order.
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
			inner, err := yamlNode(in) // object keys are tokens too
			if err != nil {
				return nil, err
			}
			node.Content = append(node.Content, inner)
		}
		if len(node.Content) == 0 {
			node.Style = yaml.FlowStyle
		}
		_, err := in.Token() // closing delimiter
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

// yamlText returns a string node: quoted where it would be parsed as another type, such as
// the id of a run, and as a block if it has several lines that a block can represent.
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

// fitsBlock reports whether a block preserves a text of several lines: lines that start
// with a space or a tab, and unusual characters, are not preserved.
func fitsBlock(text string) bool {
	return strings.Contains(text, "\n") && !strings.ContainsAny(text[:1], " \t\n") && !strings.Contains(text, "\n\t") &&
		!strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) })
}

// nameFields are the fields that name an object, best first.
var nameFields = [...]string{"key", "run_id", "id", "address", "name", "channel", "date", "from", "at"}

// writeNames writes one name per object: its key, with the namespace if the objects belong
// to several, or its id.
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

// spaced returns the name of an object with its namespace, if it has a key and a namespace.
func spaced(thing any, name string) string {
	fields, _ := thing.(map[string]any)
	key, _ := fields["key"].(string)
	space, _ := fields["namespace"].(string)
	if key == "" || key != name || space == "" {
		return name
	}
	return space + "/" + name
}

// onlyList returns the single list of an object without a name.
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

// nameOf returns the name of an object, "" when it has none.
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
