package users

import "errors"

// Refusal says in one word of few why a provider of identities has signed nobody in.
// Pages show words of their own for it; nothing of the provider's is in it.
type Refusal string

// The refusals.
const (
	// Denied says that the provider let nobody in: who signs in has said no, or may not.
	Denied Refusal = "denied"
	// Expired says that the answer is not the one to a question of this browser that was
	// asked lately: whoever signs in begins again.
	Expired Refusal = "expired"
	// NotAllowed says that the provider vouches for somebody who cannot come in here:
	// disabled, or with a name that is somebody else's or cannot be one.
	NotAllowed Refusal = "not_allowed"
	// OfProvider says that the provider could not be asked, that its answer is of no use,
	// or that this server could not take it. The server's log tells more.
	OfProvider Refusal = "provider"
)

// refusal is an error with the word for it.
type refusal struct {
	error
	why Refusal
}

func (r refusal) Unwrap() error { return r.error }

// Refuse returns an error as the word for it says it; nil for nil.
func Refuse(why Refusal, err error) error {
	if err == nil {
		return nil
	}
	return refusal{err, why}
}

// RefusalOf returns the word for an error, [OfProvider] for one without.
func RefusalOf(err error) Refusal {
	if r, ok := errors.AsType[refusal](err); ok {
		return r.why
	}
	return OfProvider
}
