package overview

import (
	"context"
	"net/http"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/users"
)

// Overview returns what exists.
type Overview interface {
	// Namespaces returns those within a sight, and those besides.
	Namespaces(ctx context.Context, sight access.Sight, besides []string) ([]queries.NamespaceFigures, error)
	Summary(ctx context.Context, q *queries.SummaryQuery) (queries.Summary, error)
}

// GrantLister lists what was granted.
type GrantLister interface {
	Grants(ctx context.Context, sight access.Sight, namespace, user, after string, limit int) ([]users.Held, error)
}

type namespaceList struct{ Body api.NamespaceList }

type settingList struct{ Body api.SettingList }

type summaryReply struct{ Body api.Summary }

func (s *overviewRoom) registerOverview() {
	guard.Register(s.Guard, guard.Op{
		ID: "list-namespaces", Method: http.MethodGet, Path: "/namespaces", Tags: []string{guard.TagServer},
		Right: access.View, Scope: guard.Narrowed, Class: guard.Reading,
		Summary:     "List namespaces in order of name, with the objects that the caller may see",
		Description: "Those that hold jobs, groups, workflows or calendars, and those in which something was granted.",
	}, s.listNamespaces)
	guard.Register(s.Guard, guard.Op{
		ID: "get-summary", Method: http.MethodGet, Path: "/summary", Tags: []string{guard.TagServer},
		Right: access.View, Scope: guard.Narrowed, Class: guard.Reading, Spreads: true,
		Summary:     "Show a summary of the current activity, within what the caller may see",
		Description: "Of everything, of a namespace, or of a group. The same question is counted at most once a second, and more seldom when counting takes long.",
	}, s.getSummary)
	guard.Register(s.Guard, guard.Op{
		ID: "list-settings", Method: http.MethodGet, Path: "/settings", Tags: []string{guard.TagServer},
		Right: access.Admin, Scope: guard.OnServer, Class: guard.Reading,
		Summary:     "List the settings of the server that answers, as they are in effect",
		Description: "No secret is ever shown.",
	}, s.listSettings)
}

func (s *overviewRoom) listNamespaces(ctx context.Context, _ *struct{}) (*namespaceList, error) {
	sight := s.Sight(ctx, access.View)
	besides, err := s.granted(ctx, &sight)
	if err != nil {
		return nil, err
	}
	found, err := s.config.Overview.Namespaces(ctx, sight, besides)
	if err != nil {
		return nil, err
	}
	list := api.NamespaceList{Namespaces: make([]api.Namespace, len(found))}
	for i, n := range found {
		list.Namespaces[i] = api.Namespace(n)
	}
	return &namespaceList{list}, nil
}

// grantPage is how many grants are asked for at once.
const grantPage = 1000

// granted returns the namespaces within a sight in which something was granted: those
// that make up the sight, or, for who sees everything, those of all grants.
func (s *overviewRoom) granted(ctx context.Context, sight *access.Sight) (names []string, err error) {
	if !sight.All {
		for _, p := range sight.Places {
			names = append(names, p.Namespace)
		}
		return names, nil
	}
	for after := ""; ; {
		held, err := s.config.Grants.Grants(ctx, *sight, "", "", after, grantPage)
		if err != nil {
			return nil, err
		}
		for _, h := range held {
			if h.Namespace != access.All {
				names = append(names, h.Namespace)
			}
		}
		if len(held) < grantPage {
			return names, nil
		}
		after = held[len(held)-1].User
	}
}

// summaryQuery narrows a summary.
type summaryQuery struct {
	Namespace string `query:"namespace" maxLength:"64" doc:"Only figures of this namespace. Executors are in the namespace default. Defaults to all that the caller may see."`
	Group     string `query:"group" maxLength:"64" doc:"Only figures of this group, and of its jobs."`
	Zone      string `query:"zone" maxLength:"64" default:"UTC" example:"Europe/Berlin" doc:"The zone of today and yesterday: an IANA name. In the few zones that are not whole half hours off UTC days begin up to a quarter of an hour later."`
}

// within limits the query to the visibility of a caller.
func (q *summaryQuery) within(sight access.Sight) *queries.SummaryQuery {
	return &queries.SummaryQuery{Sight: sight, Namespace: q.Namespace, Group: q.Group, Zone: q.Zone}
}

func (s *overviewRoom) getSummary(ctx context.Context, in *summaryQuery) (*summaryReply, error) {
	c, err := s.config.Overview.Summary(ctx, in.within(s.Sight(ctx, access.View)))
	if err != nil {
		return nil, err
	}
	return &summaryReply{summary(&c)}, nil
}

// summary returns what goes on as the API shows it.
func summary(c *queries.Summary) api.Summary {
	return api.Summary{
		At:        api.At(c.At),
		Namespace: c.Namespace,
		Group:     c.Group,
		Runs:      api.RunFigures{Waiting: c.Waiting, Retrying: c.Retrying, Late: c.Late, Running: c.Running},
		Jobs:      api.JobFigures{Total: c.Jobs, Scheduled: c.Scheduled, Soon: c.Soon},
		Executors: api.ExecutorFigures(c.Executors),
		Open:      api.OpenFigures{DeadLetters: c.DeadLetters, Alarms: c.Alarms},
		Zone:      c.Zone,
		Today:     api.FromDay(c.Today),
		Yesterday: api.FromDay(c.Yesterday),
	}
}

func (s *overviewRoom) listSettings(context.Context, *struct{}) (*settingList, error) {
	return &settingList{api.SettingList{Settings: s.config.Settings()}}, nil
}
