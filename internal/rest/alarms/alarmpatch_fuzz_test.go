package alarms_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/rest/resttest"
)

// FuzzUpdateAlarms: whatever the patch of a rule or a channel is, the answer is the
// thing in its namespace with its key, or a problem that is not the server's.
func FuzzUpdateAlarms(f *testing.F) {
	for _, seed := range []string{
		`{}`, `null`, `[]`, `{"title":null,"scope":{"labels":{"team":null}}}`, `{"kinds":["lost"],"version":2}`, `{"repeat":"never","wait":"1s"}`,
		`{"escalation":[{"after":"1h","channels":["a"]}]}`, `{"factor":1e300}`, `{"count":-1}`, `{"SCOPE":{"jobs":[1]}}`, `{"enabled":null}`,
		`{"settings":{"host":null},"secrets":{"password":null}}`, `{"secrets":[]}`, `{"template":{"title":7}}`, `{"per_minute":1e3}`, `{"a`,
	} {
		f.Add(seed)
	}
	asked := &resttest.Fake{}
	handler, err := rest.New(asked.Config())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, patch string) {
		for _, path := range []string{"rules/nightly", "channels/ops"} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPatch, "/api/v1/alarm/"+path, strings.NewReader(patch))
			r.Header.Set("Authorization", "Bearer "+resttest.Token)
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			if w.Code >= http.StatusInternalServerError || !json.Valid(w.Body.Bytes()) {
				t.Fatalf("%s: status %d, %s", patch, w.Code, w.Body)
			}
			_ = asked.Called() // keeps the notes short
			if w.Code != http.StatusOK {
				continue
			}
			_, key, _ := strings.Cut(path, "/")
			var got struct{ Namespace, Key string }
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got.Namespace != "default" || got.Key != key {
				t.Fatalf("%s: %v in %s", patch, err, w.Body)
			}
		}
	})
}
