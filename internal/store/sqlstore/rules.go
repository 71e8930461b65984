package sqlstore

import (
	"context"

	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/job"
)

// By a scan of at most Limits.Groups rows, when the rules have changed and a
// pause names groups.
const listGroupKeys = `SELECT id, group_key FROM executor_groups`

// Rules returns all calendars and pauses, and nil when their version is still
// known. What it returns is at least as new as its version, which also grows
// when a group is made, for a pause may have named it before. A calendar or
// pause that cannot be read is there and does not compile.
func (s *Store) Rules(ctx context.Context, known int64) (*planner.Rules, error) {
	number := func(n *int64) []any { return []any{(*integer)(n)} }
	version, found, err := first(ctx, s.reader, number, readSequence, sequenceRules)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, job.Errorf(job.Internal, "the sequence %s does not exist", sequenceRules)
	case version == known:
		return nil, nil //nolint:nilnil // The contract requires it.
	}
	rules := &planner.Rules{Version: version}
	if rules.Calendars, err = list(ctx, s.reader, calendarFields, listAllCalendars); err != nil {
		return nil, err
	}
	pauses, err := s.Pauses(ctx)
	if err != nil {
		return nil, err
	}
	rules.Pauses, err = s.resolved(ctx, pauses)
	return rules, err
}

// resolved adds to pauses the ids of their groups, as far as they exist.
func (s *Store) resolved(ctx context.Context, pauses []job.Pause) ([]planner.Pause, error) {
	out := make([]planner.Pause, len(pauses))
	named := false
	for i, p := range pauses {
		out[i].Pause = p
		named = named || len(p.Groups) > 0
	}
	if !named {
		return out, nil
	}
	ids := map[string]int64{}
	fields := func(g *job.Group) []any { return []any{(*integer)(&g.ID), (*text)(&g.Key)} }
	err := each(ctx, s.reader, fields, func(g *job.Group) { ids[g.Key] = g.ID }, listGroupKeys)
	if err != nil {
		return nil, err
	}
	for i := range out {
		for _, key := range out[i].Groups {
			if id, ok := ids[key]; ok {
				out[i].GroupIDs = append(out[i].GroupIDs, id)
			}
		}
	}
	return out, nil
}

// touchRules records that calendars or pauses have changed.
func (t *tx) touchRules() error {
	return t.do(advanceSequence, 1, sequenceRules)
}
