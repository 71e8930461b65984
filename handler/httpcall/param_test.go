package httpcall

import (
	"net/http"
	"strings"
	"testing"

	"github.com/orthd/orth/job"
)

// FuzzParse: every parameter is refused with a reason or makes a request that
// has an address and a known method.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "url: http://a.example\nmethod: get\ndata: x", `{"url":"http://a.example","json":{"a":"${secret:A}"},"secrets":["A"]}`,
		`{"url":"x","expect":["2xx",404],"timeout":"1m","form":{"a":"b"},"headers":{"a":"b"}}`, `{"url":"\n","timeout":1e300}`, "{", "url:",
	} {
		f.Add(seed)
	}
	secrets := map[string]string{"A": "hush\"hush"}
	f.Fuzz(func(t *testing.T, param string) {
		c, err := parse(param)
		if err != nil {
			if !job.Is(err, job.Invalid) || err.Error() == "" {
				t.Fatalf("%q: %v", param, err)
			}
			return
		}
		m := newMask(secrets)
		if c.reveal(secrets) != nil {
			return
		}
		m.learn(&c)
		req, err := c.request(t.Context())
		if err != nil {
			return
		}
		if req.Method == "" || req.Method != strings.ToUpper(req.Method) || req.Method == http.MethodConnect || c.Timeout < 0 {
			t.Errorf("%q: %+v", param, c)
		}
		if shown := m.address(req.URL); strings.Contains(shown, "hush\"hush") {
			t.Errorf("%q shows %q", param, shown)
		}
	})
}

func TestTrim(t *testing.T) {
	t.Parallel()
	m := newMask(map[string]string{"A": "abcabd", "B": "bd"})
	for text, want := range map[string]string{
		"":          "",
		"xyz":       "xyz",
		"xyzabcab":  "xyz",
		"xyzabca":   "xyz",
		"xyza":      "xyz",
		"xyzb":      "xyz",
		"xyzabcabd": "xyzabcabd",
	} {
		if got := m.trimPartial(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
