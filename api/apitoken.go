package api

import "github.com/orthd/orth/access"

// APIToken is what a program shows to act as a user. The token itself is shown once,
// when it is made.
type APIToken struct {
	ID        ID      `json:"id" doc:"Names it when it is revoked."`
	User      string  `json:"user" doc:"Whose it is."`
	Key       string  `json:"key" doc:"The part after orth_ that is not secret, by which people recognize it."`
	Label     string  `json:"label,omitempty" doc:"The display name of the token."`
	Limits    []Grant `json:"limits,omitempty" doc:"The limits of its user's grants; absent for none."`
	CreatedAt Time    `json:"created_at" format:"date-time"`
	ExpiresAt Time    `json:"expires_at,omitzero" format:"date-time" doc:"When it is good no more; absent for never."`
	UsedAt    Time    `json:"used_at,omitzero" format:"date-time" doc:"When it was used last, within a minute; absent for never."`
}

// APITokenList is the tokens of a user, the oldest first.
type APITokenList struct {
	Tokens []APIToken `json:"tokens" nullable:"false"`
}

// NewAPIToken is a wish for a token.
type NewAPIToken struct {
	Label     string  `json:"label,omitempty" maxLength:"200" doc:"The display name of the token."`
	Limits    []Grant `json:"limits,omitempty" minItems:"1" maxItems:"200" doc:"It may do what both one of these and a grant of its user allow. Without them it may do all that the user may."`
	ExpiresAt Time    `json:"expires_at,omitzero" format:"date-time" doc:"When it is good no more. Defaults to never."`
}

// MadeAPIToken is a token as it was made.
type MadeAPIToken struct {
	APIToken

	Token string `json:"token" doc:"The secret, which is never shown again."`
}

// FromAPIToken returns the token as the API shows it.
func FromAPIToken(t *access.APIToken) APIToken {
	shown := APIToken{
		ID: ID(t.ID), User: t.User, Key: t.Key, Label: t.Label,
		CreatedAt: At(t.CreatedAt), ExpiresAt: At(t.ExpiresAt), UsedAt: At(t.UsedAt),
	}
	if t.Limits != nil {
		shown.Limits = FromGrants(t.Limits)
	}
	return shown
}
