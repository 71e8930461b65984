package cli_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// Each way of printing, for a list and for one thing.
func TestOutputs(t *testing.T) {
	t.Parallel()
	jobs := map[string][]string{
		"GET /jobs": {`200 {"jobs":[` + byHand + `,` + ping + `,` + report + `]}`}, "GET /jobs/report": {"200 " + report},
		"GET /runs": {`200 {"runs":[` + failed + `]}`}, "GET /executors": {`200 {"executors":[{"group":"g","address":"http://10.0.0.1:9999"}]}`},
	}
	for _, c := range []struct{ line, want string }{
		{"job list -o name", "by-hand\nping\nreport\n"},
		{"job show report -o name", "report\n"},
		{"run list -o name", runID + "\n"},
		{"executors -o name", "http://10.0.0.1:9999\n"},
		{"job list --no-headers --columns key,STATE", "by-hand  manual\nping     disabled\nreport   enabled\n"},
		{"job list --columns STATE", "STATE\nmanual\ndisabled\nenabled\n"},
		{"run list --no-headers --columns TRIES,JOB -o wide", "2  report\n"},
	} {
		server := newFake(t, jobs)
		if r := orth(t.Context(), server.env(), strings.Fields(c.line)...); r.code != 0 || r.stdout != c.want || r.stderr != "" {
			t.Errorf("%s: exit code %d, %q, %q, want %q", c.line, r.code, r.stdout, r.stderr, c.want)
		}
	}
	server := newFake(t, jobs)
	if r := orth(t.Context(), server.env(), "job", "list", "--columns", "COLOUR"); r.code != 2 || !strings.Contains(r.stderr, "the columns are KEY,GROUP,SCHEDULE") {
		t.Errorf("an unknown column: exit code %d, %s", r.code, r.stderr)
	}
	if r := orth(t.Context(), server.env(), "run", "list", "-o", "wide"); !strings.Contains(r.stdout, "much too long for a cell of a table  [31m") {
		t.Errorf("a cell of a wide table is cut: %s", r.stdout)
	}
}

// YAML has the names of JSON in their order, and says the same.
func TestYAMLIsTheJSON(t *testing.T) {
	t.Parallel()
	server := newFake(t, map[string][]string{"GET /jobs/report": {"200 " + report}, "GET /runs/" + runID: {"200 " + failed}, "GET /runs/" + runID + "/attempts": {"200 " + attempts}})
	for _, line := range []string{"job show report", "run show " + runID} {
		args := strings.Fields(line)
		asYAML, asJSON := orth(t.Context(), server.env(), append(args, "-o", "yaml")...), orth(t.Context(), server.env(), append(args, "-o", "json")...)
		var fromYAML, fromJSON any
		if err := yaml.Unmarshal([]byte(asYAML.stdout), &fromYAML); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(asJSON.stdout), &fromJSON); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(fromJSON, plainNumbers(fromYAML)); diff != "" {
			t.Errorf("%s: %s", line, diff)
		}
		if !strings.HasPrefix(asYAML.stdout, "id: ") {
			t.Errorf("%s: the order is lost: %s", line, asYAML.stdout)
		}
	}
	if r := orth(t.Context(), server.env(), "run", "show", runID, "-o", "yaml"); !strings.Contains(r.stdout, `id: "`+runID+`"`) {
		t.Errorf("an id is no text any more: %s", r.stdout)
	}
}

// plainNumbers makes numbers what JSON has.
func plainNumbers(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name := range v {
			v[name] = plainNumbers(v[name])
		}
	case []any:
		for i := range v {
			v[i] = plainNumbers(v[i])
		}
	case int:
		return float64(v)
	}
	return value
}
