package rest

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/catalog"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

type firingQuery struct {
	Key       string `path:"key" doc:"The job's key."`
	Namespace string `query:"namespace" default:"default" doc:"The job's namespace."`
	From      string `query:"from" format:"date-time" doc:"Firings after this instant. Defaults to now."`
	Count     int    `query:"count" minimum:"1" maximum:"1000" default:"20" doc:"So many firings, with those that are dropped."`
	Language  string `query:"language" enum:"en,zh" default:"en" doc:"Of the sentence."`
}

type firingQuestion struct {
	Namespace string `query:"namespace" default:"default" doc:"The namespace of the calendars that the schedule names."`
	Body      api.FiringQuestion
}

type firingList struct{ Body api.FiringList }

func (s *server) registerFirings() {
	register(s, huma.Operation{
		OperationID: "list-firings", Method: http.MethodGet, Path: "/jobs/{key}/firings", Tags: []string{tagJobs},
		Summary: "Tell when a job fires next, and what calendars drop or move",
	}, s.listFirings)
	register(s, huma.Operation{
		OperationID: "preview-firings", Method: http.MethodPost, Path: "/firings", Tags: []string{tagJobs},
		Summary: "Tell when a schedule would fire that no job has",
	}, s.previewFirings)
}

func (s *server) listFirings(ctx context.Context, in *firingQuery) (*firingList, error) {
	from, err := parseInstant("from", in.From)
	if err != nil {
		return nil, err
	}
	f, err := s.config.Firings.Firings(ctx, in.Namespace, in.Key, from, in.Count)
	return replyFirings(f, in.Language, err)
}

func (s *server) previewFirings(ctx context.Context, in *firingQuestion) (*firingList, error) {
	q := &in.Body
	f, err := s.config.Firings.FiringsOf(ctx, in.Namespace, q.Schedule.Spec(), q.JobKey, q.From.Time, q.Count)
	return replyFirings(f, q.Language, err)
}

func replyFirings(f catalog.Firings, language string, err error) (*firingList, error) {
	if err != nil {
		return nil, err
	}
	list := api.FiringList{
		Firings: make([]api.Firing, len(f.Slots)), Zone: f.Zone.String(),
		Sentence: f.Spec.Describe(schedule.Language(language)), Warnings: f.Warnings, More: f.More,
	}
	for i, slot := range f.Slots {
		list.Firings[i] = api.FromSlot(slot, f.Zone)
	}
	return &firingList{list}, nil
}

// parseInstant reads an instant of a query; empty is the zero time.
func parseInstant(field, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	var at api.Time
	if err := at.UnmarshalText([]byte(text)); err != nil {
		return time.Time{}, job.FieldErrorf(field, "%w", err)
	}
	return at.Time, nil
}
