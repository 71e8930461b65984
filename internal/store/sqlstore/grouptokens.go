package sqlstore

import (
	"context"
	"strconv"
	"time"

	"github.com/orthd/orth/internal/executorauth"
	"github.com/orthd/orth/job"
)

// The sequences of tokens: of their ids, and the version of all of them.
const (
	sequenceGroupTokens = "group_tokens"
	sequenceCallers     = "callers"
)

const (
	// By group_tokens_group.
	countGroupTokens = `SELECT COUNT(*) FROM group_tokens WHERE group_id = ?`
	insertGroupToken = `INSERT INTO group_tokens (id, group_id, label, hash, sealed, created_at) VALUES (?, ?, ?, ?, ?, ?)`
	// By group_tokens' unique hash, and executor_groups' primary key.
	findHolder = `SELECT t.id, g.group_key FROM group_tokens t CROSS JOIN executor_groups g ON g.id = t.group_id WHERE t.hash = ?`
	// By group_tokens' primary key.
	deleteGroupToken = `DELETE FROM group_tokens WHERE id = ? AND group_id = ?`
	// By group_tokens_group, in the order of ids.
	listGroupTokens = `SELECT id, label, hash, sealed, created_at, last_used_at FROM group_tokens WHERE group_id = ? ORDER BY id`
	// By group_tokens' primary key.
	touchGroupToken = `UPDATE group_tokens SET last_used_at = ? WHERE id = ?`
	// By executor_groups_key.
	findGroupRule = `SELECT id, namespace, own_token_only, version FROM executor_groups WHERE group_key = ?`
	// By executor_groups' primary key.
	readGroupKey = `SELECT group_key FROM executor_groups WHERE id = ?`
	// By executor_groups' primary key.
	changeGroup = `UPDATE executor_groups SET namespace = COALESCE(?, namespace), title = COALESCE(?, title),
		labels = COALESCE(?, labels), own_token_only = ?, version = version + 1 WHERE id = ?`
	// By a scan of at most Limits.Groups × job.MaxGroupTokens rows, when they have
	// changed.
	listHolders = `SELECT t.id, t.group_id, g.group_key, t.hash, t.sealed, t.last_used_at FROM group_tokens t
		CROSS JOIN executor_groups g ON g.id = t.group_id`
	// By a scan of at most Limits.Groups rows, when they have changed.
	listClosedGroups = `SELECT id, group_key FROM executor_groups WHERE own_token_only = 1`
)

// AddGroupToken writes a token and returns it with its id. Kinds: Full when there
// are too many of the group, Conflict when a group has it already.
func (s *Store) AddGroupToken(ctx context.Context, g job.GroupToken) (job.GroupToken, error) {
	err := s.writer.update(ctx, func(t *tx) error {
		if err := t.tokenIsNew(g.Hash); err != nil {
			return err
		}
		group, err := t.group(g.Group, g.CreatedAt)
		if err != nil {
			return err
		}
		n, err := t.tokensOf(group)
		if err != nil {
			return err
		}
		if n >= job.MaxGroupTokens {
			full := job.Errorf(job.Full, "group %s has %d tokens already, which is the most", g.Group, n)
			full.Hint = "remove an unused one: 'orth group token list " + g.Group + "' shows when each was last used"
			return full
		}
		if g.ID, err = t.reserve(sequenceGroupTokens, 1); err != nil {
			return err
		}
		t.names("group token", "", g.Group, strconv.FormatInt(g.ID, 10))
		if err = t.do(insertGroupToken, g.ID, group, g.Label, g.Hash, g.Sealed, job.Millis(g.CreatedAt)); err != nil {
			return err
		}
		return t.touchCallers()
	})
	if err != nil {
		return job.GroupToken{}, err
	}
	return g, nil
}

// tokenIsNew returns a Conflict when a group has a token with the hash.
func (t *tx) tokenIsNew(hash string) error {
	var id int64
	var group string
	found, err := t.read(findHolder, []any{hash}, []any{&id, &group})
	if err != nil || !found {
		return err
	}
	taken := job.Errorf(job.Conflict, "this token is that of group %s already, as token %d", group, id)
	taken.Hint = "a token identifies the calling group, so no two groups share one: create another one for this group"
	return taken
}

// RemoveGroupToken removes a token of a group. Kinds: NotFound.
func (s *Store) RemoveGroupToken(ctx context.Context, group string, id int64) error {
	return s.writer.update(ctx, func(t *tx) error {
		of, err := t.groupRule(group)
		if err != nil {
			return err
		}
		found, err := t.one(deleteGroupToken, id, of.id)
		if err != nil {
			return err
		}
		if !found {
			missing := job.Errorf(job.NotFound, "group %s has no token %d", group, id)
			missing.Hint = "'orth group token list " + group + "' shows those it has"
			return missing
		}
		return t.touchCallers()
	})
}

// GroupTokens returns the tokens of a group in order of id, and whether it takes no
// others. Kinds: NotFound.
func (s *Store) GroupTokens(ctx context.Context, group string) ([]job.GroupToken, bool, error) {
	of, found, err := first(ctx, s.reader, groupRuleFields, findGroupRule, group)
	if err != nil {
		return nil, false, err
	}
	if !found {
		return nil, false, noGroup(group)
	}
	fields := func(g *job.GroupToken) []any {
		g.Group = group
		return []any{(*integer)(&g.ID), (*text)(&g.Label), (*text)(&g.Hash), (*text)(&g.Sealed), (*instant)(&g.CreatedAt), (*instant)(&g.UsedAt)}
	}
	tokens, err := list(ctx, s.reader, fields, listGroupTokens, of.id)
	return tokens, of.only, err
}

// ChangeGroup changes a group's description, its namespace, and whether it takes only its
// own tokens. Jobs that run on it continue to. Kinds: NotFound, Conflict when it has
// another version, or shall take only its own tokens and has none.
func (s *Store) ChangeGroup(ctx context.Context, group string, change job.GroupChange) error {
	var namespace, title, labels any // nil leaves them
	if change.Namespace != nil {
		namespace = *change.Namespace
	}
	if change.Title != nil {
		title = *change.Title
	}
	if change.Labels != nil {
		text, err := labelsText(change.Labels)
		if err != nil {
			return err
		}
		labels = text
	}
	return s.writer.update(ctx, func(t *tx) error {
		of, err := t.groupRule(group)
		if err != nil {
			return err
		}
		if change.Version != 0 && change.Version != of.version {
			return job.Errorf(job.Conflict, "group %s was changed since it was read: its version is %d, the change was made from %d; look at it and try again",
				group, of.version, change.Version)
		}
		only := of.only
		if change.OwnTokenOnly != nil {
			only = *change.OwnTokenOnly
		}
		if only && !of.only {
			if err := t.hasToken(of.id, group); err != nil {
				return err
			}
		}
		if err := t.do(changeGroup, namespace, title, labels, bit(only), of.id); err != nil || only == of.only {
			return err
		}
		return t.touchCallers()
	})
}

// hasToken reports as a Conflict that a group has no token.
func (t *tx) hasToken(id int64, group string) error {
	n, err := t.tokensOf(id)
	if err != nil || n > 0 {
		return err
	}
	none := job.Errorf(job.Conflict, "group %s has no token of its own: all its executors would be refused", group)
	none.Hint = "make one first with 'orth group token add " + group + "', and give it to them"
	return none
}

// labelsText returns the labels of a group as they are stored.
func labelsText(labels map[string]string) (string, error) {
	if len(labels) == 0 {
		return "{}", nil
	}
	return encode(labels)
}

// Callers returns all tokens and the groups that take no others, and nil when
// their version is still known. What it returns is at least as new as its version.
func (s *Store) Callers(ctx context.Context, known int64) (*executorauth.Callers, error) {
	number := func(n *int64) []any { return []any{(*integer)(n)} }
	version, found, err := first(ctx, s.reader, number, readSequence, sequenceCallers)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, job.Errorf(job.Internal, "the sequence %s does not exist", sequenceCallers)
	case version == known:
		return nil, nil //nolint:nilnil // The contract requires it.
	}
	callers := &executorauth.Callers{Version: version}
	fields := func(k *executorauth.Known) []any {
		return []any{(*integer)(&k.ID), (*integer)(&k.GroupID), (*text)(&k.Group), (*text)(&k.Hash), (*text)(&k.Sealed), (*instant)(&k.UsedAt)}
	}
	if callers.Tokens, err = list(ctx, s.reader, fields, listHolders); err != nil {
		return nil, err
	}
	group := func(g *job.Group) []any { return []any{(*integer)(&g.ID), (*text)(&g.Key)} }
	callers.Closed, err = list(ctx, s.reader, group, listClosedGroups)
	return callers, err
}

// GroupID returns the id of a group. Kinds: NotFound.
func (s *Store) GroupID(ctx context.Context, group string) (int64, error) {
	number := func(n *int64) []any { return []any{(*integer)(n)} }
	id, found, err := first(ctx, s.reader, number, findGroup, group)
	if err == nil && !found {
		err = noGroup(group)
	}
	return id, err
}

// GroupKey returns the key of the group with an id. Kinds: NotFound.
func (s *Store) GroupKey(ctx context.Context, id int64) (string, error) {
	key := func(k *string) []any { return []any{(*text)(k)} }
	found, is, err := first(ctx, s.reader, key, readGroupKey, id)
	if err == nil && !is {
		err = noGroup(strconv.FormatInt(id, 10))
	}
	return found, err
}

// TouchGroupToken records when a token was used. A removed token is no error.
func (s *Store) TouchGroupToken(ctx context.Context, id int64, at time.Time) error {
	return s.writer.update(ctx, func(t *tx) error {
		return t.do(touchGroupToken, job.Millis(at), id)
	})
}

// groupRule is how a group takes executors, and which version of it that is.
type groupRule struct {
	id        int64
	namespace string
	only      bool // it takes no tokens but its own
	version   int64
}

func groupRuleFields(r *groupRule) []any {
	return []any{(*integer)(&r.id), (*text)(&r.namespace), (*truth)(&r.only), (*integer)(&r.version)}
}

// groupRule returns how a group takes executors. Kinds: NotFound.
func (t *tx) groupRule(key string) (of groupRule, err error) {
	found, err := t.read(findGroupRule, []any{key}, groupRuleFields(&of))
	if err == nil && !found {
		err = noGroup(key)
	}
	return of, err
}

func noGroup(key string) error {
	missing := job.Errorf(job.NotFound, "there is no group %s", key)
	missing.Hint = "a group is made by its first executor, job, address or token: 'orth executors' shows those that are alive"
	return missing
}

func (t *tx) tokensOf(group int64) (n int64, err error) {
	_, err = t.read(countGroupTokens, []any{group}, []any{&n})
	return n, err
}

// touchCallers records that tokens, or which tokens groups take, have changed.
func (t *tx) touchCallers() error {
	return t.do(advanceSequence, 1, sequenceCallers)
}
