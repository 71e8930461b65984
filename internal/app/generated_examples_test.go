package app

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// The contract says of each operation what it is and what it needs, shows a request
// and an answer that its own schemas allow, and declares the answers that come of how
// a request is carried out.
func TestContractIsWhole(t *testing.T) {
	t.Parallel()
	c := contractOf(t, besiege(t).Server)
	for _, o := range c.operations {
		if len(strings.Fields(o.Description)) < 5 {
			t.Errorf("%s has the description %q", o.ID, o.Description)
		}
		for kind, m := range o.Body.Content {
			if kind == "application/json" {
				exemplary(t, c, o.ID+", the request", m)
			}
		}
		for _, status := range []string{"429", "503"} {
			if _, is := o.Responses[status]; !is {
				t.Errorf("%s does not declare %s", o.ID, status)
			}
		}
		for status, a := range o.Responses {
			for kind, m := range a.Content {
				if kind == "application/json" || kind == "application/problem+json" {
					exemplary(t, c, o.ID+", the answer "+status, m)
				}
			}
		}
		for name, status := range map[string]string{"dry_run": "200", "If-None-Match": "304"} {
			asked := slices.ContainsFunc(o.Parameters, func(p parameter) bool { return p.Name == name })
			if _, is := o.Responses[status]; asked && !is {
				t.Errorf("%s takes %s and does not declare %s", o.ID, name, status)
			}
		}
	}
}

// exemplary reports a body without an example, or with one that its schema forbids.
func exemplary(t *testing.T, c *contract, where string, m media) {
	t.Helper()
	if len(m.Example) == 0 || string(m.Example) == "null" {
		t.Errorf("%s: there is no example", where)
		return
	}
	if err := c.valid(m.Example, m.Schema); err != nil {
		t.Errorf("%s: %v: %.300s", where, err, m.Example)
	}
	if m.Schema.Ref != "" && string(m.Example) == "{}" && len(c.resolve(m.Schema).Properties) > 0 {
		t.Errorf("%s: the example shows nothing", where)
	}
	if !json.Valid(m.Example) {
		t.Errorf("%s: the example is no JSON", where)
	}
}
