package rest_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/orthd/orth/internal/rest"
)

// deadlines notes until when an answer has to be read.
type deadlines struct {
	*httptest.ResponseRecorder
	write time.Time
}

func (d *deadlines) SetWriteDeadline(at time.Time) error {
	d.write = at
	return nil
}

// An answer has to be read in its time.
func TestSlowReaders(t *testing.T) {
	t.Parallel()
	f := &fake{}
	c := f.config()
	c.Timeout = time.Minute
	handler, err := rest.New(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/jobs", "/runs/5", "/nothing", "/openapi"} {
		d := &deadlines{ResponseRecorder: httptest.NewRecorder()}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, rest.Prefix+path, nil)
		r.Header.Set("Authorization", "Bearer "+token)
		before := time.Now()
		handler.ServeHTTP(d, r)
		if after := d.write.Sub(before); after < time.Minute || after > 2*time.Minute {
			t.Errorf("%s: the answer has to be read within %s", path, after)
		}
	}
}
