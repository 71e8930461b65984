package runs

import (
	"context"
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/deadletters"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
)

// oldestFirst is the sort whose pages continue at an id, ascending.
const oldestFirst = "created_at"

// newestLetters answers a list of dead letters in the order of ids, downwards.
func (s *runRoom) newestLetters(ctx context.Context, in *letterQuery, q *deadletters.LetterQuery) (*letterList, error) {
	field, text := "before", in.Before
	if in.After != "" { // here both are the id of a run
		if field, text = "after", in.After; strings.HasPrefix(text, "~") {
			_, err := guard.CursorParts(text, in.Sort, 0)
			return nil, err
		}
	}
	var err error
	if text != "" {
		if q.BeforeRun, err = guard.ParseID(field, text); err != nil {
			return nil, err
		}
	}
	found, err := s.config.DeadLetters.DeadLetters(ctx, *q)
	if err != nil {
		return nil, err
	}
	list, _ := letterPage(found)
	if n := len(list.DeadLetters); n > 0 && (n < len(found) || n >= in.Limit) {
		list.Next = list.DeadLetters[n-1].RunID
	}
	return &letterList{list}, nil
}

// oldestLetters answers a list of dead letters in the order of ids, upwards.
func (s *runRoom) oldestLetters(ctx context.Context, in *letterQuery, q *deadletters.LetterQuery) (*letterList, error) {
	q.Oldest = true
	if in.After != "" {
		found, err := guard.CursorParts(in.After, in.Sort, 1)
		if err == nil {
			q.AfterRun, err = guard.ParseID("after", found[0])
		}
		if err != nil {
			return nil, err
		}
	}
	found, err := s.config.DeadLetters.DeadLetters(ctx, *q)
	if err != nil {
		return nil, err
	}
	list, last := letterPage(found)
	if n := len(list.DeadLetters); n > 0 && (n < len(found) || n >= in.Limit) {
		list.After = guard.Cursor(in.Sort, guard.IDText(found[last].RunID))
	}
	return &letterList{list}, nil
}

// rankLetters answers a list of dead letters in another order than that of ids.
func (s *runRoom) rankLetters(ctx context.Context, in *letterQuery, q *deadletters.LetterQuery) (*letterList, error) {
	mark, err := letterMark(in)
	if err != nil {
		return nil, err
	}
	q.Order, q.Mark = guard.OrderOf(in.Sort), mark
	found, err := s.config.DeadLetters.RankLetters(ctx, *q)
	if err != nil {
		return nil, err
	}
	list, last := letterPage(found.Letters)
	list.Since = api.At(found.Since)
	if n := len(list.DeadLetters); n > 0 && (n < len(found.Letters) || found.More) {
		list.After = letterCursor(in.Sort, &found.Marks[last])
	}
	return &letterList{list}, nil
}

// letterPage returns the letters that a page has room for, and the index of the last.
func letterPage(found []job.DeadLetter) (list api.DeadLetterList, last int) {
	list.DeadLetters = []api.DeadLetter{}
	size := 0
	for i := range found {
		d := &found[i]
		if size += len(d.Message) + len(d.Reason) + len(d.ClosedReason); size > guard.MaxPage && i > 0 {
			break
		}
		list.DeadLetters, last = append(list.DeadLetters, api.FromDeadLetter(*d)), i
	}
	return list, last
}

// letterMark reads the cursor of a list of dead letters; nil is the first page.
func letterMark(in *letterQuery) (*deadletters.LetterMark, error) {
	if in.After == "" {
		return nil, nil //nolint:nilnil // the first page has no mark
	}
	found, err := guard.CursorParts(in.After, in.Sort, 5)
	if err != nil {
		return nil, err
	}
	damaged := job.FieldErrorf("after", "%q is damaged: send the after of the page before", in.After)
	text, err := base64.RawURLEncoding.DecodeString(found[4])
	if err != nil {
		return nil, damaged
	}
	m := deadletters.LetterMark{Text: string(text)}
	for i, into := range [...]*int64{&m.Value, &m.ID, &m.Top, &m.Floor} {
		if *into, err = strconv.ParseInt(found[i], 10, 64); err != nil || *into < 0 {
			return nil, damaged
		}
	}
	return &m, nil
}

func letterCursor(sort string, m *deadletters.LetterMark) string {
	return guard.Cursor(sort, guard.IDText(m.Value), guard.IDText(m.ID), guard.IDText(m.Top), guard.IDText(m.Floor), base64.RawURLEncoding.EncodeToString([]byte(m.Text)))
}
