package signing

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/internal/wire/post"
	"github.com/orthd/orth/job"
)

// Certificates identifies callers by their certificates.
type Certificates interface {
	// Named returns the owner of a certificate with these names: its common name, then its
	// DNS names. The listener's authorities have signed it. Kinds: Unauthorized when it has
	// no owner, Unavailable when that cannot be checked.
	Named(ctx context.Context, names []string) (job.Caller, error)
}

// maxNames bounds how many names of a certificate are looked at.
const maxNames = 16

// bare reports whether a request has no signature and came with a certificate in its place.
// With any part of a signature, the signature counts; the time alone is none.
func (v *Verifier) bare(r *http.Request) bool {
	if v.config.Certificates == nil || r.TLS == nil || len(r.TLS.VerifiedChains) == 0 || len(r.TLS.VerifiedChains[0]) == 0 {
		return false
	}
	return !slices.ContainsFunc([]string{message.HeaderKey, message.HeaderNonce, message.HeaderSignature}, func(name string) bool {
		_, there := r.Header[name]
		return there
	})
}

// certified returns who has the certificate with which the request came. What was
// valid at the handshake may be no more: connections last.
func (v *Verifier) certified(r *http.Request) (job.Caller, error) {
	if err := v.meant(r.Header.Get(HeaderTo)); err != nil {
		return job.Caller{}, err
	}
	chain, now := r.TLS.VerifiedChains[0], time.Now()
	for _, c := range chain {
		if now.After(c.NotAfter) {
			return job.Caller{}, job.Errorf(job.Unauthorized, "the certificate shown, or one that vouches for it, has expired since: give this side a new one")
		}
	}
	var names []string
	for _, name := range append([]string{chain[0].Subject.CommonName}, chain[0].DNSNames...) {
		if name != "" && !slices.Contains(names, name) && len(names) < maxNames {
			names = append(names, name)
		}
	}
	return v.config.Certificates.Named(r.Context(), names)
}

// meant refuses what is for another executor than this one.
func (v *Verifier) meant(to string) error {
	if to != "" && v.config.Self != "" && to != v.config.Self {
		return job.Errorf(job.Unavailable, "the request is meant for another executor, or for this one before it was started again")
	}
	return nil
}

// shows reports whether one who calls so has a certificate for those who ask.
func shows(c post.Config) bool {
	return c.Transport == nil && c.TLS != nil && (len(c.TLS.Certificates) > 0 || c.TLS.GetClientCertificate != nil)
}

// postBare sends the letter once without a signature, and accepts the answer without one.
// again: the answer corrected the clock.
func (c *Courier) postBare(ctx context.Context, target *post.Target, known *peer, l Letter) (_ Reply, again bool, err error) {
	extras := post.Fields(nil).AddInt(message.HeaderTime, known.now().UnixMilli())
	if l.To != "" {
		extras = extras.Add(HeaderTo, l.To)
	}
	answer, err := c.poster.Ask(ctx, target, &post.Question{
		Body: l.Body, Extras: extras, Limit: message.MaxBody, Want: []string{"orth-protocol", "orth-time"},
	})
	switch {
	case err != nil:
		return Reply{}, false, err
	case answer.Status == http.StatusUnauthorized:
		return Reply{}, false, job.Errorf(job.Unauthorized, "%s takes no certificate in place of a token: %s", target.URL, problemText(answer.Text))
	}
	if answer.Got != nil {
		known.minor.Store(int32(message.ParseMinor(answer.Got[0])))
		again = answer.Status != http.StatusOK && known.correct(answer.Got[1])
	}
	return Reply{Status: answer.Status, Body: answer.Text}, again, nil
}
