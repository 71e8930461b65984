package api

import "encoding/json"

// AuditLine is one state change with its author. Lines never change; each has the digest of
// the one before.
type AuditLine struct {
	Seq        ID              `json:"seq" pattern:"^[0-9]+$" doc:"The line's number, as a text. There are no holes."`
	At         Time            `json:"at" format:"date-time" doc:"When."`
	ActorKind  string          `json:"actor_kind" doc:"The kind of actor: user, token, service, or system for the server's own token."`
	ActorID    ID              `json:"actor_id" pattern:"^[0-9]+$" doc:"The user's number; 0 for the server itself."`
	Actor      string          `json:"actor" doc:"The user's name."`
	Credential ID              `json:"credential" pattern:"^[0-9]+$" doc:"The number of the token or session that was shown; 0 for none."`
	Address    string          `json:"address" doc:"Where the request came from."`
	Operation  string          `json:"operation" doc:"The operation: its id in this document."`
	Right      string          `json:"right" doc:"The right that was used."`
	Kind       string          `json:"kind,omitempty" doc:"The kind of the object."`
	Namespace  string          `json:"namespace,omitempty" doc:"Where that is."`
	Group      string          `json:"group,omitempty" doc:"The group that it belongs to."`
	Key        string          `json:"key,omitempty" doc:"Its key, or its number."`
	Before     json.RawMessage `json:"before,omitempty" doc:"The object as it was stored before; absent for none. Secrets are left out, and a long text is replaced by its SHA-256."`
	After      json.RawMessage `json:"after,omitempty" doc:"The object as it is stored since."`
	Previous   string          `json:"previous,omitempty" doc:"The digest of the line before; absent in the first."`
	Digest     string          `json:"digest" doc:"The SHA-256 over the whole line and the digest of the line before, in hex."`
}

// AuditList is a page of lines.
type AuditList struct {
	Lines []AuditLine `json:"lines" nullable:"false"`
	Next  ID          `json:"next,omitzero" pattern:"^[0-9]+$" doc:"Send it as after for the next page; absent on the last one."`
}

// AuditPruned counts the removed lines.
type AuditPruned struct {
	Lines  int64  `json:"lines" doc:"How many lines were removed."`
	First  ID     `json:"first,omitzero" pattern:"^[0-9]+$" doc:"The number of the first of them."`
	Last   ID     `json:"last,omitzero" pattern:"^[0-9]+$" doc:"The number of the last of them."`
	Digest string `json:"digest,omitempty" doc:"The digest of the last of them, which the line about the removal has as well."`
	More   bool   `json:"more" doc:"Whether there are more to be removed: ask again."`
}
