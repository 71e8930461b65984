package post

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// header returns the lines as a reader finds them.
func (f Fields) header() http.Header {
	h := http.Header{}
	f.AddTo(h)
	return h
}

func TestFields(t *testing.T) {
	t.Parallel()
	lines := Fields(nil).Add("Orth-One", "a: b").AddInt("Orth-Two", -7).Add("XXL-EMPTY", "")
	if want := "Orth-One: a: b\r\nOrth-Two: -7\r\nXXL-EMPTY: \r\n"; string(lines) != want {
		t.Errorf("lines %q; want %q", lines, want)
	}
	want := http.Header{"Orth-One": {"a: b"}, "Orth-Two": {"-7"}, "XXL-EMPTY": {""}}
	if diff := cmp.Diff(want, lines.header()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
