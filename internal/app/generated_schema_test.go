package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// contract is the OpenAPI document of a running server.
type contract struct {
	operations []*operation
	schemas    map[string]*schema
}

// operation is one of a contract.
type operation struct {
	method, path string
	ID           string      `json:"operationId"`
	Description  string      `json:"description"`
	Parameters   []parameter `json:"parameters"`
	Body         struct {
		Required bool             `json:"required"`
		Content  map[string]media `json:"content"`
	} `json:"requestBody"`
	Responses map[string]struct {
		Content map[string]media `json:"content"`
	} `json:"responses"`
}

type parameter struct {
	Name, In string
	Required bool
	Schema   *schema
}

type media struct {
	Schema  *schema
	Example json.RawMessage
}

// schema is what the schemas of the document say; one that says more cannot be read.
type schema struct {
	Ref                  string             `json:"$ref"`
	Type                 kindsOfValues      `json:"type"`
	Format               string             `json:"format"`
	Pattern              *pattern           `json:"pattern"`
	Enum                 []any              `json:"enum"`
	MinLength            int                `json:"minLength"`
	MaxLength            *int               `json:"maxLength"`
	MinItems             int                `json:"minItems"`
	MaxItems             *int               `json:"maxItems"`
	Minimum              *float64           `json:"minimum"`
	Maximum              *float64           `json:"maximum"`
	Items                *schema            `json:"items"`
	Properties           map[string]*schema `json:"properties"`
	Required             []string           `json:"required"`
	AdditionalProperties *others            `json:"additionalProperties"`
	OneOf                []*schema          `json:"oneOf"` // of streams only, whose texts are no JSON
	Const                any                `json:"const"` // likewise

	// These bind nobody.
	Title       string          `json:"title"`
	Said        string          `json:"patternDescription"`
	Media       string          `json:"contentMediaType"`
	Description string          `json:"description"`
	Examples    json.RawMessage `json:"examples"`
	Default     json.RawMessage `json:"default"`
	ReadOnly    bool            `json:"readOnly"`
	WriteOnly   bool            `json:"writeOnly"`
	Deprecated  bool            `json:"deprecated"`
}

// UnmarshalJSON refuses words that the validator does not know.
func (s *schema) UnmarshalJSON(text []byte) error {
	type plain schema
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	return strict.Decode((*plain)(s))
}

// kindsOfValues is one type or several.
type kindsOfValues []string

// UnmarshalJSON reads a text or a list of texts.
func (k *kindsOfValues) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '[' {
		return json.Unmarshal(text, (*[]string)(k))
	}
	*k = []string{""}
	return json.Unmarshal(text, &(*k)[0])
}

// others says what fields may be there that are not named.
type others struct {
	none bool
	each *schema
}

// UnmarshalJSON reads a bool or a schema.
func (o *others) UnmarshalJSON(text []byte) error {
	if string(text) == "true" || string(text) == "false" {
		o.none = string(text) == "false"
		return nil
	}
	return json.Unmarshal(text, &o.each)
}

// pattern is a regular expression.
type pattern struct{ *regexp.Regexp }

// UnmarshalJSON reads a text.
func (p *pattern) UnmarshalJSON(text []byte) error {
	var source string
	err := json.Unmarshal(text, &source)
	if err == nil {
		p.Regexp, err = regexp.Compile(source)
	}
	return err
}

// contractOf asks a server for its contract.
func contractOf(t *testing.T, s *Server) *contract {
	t.Helper()
	answer := askAPI(t, s, http.MethodGet, "/openapi.json", "")
	var document struct {
		Paths      map[string]map[string]*operation
		Components struct{ Schemas map[string]*schema }
	}
	if err := json.Unmarshal([]byte(answer.body), &document); err != nil {
		t.Fatal(err)
	}
	c := &contract{schemas: document.Components.Schemas}
	for path, methods := range document.Paths {
		for method, o := range methods {
			o.method, o.path = strings.ToUpper(method), path
			c.operations = append(c.operations, o)
		}
	}
	slices.SortFunc(c.operations, func(a, b *operation) int { return strings.Compare(a.ID, b.ID) })
	return c
}

func (c *contract) resolve(s *schema) *schema {
	for s != nil && s.Ref != "" {
		s = c.schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
	}
	return s
}

// valid reports where a JSON text is not what a schema says.
func (c *contract) valid(text []byte, s *schema) error {
	reader := json.NewDecoder(bytes.NewReader(text))
	reader.UseNumber()
	var v any
	if err := reader.Decode(&v); err != nil {
		return err
	}
	if reader.More() {
		return fmt.Errorf("there is more than one value")
	}
	return c.check(v, s, "$")
}

func (c *contract) check(v any, s *schema, at string) error {
	if s = c.resolve(s); s == nil {
		return fmt.Errorf("%s: no schema tells what this is", at)
	}
	kind := kindOfValue(v)
	if len(s.Type) > 0 && !slices.Contains(s.Type, kind) && (kind != "integer" || !slices.Contains(s.Type, "number")) {
		return fmt.Errorf("%s is a %s, not %v", at, kind, []string(s.Type))
	}
	if len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(one any) bool { return fmt.Sprint(one) == fmt.Sprint(v) }) {
		return fmt.Errorf("%s is %.50v, none of %v", at, v, s.Enum)
	}
	switch v := v.(type) {
	case string:
		return s.checkText(v, at)
	case json.Number:
		n, err := v.Float64()
		if err != nil || s.Minimum != nil && n < *s.Minimum || s.Maximum != nil && n > *s.Maximum {
			return fmt.Errorf("%s is %s: too much, or too little", at, v)
		}
	case []any:
		if len(v) < s.MinItems || s.MaxItems != nil && len(v) > *s.MaxItems {
			return fmt.Errorf("%s has %d elements", at, len(v))
		}
		for i, one := range v {
			if err := c.check(one, s.Items, fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
	case map[string]any:
		return c.checkFields(v, s, at)
	}
	return nil
}

func (c *contract) checkFields(v map[string]any, s *schema, at string) error {
	for _, name := range s.Required {
		if _, there := v[name]; !there {
			return fmt.Errorf("%s has no %s", at, name)
		}
	}
	for name, one := range v {
		of, named := s.Properties[name]
		rest := s.AdditionalProperties
		switch {
		case named:
		case rest != nil && rest.none, rest == nil && len(s.Properties) > 0:
			return fmt.Errorf("%s has the field %.50s, which is not declared", at, name)
		case rest != nil && rest.each != nil:
			of = rest.each
		default:
			continue
		}
		if err := c.check(one, of, at+"."+name); err != nil {
			return err
		}
	}
	return nil
}

func (s *schema) checkText(v, at string) error {
	if n := utf8.RuneCountInString(v); n < s.MinLength || s.MaxLength != nil && n > *s.MaxLength {
		return fmt.Errorf("%s has %d characters", at, n)
	}
	if s.Pattern != nil && !s.Pattern.MatchString(v) {
		return fmt.Errorf("%s is %.50q, not %s", at, v, s.Pattern)
	}
	layout := map[string]string{"date-time": time.RFC3339Nano, "date": time.DateOnly}[s.Format]
	if layout == "" {
		return nil
	}
	_, err := time.Parse(layout, v)
	return err
}

func kindOfValue(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		if _, err := v.Int64(); err == nil {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

// The validator finds each kind of fault, so that its silence says something.
func TestContractValidator(t *testing.T) {
	t.Parallel()
	c := &contract{schemas: map[string]*schema{}}
	text := `{"A":{"type":"object","required":["n"],"properties":{"n":{"type":"integer","minimum":1,"maximum":9},"b":{"$ref":"#/components/schemas/B"},` +
		`"at":{"type":"string","format":"date-time"},"e":{"type":["string","null"],"enum":["x",null]}}},"B":{"type":"array","maxItems":1,"items":{"type":"string","pattern":"^a+$","maxLength":3}}}`
	if err := json.Unmarshal([]byte(text), &c.schemas); err != nil {
		t.Fatal(err)
	}
	for value, good := range map[string]bool{
		`{"n":1}`: true, `{"n":9,"b":["aaa"],"at":"2030-01-01T00:00:00.000Z","e":null}`: true,
		`{}`: false, `{"n":0}`: false, `{"n":10}`: false, `{"n":1.5}`: false, `{"n":"1"}`: false, `{"n":null}`: false, `[]`: false, `{"n":1,"x":1}`: false,
		`{"n":1,"b":["a","a"]}`: false, `{"n":1,"b":["b"]}`: false, `{"n":1,"b":["aaaa"]}`: false, `{"n":1,"at":"now"}`: false, `{"n":1,"e":"y"}`: false, `{"n":1} {}`: false, `{"n":`: false,
	} {
		if err := c.valid([]byte(value), c.schemas["A"]); (err == nil) != good {
			t.Errorf("%s: %v", value, err)
		}
	}
	if err := json.Unmarshal([]byte(`{"type":"string","unheardOf":1}`), new(schema)); err == nil {
		t.Error("a word that the validator does not know is passed over")
	}
}
