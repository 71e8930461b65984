package jobs_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/rest/resttest"
)

// FuzzCreateJob checks that no body makes the server fail.
func FuzzCreateJob(f *testing.F) {
	for _, body := range []string{
		``, `{}`, `[]`, `null`, `{"key":`, `{"key":null,"group":1e999}`, `{"timeout":"1h","timeout":"0s"}`,
		`{"key":"x","group":"g","handler":{"kind":"named","name":"h"},"schedule":{"kind":"once","at":"2030-01-31T08:00:00Z"}}`,
		`{"key":"x","group":"g","handler":{"kind":"shell","source":"\u0000\ud800"},"retry":{"tries":1,"multiplier":1e308}}`,
		`{"schedule":{"kind":"several","of":[{"kind":"several","of":[{"kind":"after","after":"1h"}]},{"kind":"daily","daily":"x","of":null}]}}`,
	} {
		f.Add(body)
	}
	catalog := &resttest.Fake{}
	handler, err := rest.New(catalog.Config())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/jobs", strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+resttest.Token)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Errorf("status %d for the body %q: %s", w.Code, body, w.Body)
		}
	})
}
