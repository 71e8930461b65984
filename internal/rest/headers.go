package rest

import "net/http"

// PageCSP is the content security policy of pages that the server shows to people:
// they load what the server itself serves, and run nothing that is written into them.
const PageCSP = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"font-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"

// answerCSP is that of everything else, which is no page.
const answerCSP = "default-src 'none'; frame-ancestors 'none'"

// strictTransport has browsers come back encrypted for half a year.
const strictTransport = "max-age=15768000"

// secure sets what every answer carries. No header of the API lets another site read
// it.
func (s *server) secure(h http.Header, r *http.Request) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", answerCSP)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if s.browser.encrypted(r) {
		h.Set("Strict-Transport-Security", strictTransport)
	}
}
