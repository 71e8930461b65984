package registry

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/job"
)

func TestRewritten(t *testing.T) {
	t.Parallel()
	rules := []job.Rewrite{
		{From: "http://172.17.0.9:", To: "http://nine:{port}/x"},
		{From: "http://172.17.", To: "http://gateway:8080"},
		{From: "10.1.0.0/16", To: "https://{host}.nodes.example.com:{port}"},
		{From: "fd00::/8", To: "http://{host}:{port}"},
		{From: "http://odd.", To: "http://{port}:{host}"},
		{From: "http://odd.", To: "http://fallback"},
	}
	for address, want := range map[string]string{
		"http://172.17.0.9:9999/":   "http://nine:9999/x",
		"http://172.17.0.99:9999":   "http://gateway:8080",
		"https://172.17.0.9:9999":   "https://172.17.0.9:9999",
		"http://10.1.200.3:7777/a/": "https://10.1.200.3.nodes.example.com:7777",
		"http://10.1.0.1":           "https://10.1.0.1.nodes.example.com:80",
		"https://10.1.0.1":          "https://10.1.0.1.nodes.example.com:443",
		"http://10.2.0.1:9999":      "http://10.2.0.1:9999",
		"https://[fd00::1]:9999":    "http://[fd00::1]:9999",
		"http://10.1.example:9999":  "http://10.1.example:9999",
		"http://odd.one:9999":       "http://fallback",
		"http://elsewhere":          "http://elsewhere",
		"http://%zz":                "http://%zz",
	} {
		if got := rewritten(rules, address); got != want {
			t.Errorf("%s became %s, want %s", address, got, want)
		}
	}
	if got := rewritten(nil, "http://172.17.0.9:1"); got != "http://172.17.0.9:1" {
		t.Errorf("no rules make %s of it", got)
	}
}

func TestRewritesAreChecked(t *testing.T) {
	t.Parallel()
	r := New(Config{Store: newRows()})
	for _, rule := range []job.Rewrite{
		{From: "", To: "http://b"},
		{From: "172.17.", To: "http://b"},
		{From: "172.17.0.0/99", To: "http://b"},
		{From: "http://a", To: ""},
		{From: "http://a", To: "b:{port}"},
		{From: "http://a", To: "http://b:{host}"},
		{From: "http://a", To: "http://b?{host}"},
		{From: "http://" + strings.Repeat("a", job.MaxAddress), To: "http://b"},
	} {
		err := r.SaveRewrites(t.Context(), "g", []job.Rewrite{{From: "10.0.0.0/8", To: "http://c"}, rule})
		if !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), "rules[1].") {
			t.Errorf("%+v: %v", rule, err)
		}
	}
	many := make([]job.Rewrite, job.MaxRewrites+1)
	for i := range many {
		many[i] = job.Rewrite{From: "http://a", To: "http://b"}
	}
	for _, err := range []error{
		r.SaveRewrites(t.Context(), "g", many),
		r.SaveRewrites(t.Context(), "a b", nil),
	} {
		if !job.Is(err, job.Invalid) {
			t.Errorf("got %v", err)
		}
	}
	if _, err := r.Rewrites(t.Context(), ""); !job.Is(err, job.Invalid) {
		t.Errorf("the rules of no group: %v", err)
	}
	if rules, err := r.Rewrites(t.Context(), "g"); err != nil || rules != nil {
		t.Errorf("bad rules were saved: %v, %v", rules, err)
	}
}

// An executor is known at the address that its group's rule makes, from the
// first beat on, also when it comes before the rules were read.
func TestRegistrationIsRewritten(t *testing.T) {
	t.Parallel()
	store := newRows()
	rules := []job.Rewrite{{From: "http://172.17.", To: "http://gateway:{port}"}}
	store.rules["a"] = rules
	early := New(Config{Store: store})
	if err := early.Register(t.Context(), job.Beat{Group: "a", Address: "http://172.17.0.2:9999"}); err != nil {
		t.Fatal(err)
	}
	if _, ok := store.leases[seat{"a", "http://gateway:9999"}]; !ok {
		t.Errorf("the leases are %v", store.leases)
	}
	synctest.Test(t, func(t *testing.T) {
		store := newRows()
		r := start(t, Config{Store: store})
		if err := r.SaveRewrites(t.Context(), "a", rules); err != nil {
			t.Fatal(err)
		}
		register(t, r, "a", "http://172.17.0.2:9999", "http://10.0.0.1:9999")
		register(t, r, "b", "http://172.17.0.2:9999")
		wantAlive(t, r, 1, "http://10.0.0.1:9999", "http://gateway:9999")
		wantAlive(t, r, 2, "http://172.17.0.2:9999") // another group's rule is none of its business
		var as []string
		for _, e := range r.Executors() {
			as = append(as, e.RegisteredAs)
		}
		if diff := gocmp.Diff([]string{"", "http://172.17.0.2:9999", ""}, as); diff != "" {
			t.Errorf("registered as (-want +got):\n%s", diff)
		}
		// The farewell names the registered address, even after the rules changed.
		if err := r.Deregister(t.Context(), "a", "http://172.17.0.2:9999"); err != nil {
			t.Fatal(err)
		}
		wantAlive(t, r, 1, "http://10.0.0.1:9999")
		if err := r.SaveRewrites(t.Context(), "a", nil); err != nil {
			t.Fatal(err)
		}
		register(t, r, "a", "http://172.17.0.2:9999")
		wantAlive(t, r, 1, "http://10.0.0.1:9999", "http://172.17.0.2:9999")
		if got, err := r.Rewrites(t.Context(), "a"); err != nil || len(got) != 0 {
			t.Errorf("rules %v, %v", got, err)
		}
		// Rules that another server saved are known soon.
		store.set(func() { store.rules["a"] = rules })
		time.Sleep(2 * time.Second)
		synctest.Wait()
		register(t, r, "a", "http://172.17.0.3:7777")
		wantAlive(t, r, 1, "http://10.0.0.1:9999", "http://172.17.0.2:9999", "http://gateway:7777")
	})
}
