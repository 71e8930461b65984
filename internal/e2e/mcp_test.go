//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestMCP has an assistant make, run and delete a job with the program as it is
// delivered: what must be confirmed happens at the second call and not before.
func TestMCP(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.startServer()
	command := exec.Command(binary, "mcp", "--allow-writes", "--data", s.data())
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		t.Fatal(err)
	}
	use := func(tool string, arguments map[string]any) (text string, failed bool) {
		t.Helper()
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil || len(result.Content) == 0 {
			t.Fatalf("%s: %v", tool, err)
		}
		said, ok := result.Content[0].(*mcp.TextContent)
		if !ok {
			t.Fatalf("%s answers with %T", tool, result.Content[0])
		}
		return said.Text, result.IsError
	}
	confirmed := func(tool string, arguments map[string]any) string {
		t.Helper()
		text, failed := use(tool, arguments)
		var preview struct{ Confirm string }
		if err := json.Unmarshal([]byte(text), &preview); failed || err != nil || preview.Confirm == "" {
			t.Fatalf("%s shows %s", tool, text)
		}
		arguments["confirm"] = preview.Confirm
		text, failed = use(tool, arguments)
		if failed {
			t.Fatalf("%s: %s", tool, text)
		}
		return text
	}
	report := func() map[string]any { return map[string]any{"key": "report"} }

	body := map[string]any{"key": "report", "group": "reports", "handler": map[string]any{"kind": "named", "name": "report"}}
	if text, failed := use("create_job", map[string]any{"body": body}); failed {
		t.Fatal(text)
	}
	if text, failed := use("get_job", report()); !failed || !strings.HasPrefix(text, "not_found: ") {
		t.Fatalf("a preview made a job: %s", text)
	}
	confirmed("create_job", map[string]any{"body": body})
	confirmed("update_job", map[string]any{"key": "report", "body": map[string]any{"title": "By hand"}})
	if text, _ := use("get_job", report()); !strings.Contains(text, `"title":"By hand"`) {
		t.Errorf("the job is %s", text)
	}

	var run struct{ ID string }
	if err := json.Unmarshal([]byte(confirmed("trigger_job", report())), &run); err != nil || run.ID == "" {
		t.Fatalf("trigger_job made %+v: %v", run, err)
	}
	if runs := s.runs("report"); len(runs) != 1 || fmt.Sprint(runs[0].ID) != run.ID {
		t.Errorf("the runs are %+v", runs)
	}
	confirmed("cancel_run", map[string]any{"id": run.ID, "body": map[string]any{"reason": "a test"}})
	if text, failed := use("explain_run", map[string]any{"id": run.ID}); failed || !strings.Contains(text, "cancel") {
		t.Errorf("explain_run says %s", text)
	}

	// What changes between the two calls is not deleted.
	text, _ := use("delete_job", report())
	var preview struct{ Confirm string }
	if err := json.Unmarshal([]byte(text), &preview); err != nil {
		t.Fatal(err)
	}
	s.orth("job", "edit", "report", "--title", "Changed meanwhile")
	late := report()
	late["confirm"] = preview.Confirm
	if text, failed := use("delete_job", late); !failed || !strings.HasPrefix(text, "conflict: ") {
		t.Errorf("a job that changed meanwhile: %s", text)
	}
	confirmed("delete_job", report())
	if text, failed := use("get_job", report()); !failed {
		t.Errorf("the job is still there: %s", text)
	}
	if err := session.Close(); err != nil {
		t.Errorf("orth mcp ends with %v", err)
	}
}
