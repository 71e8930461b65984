package browser

import (
	"context"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

// Config configures the API for browsers.
type Config struct {
	// PublicURL is where people reach the server. Defaults to none: at its own address.
	PublicURL string
	// Hosts are further names, without ports, that the server is reached by. Those of
	// this machine itself, and addresses in digits, need not be named.
	Hosts []string
	// PlainSignIn allows to sign in over connections that are not encrypted and come
	// from elsewhere. Defaults to false.
	PlainSignIn bool
	// Proxies are trusted to name their client in X-Forwarded-For. Defaults to none: the
	// peer of the connection is the caller.
	Proxies []netip.Prefix
}

// The names of the cookie of a session: what a browser keeps to encrypted connections
// of this very host, and what it sends without.
const (
	SafeCookie  = "__Host-orth"
	plainCookie = "orth"
)

// Browser decides which requests of browsers are good. It is read-only.
type Browser struct {
	config Config
	public *url.URL // nil for none
	hosts  map[string]bool
}

// New returns what decides for a server.
func New(c Config) (*Browser, error) {
	b := &Browser{config: c, hosts: map[string]bool{"localhost": true}}
	for _, host := range c.Hosts {
		if host == "" || strings.ContainsAny(host, "/@*: ") && net.ParseIP(host) == nil {
			return nil, job.FieldErrorf("allow-host", "%q is not a name such as orth.example.com, without a port", host)
		}
		b.hosts[strings.ToLower(host)] = true
	}
	if c.PublicURL == "" {
		return b, nil
	}
	public, err := url.Parse(c.PublicURL)
	if err != nil || public.Host == "" || public.Scheme != "http" && public.Scheme != "https" {
		return nil, job.FieldErrorf("public-url", "%q is not an address such as https://orth.example.com", c.PublicURL)
	}
	b.public = public
	b.hosts[strings.ToLower(public.Hostname())] = true
	return b, nil
}

// Encrypted reports whether the browser at the other end speaks HTTPS, to the server
// or to what stands before it.
func (b *Browser) Encrypted(r *http.Request) bool {
	return r.TLS != nil || b.public != nil && b.public.Scheme == "https" && hostOf(r) == strings.ToLower(b.public.Hostname())
}

// cookie returns the name of the cookie that a request may carry.
func (b *Browser) cookie(r *http.Request) string {
	if b.Encrypted(r) {
		return SafeCookie
	}
	return plainCookie
}

// Session returns the secret of the session that a request carries; empty for none,
// and for several, of which a stranger may have set one.
func (b *Browser) Session(r *http.Request) string {
	if cookies := r.CookiesNamed(b.cookie(r)); len(cookies) == 1 {
		return cookies[0].Value
	}
	return ""
}

// Keep returns the cookie that has a browser keep a session, or forget it when the
// text is empty.
func (v *Visit) Keep(text redacted.Text) string {
	c := http.Cookie{ //nolint:gosec // it is not Secure over plain HTTP alone, on loopback or where that was allowed
		Name: v.Cookie, Value: text.Reveal(), Path: "/", Secure: v.Cookie == SafeCookie, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	}
	if text.IsZero() {
		c.MaxAge = -1
	}
	return c.String()
}

// Check reports why a request of a browser is refused: it was made by another site, or
// came by a name that is not the server's, as after DNS rebinding.
func (b *Browser) Check(r *http.Request) error {
	if !b.knows(hostOf(r)) {
		return unknownHost()
	}
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return nil
	}
	if crossSite(r) {
		return foreign("the request was made by another site")
	}
	if origin := r.Header.Values("Origin"); len(origin) != 1 || !b.own(r, origin[0]) {
		return foreign("the request must carry an Origin header with the address of this server")
	}
	contents := r.Header.Values("Content-Type")
	if len(contents) == 0 && r.ContentLength == 0 {
		return nil
	}
	if len(contents) != 1 || !isJSON(contents[0]) {
		return foreign("a browser must send JSON, with the Content-Type header application/json")
	}
	return nil
}

// CheckOrigin reports why a request that may come from a program is refused: its headers
// show that a browser made it for another site, or by a name that is not the server's.
func (b *Browser) CheckOrigin(r *http.Request) error {
	origin, site := r.Header.Values("Origin"), r.Header.Values("Sec-Fetch-Site")
	switch {
	case len(origin) == 0 && len(site) == 0:
		return nil
	case crossSite(r) || len(origin) > 1 || len(origin) == 1 && !b.own(r, origin[0]):
		return foreign("the request was made by another site")
	case !b.knows(hostOf(r)):
		return unknownHost()
	}
	return nil
}

// crossSite reports whether the headers of a browser name another site as the origin of a
// request.
func crossSite(r *http.Request) bool {
	site := r.Header.Values("Sec-Fetch-Site")
	return len(site) > 1 || len(site) == 1 && site[0] != "same-origin" && site[0] != "none"
}

func foreign(message string) error {
	return &job.Error{
		Kind: job.Forbidden, Message: message,
		Hint: "browsers that have signed in may only be used from the pages of this server; programs send a token",
	}
}

func unknownHost() error {
	return &job.Error{
		Kind: job.Forbidden, Message: "the server is not known by the name of this address",
		Hint: "give it to 'orth server' with --public-url, or --allow-host",
	}
}

// knows reports whether a name is the server's. An address in digits always is: no
// name leads a browser to it that is not the server's own.
func (b *Browser) knows(host string) bool {
	return b.hosts[host] || net.ParseIP(host) != nil
}

// own reports whether an origin is the address that the request was sent to, or the
// public one.
func (b *Browser) own(r *http.Request, origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || origin != u.Scheme+"://"+u.Host {
		return false
	}
	if b.public != nil && u.Scheme == b.public.Scheme && strings.EqualFold(u.Host, b.public.Host) {
		return true
	}
	return strings.EqualFold(u.Host, r.Host) && (u.Scheme == "https" || u.Scheme == "http" && !b.Encrypted(r))
}

// hostOf returns the host that a request names, without its port.
func hostOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = strings.TrimSuffix(strings.TrimPrefix(r.Host, "["), "]")
	}
	return strings.ToLower(host)
}

func isJSON(content string) bool {
	media, _, err := mime.ParseMediaType(content)
	return err == nil && (media == "application/json" || media == "application/merge-patch+json")
}

// Visit is what operations know about the browser that calls.
type Visit struct {
	Cookie string // the name of the one to set
	// Address and agent are where it is, and what it calls itself.
	Address, Agent string
	// Refused is why it cannot sign in; nil when it can.
	Refused error
	// Page is set for requests of pages: programs do not make them.
	Page bool
	// Origin is that of the page which made a request that changes something; empty for
	// requests that no page of this server made.
	Origin string
}

type visitKey struct{}

// Visiting adds the browser to the context of operations.
func (b *Browser) Visiting(r *http.Request) context.Context {
	v := &Visit{Cookie: b.cookie(r), Address: AddressOf(r), Agent: r.UserAgent(), Page: showsPages(r)}
	if r.Method == http.MethodPost && b.Check(r) == nil {
		v.Origin = r.Header.Get("Origin")
	}
	near := credential.Loopback(hostOf(r)) && credential.Loopback(v.Address)
	if v.Cookie == plainCookie && !near && !b.config.PlainSignIn {
		v.Refused = &job.Error{
			Kind: job.Forbidden, Message: "sign-in needs an encrypted connection",
			Hint: "serve HTTPS with --tls-cert, or name the https address of what stands before the server with --public-url; " +
				"--allow-plain-sign-in takes passwords as they are",
		}
	}
	return WithVisit(r.Context(), v)
}

// showsPages reports whether a request is of something that shows pages to people.
func showsPages(r *http.Request) bool {
	for _, accepted := range r.Header.Values("Accept") {
		for kind := range strings.SplitSeq(accepted, ",") {
			if media, _, err := mime.ParseMediaType(kind); err == nil && media == "text/html" {
				return true
			}
		}
	}
	return false
}

// WithVisit returns a context with what is known about the browser that calls.
func WithVisit(ctx context.Context, v *Visit) context.Context {
	return context.WithValue(ctx, visitKey{}, v)
}

// VisitOf returns what is known about the browser that calls.
func VisitOf(ctx context.Context) *Visit {
	v, _ := ctx.Value(visitKey{}).(*Visit)
	if v == nil {
		v = &Visit{Cookie: SafeCookie}
	}
	return v
}

// AddressOf returns where a request comes from, without the port.
func AddressOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// Forwarded has requests of trusted proxies look as if those came that the proxies
// speak for.
func (b *Browser) Forwarded(next http.Handler) http.Handler {
	if len(b.config.Proxies) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, b.SpokenFor(r)) })
}

// SpokenFor returns a request with the client address that a trusted proxy names.
func (b *Browser) SpokenFor(r *http.Request) *http.Request {
	if from := b.forwardedFor(AddressOf(r), r.Header.Values("X-Forwarded-For")); from != "" {
		of := *r
		of.RemoteAddr = net.JoinHostPort(from, "0")
		r = &of
	}
	return r
}

// forwardedFor returns the last address of the header that no trusted proxy has,
// empty when there is none: what stands before it was written by a stranger.
func (b *Browser) forwardedFor(from string, headers []string) string {
	if !b.trusts(from) {
		return ""
	}
	named := strings.Split(strings.Join(headers, ","), ",")
	for _, n := range slices.Backward(named) {
		ip, err := netip.ParseAddr(strings.TrimSpace(n))
		if err != nil {
			return ""
		}
		if address := ip.Unmap().WithZone("").String(); !b.trusts(address) {
			return address
		}
	}
	return ""
}

func (b *Browser) trusts(address string) bool {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return false
	}
	for _, proxy := range b.config.Proxies {
		if proxy.Contains(ip.Unmap().WithZone("")) {
			return true
		}
	}
	return false
}
