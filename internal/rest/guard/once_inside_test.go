package guard

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/humatest"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/intent"
)

// A repetition that comes while the first request is being carried out is told when to
// come again.
func TestOnceUnderway(t *testing.T) {
	t.Parallel()
	s := &Guard{config: Config{Logger: slog.New(slog.DiscardHandler)}}
	i := &intent.Intent{By: access.Root(), Operation: "trigger-job", Once: "k"}
	if !s.underway.begin(intent.CallerOf(&i.By) + " k") {
		t.Fatal("nobody has used the key")
	}
	w := httptest.NewRecorder()
	ctx := humatest.NewContext(&huma.Operation{}, httptest.NewRequest(http.MethodPost, "/", nil), w)
	s.once(carried{plain: ctx, context: t.Context()}, i, Policy{}, func(huma.Context) { t.Error("it was carried out twice at once") })
	if w.Code != http.StatusConflict || w.Header().Get("Retry-After") != "1" {
		t.Errorf("got %d, Retry-After %q", w.Code, w.Header().Get("Retry-After"))
	}
}
