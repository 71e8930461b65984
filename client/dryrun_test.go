package client_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
)

// Calls with WithDryRun say that they are to be undone, those that only read and those
// without it do not.
func TestWithDryRun(t *testing.T) {
	t.Parallel()
	var seen []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Method+" "+r.URL.Query().Get("dry_run"))
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{}`))
	}))
	defer server.Close()
	c, err := client.New(client.Config{Address: server.URL, Token: token})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	dry := client.WithDryRun(t.Context())
	for _, call := range []func() error{
		func() error { _, err := c.CreateJob(dry, api.NewJob{}); return err },
		func() error { _, err := c.EditGroup(dry, "g", api.GroupPatch{}); return err },
		func() error { return c.DeleteGroup(dry, "g") },
		func() error { _, err := c.Job(dry, "report"); return err },
		func() error { _, err := c.EditGroup(t.Context(), "g", api.GroupPatch{}); return err },
	} {
		if err := call(); err != nil {
			t.Error(err)
		}
	}
	for i, want := range []string{"POST true", "PATCH true", "DELETE true", "GET ", "PATCH "} {
		if seen[i] != want {
			t.Errorf("call %d is %q, want %q", i, seen[i], want)
		}
	}
}
