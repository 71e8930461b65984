package overview

import (
	"cmp"
	"context"
	"net/http"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
)

// Dashboards return the activity of a time and the current state.
type Dashboards interface {
	Dashboard(ctx context.Context, q *queries.DashboardQuery) (queries.Dashboard, error)
}

type dashboardQuery struct {
	Namespace string `query:"namespace" doc:"Only figures of this namespace. Executors are in the namespace default. Defaults to all that the caller may see."`
	Group     string `query:"group" doc:"Only figures of this group, and of its jobs."`
	Range     string `query:"range" enum:"1h,24h,7d,30d,today,yesterday,this_week,last_week,this_month,last_month" default:"24h" doc:"The time: an hour in minutes, a day in half hours, a week in quarters of days, or 30 days, which end with the piece that now lies in; or a whole day, week from Monday on, or month of the zone."`
	Zone      string `query:"zone" maxLength:"64" default:"UTC" example:"Europe/Berlin" doc:"The zone in whose days a week and a month are cut: an IANA name. In the few zones that are not whole half hours off UTC days begin up to a quarter of an hour later."`
}

type dashboardReply struct{ Body api.Dashboard }

func (s *overviewRoom) registerDashboard() {
	guard.Register(s.Guard, guard.Op{
		ID: "get-dashboard", Method: http.MethodGet, Path: "/dashboard", Tags: []string{guard.TagServer},
		Right: access.View, Scope: guard.Narrowed, Class: guard.Searching, Spreads: true,
		Summary: "Show the activity of a time and the current state, within what the caller may see",
		Description: "Runs by outcome and how long attempts took, in pieces of the time; how late attempts were sent; the jobs that fail most, " +
			"what waits, what fires within the next hour, and how executors stand. The same question is counted at most once a second, and " +
			"more seldom when counting takes long.",
	}, s.getDashboard)
}

func (s *overviewRoom) getDashboard(ctx context.Context, in *dashboardQuery) (*dashboardReply, error) {
	sight := s.Sight(ctx, access.View)
	if s.config.Dashboards == nil {
		return nil, job.Errorf(job.Unavailable, "this server has no dashboards")
	}
	d, err := s.config.Dashboards.Dashboard(ctx, &queries.DashboardQuery{
		Sight: sight, Namespace: in.Namespace, Group: in.Group, Range: in.Range, Zone: in.Zone,
	})
	if err != nil {
		return nil, err
	}
	shown := api.Dashboard{
		At: api.At(d.At), Range: in.Range, Zone: d.Zone, Total: spreadFigures(&d.Total), Partly: d.Partly,
		Lag: api.Lag{
			Attempts: d.Late.Total(), P50: api.Duration(d.Late.Share(0.5, d.LateMax)), P99: api.Duration(d.Late.Share(0.99, d.LateMax)),
			Max: api.Duration(d.LateMax),
		},
		Buckets: make([]api.DashboardBucket, len(d.Buckets)), Failing: make([]api.FailingJob, len(d.Failing)),
		Backlog: make([]api.GroupBacklog, len(d.Backlog)), Firings: make([]api.NextFiring, len(d.Firings)),
		Executors: api.ExecutorFigures(d.Executors), Groups: make([]api.GroupExecutors, len(d.Groups)),
	}
	for i := range d.Buckets {
		b := &d.Buckets[i]
		shown.Buckets[i] = api.DashboardBucket{From: api.At(b.From), To: api.At(b.To), SpreadFigures: spreadFigures(b)}
	}
	for i := range d.Failing {
		shown.Failing[i] = failingJob(&d.Failing[i])
	}
	for i, b := range d.Backlog {
		shown.Backlog[i] = api.GroupBacklog{Namespace: b.Namespace, Group: b.Group, Waiting: b.Waiting, OldestAt: api.At(b.Oldest)}
	}
	for i, f := range d.Firings {
		shown.Firings[i] = api.NextFiring{At: api.At(f.At), Namespace: f.Namespace, Group: f.Group, JobID: f.JobID, JobKey: f.JobKey}
	}
	for i, g := range d.Groups {
		shown.Groups[i] = api.GroupExecutors{Group: g.Group, ExecutorFigures: api.ExecutorFigures(g.ExecutorFigures)}
	}
	return &dashboardReply{shown}, nil
}

func spreadFigures(b *queries.Bucket) api.SpreadFigures {
	return api.SpreadFigures{
		Figures: api.FromDay(b.Stats).Figures,
		TookP50: api.Duration(b.Spread.Share(0.5, b.TookMax)), TookP95: api.Duration(b.Spread.Share(0.95, b.TookMax)),
	}
}

// maxReason bounds why a run has failed, in characters.
const maxReason = 200

func failingJob(j *queries.FailingJob) api.FailingJob {
	r := &j.Last
	return api.FailingJob{
		Namespace: j.Namespace, Group: j.Group, JobID: j.JobID, JobKey: j.JobKey, Runs: j.Runs,
		LastRunID: api.ID(r.ID), LastState: string(r.State), LastAt: api.At(r.EndedAt), Reason: job.Clean(cmp.Or(r.Message, r.Reason), maxReason),
	}
}
