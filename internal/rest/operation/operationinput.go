package operation

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// param is a field of an input that comes from the path, the query, a header or a cookie.
type param struct {
	name, in  string
	index     []int
	required  bool
	exploded  bool   // several values are given one by one and not with commas
	otherwise string // the value when there is none
	schema    *huma.Schema
}

// fallback is what a field of the body is when the request leaves it out.
type fallback struct {
	index []int
	text  string
}

// refusal is why a request is not served.
type refusal struct {
	status int
	text   string
	errs   []error
}

// places are the tags that make a field a parameter.
var places = []string{"path", "query", "header", "cookie"}

// describeParams documents the parameters among the fields of t, and of what is embedded.
func (o *operation) describeParams(t reflect.Type, above []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		switch {
		case !f.IsExported() || f.Name == "Body":
		case f.Anonymous:
			o.describeParams(f.Type, below(above, i))
		default:
			for _, in := range places {
				if tag := f.Tag.Get(in); tag != "" {
					o.describeParam(f, in, tag, below(above, i))
					break
				}
			}
		}
	}
}

// describeParam documents one parameter.
func (o *operation) describeParam(f reflect.StructField, in, tag string, index []int) {
	name, option, _ := strings.Cut(tag, ",")
	p := param{
		name: name, in: in, index: index, otherwise: f.Tag.Get("default"), exploded: option == "explode",
		required: in == "path" || f.Tag.Get("required") == "true", schema: huma.SchemaFromField(o.schemas(), f, ""),
	}
	if !readable(f.Type) {
		panic(fmt.Sprintf("%s: the parameter %s is a %s", o.OperationID, name, f.Type))
	}
	doc := &huma.Param{Name: name, In: in, Description: p.schema.Description, Required: p.required, Schema: p.schema}
	if in == "query" {
		o.query[name] = true
		doc.Explode = &p.exploded
	}
	o.params = append(o.params, p)
	if !slices.ContainsFunc(o.Parameters, func(other *huma.Param) bool { return other.Name == name && other.In == in }) {
		o.Parameters = append(o.Parameters, doc)
	}
}

// readable reports whether [param.set] sets fields of a type.
func readable(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Int, reflect.Int64, reflect.Bool:
		return true
	case reflect.Slice:
		return t.Elem().Kind() == reflect.String
	default:
		return t == reflect.TypeFor[time.Time]()
	}
}

// describeBody documents the body of requests.
func (o *operation) describeBody() {
	f, has := o.in.FieldByName("Body")
	if !has {
		return
	}
	o.body = f.Index
	if o.RequestBody == nil {
		o.RequestBody = &huma.RequestBody{}
	}
	if o.RequestBody.Content == nil {
		o.RequestBody.Content = map[string]*huma.MediaType{}
	}
	if f.Type.Kind() != reflect.Pointer {
		o.RequestBody.Required = true
	}
	media := o.RequestBody.Content[MediaJSON]
	if media == nil {
		media = &huma.MediaType{}
		o.RequestBody.Content[MediaJSON] = media
	}
	if media.Schema == nil {
		media.Schema = huma.SchemaFromField(o.schemas(), f, hint(o.in, f.Name, o.OperationID+"Request"))
	}
	media.Schema.PrecomputeMessages()
	o.schema = media.Schema
}

// findDefaults finds the fields of the body that have a default.
func (o *operation) findDefaults(t reflect.Type, above []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		index := below(above, i)
		text := f.Tag.Get("default")
		switch {
		case !f.IsExported():
		case f.Type.Kind() == reflect.Struct:
			o.findDefaults(f.Type, index)
		case text != "" && len(o.body) > 0 && slices.Equal(index[:min(len(index), len(o.body))], o.body):
			if f.Type.Kind() != reflect.String {
				panic(fmt.Sprintf("%s: the body has a %s with a default", o.OperationID, f.Type))
			}
			o.defaults = append(o.defaults, fallback{index, text})
		}
	}
}

// read fills in from a request, and returns what is wrong with it, nil for nothing.
func (o *operation) read(ctx huma.Context, in reflect.Value) *refusal {
	path, found := huma.NewPathBuffer(make([]byte, 0, 128), 0), &huma.ValidateResult{}
	if !o.SkipValidateParams {
		if o.findStrangers(ctx, path, found); len(found.Errors) > 0 {
			return &refusal{http.StatusUnprocessableEntity, refused, found.Errors}
		}
	}
	o.readParams(ctx, in, path, found)
	status := http.StatusUnprocessableEntity
	if o.body != nil {
		data, err := o.readBody(ctx)
		switch {
		case err != nil:
			err.errs = append(err.errs, found.Errors...)
			return err
		case len(data) > 0:
			status = o.parseBody(ctx, in, data, path, found)
		case o.RequestBody.Required:
			return &refusal{http.StatusBadRequest, "request body is required", found.Errors}
		}
	}
	if len(found.Errors) > 0 {
		return &refusal{status, refused, found.Errors}
	}
	return nil
}

// refused is the text of a problem with a list of errors.
const refused = "validation failed"

// findStrangers refuses query parameters that the operation does not have.
func (o *operation) findStrangers(ctx huma.Context, path *huma.PathBuffer, found *huma.ValidateResult) {
	url := ctx.URL()
	if url.RawQuery == "" {
		return
	}
	for name := range url.Query() {
		if !o.query[name] {
			path.Reset()
			path.Push("query")
			path.Push(name)
			found.Add(path, "", "unknown query parameter")
		}
	}
}

// readParams reads and validates the parameters.
func (o *operation) readParams(ctx huma.Context, in reflect.Value, path *huma.PathBuffer, found *huma.ValidateResult) {
	for i := range o.params {
		p := &o.params[i]
		path.Reset()
		path.Push(p.in)
		path.Push(p.name)
		text := cmp.Or(p.text(ctx), p.otherwise)
		if text == "" {
			if p.required && !o.SkipValidateParams {
				found.Add(path, "", "required "+p.in+" parameter is missing")
			}
			continue
		}
		value, err := p.set(ctx, in.FieldByIndex(p.index), text)
		if err != nil {
			found.Add(path, text, err.Error())
			continue
		}
		if !o.SkipValidateParams {
			huma.Validate(o.schemas(), p.schema, path, huma.ModeWriteToServer, value, found)
		}
	}
}

// text returns the parameter as the request has it, or "".
func (p *param) text(ctx huma.Context) string {
	switch p.in {
	case "path":
		return ctx.Param(p.name)
	case "query":
		return ctx.Query(p.name)
	case "header":
		return ctx.Header(p.name)
	default:
		cookie, err := huma.ReadCookie(ctx, p.name)
		if err != nil {
			return ""
		}
		return cookie.Value
	}
}

// set sets the field of a parameter, and returns the value that its schema judges.
func (p *param) set(ctx huma.Context, f reflect.Value, text string) (any, error) {
	switch f.Kind() {
	case reflect.String:
		f.SetString(text)
		return text, nil
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, errors.New("invalid integer")
		}
		f.SetInt(n)
		return n, nil
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return nil, errors.New("invalid boolean")
		}
		f.SetBool(b)
		return b, nil
	case reflect.Slice:
		values := strings.Split(text, ",")
		if p.exploded {
			url := ctx.URL()
			values = url.Query()[p.name]
		}
		f.Set(reflect.MakeSlice(f.Type(), len(values), len(values)))
		for i, v := range values {
			f.Index(i).SetString(v)
		}
		return values, nil
	default:
		t, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			return nil, errors.New("invalid date/time for format " + time.RFC3339Nano)
		}
		f.Set(reflect.ValueOf(t))
		return text, nil
	}
}

// readBody returns the body of a request, whose bytes and time are limited.
func (o *operation) readBody(ctx huma.Context) ([]byte, *refusal) {
	if o.BodyReadTimeout > 0 {
		_ = ctx.SetReadDeadline(time.Now().Add(o.BodyReadTimeout))
	}
	data, err := io.ReadAll(io.LimitReader(ctx.BodyReader(), o.MaxBodyBytes))
	switch {
	case int64(len(data)) == o.MaxBodyBytes:
		return nil, &refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("request body is too large limit=%d bytes", o.MaxBodyBytes), nil}
	case err == nil:
		return data, nil
	}
	if slow, is := errors.AsType[net.Error](err); is && slow.Timeout() || errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, &refusal{http.StatusRequestTimeout, "request body read timeout", nil}
	}
	return nil, &refusal{http.StatusInternalServerError, "cannot read request body", []error{err}}
}

// parseBody validates a body and fills it in. It returns the status for what it found.
func (o *operation) parseBody(ctx huma.Context, in reflect.Value, data []byte, path *huma.PathBuffer, found *huma.ValidateResult) int {
	media := cmp.Or(ctx.Header("Content-Type"), MediaJSON)
	status, before := http.StatusUnprocessableEntity, len(found.Errors)
	unfit := func(err error) {
		found.Errors = append(found.Errors, &huma.ErrorDetail{Location: "body", Message: err.Error(), Value: string(data)})
	}
	var parsed any
	if err := o.api.Unmarshal(media, data, &parsed); err != nil {
		status = http.StatusBadRequest
		if errors.Is(err, huma.ErrUnknownContentType) {
			status = http.StatusUnsupportedMediaType
		}
		unfit(err)
		return status
	}
	path.Reset()
	path.Push("body")
	huma.Validate(o.schemas(), o.schema, path, huma.ModeWriteToServer, parsed, found)
	if len(found.Errors) > before {
		return status
	}
	if err := o.api.Unmarshal(media, data, in.FieldByIndex(o.body).Addr().Interface()); err != nil {
		unfit(err)
		return status
	}
	for _, d := range o.defaults {
		if f := in.FieldByIndex(d.index); f.IsZero() {
			f.SetString(d.text)
		}
	}
	return status
}
