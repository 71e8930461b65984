package guard

import (
	"maps"
	"net/http"
)

// PageCSP is the content security policy of pages that the server shows to people:
// they load what the server itself serves, and run nothing that is written into them.
const PageCSP = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"font-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"

// answerCSP is that of everything else, which is no page.
const answerCSP = "default-src 'none'; frame-ancestors 'none'"

// strictTransport has browsers come back encrypted for half a year.
const strictTransport = "max-age=15768000"

// secured are the headers that every answer carries. No header lets another site read
// an answer.
func secured() map[string][]string {
	return map[string][]string{
		"X-Content-Type-Options": {"nosniff"}, "Cache-Control": {"no-store"}, "Content-Security-Policy": {answerCSP}, "Referrer-Policy": {"no-referrer"},
		"Cross-Origin-Opener-Policy": {"same-origin"}, "Cross-Origin-Resource-Policy": {"same-origin"},
	}
}

// secure sets what every answer carries.
func (g *Guard) secure(h http.Header, r *http.Request) {
	maps.Copy(h, g.secured) // answers share the values, and set others in their place
	if g.browser.Encrypted(r) {
		h.Set("Strict-Transport-Security", strictTransport)
	}
}

// Secure sets the headers of every answer of a server, for handlers outside of this
// package.
func (g *Guard) Secure(h http.Header, r *http.Request) { g.secure(h, r) }
