package signing

import (
	"context"
	"crypto/sha256"
	"net/http"
	"strconv"
	"time"

	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/job"
)

// Keys finds tokens by what requests call them.
type Keys interface {
	// Key returns the token with this id, a [credential.KeyID], and its owner, at little
	// cost. Kinds: Unauthorized when there is none, Unavailable when that cannot be
	// checked.
	Key(ctx context.Context, id string) (key string, caller job.Caller, err error)
	// Confirm completes a caller that Key returned and whose signature is right. Kinds:
	// Unavailable.
	Confirm(ctx context.Context, caller job.Caller) (job.Caller, error)
}

// VerifierConfig sets the callers that a Verifier accepts.
type VerifierConfig struct {
	Keys Keys
	// Certificates identifies the certificates that replace a signature, where a request
	// has none. Defaults to nil: none do.
	Certificates Certificates
	// Self is the incarnation that requests for one executor must name, if they
	// name any. Defaults to "": any will do.
	Self string
	// MaxNonces is how many requests are remembered at the same time, so that replays are
	// detected. Defaults to 1,048,576.
	MaxNonces int
}

// Verifier checks the origin of requests. Its methods may be used from many goroutines.
// Requests that were signed before it was made are refused: its predecessor may have
// accepted them.
type Verifier struct {
	config VerifierConfig
	nonces *nonces
	since  time.Time
}

// NewVerifier returns a verifier. Keys must be set.
func NewVerifier(c VerifierConfig) *Verifier {
	if c.MaxNonces <= 0 {
		c.MaxNonces = maxNonces
	}
	// A request may be signed a window ahead of this clock, so it is good for two.
	return &Verifier{config: c, nonces: newNonces(c.MaxNonces, 2*window), since: time.Now()}
}

// Session is one request whose signature is right. The answer is signed with it. The
// zero Session signs nothing: that of a request with a certificate in its place.
type Session struct {
	token, nonce string

	SignedAt time.Time // by this clock; zero when the request does not carry it
	Off      bool      // only the time of the request is wrong
}

// Sign puts what belongs to an answer with this status and body into its headers:
// the signature, and the time when the status is 401 or the caller's is wrong.
func (s Session) Sign(h http.Header, status int, body []byte) {
	at := ""
	if status == http.StatusUnauthorized || s.Off {
		at = strconv.FormatInt(time.Now().UnixMilli(), 10)
		h[message.HeaderTime] = []string{at}
	}
	if s.nonce != "" {
		h[message.HeaderSignature] = []string{answerSignature(s.token, status, s.nonce, at, body)}
	}
}

// Check returns who has signed the request with this body, once: the same request is
// refused the next time; or who shows the certificate of one that is not signed. The
// session may sign the answer also when there is an
// error. Kinds: Unauthorized; Full; Unavailable, also for a request that is meant for
// another executor.
func (v *Verifier) Check(r *http.Request, body []byte) (job.Caller, Session, error) {
	return v.check(r, sha256.Sum256(body))
}

// Knows reports whether the request carries all that a check needs, with a token that
// exists: what can be known before its body is read. Kinds are those of Check.
func (v *Verifier) Knows(r *http.Request) error {
	if v.bare(r) {
		_, err := v.certified(r)
		return err
	}
	what, id, _, err := readSigned(r)
	if err != nil {
		return err
	}
	_, err = strconv.ParseInt(what.at, 10, 64)
	if err != nil {
		return badTime()
	}
	_, _, err = v.config.Keys.Key(r.Context(), id)
	return err
}

// check is Check for who has only the digest of the body.
func (v *Verifier) check(r *http.Request, sum [sha256.Size]byte) (job.Caller, Session, error) {
	if v.bare(r) {
		caller, err := v.certified(r)
		return caller, Session{SignedAt: signedAt(r.Header.Get(message.HeaderTime))}, err
	}
	what, id, signature, err := readSigned(r)
	if err != nil {
		return job.Caller{}, Session{}, err
	}
	what.body = sum
	token, caller, err := v.config.Keys.Key(r.Context(), id)
	if err != nil {
		return job.Caller{}, Session{}, err
	}
	if !sameSignature(signature, what.signature(token, r.Method)) {
		return job.Caller{}, Session{}, job.Errorf(job.Unauthorized, "the signature is not that of this request with the token %s", id)
	}
	session := Session{token: token, nonce: what.nonce, SignedAt: signedAt(what.at)}
	now := time.Now()
	if err := v.timely(what.at, now); err != nil {
		return job.Caller{}, session, err
	}
	if err := v.meant(what.to); err != nil {
		return job.Caller{}, session, err
	}
	if err := v.nonces.take(id, what.nonce, now); err != nil {
		if job.Is(err, job.Unauthorized) { // the answer to the first one must stay the only one
			session = Session{}
		}
		return job.Caller{}, session, err
	}
	caller, err = v.config.Keys.Confirm(r.Context(), caller)
	return caller, session, err
}

// timely reports whether the time of a request is near that of this clock.
func (v *Verifier) timely(at string, now time.Time) error {
	ms, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return badTime()
	}
	off := time.UnixMilli(ms).Sub(now)
	if off > window || off < -window {
		return job.Errorf(job.Unauthorized, "the request was signed at another time than it is here: %s off, at most %s is allowed; "+
			"set one of the clocks right", off.Round(time.Second), window)
	}
	// A clock that was set back since the start proves nothing.
	young := now.Sub(v.since) < 2*window && !now.Round(0).Before(v.since.Round(0))
	if young && ms < v.since.UnixMilli() {
		return job.Errorf(job.Unauthorized, "the request was signed before this side started: sign it anew")
	}
	return nil
}

// SignedAt returns the time of a request, zero when it carries none.
func signedAt(text string) time.Time {
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil || ms <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

func badTime() error {
	return job.Errorf(job.Unauthorized, "the header %s must be milliseconds since 1970", message.HeaderTime)
}

// readSigned reads the headers that sign a request.
func readSigned(r *http.Request) (what signed, id, signature string, err error) {
	what.path = SignedPath(r.RequestURI)
	for _, field := range []struct {
		name  string
		value *string
	}{{message.HeaderKey, &id}, {message.HeaderTime, &what.at}, {message.HeaderNonce, &what.nonce}, {message.HeaderSignature, &signature}} {
		values := r.Header[field.name]
		if len(values) != 1 || values[0] == "" {
			return what, "", "", job.Errorf(job.Unauthorized, "the header %s must be there once: requests are signed with the token", field.name)
		}
		*field.value = values[0]
	}
	if to := r.Header[HeaderTo]; len(to) == 1 {
		what.to = to[0]
	} else if len(to) > 1 {
		return what, "", "", job.Errorf(job.Unauthorized, "the header %s must be there once", HeaderTo)
	}
	if !credential.IsKeyID(id) {
		return what, "", "", job.Errorf(job.Unauthorized, "the header %s must be 16 hexadecimal digits, or what stands before the colon of a token with one", message.HeaderKey)
	}
	return what, id, signature, nil
}
