package app

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/console"
	"github.com/orthd/orth/internal/alerting"
	"github.com/orthd/orth/internal/credential"
)

// consoleAddressFile keeps, in the data folder, the address at which an administrator
// was last seen to use the console.
const consoleAddressFile = "console.address"

// maxAddress bounds an address, in bytes.
const maxAddress = 300

// siteAddress is where people reach this server. The first of these counts:
//
//  1. the address of --public-url;
//  2. the one by which an administrator last signed in with a browser. Nobody else is
//     believed, because a Host header is what a caller likes it to be;
//  3. the address that the server listens at, unless it listens at all of them.
//
// It is safe for concurrent use.
type siteAddress struct {
	public string // of --public-url, without a slash at its end; empty for none
	bound  string // the third one; empty for none
	file   string
	logger *slog.Logger

	mu   sync.Mutex
	seen string // the second one; empty for none; guarded by mu
}

// newSiteAddress returns what is known at the start.
func (s *Server) newSiteAddress(logger *slog.Logger) *siteAddress {
	c := &s.config
	a := &siteAddress{public: strings.TrimRight(c.PublicURL, "/"), file: filepath.Join(c.Data, consoleAddressFile), logger: logger}
	if a.public != "" || c.NoConsole {
		return a
	}
	if host, _, err := net.SplitHostPort(s.listener.Addr().String()); err == nil && !net.ParseIP(host).IsUnspecified() {
		a.bound = s.URL()
	}
	text, err := os.ReadFile(a.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		logger.Warn("the address of the console that is kept cannot be read", "file", a.file, "error", err)
	}
	if origin := strings.TrimSpace(string(text)); isSite(origin) {
		a.seen = origin
	}
	if a.base() == "" {
		logger.Info("messages about alarms have no links: set --public-url, or sign in as an administrator with a browser")
	}
	return a
}

// base returns the address without a slash at its end, empty when it is not known.
func (a *siteAddress) base() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.public != "":
		return a.public
	case a.seen != "":
		return a.seen
	}
	return a.bound
}

// page returns the address of a page of the console, empty when it is not known. Chat
// services read two underscores as mark-up: the second one is escaped.
func (a *siteAddress) page(path string) string {
	base := a.base()
	if base == "" {
		return ""
	}
	return base + strings.ReplaceAll(path, "__", "_%5F")
}

// links returns the addresses of pages for messages about alarms.
func (a *siteAddress) links() alerting.Links {
	return alerting.Links{
		Run:    func(id int64) string { return a.page(console.RunPage(id)) },
		Alarm:  func(id int64) string { return a.page(console.AlarmPage(id)) },
		Job:    func(namespace, key string) string { return a.page(console.JobPage(namespace, key)) },
		Group:  func(namespace, key string) string { return a.page(console.GroupPage(namespace, key)) },
		Alarms: func() string { return a.page(console.AlarmsPage) },
	}
}

// signedIn learns the address from an administrator's browser. One of this machine
// itself teaches nothing: others do not reach the server by it.
func (a *siteAddress) signedIn(u *access.User, origin string) {
	caller := u.Principal(0)
	if a.public != "" || !isSite(origin) || !caller.May(access.Admin, access.Server()) {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.seen == origin {
		return
	}
	a.seen = origin
	a.logger.Info("messages about alarms link to the address by which an administrator has signed in; --public-url names another", "address", origin)
	if err := os.WriteFile(a.file, []byte(origin+"\n"), 0o600); err != nil {
		a.logger.Warn("the address of the console is not kept over a restart", "file", a.file, "error", err)
	}
}

// isSite reports whether an origin may be the address of a server that others reach.
func isSite(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && len(origin) <= maxAddress && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" &&
		origin == u.Scheme+"://"+u.Host && !credential.Loopback(u.Hostname())
}

// warnings reports that messages have no links, when there are channels that would carry
// them.
func (a *siteAddress) warnings(ctx context.Context, definitions alerting.Definitions) []string {
	if a.base() != "" {
		return nil
	}
	defined, err := definitions.Definitions(ctx)
	if err != nil {
		return nil
	}
	for i := range defined.Channels {
		if defined.Channels[i].Enabled {
			return []string{"messages about alarms have no links, because nothing says by which address people reach the console: " +
				"start the server with --public-url, or sign in once as an administrator with a browser"}
		}
	}
	return nil
}
