package operation_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/rest/resttest"
)

// A body is neither deeper nor has more in it than anybody needs.
func TestShape(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	for _, c := range []struct {
		name, body string
		want       string
	}{
		{"arrays", strings.Repeat("[", 33) + strings.Repeat("]", 33), "more than 32 levels"},
		{"arrays that do not end", strings.Repeat("[", 500_000), "more than 32 levels"},
		{"objects", strings.Repeat(`{"a":`, 33) + "1" + strings.Repeat("}", 33), "more than 32 levels"},
		{"as deep as it may be", strings.Repeat("[", 32) + strings.Repeat("]", 32), "object"},
		{"texts", `{"key":"` + strings.Repeat("[", 40) + `\"` + strings.Repeat("{", 40) + `"}`, "is missing"},
		{"one after the other", `[` + strings.Repeat("[],", 40) + `[]]`, "object"},
		{"many numbers", "[" + strings.Repeat("1,", 100_000) + "1]", "more than 100000 values"},
		{"many fields", `{"a":1` + strings.Repeat(`,"a":1`, 100_000) + "}", "more than 100000 values"},
	} {
		response, body := resttest.Send(t, server, http.MethodPost, "/api/v1/jobs", c.body)
		if !strings.Contains(body, c.want) || response.StatusCode < 400 || response.StatusCode >= 500 || f.Called() != "" {
			t.Errorf("%s: %d %.300s", c.name, response.StatusCode, body)
		}
	}
}
