package manifest

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// parseYAML returns the documents of a file; empty ones are left out.
func parseYAML(origin string, text []byte) ([]*node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var documents []*node
	reader := yamlReader{origin: origin}
	for {
		var document yaml.Node
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return documents, nil
		}
		if err != nil {
			line, said := yamlSaid(err)
			return nil, wrongAt(origin, line, 1, "it is not YAML: %s", said)
		}
		if len(document.Content) == 0 {
			continue
		}
		n, err := reader.read(document.Content[0], 0)
		if err != nil {
			return nil, err
		}
		if n.sort != isNull {
			documents = append(documents, n)
		}
		if len(documents) > MaxDocuments {
			return nil, n.wrong("there are more than %d documents", MaxDocuments)
		}
	}
}

// yamlSaid takes the line out of an error of the parser.
func yamlSaid(err error) (line int, said string) {
	said = strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\n", " "), "yaml: ")
	if rest, ok := strings.CutPrefix(said, "line "); ok {
		number, text, _ := strings.Cut(rest, ": ")
		if n, err := strconv.Atoi(number); err == nil {
			return n, text
		}
	}
	return 1, said
}

// yamlReader turns the parser's nodes into ours. nodes counts them, so that
// aliases of aliases end.
type yamlReader struct {
	origin string
	nodes  int
}

func (r *yamlReader) read(y *yaml.Node, depth int) (*node, error) {
	r.nodes++
	n := &node{origin: r.origin, line: y.Line, column: y.Column}
	switch {
	case depth > maxDepth:
		return nil, n.wrong("values stand within values more than %d deep", maxDepth)
	case r.nodes > maxNodes:
		return nil, n.wrong("there are more than %d values, with those that aliases repeat", maxNodes)
	}
	switch y.Kind {
	case yaml.AliasNode:
		return r.read(y.Alias, depth+1)
	case yaml.SequenceNode:
		n.sort = isList
		for _, entry := range y.Content {
			value, err := r.read(entry, depth+1)
			if err != nil {
				return nil, err
			}
			n.list = append(n.list, value)
		}
		return n, nil
	case yaml.MappingNode:
		return n, r.readFields(n, y, depth)
	default:
		err := n.scalar(y)
		return n, err
	}
}

func (r *yamlReader) readFields(n *node, y *yaml.Node, depth int) error {
	n.sort = isMap
	for i := 0; i+1 < len(y.Content); i += 2 {
		name := y.Content[i]
		f := field{name: name.Value, line: name.Line, column: name.Column}
		if name.Kind != yaml.ScalarNode || name.ShortTag() == "!!merge" {
			return f.wrong(n.origin, "the name of a field must be a plain text; merges (<<) are not read: write the fields out")
		}
		value, err := r.read(y.Content[i+1], depth+1)
		if err != nil {
			return err
		}
		f.value = value
		if err := n.add(f); err != nil {
			return err
		}
	}
	return nil
}

// scalar reads a value that holds no others. Dates are texts.
func (n *node) scalar(y *yaml.Node) error {
	n.text = y.Value
	switch tag := y.ShortTag(); tag {
	case "!!null":
		n.sort = isNull
	case "!!bool":
		n.sort, n.text = isBool, strings.ToLower(y.Value)
	case "!!int", "!!float":
		n.sort = isNumber
		var number float64
		if err := y.Decode(&number); err != nil {
			return n.wrong("%.40q is no number", y.Value)
		}
		n.text = y.Value
		if !plainNumber(y.Value) {
			n.text = strconv.FormatFloat(number, 'g', -1, 64)
		}
	case "!!str", "!!timestamp":
		n.sort = isText
	default:
		return n.wrong("values of the tag %.40q are not read", tag)
	}
	return nil
}

// plainNumber reports whether a number is written as JSON writes it.
func plainNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil && !strings.ContainsAny(text, "_xXoOpP")
}
