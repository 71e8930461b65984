package javascript

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/dop251/goja"
)

// maxAnswer bounds the body of an answer, in bytes.
const maxAnswer = 8 << 20

// call is what a script asks fetch for.
type call struct {
	address string
	method  string
	header  http.Header
	body    string
	timeout time.Duration // 0: the client's
}

// answer is what came back.
type answer struct {
	res  *http.Response
	body string
}

// fetch returns a promise of the answer. Its arguments are read here, because
// no other goroutine may touch the engine's values.
func (l *loop) fetch(args goja.FunctionCall) goja.Value {
	promise, resolve, reject := l.vm.NewPromise()
	refuse := func(format string, values ...any) goja.Value {
		if err := reject(l.vm.NewTypeError(append([]any{"fetch: " + format}, values...)...)); err != nil {
			panic(err)
		}
		return l.vm.ToValue(promise)
	}
	c, err := l.readCall(args)
	switch {
	case err != nil:
		return refuse("%s", err)
	case l.fetches >= maxPending:
		return refuse("%d calls are pending already: await some of them first", maxPending)
	}
	l.fetches++
	l.workers.Go(func() {
		got, err := l.exchange(c)
		l.done <- func() error {
			if err != nil {
				return reject(l.vm.NewTypeError("fetch: %s", err))
			}
			return resolve(l.response(got))
		}
	})
	return l.vm.ToValue(promise)
}

// readCall refuses options that it does not know: an option without effect
// would mislead.
func (l *loop) readCall(args goja.FunctionCall) (call, error) {
	c := call{address: args.Argument(0).String(), method: http.MethodGet, header: http.Header{"User-Agent": {"orth"}}}
	if none(args.Argument(1)) {
		return c, nil
	}
	options := args.Argument(1).ToObject(l.vm)
	for _, name := range options.Keys() {
		value := options.Get(name)
		if none(value) {
			continue
		}
		switch name {
		case "method":
			c.method = strings.ToUpper(value.String())
		case "body":
			if _, isText := value.Export().(string); !isText {
				return call{}, errors.New("body must be a text: use JSON.stringify")
			}
			c.body = value.String()
		case "headers":
			headers := value.ToObject(l.vm)
			for _, key := range headers.Keys() {
				c.header.Set(key, headers.Get(key).String())
			}
		case "timeout":
			if c.timeout = millis(value.ToFloat()); c.timeout <= 0 {
				return call{}, errors.New("timeout must be a number of milliseconds")
			}
		default:
			return call{}, fmt.Errorf("the option %q is unknown: there are method, headers, body and timeout", name)
		}
	}
	return c, nil
}

func none(v goja.Value) bool { return v == nil || goja.IsUndefined(v) || goja.IsNull(v) }

// exchange makes the call. It runs in a goroutine of its own.
func (l *loop) exchange(c call) (answer, error) {
	ctx := l.ctx
	if c.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.timeout)
		defer cancel()
	}
	var body io.Reader = http.NoBody
	if c.body != "" {
		body = strings.NewReader(c.body)
	}
	req, err := http.NewRequestWithContext(ctx, c.method, c.address, body)
	if err != nil {
		return answer{}, err
	}
	req.Header = c.header
	res, err := l.client.Do(req)
	if err != nil {
		return answer{}, plain(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return answer{}, plain(err)
	}
	if len(text) > maxAnswer {
		return answer{}, fmt.Errorf("the body is longer than %s", bytesText(maxAnswer))
	}
	return answer{res, strings.ToValidUTF8(string(text), "\uFFFD")}, nil
}

// plain takes the whole address, which may hold a password, out of an error.
func plain(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.New("no whole answer in the time allowed: give the option timeout, in milliseconds, when it needs longer")
	}
	return err
}

// response makes the script's word for an answer.
func (l *loop) response(a answer) goja.Value {
	promised := func(produce func() (goja.Value, error)) goja.Value {
		promise, resolve, reject := l.vm.NewPromise()
		value, err := produce()
		if e, ok := errors.AsType[*goja.Exception](err); ok {
			err = reject(e.Value())
		} else if err == nil {
			err = resolve(value)
		}
		if err != nil {
			panic(err)
		}
		return l.vm.ToValue(promise)
	}
	read, _ := goja.AssertFunction(l.vm.Get("JSON").ToObject(l.vm).Get("parse"))
	return l.vm.ToValue(map[string]any{
		"status":     a.res.StatusCode,
		"statusText": http.StatusText(a.res.StatusCode),
		"ok":         a.res.StatusCode >= 200 && a.res.StatusCode < 300,
		"url":        a.res.Request.URL.Redacted(),
		"headers": map[string]any{
			"get": func(name string) any {
				if values := a.res.Header.Values(name); len(values) > 0 {
					return strings.Join(values, ", ")
				}
				return nil
			},
			"has": func(name string) bool { return len(a.res.Header.Values(name)) > 0 },
		},
		"text": func() goja.Value {
			return promised(func() (goja.Value, error) { return l.vm.ToValue(a.body), nil })
		},
		"json": func() goja.Value {
			return promised(func() (goja.Value, error) { return read(goja.Undefined(), l.vm.ToValue(a.body)) })
		},
	})
}
