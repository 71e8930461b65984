package native

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
)

// meet sets the version in which the request is answered: the highest that both sides know.
func meet(w http.ResponseWriter, r *http.Request, minor int) {
	w.Header()[headerProtocol] = []string{versionText(common(minor, r.Header.Get(headerProtocol)))}
}

// write sends an answer, signed when the session signs, of a known length. It is one
// of [Minor] for who has not met the caller.
func (s Session) write(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	h := w.Header()
	h["Content-Type"] = []string{contentType}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	if h[headerProtocol] == nil {
		meet(w, r, Minor)
	}
	s.Sign(h, status, body)
	w.WriteHeader(status)
	// A caller that is gone needs no answer.
	_, _ = w.Write(body)
}

// refuse sends a problem.
func (s Session) refuse(w http.ResponseWriter, r *http.Request, p problem) {
	s.write(w, r, p.status, appendProblem(nil, p))
}

// readBody reads the whole body. Too large a one is errTooMuch; nothing follows
// from any other error, because the caller is gone.
func readBody(r *http.Request) ([]byte, error) {
	if r.ContentLength > maxBody {
		return nil, errTooMuch
	}
	var buf bytes.Buffer
	if r.ContentLength > 0 {
		buf.Grow(int(min(r.ContentLength, 64<<10)) + bytes.MinRead)
	}
	n, err := buf.ReadFrom(io.LimitReader(r.Body, maxBody+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the body: %w", err)
	case n > maxBody:
		return nil, errTooMuch
	}
	return buf.Bytes(), nil
}

// digest reads a body without keeping it, and returns the part of it that is signed. A
// caller that is still writing would not see the answer otherwise.
func digest(r *http.Request) (sum [sha256.Size]byte, err error) {
	hash := sha256.New()
	n, err := io.Copy(hash, io.LimitReader(r.Body, maxBody+1))
	if err == nil && n > maxBody {
		err = errTooMuch
	}
	return [sha256.Size]byte(hash.Sum(nil)), err
}

// bodyProblem is the answer to a body that could not be read.
func bodyProblem(err error) problem {
	if errors.Is(err, errTooMuch) {
		return problem{http.StatusRequestEntityTooLarge, kindInvalid, "the body is over 8 MiB"}
	}
	return problem{http.StatusBadRequest, kindInvalid, "the body did not arrive"}
}

// place bounds how many requests of one sort are served at the same time. Who finds
// none is refused at once: a queue of requests would only make every caller wait
// until its time limit, and then send the same again.
type place chan struct{}

// take reports whether there was one; leave gives it back.
func (p place) take() bool {
	select {
	case p <- struct{}{}:
		return true
	default:
		return false
	}
}

func (p place) leave() { <-p }
