package signing

import (
	"context"
	"fmt"
	"net/http"

	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/job"
)

// Entrance is what a request passes on either side before it is served.
type Entrance struct {
	Verifier *Verifier
	Places   Slots // of such requests
	Known    bool  // the request is one that this side has
	Minor    int   // the version that this side speaks
	Name     string
	Problem  func(ctx context.Context, name string, err error) message.Problem
}

// Admitted is a request that has passed: who sent it, and how the answer is signed.
type Admitted struct {
	Caller  job.Caller
	Session Session
	Body    []byte
}

// Admit reads and checks a request, or refuses it and reports false. An admitted request
// holds a place, which its server releases.
func (e Entrance) Admit(w http.ResponseWriter, r *http.Request) (in Admitted, ok bool) {
	switch {
	case !e.Known:
		Session{}.Refuse(w, r, UnknownName(r.Method, r.RequestURI, e.Minor))
		return Admitted{}, false
	case r.ContentLength > message.MaxBody:
		Session{}.Refuse(w, r, bodyProblem(message.ErrTooMuch))
		return Admitted{}, false
	}
	if err := e.Verifier.Knows(r); err != nil { // strangers get no place
		Session{}.Refuse(w, r, e.Problem(r.Context(), e.Name, err))
		return Admitted{}, false
	}
	if !e.Places.Take() {
		e.full(w, r)
		return Admitted{}, false
	}
	defer func() {
		if !ok {
			e.Places.Release()
		}
	}()
	body, err := ReadBody(r)
	if err != nil {
		Session{}.Refuse(w, r, bodyProblem(err))
		return Admitted{}, false
	}
	caller, session, err := e.Verifier.Check(r, body)
	if err != nil {
		session.Refuse(w, r, e.Problem(r.Context(), e.Name, err))
		return Admitted{}, false
	}
	return Admitted{caller, session, body}, true
}

// full refuses a request for which there is no place.
func (e Entrance) full(w http.ResponseWriter, r *http.Request) {
	sum, err := Digest(r)
	if err != nil {
		Session{}.Refuse(w, r, bodyProblem(err))
		return
	}
	_, session, err := e.Verifier.check(r, sum)
	if err == nil {
		err = NoSlot(cap(e.Places))
	}
	session.Refuse(w, r, e.Problem(r.Context(), "", err))
}

// NoSlot is the error of a request that finds no slot. Its kind is Full.
func NoSlot(places int) error {
	return job.Errorf(job.Full, "it serves %d such requests already, the most it does at the same time; ask again later", places)
}

// UnknownName is the answer to a request that is unknown here.
func UnknownName(method, target string, minor int) message.Problem {
	return message.Problem{Status: http.StatusNotFound, Kind: message.KindNotFound, Message: fmt.Sprintf("%s %s is nothing that this side has: it speaks version %s of the protocol",
		message.Shorten(method), message.Shorten(target), message.VersionText(minor))}
}
