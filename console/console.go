package console

import (
	"crypto/rand"
	_ "embed" // dist.zip
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
)

// Prefix is the path of the console. A server routes this tree, and the path without
// the trailing slash, to the handler of [New].
const Prefix = "/console/"

// indexName is the page; assets is the folder of files named by the digest of their content.
const (
	indexName = "index.html"
	assets    = "assets/"
)

//go:embed dist.zip
var dist []byte

// handler serves the files. It is immutable after open.
type handler struct {
	files map[string]*file
	index string // the page, with placeholders for values that differ per response
}

// New returns the handler of the console. An error means that the embedded dist.zip
// is broken.
func New() (http.Handler, error) { return open(dist) }

// open reads the files of a zip archive.
func open(packed []byte) (*handler, error) {
	files, err := readFiles(packed)
	if err != nil {
		return nil, fmt.Errorf("read the console's dist.zip: %w", err)
	}
	page := files[indexName]
	if page == nil {
		return nil, fmt.Errorf("the console's dist.zip has no %s", indexName)
	}
	text, err := io.ReadAll(page.inflate())
	if err != nil {
		return nil, fmt.Errorf("read the console's %s: %w", indexName, err)
	}
	if !strings.Contains(string(text), headMark) {
		return nil, fmt.Errorf("the console's %s has no %s", indexName, headMark)
	}
	delete(files, indexName) // never served unchanged
	return &handler{files: files, index: string(text)}, nil
}

// ServeHTTP responds with a file, or with the page for any other path: the page shows
// an error for unknown paths.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	secure(w.Header(), r)
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "The console is only read; the API is at /api/v1.", http.StatusMethodNotAllowed)
		return
	}
	name, below := strings.CutPrefix(r.URL.Path, Prefix)
	switch found := h.files[name]; {
	case !below:
		w.Header().Set("Location", relative(path.Base(Prefix)+"/", r))
		w.WriteHeader(http.StatusFound)
	case found != nil:
		found.serve(w, r)
	case strings.HasPrefix(name, assets):
		// A page of an older version requests its files: it must not get the page instead.
		http.Error(w, "There is no such file. Load the page again.", http.StatusNotFound)
	default:
		h.servePage(w, r)
	}
}

// Redirect redirects to the console. The location is relative, so it is valid below
// any path prefix.
func Redirect(w http.ResponseWriter, r *http.Request) {
	secure(w.Header(), r)
	w.Header().Set("Location", relative(strings.TrimPrefix(Prefix, "/"), r))
	w.WriteHeader(http.StatusFound)
}

// relative returns a relative address with the query of the request.
func relative(to string, r *http.Request) string {
	if r.URL.RawQuery != "" {
		to += "?" + r.URL.RawQuery
	}
	return to
}

// Placeholders in the page: the base element is inserted after headMark, the nonce
// replaces nonceMark.
const (
	headMark  = "<head>"
	nonceMark = "__NONCE__"
)

// servePage responds with the page for a path below Prefix: with a base address that
// leads to the console's folder, and an unpredictable nonce.
func (h *handler) servePage(w http.ResponseWriter, r *http.Request) {
	// Browsers resolve relative addresses by literal slashes: %2F is not one.
	depth := strings.Count(r.URL.EscapedPath(), "/") - strings.Count(Prefix, "/")
	if depth < 0 {
		http.Error(w, "There is no such page. The console is at "+Prefix+".", http.StatusNotFound)
		return
	}
	nonce, base := newNonce(), "./"
	if depth > 0 {
		base = strings.Repeat("../", depth)
	}
	page := strings.Replace(h.index, headMark, headMark+`<base href="`+base+`">`, 1)
	page = strings.ReplaceAll(page, nonceMark, nonce)
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Cache-Control", "no-cache")
	header.Set("Content-Security-Policy", policy(nonce))
	if r.Method == http.MethodGet {
		_, _ = io.WriteString(w, page) // the client may have disconnected
	}
}

// policy returns the content security policy of the page. It allows only script files of
// the server. Style elements added by libraries carry the nonce.
func policy(nonce string) string {
	return "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-" + nonce + "'; img-src 'self' data:; " +
		"font-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'self'; form-action 'self'"
}

func newNonce() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return base64.RawStdEncoding.EncodeToString(b[:])
}

// secure sets the security headers of every response.
func secure(h http.Header, r *http.Request) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	if r.TLS != nil {
		h.Set("Strict-Transport-Security", "max-age=15768000")
	}
}
