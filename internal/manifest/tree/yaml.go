package tree

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ParseYAML returns the documents of a file; empty ones are left out.
func ParseYAML(origin string, text []byte) ([]*Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var documents []*Node
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
		if n.Sort != Null {
			documents = append(documents, n)
		}
		if len(documents) > MaxDocuments {
			return nil, n.Wrong("there are more than %d documents", MaxDocuments)
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

func (r *yamlReader) read(y *yaml.Node, depth int) (*Node, error) {
	r.nodes++
	n := &Node{Origin: r.origin, Line: y.Line, Column: y.Column}
	switch {
	case depth > maxDepth:
		return nil, n.Wrong("values stand within values more than %d deep", maxDepth)
	case r.nodes > maxNodes:
		return nil, n.Wrong("there are more than %d values, with those that aliases repeat", maxNodes)
	}
	switch y.Kind {
	case yaml.AliasNode:
		return r.read(y.Alias, depth+1)
	case yaml.SequenceNode:
		n.Sort = List
		for _, entry := range y.Content {
			value, err := r.read(entry, depth+1)
			if err != nil {
				return nil, err
			}
			n.List = append(n.List, value)
		}
		return n, nil
	case yaml.MappingNode:
		return n, r.readFields(n, y, depth)
	default:
		err := n.scalar(y)
		return n, err
	}
}

func (r *yamlReader) readFields(n *Node, y *yaml.Node, depth int) error {
	n.Sort = Map
	for i := 0; i+1 < len(y.Content); i += 2 {
		name := y.Content[i]
		f := Field{Name: name.Value, Line: name.Line, Column: name.Column}
		if name.Kind != yaml.ScalarNode || name.ShortTag() == "!!merge" {
			return f.Wrong(n.Origin, "the name of a field must be a plain text; merges (<<) are not read: write the fields out")
		}
		value, err := r.read(y.Content[i+1], depth+1)
		if err != nil {
			return err
		}
		f.Value = value
		if err := n.Add(f); err != nil {
			return err
		}
	}
	return nil
}

// scalar reads a value that holds no others. Dates are texts.
func (n *Node) scalar(y *yaml.Node) error {
	n.Text = y.Value
	switch tag := y.ShortTag(); tag {
	case "!!null":
		n.Sort = Null
	case "!!bool":
		n.Sort, n.Text = Bool, strings.ToLower(y.Value)
	case "!!int", "!!float":
		n.Sort = Number
		var number float64
		if err := y.Decode(&number); err != nil {
			return n.Wrong("%.40q is no number", y.Value)
		}
		n.Text = y.Value
		if !plainNumber(y.Value) {
			n.Text = strconv.FormatFloat(number, 'g', -1, 64)
		}
	case "!!str", "!!timestamp":
		n.Sort = Text
	default:
		return n.Wrong("values of the tag %.40q are not read", tag)
	}
	return nil
}

// plainNumber reports whether a number is written as JSON writes it.
func plainNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil && !strings.ContainsAny(text, "_xXoOpP")
}
