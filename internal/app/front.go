package app

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/orthd/orth/console"
	"github.com/orthd/orth/internal/app/oldadmin"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/wire/native"
	"github.com/orthd/orth/internal/wire/xxl"
	"github.com/orthd/orth/internal/wire/xxladmin"
)

// front sends requests to the door that knows them. All paths may stand behind the
// path of the public address, and those of executors behind the context path of the
// old admins too.
type front struct {
	api     http.Handler
	native  http.Handler
	wire    http.Handler
	admin   http.Handler // the web API of the old admins
	console http.Handler // nil when there is none
	// secure sets the headers of every answer: the API and the console do it themselves.
	secure func(http.Header, *http.Request)
	// spokenFor returns a request with the client address that a trusted proxy names.
	spokenFor func(*http.Request) *http.Request
	before    string // the path of the public address, without a slash at its end
	version   string
}

// ServeHTTP implements http.Handler.
func (f front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if f.before != "" {
		if path, below := strings.CutPrefix(r.URL.Path, f.before); below && (f.forPeople(path) || path == "/" || forExecutors(path) && !forExecutors(r.URL.Path)) {
			http.StripPrefix(f.before, http.HandlerFunc(f.route)).ServeHTTP(w, r)
			return
		}
	}
	f.route(w, r)
}

func (f front) route(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case f.console != nil && isConsole(path):
		f.console.ServeHTTP(w, r)
	case f.forPeople(path):
		f.api.ServeHTTP(w, r)
	default:
		f.secure(w.Header(), r)
		f.elsewhere(w, r, path, reads)
	}
}

// elsewhere serves what is neither of the API nor of the console.
func (f front) elsewhere(w http.ResponseWriter, r *http.Request, path string, reads bool) {
	switch {
	case path == "/" && reads && f.console != nil && strings.Contains(r.Header.Get("Accept"), "text/html"):
		console.Redirect(w, r)
	case path == "/" && reads:
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = fmt.Fprintf(w, "Orth %s\n\nThe API is at /api/v1 (description: /api/v1/openapi.json).\nThe command line: orth job list, orth run list.\n", f.version)
	case native.ServesBelow(path):
		f.native.ServeHTTP(w, oldadmin.WithOrigin(f.spokenFor(r)))
	case xxladmin.Serves(path):
		f.admin.ServeHTTP(w, r)
	default:
		f.wire.ServeHTTP(w, oldadmin.WithOrigin(f.spokenFor(r)))
	}
}

// forPeople reports whether a path is for people and programs, not for executors.
func (f front) forPeople(path string) bool {
	return strings.HasPrefix(path, guard.Prefix+"/") || path == rest.HealthPath || path == rest.ReadyPath || path == rest.MetricsPath ||
		f.console != nil && isConsole(path)
}

// forExecutorsAlone reports whether executors alone send requests to a path.
func (f front) forExecutorsAlone(path string) bool {
	path, _ = strings.CutPrefix(path, f.before)
	return !f.forPeople(path) && (native.ServesBelow(path) || xxl.ServesAdmin(path))
}

// forExecutors reports whether a path is one of the wire, or of the web API of the old
// admins.
func forExecutors(path string) bool {
	return native.ServesBelow(path) || xxl.ServesAdmin(path) || xxladmin.Serves(path)
}

func isConsole(path string) bool {
	return strings.HasPrefix(path, console.Prefix) || path == strings.TrimSuffix(console.Prefix, "/")
}

// console returns what serves the console, nil when it is turned off.
func (c *Config) console() (http.Handler, error) {
	if c.NoConsole {
		return nil, nil
	}
	return console.New()
}

// publicPath returns the path of the public address, without a slash at its end.
func (c *Config) publicPath() string {
	u, err := url.Parse(c.PublicURL)
	if err != nil { // it was checked before
		return ""
	}
	return strings.TrimSuffix(u.Path, "/")
}
