package console

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const testPage = `<!doctype html><html><head><meta property="csp-nonce" nonce="__NONCE__"><script type="module" nonce="__NONCE__" src="./assets/a-1.js"></script></head></html>`

// testZip returns an archive of files given as name, contents, name, ….
func testZip(t *testing.T, files ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		w, err := archive.Create(files[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, files[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

var testScript = strings.Repeat("console.log('orth');\n", 200)

func testHandler(t *testing.T) *handler {
	t.Helper()
	h, err := open(testZip(t, "index.html", testPage, "assets/a-1.js", testScript, "icon.svg", "<svg/>"))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func ask(h http.Handler, method, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestServesFilesAndPage(t *testing.T) {
	t.Parallel()
	h := testHandler(t)
	for _, tc := range []struct {
		method, path string
		status       int
		kind, keep   string
	}{
		{"GET", "/console/", 200, "text/html; charset=utf-8", "no-cache"},
		{"GET", "/console/index.html", 200, "text/html; charset=utf-8", "no-cache"},
		{"GET", "/console/jobs/a.b", 200, "text/html; charset=utf-8", "no-cache"},
		{"GET", "/console/assets/a-1.js", 200, "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"},
		{"HEAD", "/console/assets/a-1.js", 200, "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"},
		{"GET", "/console/icon.svg", 200, "image/svg+xml", "no-cache"},
		{"GET", "/console/assets/a-0.js", 404, "text/plain; charset=utf-8", ""},
		{"GET", "/console/assets/../../secret", 404, "text/plain; charset=utf-8", ""},
		{"GET", "/console", 302, "", ""},
		{"POST", "/console/", 405, "text/plain; charset=utf-8", ""},
		{"DELETE", "/console/assets/a-1.js", 405, "text/plain; charset=utf-8", ""},
	} {
		w := ask(h, tc.method, tc.path)
		got := []any{w.Code, w.Header().Get("Content-Type"), w.Header().Get("Cache-Control")}
		if diff := cmp.Diff([]any{tc.status, tc.kind, tc.keep}, got); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", tc.method, tc.path, diff)
		}
		for _, name := range []string{"X-Content-Type-Options", "Content-Security-Policy", "Referrer-Policy"} {
			if w.Header().Get(name) == "" {
				t.Errorf("%s %s has no %s", tc.method, tc.path, name)
			}
		}
		if tc.method == "HEAD" && w.Body.Len() > 0 {
			t.Errorf("HEAD %s has a body", tc.path)
		}
	}
}

// TestScriptPolicyAllowsConnect: a shared worker runs under the policy of its own file,
// which must allow connections to this server only.
func TestScriptPolicyAllowsConnect(t *testing.T) {
	t.Parallel()
	h := testHandler(t)
	for path, want := range map[string]string{
		"/console/assets/a-1.js": "default-src 'none'; connect-src 'self'; frame-ancestors 'none'",
		"/console/icon.svg":      "default-src 'none'; frame-ancestors 'none'",
	} {
		first := ask(h, "GET", path)
		again := ask(h, "GET", path, "If-None-Match", first.Header().Get("ETag"))
		if again.Code != http.StatusNotModified {
			t.Errorf("%s again: %d", path, again.Code)
		}
		for _, w := range []*httptest.ResponseRecorder{first, again} {
			if got := w.Header().Get("Content-Security-Policy"); got != want {
				t.Errorf("%s: %d with the policy %q, not %q", path, w.Code, got, want)
			}
		}
	}
}

func TestBaseAddressOfPage(t *testing.T) {
	t.Parallel()
	h := testHandler(t)
	for path, base := range map[string]string{
		"/console/": "./", "/console/jobs": "./", "/console/jobs/": "../", "/console/jobs/7": "../",
		"/console/groups/default/samples": "../../", "/console/jobs/7/code": "../../", "/console/jobs/a%2Fb/code": "../../", "/console/%2F%2F": "./",
	} {
		w := ask(h, "GET", path)
		if !strings.Contains(w.Body.String(), `<head><base href="`+base+`">`) {
			t.Errorf("%s: the base is not %s: %s", path, base, w.Body)
		}
	}
}

func TestNonceIsUnique(t *testing.T) {
	t.Parallel()
	h := testHandler(t)
	pattern := regexp.MustCompile(`style-src 'self' 'nonce-([A-Za-z0-9+/]{22})'`)
	seen := map[string]bool{}
	for range 20 {
		w := ask(h, "GET", "/console/runs")
		found := pattern.FindStringSubmatch(w.Header().Get("Content-Security-Policy"))
		if found == nil {
			t.Fatalf("no nonce in the policy %q", w.Header().Get("Content-Security-Policy"))
		}
		if got := strings.Count(w.Body.String(), `nonce="`+found[1]+`"`); got != 2 {
			t.Fatalf("the page has the nonce of its policy %d times, not 2: %s", got, w.Body)
		}
		if seen[found[1]] {
			t.Fatal("a nonce was reused")
		}
		seen[found[1]] = true
		if strings.Contains(w.Header().Get("Content-Security-Policy"), "unsafe") {
			t.Fatal("the policy has an unsafe source")
		}
	}
}

func TestGzipServesStoredBytes(t *testing.T) {
	t.Parallel()
	h := testHandler(t)
	w := ask(h, "GET", "/console/assets/a-1.js", "Accept-Encoding", "br, gzip;q=0.8")
	if got := w.Header().Get("Content-Encoding"); got != "gzip" {
		t.Fatalf("Content-Encoding is %q", got)
	}
	if w.Body.Len() > len(testScript)/4 {
		t.Fatalf("%d bytes of %d: it is not compressed", w.Body.Len(), len(testScript))
	}
	reader, err := gzip.NewReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(reader) // checks the CRC and the size
	if err != nil || string(text) != testScript {
		t.Fatalf("%v; %d bytes of %d", err, len(text), len(testScript))
	}
	if plain := ask(h, "GET", "/console/assets/a-1.js"); plain.Body.String() != testScript {
		t.Fatal("a client without gzip gets different contents")
	}
}

func TestAcceptsGzip(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]bool{
		"": false, "gzip": true, "GZIP": true, "deflate, gzip;q=1.0": true, "gzip; q=0": false, "gzip;q=0.000": false,
		"identity": false, "gzip;q=x": false, "x-gzip": false, "br,gzip": true,
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Accept-Encoding", header)
		if got := takesGzip(r); got != want {
			t.Errorf("%q: %v", header, got)
		}
	}
}

func TestConditionalRequests(t *testing.T) {
	t.Parallel()
	h := testHandler(t)
	for _, encoding := range []string{"", "gzip"} {
		first := ask(h, "GET", "/console/icon.svg", "Accept-Encoding", encoding)
		tag := first.Header().Get("ETag")
		again := ask(h, "GET", "/console/icon.svg", "Accept-Encoding", encoding, "If-None-Match", `W/"x", `+tag)
		if again.Code != http.StatusNotModified || again.Body.Len() > 0 || again.Header().Get("ETag") != tag {
			t.Errorf("%q: %d with %d bytes", encoding, again.Code, again.Body.Len())
		}
		if other := ask(h, "GET", "/console/icon.svg", "If-None-Match", `"000000000000000000000000"`); other.Code != http.StatusOK {
			t.Errorf("another tag: %d", other.Code)
		}
	}
}

func TestRedirectsAreRelative(t *testing.T) {
	t.Parallel()
	h := testHandler(t)
	if got := ask(h, "GET", "/console?ns=shop").Header().Get("Location"); got != "console/?ns=shop" {
		t.Errorf("to %q", got)
	}
	if got := ask(http.HandlerFunc(Redirect), "GET", "/").Header().Get("Location"); got != "console/" {
		t.Errorf("to %q", got)
	}
}

func TestRefusesBrokenArchives(t *testing.T) {
	t.Parallel()
	whole := testZip(t, "index.html", testPage, "assets/a-1.js", testScript)
	damaged := bytes.Clone(whole)
	damaged[60] ^= 0xff
	for name, packed := range map[string][]byte{
		"none": nil, "no zip": []byte("zip"), "cut": whole[:len(whole)/2], "damaged": damaged,
		"no page": testZip(t, "icon.svg", "<svg/>"), "page without head": testZip(t, "index.html", "<html>"),
		"unknown kind": testZip(t, "index.html", testPage, "tool.exe", "MZ"),
	} {
		if _, err := open(packed); err == nil {
			t.Errorf("%s: it was accepted", name)
		}
	}
}

// TestEmbedded checks the embedded console: every file that its page names exists.
func TestEmbedded(t *testing.T) {
	t.Parallel()
	h, err := New()
	if err != nil {
		t.Fatal(err)
	}
	page := ask(h, "GET", "/console/").Body.String()
	named := regexp.MustCompile(`(?:src|href)="\./([^"]+)"`).FindAllStringSubmatch(page, -1)
	if len(named) < 3 {
		t.Fatalf("the page names %d files: %s", len(named), page)
	}
	for _, name := range named {
		if w := ask(h, "GET", Prefix+name[1], "Accept-Encoding", "gzip"); w.Code != 200 || w.Header().Get("Content-Type") == "text/html; charset=utf-8" {
			t.Errorf("%s: %d %s", name[1], w.Code, w.Header().Get("Content-Type"))
		}
	}
	if strings.Contains(page, nonceMark) || strings.Contains(page, "//") && strings.Contains(page, "http") {
		t.Errorf("the page has an unreplaced placeholder or refers to another site: %s", page)
	}
}

func BenchmarkGzip(b *testing.B) {
	h, err := New()
	if err != nil {
		b.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodGet, "/console/icon.svg", nil)
	r.Header.Set("Accept-Encoding", "gzip")
	for b.Loop() {
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
}
