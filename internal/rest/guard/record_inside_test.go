package guard

import (
	"context"
	"net/http"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/orthd/orth/access"
)

// An operation that lacks what decides who may use it is none.
func TestIncompleteRecordsPanic(t *testing.T) {
	t.Parallel()
	whole := Op{ID: "show", Method: http.MethodGet, Path: "/things", Right: access.View, Scope: Anywhere, Class: Reading}
	for name, spoil := range map[string]func(*Op){
		"no id":    func(o *Op) { o.ID = "" },
		"no right": func(o *Op) { o.Right = "" },
		"no scope": func(o *Op) { o.Scope = nil },
		"no class": func(o *Op) { o.Class = 0 },
		"":         func(*Op) {},
	} {
		o := whole
		spoil(&o)
		s := &Guard{routes: map[string]*Op{}}
		s.api = newAPI(http.NewServeMux(), func(_ huma.Context, _ string, body any) (any, error) { return body, nil })
		func() {
			defer func() {
				if refused := recover() != nil; refused != (name != "") {
					t.Errorf("%q: refused %t", name, refused)
				}
			}()
			Register(s, o, func(context.Context, *struct{}) (*struct{}, error) { return nil, nil })
		}()
	}
}

// What takes If-Match changes an object that can be read with its tag.
func TestMatching(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		op   Op
		want bool
	}{
		{Op{Method: http.MethodPatch, Policy: Policy{Kind: KindJob}}, true},
		{Op{Method: http.MethodPut, Policy: Policy{Kind: KindCalendar}}, true},
		{Op{Method: http.MethodDelete, Policy: Policy{Kind: KindUser}}, true},
		{Op{Method: http.MethodPost, Policy: Policy{Kind: KindJob, Match: true}}, true},
		{Op{Method: http.MethodPost, Policy: Policy{Kind: KindJob}}, false},
		{Op{Method: http.MethodPut}, false},
		{Op{Method: http.MethodDelete, Policy: Policy{Kind: KindUser, Part: true}}, false},
		{Op{Method: http.MethodPut, Policy: Policy{Kind: KindUser, Made: true}}, false},
		{Op{Method: http.MethodGet, Policy: Policy{Kind: KindJob}}, false},
	} {
		if got := c.op.matches(); got != c.want {
			t.Errorf("%s with %+v: %t, want %t", c.op.Method, c.op.Policy, got, c.want)
		}
	}
}
