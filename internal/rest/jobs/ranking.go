package jobs

import (
	"context"
	"encoding/base64"
	"strconv"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
)

// jobMark reads the cursor of a list of jobs; nil is the first page.
func jobMark(in *jobQuery) (*queries.JobMark, error) {
	if in.After == "" {
		return nil, nil //nolint:nilnil // the first page has no mark
	}
	n, everywhere := 3, in.Namespace == access.All
	if everywhere {
		n = 4
	}
	found, err := guard.CursorParts(in.After, in.Sort, n)
	if err != nil {
		return nil, err
	}
	value, notNumber := strconv.ParseInt(found[0], 10, 64)
	text, notText := base64.RawURLEncoding.DecodeString(found[1])
	if notNumber != nil || notText != nil || found[2] == "" || found[n-1] == "" {
		return nil, job.FieldErrorf("after", "%q is damaged: send the after of the page before", in.After)
	}
	mark := &queries.JobMark{Value: value, Text: string(text), Key: found[2]}
	if everywhere {
		mark.Namespace = found[3]
	}
	return mark, nil
}

func jobCursor(sort string, m *queries.JobMark) string {
	told := []string{strconv.FormatInt(m.Value, 10), base64.RawURLEncoding.EncodeToString([]byte(m.Text)), m.Key}
	if m.Namespace != "" {
		told = append(told, m.Namespace)
	}
	return guard.Cursor(sort, told...)
}

// rankJobs answers a list of jobs in another order than that of keys.
func (s *jobRoom) rankJobs(ctx context.Context, in *jobQuery, q *queries.JobQuery) (api.JobList, error) {
	mark, err := jobMark(in)
	if err != nil {
		return api.JobList{}, err
	}
	q.Order, q.Mark, q.After = guard.OrderOf(in.Sort), mark, ""
	found, err := s.config.Lists.RankJobs(ctx, *q)
	if err != nil {
		return api.JobList{}, err
	}
	list, size, last := api.JobList{Jobs: []api.Job{}}, 0, 0
	for i := range found {
		if size += bulkOf(&found[i].Job); size > guard.MaxPage && i > 0 {
			break
		}
		list.Jobs, last = append(list.Jobs, api.FromJob(found[i].Job)), i
	}
	if n := len(list.Jobs); n > 0 && (n < len(found) || n >= in.Limit) {
		list.Next = jobCursor(in.Sort, &found[last].Mark)
	}
	return list, s.unnamed(ctx, pointers(list.Jobs)...)
}
