package xxl

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

// What both handlers share: the token, bodies and replies.

// maxBody is the largest request that either side takes. It is the limit of
// the dialect's own executors.
const maxBody = 5 << 20

// errTooLarge: a body is larger than its limit.
var errTooLarge = errors.New("the body is too large")

// credential is the tokens of which requests must show one.
type credential struct {
	required bool
	sums     [][sha256.Size]byte
}

// newCredential passes over tokens that are empty.
func newCredential(tokens ...string) credential {
	var c credential
	for _, token := range tokens {
		if token != "" {
			c.required, c.sums = true, append(c.sums, sha256.Sum256([]byte(token)))
		}
	}
	return c
}

// allows compares the token in constant time; it may come under either name. Without a
// configured token everyone is allowed.
func (c credential) allows(h http.Header) bool {
	if !c.required {
		return true
	}
	return c.matches(h[dialect.HeaderTokenCanonical]) || c.matches(h[dialect.HeaderForkTokenCanonical])
}

func (c credential) matches(values []string) bool {
	shown := ""
	if len(values) > 0 {
		shown = values[0]
	}
	sum, same := sha256.Sum256([]byte(shown)), 0
	for i := range c.sums {
		same |= subtle.ConstantTimeCompare(sum[:], c.sums[i][:])
	}
	return same == 1
}

// maxTokens is how many tokens of a request are looked at.
const maxTokens = 4

// shownTokens returns the tokens shown under either name, each once, and an empty
// one alone when none is.
func shownTokens(h http.Header) []string {
	shown := make([]string, 0, maxTokens)
	for _, name := range [...]string{dialect.HeaderTokenCanonical, dialect.HeaderForkTokenCanonical} {
		for _, token := range h[name] {
			if token != "" && len(shown) < maxTokens && !slices.Contains(shown, token) {
				shown = append(shown, token)
			}
		}
	}
	if len(shown) == 0 {
		return []string{""}
	}
	return shown
}

// maxKept is the largest buffer that is kept for the next request.
const maxKept = 64 << 10

// bodies reads requests into buffers that are used again.
type bodies struct{ pool sync.Pool }

// read returns the whole body, which release must get back, or errTooLarge
// when there is more than limit bytes.
func (b *bodies) read(r *http.Request, limit int64) (*bytes.Buffer, error) {
	buf, ok := b.pool.Get().(*bytes.Buffer)
	if !ok {
		buf = new(bytes.Buffer)
	}
	n, err := buf.ReadFrom(io.LimitReader(r.Body, limit+1))
	switch {
	case err != nil:
		err = fmt.Errorf("read the body: %w", err)
	case n > limit:
		err = errTooLarge
	}
	if err != nil {
		b.release(buf)
		return nil, err
	}
	return buf, nil
}

func (b *bodies) release(buf *bytes.Buffer) {
	if buf.Cap() <= maxKept {
		buf.Reset()
		b.pool.Put(buf)
	}
}

// answer sends a reply of a known length, so that peers who never wait for the
// end of a connection know where it ends.
func answer(w http.ResponseWriter, contentType, reply string) {
	answerStatus(w, http.StatusOK, contentType, reply)
}

func answerStatus(w http.ResponseWriter, status int, contentType, reply string) {
	h := w.Header()
	h["Content-Type"] = []string{contentType}
	h["Content-Length"] = []string{strconv.Itoa(len(reply))}
	w.WriteHeader(status)
	// A caller that is gone needs no reply.
	_, _ = io.WriteString(w, reply)
}

// pathUnknown returns the text for a path that leads nowhere.
func pathUnknown(path string) string {
	return dialect.TextPathUnknown + dialect.Shorten(path) + dialect.TextPathUnknownEnd
}

// message returns what a caller may read of an error, and false when the error
// is of no known kind: then its text is for the log only.
func message(err error) (string, bool) {
	e, ok := errors.AsType[*job.Error](err)
	if !ok || e.Kind == job.Internal {
		return dialect.TextInternal, false
	}
	if e.Field != "" {
		return e.Field + ": " + e.Message, true
	}
	return e.Message, true
}
