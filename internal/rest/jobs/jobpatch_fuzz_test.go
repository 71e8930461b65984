package jobs_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/rest/resttest"
	"github.com/orthd/orth/job"
)

// FuzzUpdateJob: whatever the patch is, the answer is a job in its namespace, or
// a problem that is not the server's.
func FuzzUpdateJob(f *testing.F) {
	for _, seed := range []string{
		`{}`, `null`, `[]`, `{"title":null,"labels":{"a":null}}`, `{"schedule":{"kind":"every","every":"5s"},"version":3}`,
		`{"handler":{"kind":"shell","source":"x"}}`, `{"retry":{"tries":1e3}}`, `{"template":"a","template_version":1}`,
		`{"schedule":{"of":[{"kind":"cron"}]}}`, `{"SCHEDULE":{}}`, `{"version":1e300}`, `{"children":[{}]}`, `{"a`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, patch string) {
		catalog := &resttest.Fake{Old: fullJob()}
		response, body := resttest.Send(t, resttest.Serve(t, catalog, nil), http.MethodPatch, "/api/v1/jobs/report", patch)
		if response.StatusCode >= http.StatusInternalServerError || !json.Valid([]byte(body)) {
			t.Fatalf("%s: status %d, %s", patch, response.StatusCode, body)
		}
		lines := strings.Split(catalog.Called(), "\n")
		_, text, asked := strings.Cut(lines[len(lines)-1], ": ")
		if response.StatusCode != http.StatusOK || !asked {
			return
		}
		var got job.Job
		if err := json.Unmarshal([]byte(text), &got); err != nil || got.Namespace == "" {
			t.Fatalf("%s: %v in %s", patch, err, text)
		}
	})
}
