package signing

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/internal/wire/post"
)

// The first lines of what is signed.
const (
	signedRequest = "orth-v1\n"
	signedAnswer  = "orth-v1-answer\n"
)

// HeaderTo is the header that names the executor that a request is meant for.
const HeaderTo = "Orth-To"

// window is how far a request's time may be from the receiver's clock.
const window = 60 * time.Second

// nonceBytes is how many random bytes a nonce has, nonceText how many characters.
const (
	nonceBytes = 16
	nonceText  = 22
)

// encodedNonce is how nonces are written: each in one way only.
func encodedNonce() *base64.Encoding { return base64.RawURLEncoding.Strict() }

// signed is what the signature of a request covers, besides its method.
type signed struct {
	path  string // from PathPrefix on
	body  [sha256.Size]byte
	at    string // milliseconds since 1970
	nonce string
	to    string // empty: any receiver
}

// signature returns the signature in hexadecimal.
func (s *signed) signature(token, method string) string {
	text := append(append([]byte(signedRequest), method...), '\n')
	text = append(append(text, s.path...), '\n')
	text = append(hex.AppendEncode(text, s.body[:]), '\n')
	text = append(append(text, s.at...), '\n')
	text = append(append(text, s.nonce...), '\n')
	text = append(append(text, s.to...), '\n')
	return seal(token, text)
}

// answerSignature returns the signature of an answer to the request with that nonce. at is
// its time, empty when it carries none.
func answerSignature(token string, status int, nonce, at string, body []byte) string {
	sum := sha256.Sum256(body)
	text := append(strconv.AppendInt([]byte(signedAnswer), int64(status), 10), '\n')
	text = append(append(text, nonce...), '\n')
	text = append(append(text, at...), '\n')
	text = append(hex.AppendEncode(text, sum[:]), '\n')
	return seal(token, text)
}

func seal(token string, text []byte) string {
	mac := hmac.New(sha256.New, []byte(token))
	_, _ = mac.Write(text) // it never returns an error
	return hex.EncodeToString(mac.Sum(nil))
}

// sameSignature compares in constant time.
func sameSignature(a, b string) bool { return hmac.Equal([]byte(a), []byte(b)) }

// SignedPath returns the part of a request target that is signed: what stands
// before it is the base URL, which differs on both sides of a proxy. Slashes that a
// proxy doubles or adds at the end do not count.
func SignedPath(target string) string {
	target = post.CleanPath(target)
	if at := strings.Index(target, message.PathPrefix); at >= 0 {
		return target[at:]
	}
	return target
}

// newNonce returns an unused nonce.
func newNonce() string {
	var raw [nonceBytes]byte
	_, _ = rand.Read(raw[:]) // it never returns an error
	return encodedNonce().EncodeToString(raw[:])
}

// Signer signs requests with a token.
type Signer struct{ token, id string }

// NewSigner returns what signs with a token.
func NewSigner(token string) Signer { return Signer{token: token, id: credential.KeyID(token)} }

// Sign returns the header lines that sign a request made now, by the clock of its
// receiver, and its nonce.
func (s Signer) Sign(name, to string, body []byte, now time.Time) (fields post.Fields, nonce string) {
	what := signed{
		path: message.PathPrefix + name, body: sha256.Sum256(body), at: strconv.FormatInt(now.UnixMilli(), 10),
		nonce: newNonce(), to: to,
	}
	fields = fields.Add(message.HeaderKey, s.id).Add(message.HeaderTime, what.at).Add(message.HeaderNonce, what.nonce)
	if to != "" {
		fields = fields.Add(HeaderTo, to)
	}
	return fields.Add(message.HeaderSignature, what.signature(s.token, "POST")), what.nonce
}

// proves reports whether an answer to the request with that nonce is signed.
func (s Signer) proves(nonce string, status int, at string, body []byte, signature string) bool {
	return sameSignature(signature, answerSignature(s.token, status, nonce, at, body))
}
