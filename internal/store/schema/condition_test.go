package schema_test

import (
	"fmt"
	"testing"

	"github.com/orthd/orth/internal/store/schema"
)

func TestTexts(t *testing.T) {
	t.Parallel()
	db := of(t, nil).DB
	for query, want := range map[string]string{
		"SELECT 'b' UNION ALL SELECT 'a'": "[b a] <nil>",
		"SELECT 'a' WHERE 1 = 0":          "[] <nil>",
	} {
		all, err := schema.Texts(t.Context(), db, query)
		if got := fmt.Sprint(all, err); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	for _, query := range []string{"SELECT nothing", "SELECT 'a', 'b'"} {
		if all, err := schema.Texts(t.Context(), db, query); err == nil {
			t.Errorf("%s: %v and no error", query, all)
		}
	}
}
