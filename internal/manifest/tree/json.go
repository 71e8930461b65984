package tree

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// ParseJSON returns the documents of a file: one value after the other, of which a
// list stands for its entries.
func ParseJSON(origin string, text []byte) ([]*Node, error) {
	r := jsonReader{origin: origin, text: text, decoder: json.NewDecoder(bytes.NewReader(text))}
	r.decoder.UseNumber()
	var documents []*Node
	for {
		n, err := r.read(0)
		switch {
		case errors.Is(err, io.EOF) && n == nil && r.rest() == "":
			return documents, nil
		case err != nil:
			return nil, r.said(err)
		case n.Sort == List:
			documents = append(documents, n.List...)
		case n.Sort != Null:
			documents = append(documents, n)
		}
		if len(documents) > MaxDocuments {
			return nil, n.Wrong("there are more than %d documents", MaxDocuments)
		}
	}
}

// jsonReader turns tokens into nodes with places.
type jsonReader struct {
	origin  string
	text    []byte
	decoder *json.Decoder
	seen    int // bytes before line and column
	line    int // of seen, from 0
	start   int // where that line starts
}

// placedError wraps an error that has its place.
type placedError struct{ error }

// Unwrap returns the error.
func (e placedError) Unwrap() error { return e.error }

// said returns an error with its place.
func (r *jsonReader) said(err error) error {
	if placed, ok := errors.AsType[placedError](err); ok {
		return placed.error
	}
	at := int(r.decoder.InputOffset())
	text := err.Error()
	if wrong, ok := errors.AsType[*json.SyntaxError](err); ok {
		at = int(wrong.Offset) - 1
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		at, text = len(r.text), "it ends in the middle"
	}
	line, column := r.place(max(at, r.seen))
	return wrongAt(r.origin, line, column, "it is not JSON: %s", text)
}

// rest returns what follows the last token but for blanks.
func (r *jsonReader) rest() string {
	return string(bytes.TrimSpace(r.text[min(int(r.decoder.InputOffset()), len(r.text)):]))
}

// place returns the line and the column of a byte. Bytes are asked for in order.
func (r *jsonReader) place(at int) (line, column int) {
	at = min(at, len(r.text))
	for ; r.seen < at; r.seen++ {
		if r.text[r.seen] == '\n' {
			r.line++
			r.start = r.seen + 1
		}
	}
	return r.line + 1, at - r.start + 1
}

// next returns the next token and a node at its place.
func (r *jsonReader) next() (json.Token, *Node, error) {
	at := int(r.decoder.InputOffset())
	for at < len(r.text) && strings.IndexByte(" \t\r\n,:", r.text[at]) >= 0 {
		at++
	}
	token, err := r.decoder.Token()
	if err != nil {
		return nil, nil, err
	}
	n := &Node{Origin: r.origin}
	n.Line, n.Column = r.place(at)
	return token, n, nil
}

func (r *jsonReader) read(depth int) (*Node, error) {
	token, n, err := r.next()
	if err != nil {
		return nil, err
	}
	if depth > maxDepth {
		return nil, placedError{n.Wrong("values stand within values more than %d deep", maxDepth)}
	}
	switch token := token.(type) {
	case json.Delim:
		if token == '[' {
			n.Sort = List
			return n, r.readList(n, depth)
		}
		n.Sort = Map
		return n, r.readFields(n, depth)
	case string:
		n.Sort, n.Text = Text, token
	case json.Number:
		n.Sort, n.Text = Number, token.String()
	case bool:
		n.Sort, n.Text = Bool, map[bool]string{true: "true", false: "false"}[token]
	}
	return n, nil
}

func (r *jsonReader) readList(n *Node, depth int) error {
	for r.decoder.More() {
		entry, err := r.read(depth + 1)
		if err != nil {
			return middle(err)
		}
		n.List = append(n.List, entry)
	}
	_, err := r.decoder.Token()
	return middle(err)
}

func (r *jsonReader) readFields(n *Node, depth int) error {
	for r.decoder.More() {
		name, at, err := r.next()
		if err != nil {
			return middle(err)
		}
		text, ok := name.(string)
		if !ok {
			return placedError{at.Wrong("the name of a field must be a text")}
		}
		value, err := r.read(depth + 1)
		if err != nil {
			return middle(err)
		}
		if err := n.Add(Field{text, at.Line, at.Column, value}); err != nil {
			return placedError{err}
		}
	}
	_, err := r.decoder.Token()
	return middle(err)
}

// middle reports an end of the text as premature.
func middle(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
