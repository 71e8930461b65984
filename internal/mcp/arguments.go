package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/orthd/orth/job"
)

// Where parameters are.
const (
	inPath   = "path"
	inQuery  = "query"
	inHeader = "header"
)

// arguments are those of one call, by name. Numbers are as they were written.
type arguments map[string]any

// readArguments reads the arguments of a call.
func readArguments(text []byte) (arguments, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return arguments{}, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var a arguments
	if err := decoder.Decode(&a); err != nil {
		return nil, job.Errorf(job.Invalid, "the arguments must be a JSON object: %w", err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, job.Errorf(job.Invalid, "the arguments must be one JSON object")
	}
	if a == nil {
		a = arguments{}
	}
	return a, nil
}

// takeConfirm takes the code of a confirmation out, "" when there is none.
func (a arguments) takeConfirm() (string, error) {
	value, given := a[argConfirm]
	delete(a, argConfirm)
	code, isText := value.(string)
	if given && !isText {
		return "", job.FieldErrorf(argConfirm, "must be the code that the first call answered with")
	}
	return code, nil
}

// canonical returns the arguments as text that is the same for the same arguments.
func (a arguments) canonical() ([]byte, error) {
	text, err := json.Marshal(a) // members in order of their names
	if err != nil {
		return nil, job.Errorf(job.Invalid, "the arguments cannot be written as JSON: %w", err)
	}
	return text, nil
}

// supportedBy returns the arguments that an operation has.
func (a arguments) supportedBy(op operation) arguments {
	some := arguments{}
	for _, p := range op.given() {
		if value, given := a[p.Name]; given {
			some[p.Name] = value
		}
	}
	return some
}

// apiRequest is a request to the server.
type apiRequest struct {
	method, path string
	query        url.Values
	body         []byte // nil for none
	header       http.Header
}

// newCall makes the request of an operation. An argument that the operation has not is
// refused: it would be taken for having had its effect.
func (a arguments) newCall(op operation, namespace string) (apiRequest, error) {
	c := apiRequest{method: op.method, path: op.path, query: url.Values{}, header: http.Header{}}
	known := map[string]bool{}
	for _, p := range op.given() {
		known[p.Name] = true
		value, given := a[p.Name]
		if p.Name == argSpace && p.Schema["default"] != nil && value == nil {
			value, given = namespace, true
		}
		switch {
		case p.Required && (!given || value == nil):
			return apiRequest{}, job.FieldErrorf(p.Name, "is missing")
		case !given || value == nil:
			continue
		}
		text, err := plain(p.Name, value)
		if err != nil {
			return apiRequest{}, err
		}
		if p.In == inQuery {
			c.query.Set(p.Name, text)
			continue
		}
		if text == "" || text == "." || text == ".." {
			return apiRequest{}, job.FieldErrorf(p.Name, "%q names nothing", text)
		}
		c.path = strings.ReplaceAll(c.path, "{"+p.Name+"}", url.PathEscape(text))
	}
	if op.RequestBody != nil {
		known[argBody] = true
		if err := c.setBody(a[argBody], op.RequestBody.Required); err != nil {
			return apiRequest{}, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if !known[name] {
			wrong := job.FieldErrorf(name, "is no argument of this tool")
			wrong.Hint = "it takes " + strings.Join(slices.Sorted(maps.Keys(known)), ", ")
			return apiRequest{}, wrong
		}
	}
	if op.method == http.MethodPost && op.hasParam(inHeader, headOnce) {
		c.header.Set(headOnce, newCode())
	}
	return c, nil
}

// setBody takes the body along.
func (c *apiRequest) setBody(value any, required bool) error {
	switch value.(type) {
	case nil:
		if required {
			return job.FieldErrorf(argBody, "is missing")
		}
		return nil
	case map[string]any:
	default:
		return job.FieldErrorf(argBody, "must be a JSON object")
	}
	text, err := json.Marshal(value)
	if err != nil {
		return job.FieldErrorf(argBody, "cannot be written as JSON: %v", err)
	}
	c.body = text
	return nil
}

// plain returns a value as it stands in an address. Lists have commas.
func plain(name string, value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	case bool:
		return fmt.Sprint(v), nil
	case []any:
		texts := make([]string, len(v))
		for i, member := range v {
			if _, nested := member.([]any); nested {
				return "", job.FieldErrorf(name, "must be a list of texts")
			}
			text, err := plain(name, member)
			if err != nil {
				return "", err
			}
			texts[i] = text
		}
		return strings.Join(texts, ","), nil
	}
	return "", job.FieldErrorf(name, "must be a text, a number, a yes or no, or a list of these")
}
