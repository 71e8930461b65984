package rest_test

import (
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/rest/resttest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestOpenAPI compares the document with the golden one: a change of it is a
// change of the contract.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	server := resttest.Serve(t, &resttest.Fake{}, nil)
	response, got := resttest.Send(t, server, http.MethodGet, "/api/v1/openapi.json", "")
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "application/openapi+json" {
		t.Fatalf("got %d %s", response.StatusCode, response.Header.Get("Content-Type"))
	}
	golden := filepath.Join("testdata", "openapi.json")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
		t.Errorf("the document changed; run the test with -update when that is wanted: %s", diff)
	}
}

// TestOpenAPIIsWhole checks what a reader of the document relies on.
func TestOpenAPIIsWhole(t *testing.T) {
	t.Parallel()
	server := resttest.Serve(t, &resttest.Fake{}, nil)
	_, text := resttest.Send(t, server, http.MethodGet, "/api/v1/openapi.json", "")
	var doc struct {
		OpenAPI    string
		Paths      map[string]map[string]struct{ OperationID, Summary string }
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	operations := 0
	for path, methods := range doc.Paths {
		for method, op := range methods {
			operations++
			if op.OperationID == "" || op.Summary == "" {
				t.Errorf("%s %s has no id or summary", method, path)
			}
		}
	}
	if operations < 130 {
		t.Errorf("there are only %d operations", operations)
	}
	for _, name := range []string{
		"Job", "NewJob", "Schedule", "MisfireLimits", "Run", "Attempt", "LogPage", "Executor", "Problem",
		"Calendar", "CalendarText", "Rules", "Pause", "NewPause", "Window", "Backfill", "NewBackfill", "FiringList", "FiringQuestion",
		"Stats", "DayStats", "Figures", "NewCopies", "Copies",
		"AlarmRule", "NewAlarmRule", "AlarmChannel", "NewAlarmChannel", "AlarmSilence", "Alarm", "Notification",
	} {
		if len(doc.Components.Schemas[name].Properties) == 0 {
			t.Errorf("the schema %s is missing or empty", name)
		}
	}
	for _, name := range []string{"ErrorModel", "ErrorDetail"} {
		if _, ok := doc.Components.Schemas[name]; ok {
			t.Errorf("the schema %s is not ours", name)
		}
	}
	schedule := doc.Components.Schemas["Schedule"].Properties
	if of, err := json.Marshal(schedule["of"]); err != nil || !strings.Contains(string(of), `"items":{"$ref":"#/components/schemas/Schedule"}`) {
		t.Errorf("the schedules of several are %s, %v", of, err)
	}
	if _, shown := schedule["seed"]; shown {
		t.Error("the seed of a schedule is shown")
	}
	if strings.Contains(text, "$schema") || strings.Contains(text, "unpkg") {
		t.Error("the document points elsewhere")
	}
}
