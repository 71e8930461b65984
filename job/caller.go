package job

import "time"

// Limits of the tokens of groups.
const (
	MaxGroupTokens = 10  // of one group, so that a new one and an old one may overlap
	MaxTokenLabel  = 100 // characters
)

// GroupToken is a token by which executors of one group authenticate. It is kept sealed,
// for the protocols in which servers show it to them too, and as a hash, by which it is
// found.
type GroupToken struct {
	ID        int64     `json:"id"`
	Group     string    `json:"group"`
	Label     string    `json:"label,omitempty"` // the display name
	Hash      string    `json:"-"`               // SHA-256 of the token, in hex
	Sealed    string    `json:"-"`               // empty: the server cannot recover it
	CreatedAt time.Time `json:"created_at"`
	UsedAt    time.Time `json:"used_at,omitzero"` // within an hour of its last use; zero when it was never used
	// Outbound is set when a server can show it to executors. It is not stored.
	Outbound bool `json:"outbound"`
	// Executors is how many live ones showed it last. It is not stored.
	Executors int `json:"executors,omitempty"`
}

// Caller is the authenticated sender of executor requests. The zero Caller is the server
// itself, which may act for any group.
type Caller struct {
	// GroupID and Group are those of the group of the token, [NoGroup] for a group that
	// does not exist yet; zero and empty for a token that is valid for all groups.
	GroupID int64
	Group   string
	// TokenID identifies the token: [TokenAdmitted], [TokenCertificate], [TokenDerived],
	// [TokenShared] or one of the group's.
	TokenID int64
	// Closed are the groups that accept only tokens made for them; nil for none. Callers
	// share it.
	Closed *ClosedGroups
}

// NoGroup stands for the id of a group that does not exist yet: no attempt has it.
const NoGroup int64 = -1

// ClosedGroups are groups that accept only tokens of their own. They never change.
type ClosedGroups struct {
	ids  map[int64]string
	keys map[string]bool
}

// NewClosedGroups returns the groups with these keys, by id. It keeps the map.
func NewClosedGroups(groups map[int64]string) *ClosedGroups {
	keys := make(map[string]bool, len(groups))
	for _, key := range groups {
		keys[key] = true
	}
	return &ClosedGroups{ids: groups, keys: keys}
}

// Speaks reports whether the caller may register and deregister executors of the group. The
// error is Refused, with what to do.
func (c Caller) Speaks(group string) error {
	if c.GroupID != 0 && c.Group != group {
		if c.TokenID == TokenCertificate {
			return Errorf(Refused, "the certificate shown is one of group %s, and says nothing about group %s: "+
				"give this executor one whose common name is %s", c.Group, group, group)
		}
		return Errorf(Refused, "the token shown is one of group %s, and says nothing about group %s: "+
			"give this executor a token of its own group, made with 'orth group token add %s'", c.Group, group, group)
	}
	if c.Closed != nil && !c.chosen() && c.Closed.keys[group] {
		return c.closedTo(group)
	}
	return nil
}

// chosen reports whether the credential was made for one group.
func (c Caller) chosen() bool { return c.GroupID != 0 && c.TokenID != TokenDerived }

// Owns reports whether the caller may act on attempts of the group, as far as it is limited
// to one group.
func (c Caller) Owns(group int64) bool { return c.GroupID == 0 || c.GroupID == group }

// Admitted reports whether the credential is sufficient for attempts of the group. The
// error is Refused, with what to do.
func (c Caller) Admitted(group int64) error {
	if c.chosen() || c.Closed == nil {
		return nil
	}
	if key, closed := c.Closed.ids[group]; closed {
		return c.closedTo(key)
	}
	return nil
}

func (c Caller) closedTo(group string) error {
	shown := "none of them"
	switch {
	case WellKnownToken(c.TokenID):
		shown = "a well-known one"
	case c.TokenID == TokenDerived:
		shown = "made of the server's executor key"
	case c.TokenID == TokenShared:
		shown = "the one that executors of all groups share"
	}
	return Errorf(Refused, "group %s takes only tokens of its own, and the one shown is %s: "+
		"give this executor a token of its group, made with 'orth group token add %s'", group, shown, group)
}
