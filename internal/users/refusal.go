package users

import "errors"

// Refusal is why a sign-in with an identity provider failed. Pages have their own text for
// each. It contains nothing from the provider.
type Refusal string

// The refusals.
const (
	// Denied: the provider refused the sign-in, or the user cancelled it.
	Denied Refusal = "denied"
	// Expired: the answer does not belong to a recent request of this browser. The user
	// must start again.
	Expired Refusal = "expired"
	// NotAllowed: the provider has authenticated a person who cannot sign in here. The
	// account is disabled, or its name is invalid or belongs to another account.
	NotAllowed Refusal = "not_allowed"
	// OfProvider: the provider did not answer, its answer was invalid, or this server could
	// not process it. The server's log has details.
	OfProvider Refusal = "provider"
)

// refusal is an error with a Refusal.
type refusal struct {
	error
	why Refusal
}

func (r refusal) Unwrap() error { return r.error }

// Refuse adds a Refusal to an error; nil for nil.
func Refuse(why Refusal, err error) error {
	if err == nil {
		return nil
	}
	return refusal{err, why}
}

// RefusalOf returns the Refusal of an error, [OfProvider] for an error without one.
func RefusalOf(err error) Refusal {
	if r, ok := errors.AsType[refusal](err); ok {
		return r.why
	}
	return OfProvider
}
