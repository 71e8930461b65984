package jobs

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/internal/rest/guard"
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

type timelineQuery struct {
	Namespace string `query:"namespace" doc:"Jobs of this namespace. Defaults to all that the caller may see."`
	Group     string `query:"group" doc:"Only jobs of this group."`
	From      string `query:"from" format:"date-time" doc:"Firings from this instant on, cut to the minute. Defaults to now."`
	Until     string `query:"until" format:"date-time" doc:"Firings before this instant, at most 48 hours after from. Defaults to 24 hours after it."`
	After     string `query:"after" doc:"Only jobs after this one: next of the page before."`
	Limit     int    `query:"limit" minimum:"1" maximum:"200" default:"100" doc:"At most so many jobs. A page of jobs that fire often ends earlier."`
}

type timelineReply struct{ Body api.Timeline }

func (s *jobRoom) registerFirings() {
	guard.Register(s.Guard, guard.Op{
		ID: "get-timeline", Method: http.MethodGet, Path: "/timeline", Tags: []string{guard.TagJobs},
		Right: access.View, Scope: guard.Narrowed, Class: guard.Reading, Spreads: true,
		Summary: "List the firings of enabled jobs, counted by minutes",
		Description: "In order of key, of all namespaces one after the other when none is named: those that the caller may see. Firings that calendars drop are not counted, those " +
			"that a pause will hold back are.",
	}, s.getTimeline)
	guard.Register(s.Guard, guard.Op{
		ID: "list-firings", Method: http.MethodGet, Path: "/jobs/{key}/firings", Tags: []string{guard.TagJobs},
		Right: access.View, Scope: guard.OnJob, Class: guard.Reading,
		Summary: "List the next firings of a job, with those that calendars drop or move",
	}, s.listFirings)
	guard.Register(s.Guard, guard.Op{
		ID: "preview-firings", Method: http.MethodPost, Path: "/firings", Tags: []string{guard.TagJobs},
		Right: access.View, Scope: guard.InNamespaceShared, Class: guard.Reading,
		Summary: "List the next firings of a schedule that no job has",
	}, s.previewFirings)
}

func (s *jobRoom) getTimeline(ctx context.Context, in *timelineQuery) (*timelineReply, error) {
	from, err := guard.ParseInstant("from", in.From)
	if err != nil {
		return nil, err
	}
	until, err := guard.ParseInstant("until", in.Until)
	if err != nil {
		return nil, err
	}
	if from.IsZero() {
		from = time.Now()
	}
	if until.IsZero() {
		until = from.Truncate(time.Minute).Add(24 * time.Hour)
	}
	q := queries.TimelineQuery{
		Sight: s.Sight(ctx, access.View), Namespace: in.Namespace, Group: in.Group, From: from, Until: until,
		After: in.After, Limit: in.Limit,
	}
	if q.Namespace == "" {
		if q.Spaces, err = s.spacesWithJobs(ctx, q.Sight); err != nil {
			return nil, err
		}
	}
	line, err := s.config.Firings.Timeline(ctx, q)
	if err != nil {
		return nil, err
	}
	shown := api.Timeline{From: api.At(line.From), Until: api.At(line.Until), Next: line.Next, Jobs: make([]api.TimelineJob, len(line.Jobs))}
	for i := range line.Jobs {
		t := &line.Jobs[i]
		shown.Jobs[i] = api.TimelineJob{
			Namespace: t.Job.Namespace, Key: t.Job.Key, Title: t.Job.Title, Group: t.Job.Group,
			Zone: cmp.Or(t.Job.Schedule.Zone, "UTC"), Minutes: append([]int{}, t.Minutes...),
			Counts: append([]int{}, t.Counts...), Partly: t.Partly, Problem: t.Problem,
		}
	}
	return &timelineReply{shown}, nil
}

// Spaces lists namespaces.
type Spaces interface {
	// Namespaces returns those within a sight, and those besides.
	Namespaces(ctx context.Context, sight access.Sight, besides []string) ([]queries.NamespaceFigures, error)
}

// spacesWithJobs returns the namespaces with jobs in sight, in order of name.
func (s *jobRoom) spacesWithJobs(ctx context.Context, sight access.Sight) ([]string, error) {
	found, err := s.config.Spaces.Namespaces(ctx, sight, nil)
	if err != nil {
		return nil, err
	}
	names := []string{}
	for i := range found {
		if found[i].Jobs > 0 {
			names = append(names, found[i].Name)
		}
	}
	return names, nil
}

func (s *jobRoom) listFirings(ctx context.Context, in *firingQuery) (*firingList, error) {
	from, err := guard.ParseInstant("from", in.From)
	if err != nil {
		return nil, err
	}
	f, err := s.config.Firings.Firings(ctx, in.Namespace, in.Key, from, in.Count)
	return replyFirings(f, in.Language, err)
}

func (s *jobRoom) previewFirings(ctx context.Context, in *firingQuestion) (*firingList, error) {
	q := &in.Body
	f, err := s.config.Firings.FiringsOf(ctx, in.Namespace, q.Schedule.Spec(), q.JobKey, q.From.Time, q.Count)
	return replyFirings(f, q.Language, err)
}

func replyFirings(f queries.Firings, language string, err error) (*firingList, error) {
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

// Firings returns the next slots of schedules: the first n after from, where zero means now
// and a default number.
type Firings interface {
	Firings(ctx context.Context, namespace, key string, from time.Time, n int) (queries.Firings, error)
	FiringsOf(ctx context.Context, namespace string, s schedule.Spec, jobKey string, from time.Time, n int) (queries.Firings, error)
	// Timeline returns the firings of the enabled jobs of a query, counted by minutes.
	Timeline(ctx context.Context, q queries.TimelineQuery) (queries.Timeline, error)
}
