package api

import "github.com/orthd/orth/job"

// Group is how a group takes executors.
type Group struct {
	Namespace    string `json:"namespace,omitzero" doc:"The namespace that it is in; absent in the list of its tokens."`
	Group        string `json:"group" doc:"The group's key."`
	OwnTokenOnly bool   `json:"own_token_only" doc:"Its executors must show a token that was added to the group."`
	Version      int64  `json:"version,omitzero" doc:"The version of the group; absent in the list of its tokens."`
}

// GroupPatch changes a group.
type GroupPatch struct {
	OwnTokenOnly *bool   `json:"own_token_only,omitempty" nullable:"false" doc:"Whether only tokens that were added to the group are accepted. It needs one first."`
	Namespace    *string `json:"namespace,omitempty" maxLength:"64" nullable:"false" doc:"The namespace to move it to, which also requires the right to own it there. Jobs that run on it continue to."`
	Title        *string `json:"title,omitempty" maxLength:"200" nullable:"false" doc:"A text for people, at most 200 characters."`
	// Labels take the place of all that the group has.
	Labels  map[string]string `json:"labels,omitzero" nullable:"false" doc:"Notes of people, in the place of all that the group has: at most 16. An empty object removes them."`
	Version int64             `json:"version,omitzero" minimum:"0" doc:"The one that the change was made from: a conflict when the group has another one by now. Absent changes any."`
}

// GroupToken is a token by which executors of one group authenticate. The token itself is
// shown once, when it is created, and never when it was imported.
type GroupToken struct {
	ID         ID     `json:"id" doc:"Names it when it is removed."`
	Label      string `json:"label,omitempty" doc:"The display name of the token."`
	CreatedAt  Time   `json:"created_at" format:"date-time"`
	LastUsedAt Time   `json:"last_used_at,omitzero" format:"date-time" doc:"When it was last used, within an hour; absent when it was never used."`
	Outbound   bool   `json:"outbound" doc:"Whether a server can show it to executors, as protocols with one token for both directions require. It cannot when the token was made before servers kept tokens sealed, or when the sealing key was lost."`
	Executors  int    `json:"executors" doc:"How many executors that are alive showed it last."`
}

// GroupTokenList is the tokens of a group, the oldest first, and how the group
// takes executors.
type GroupTokenList struct {
	Group

	Tokens []GroupToken `json:"tokens" nullable:"false"`
}

// NewGroupToken is a wish for a token.
type NewGroupToken struct {
	Label string `json:"label,omitempty" maxLength:"100" doc:"The display name of the token."`
	Token string `json:"token,omitempty" writeOnly:"true" doc:"The token that the group's executors have already: 8 to 256 printable ASCII characters without blanks. Without it one is made."`
}

// MadeGroupToken is a token as it was made.
type MadeGroupToken struct {
	GroupToken

	Token string `json:"token,omitempty" doc:"The secret to give to executors of the group, when it was made here. It is never shown again."`
}

// FromGroupToken returns the token as the API shows it.
func FromGroupToken(t job.GroupToken) GroupToken {
	return GroupToken{
		ID: ID(t.ID), Label: t.Label, CreatedAt: At(t.CreatedAt), LastUsedAt: At(t.UsedAt),
		Outbound: t.Outbound, Executors: t.Executors,
	}
}
