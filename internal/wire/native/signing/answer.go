package signing

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/orthd/orth/internal/wire/native/message"
)

// SetVersion sets the version in which the request is answered: the highest that both sides know.
func SetVersion(w http.ResponseWriter, r *http.Request, minor int) {
	w.Header()[message.HeaderProtocol] = []string{message.VersionText(message.CommonMinor(minor, r.Header.Get(message.HeaderProtocol)))}
}

// Write sends an answer, signed when the session signs, of a known length. It is one
// of [Minor] for who has not met the caller.
func (s Session) Write(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	h := w.Header()
	h["Content-Type"] = []string{message.ContentType}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	if h[message.HeaderProtocol] == nil {
		SetVersion(w, r, message.Minor)
	}
	s.Sign(h, status, body)
	w.WriteHeader(status)
	// A caller that is gone needs no answer.
	_, _ = w.Write(body)
}

// Refuse sends a problem.
func (s Session) Refuse(w http.ResponseWriter, r *http.Request, p message.Problem) {
	s.Write(w, r, p.Status, message.AppendProblem(nil, p))
}

// ReadBody reads the whole body. Too large a one is ErrTooMuch; nothing follows
// from any other error, because the caller is gone.
func ReadBody(r *http.Request) ([]byte, error) {
	if r.ContentLength > message.MaxBody {
		return nil, message.ErrTooMuch
	}
	var buf bytes.Buffer
	if r.ContentLength > 0 {
		buf.Grow(int(min(r.ContentLength, 64<<10)) + bytes.MinRead)
	}
	n, err := buf.ReadFrom(io.LimitReader(r.Body, message.MaxBody+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the body: %w", err)
	case n > message.MaxBody:
		return nil, message.ErrTooMuch
	}
	return buf.Bytes(), nil
}

// Digest reads a body without keeping it, and returns the part of it that is signed. A
// caller that is still writing would not see the answer otherwise.
func Digest(r *http.Request) (sum [sha256.Size]byte, err error) {
	hash := sha256.New()
	n, err := io.Copy(hash, io.LimitReader(r.Body, message.MaxBody+1))
	if err == nil && n > message.MaxBody {
		err = message.ErrTooMuch
	}
	return [sha256.Size]byte(hash.Sum(nil)), err
}

// bodyProblem is the answer to a body that could not be read.
func bodyProblem(err error) message.Problem {
	if errors.Is(err, message.ErrTooMuch) {
		return message.Problem{Status: http.StatusRequestEntityTooLarge, Kind: message.KindInvalid, Message: "the body is over 8 MiB"}
	}
	return message.Problem{Status: http.StatusBadRequest, Kind: message.KindInvalid, Message: "the body did not arrive"}
}

// Slots bounds how many requests of one sort are served at the same time. Who finds
// none is refused at once: a queue of requests would only make every caller wait
// until its time limit, and then send the same again.
type Slots chan struct{}

// Take reports whether there was one; leave gives it back.
func (p Slots) Take() bool {
	select {
	case p <- struct{}{}:
		return true
	default:
		return false
	}
}

// Release gives a slot back.
func (p Slots) Release() { <-p }
