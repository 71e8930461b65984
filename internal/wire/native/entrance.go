package native

import (
	"context"
	"fmt"
	"net/http"

	"github.com/orthd/orth/job"
)

// entrance is what a request passes on either side before it is served.
type entrance struct {
	verifier *Verifier
	places   place // of such requests
	known    bool  // the request is one that this side has
	minor    int   // the version that this side speaks
	name     string
	problem  func(ctx context.Context, name string, err error) problem
}

// entered is a request that has passed: who sent it, and how the answer is signed.
type entered struct {
	caller  job.Caller
	session Session
	body    []byte
}

// admit reads and checks a request, or refuses it and reports false. An admitted request
// holds a place, which its server releases.
func (e entrance) admit(w http.ResponseWriter, r *http.Request) (in entered, ok bool) {
	switch {
	case !e.known:
		Session{}.refuse(w, r, unknownName(r.Method, r.RequestURI, e.minor))
		return entered{}, false
	case r.ContentLength > maxBody:
		Session{}.refuse(w, r, bodyProblem(errTooMuch))
		return entered{}, false
	}
	if err := e.verifier.knows(r); err != nil { // strangers get no place
		Session{}.refuse(w, r, e.problem(r.Context(), e.name, err))
		return entered{}, false
	}
	if !e.places.take() {
		e.full(w, r)
		return entered{}, false
	}
	defer func() {
		if !ok {
			e.places.leave()
		}
	}()
	body, err := readBody(r)
	if err != nil {
		Session{}.refuse(w, r, bodyProblem(err))
		return entered{}, false
	}
	caller, session, err := e.verifier.Check(r, body)
	if err != nil {
		session.refuse(w, r, e.problem(r.Context(), e.name, err))
		return entered{}, false
	}
	return entered{caller, session, body}, true
}

// full refuses a request for which there is no place.
func (e entrance) full(w http.ResponseWriter, r *http.Request) {
	sum, err := digest(r)
	if err != nil {
		Session{}.refuse(w, r, bodyProblem(err))
		return
	}
	_, session, err := e.verifier.check(r, sum)
	if err == nil {
		err = noPlace(cap(e.places))
	}
	session.refuse(w, r, e.problem(r.Context(), "", err))
}

func noPlace(places int) error {
	return job.Errorf(job.Full, "it serves %d such requests already, the most it does at the same time; ask again later", places)
}

// unknownName is the answer to a request that is unknown here.
func unknownName(method, target string, minor int) problem {
	return problem{http.StatusNotFound, kindNotFound, fmt.Sprintf("%s %s is nothing that this side has: it speaks version %s of the protocol",
		short(method), short(target), versionText(minor))}
}
