package operation

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

// operation serves one operation of the API: it describes the operation in the OpenAPI
// document, reads and validates requests, and writes answers.
//
// It does what huma.Register does, for the parts of huma that this package uses. That
// function is generic: the compiler makes 20 KB of code from it for each operation.
type operation struct {
	*huma.Operation
	api      huma.API
	in       reflect.Type
	call     Caller
	query    map[string]bool // the names of query parameters
	params   []param
	defaults []fallback
	body     []int        // the index of the body in the input, nil for none
	schema   *huma.Schema // of the body
	headers  []header
	status   []int // the index of the status in the output, nil for none
	answer   []int // the index of the body in the output, nil for none
	streams  bool  // the body of the output is a function that writes it
}

// Caller runs the function of an operation. It takes a pointer to the input, and returns
// a pointer to the output or nil for none.
type Caller func(ctx context.Context, in any) (any, error)

// header is a field of an output that leaves as a header.
type header struct {
	name  string
	index []int
}

// Serve describes an operation and routes its requests to call. Types that it cannot
// serve panic: that is a mistake of ours.
func Serve(api huma.API, op *huma.Operation, in, out reflect.Type, call Caller) {
	if op.Responses == nil {
		op.Responses = map[string]*huma.Response{}
	}
	o := &operation{Operation: op, api: api, in: in, call: call, query: map[string]bool{}}
	o.describeParams(in, nil)
	o.describeBody()
	o.describeAnswer(out)
	o.describeHeaders(out, nil)
	o.describeErrors()
	api.OpenAPI().AddOperation(op)
	o.findDefaults(in, nil)
	api.Adapter().Handle(op, api.Middlewares().Handler(op.Middlewares.Handler(o.handle)))
}

// schemas is where the types of the document are kept.
func (o *operation) schemas() huma.Registry { return o.api.OpenAPI().Components.Schemas }

// describeAnswer documents the body and the status of the output.
func (o *operation) describeAnswer(out reflect.Type) {
	if f, has := out.FieldByName("Status"); has {
		o.status = f.Index
	}
	f, has := out.FieldByName("Body")
	if has {
		o.answer, o.streams = f.Index, f.Type == reflect.TypeFor[func(huma.Context)]()
		o.describeAnswerBody(out, f)
	}
	if o.DefaultStatus == 0 {
		o.DefaultStatus = http.StatusNoContent
		if has || o.Method == http.MethodHead {
			o.DefaultStatus = http.StatusOK
		}
	}
	o.response(o.DefaultStatus)
}

// describeAnswerBody documents the body of the output.
func (o *operation) describeAnswerBody(out reflect.Type, f reflect.StructField) {
	response := o.response(cmp.Or(o.DefaultStatus, http.StatusOK))
	if response.Headers == nil {
		response.Headers = map[string]*huma.Param{}
	}
	if o.streams {
		return
	}
	schema := huma.SchemaFromField(o.schemas(), f, hint(out, f.Name, o.OperationID+"Response"))
	if len(response.Content) == 0 {
		response.Content = map[string]*huma.MediaType{MediaJSON: {}}
	}
	if media := response.Content[MediaJSON]; media != nil && media.Schema == nil {
		media.Schema = schema
	}
}

// response returns the documented answer with a status.
func (o *operation) response(status int) *huma.Response {
	key := strconv.Itoa(status)
	response := o.Responses[key]
	if response == nil {
		response = &huma.Response{}
		o.Responses[key] = response
	}
	response.Description = cmp.Or(response.Description, http.StatusText(status))
	return response
}

// describeHeaders documents the headers of the output: all its fields but Status and Body.
func (o *operation) describeHeaders(t reflect.Type, above []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		index := below(above, i)
		switch {
		case !f.IsExported() || f.Name == "Status" || f.Name == "Body":
			continue
		case f.Anonymous:
			o.describeHeaders(f.Type, index)
			continue
		}
		name := cmp.Or(f.Tag.Get("header"), f.Name)
		o.headers = append(o.headers, header{name, index})
		if f.Type.Kind() == reflect.Slice {
			f.Type = f.Type.Elem()
		}
		if f.Type.Kind() != reflect.String {
			panic(fmt.Sprintf("%s: the header %s is a %s", o.OperationID, name, f.Type))
		}
		response := o.response(o.DefaultStatus)
		if response.Headers == nil {
			response.Headers = map[string]*huma.Param{}
		}
		status := strconv.Itoa(o.DefaultStatus)
		response.Headers[name] = &huma.Param{Schema: huma.SchemaFromField(o.schemas(), f, hint(t, f.Name, o.OperationID+status+name))}
	}
}

// describeErrors documents that every other answer is a problem.
func (o *operation) describeErrors() {
	if len(o.Responses) > 1 {
		return
	}
	problems := o.schemas().Schema(reflect.TypeFor[huma.ErrorModel](), true, "ErrorModel")
	o.Responses["default"] = &huma.Response{
		Description: "Error",
		Content:     map[string]*huma.MediaType{"application/problem+json": {Schema: problems}},
	}
}

// handle serves one request.
func (o *operation) handle(ctx huma.Context) {
	in := reflect.New(o.in)
	if refused := o.read(ctx, in.Elem()); refused != nil {
		_ = huma.WriteErr(o.api, ctx, refused.status, refused.text, refused.errs...)
		return
	}
	out, err := o.call(ctx.Context(), in.Interface())
	if err != nil {
		if more, has := errors.AsType[huma.HeadersError](err); has {
			for name, values := range more.GetHeaders() {
				for _, value := range values {
					ctx.AppendHeader(name, value)
				}
			}
		}
		said, ok := errors.AsType[huma.StatusError](err)
		if !ok {
			said = huma.NewErrorWithContext(ctx, http.StatusInternalServerError, "unexpected error occurred", err)
		}
		o.write(ctx, said.GetStatus(), said)
		return
	}
	if out == nil {
		ctx.SetStatus(o.DefaultStatus)
		return
	}
	o.send(ctx, reflect.ValueOf(out).Elem())
}

// send writes an output.
func (o *operation) send(ctx huma.Context, out reflect.Value) {
	for _, h := range o.headers {
		f := out.FieldByIndex(h.index)
		if f.Kind() == reflect.Slice {
			for i := range f.Len() {
				if text := f.Index(i).String(); text != "" {
					ctx.AppendHeader(h.name, text)
				}
			}
		} else if text := f.String(); text != "" {
			ctx.SetHeader(h.name, text)
		}
	}
	status := o.DefaultStatus
	if o.status != nil {
		status = int(out.FieldByIndex(o.status).Int())
	}
	if o.answer == nil {
		ctx.SetStatus(status)
		return
	}
	body := out.FieldByIndex(o.answer).Interface()
	if stream, is := body.(func(huma.Context)); is {
		stream(ctx)
		return
	}
	o.write(ctx, status, body)
}

// write sends a body as JSON. Like huma it panics when that fails, which ends the
// connection: a part may be on its way.
func (o *operation) write(ctx huma.Context, status int, body any) {
	media, err := o.api.Negotiate(ctx.Header("Accept"))
	if err != nil {
		panic(fmt.Errorf("answer %s: %w", o.OperationID, err))
	}
	if filter, is := body.(huma.ContentTypeFilter); is {
		media = filter.ContentType(media)
	}
	ctx.SetHeader("Content-Type", media)
	body, err = o.api.Transform(ctx, strconv.Itoa(status), body)
	if err != nil {
		panic(fmt.Errorf("transform the answer of %s: %w", o.OperationID, err))
	}
	ctx.SetStatus(status)
	if status == http.StatusNoContent || status == http.StatusNotModified {
		return
	}
	if err := o.api.Marshal(ctx.BodyWriter(), media, body); err != nil && !errors.Is(ctx.Context().Err(), context.Canceled) {
		panic(fmt.Errorf("write the answer of %s: %w", o.OperationID, err))
	}
}

// hint names the type of a field that has no name.
func hint(parent reflect.Type, field, otherwise string) string {
	if parent.Name() == "" {
		return otherwise
	}
	return parent.Name() + field
}

// below returns the index of the field i of what stands at an index.
func below(above []int, i int) []int { return append(slices.Clip(above), i) }

// MediaJSON is what requests and answers are, but for problems.
const MediaJSON = "application/json"

// Schemas is where the OpenAPI document keeps the types.
const Schemas = "#/components/schemas/"

// EncodeDocument returns the OpenAPI document as indented JSON.
func EncodeDocument(doc *huma.OpenAPI) ([]byte, error) {
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("encode the OpenAPI document: %w", err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "  "); err != nil {
		return nil, fmt.Errorf("indent the OpenAPI document: %w", err)
	}
	return append(out.Bytes(), '\n'), nil
}

// Marshal writes JSON that scripts can read as it is: no HTML escapes.
func Marshal(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// Unmarshal reads JSON, with an error in plain words for its first fault.
func Unmarshal(data []byte, v any) error {
	if err := checkShape(data); err != nil {
		return err
	}
	err := json.Unmarshal(data, v)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("is not JSON: %w, at byte %d", syntax, syntax.Offset)
	}
	return err
}
