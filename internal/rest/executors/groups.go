package executors

import (
	"context"
	"net/http"
	"net/url"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
)

// GroupKeeper finds, makes and removes groups of executors.
type GroupKeeper interface {
	GroupFinder
	CreateGroup(ctx context.Context, g job.Group) (job.Group, error)
	DeleteGroup(ctx context.Context, namespace, key string) error
}

// GroupFinder finds groups with the objects that belong to them.
type GroupFinder interface {
	FindGroups(ctx context.Context, q jobs.GroupQuery) ([]jobs.GroupFigures, error)
	Group(ctx context.Context, namespace, key string) (jobs.GroupFigures, error)
}

const tagGroups = "groups"

type groupQuery struct {
	Namespace string `query:"namespace" doc:"Only groups of this namespace."`
	After     string `query:"after" doc:"Only keys after this one: next of the page before."`
	Limit     int    `query:"limit" minimum:"1" maximum:"1000" default:"100" doc:"At most so many groups."`
}

type groupAt struct {
	Group     string `path:"group" doc:"The group's key."`
	Namespace string `query:"namespace" doc:"The group's namespace. No two groups have the same key, so it may be left out; in another one there is no such group."`
}

type newGroup struct {
	Namespace string `query:"namespace" default:"default" doc:"The group's namespace. Its key must be new in all of them, for executors register by it alone."`
	Body      api.NewGroup
}

type groupList struct{ Body api.GroupList }

type figuresReply struct{ Body api.GroupFigures }

type groupCreated struct {
	Location string `header:"Location" doc:"The path of the group."`
	Body     api.GroupFigures
}

func (s *executorRoom) registerGroups() {
	tags := []string{tagGroups}
	guard.Register(s.Guard, guard.Op{
		ID: "list-groups", Method: http.MethodGet, Path: "/groups", Tags: tags,
		Right: access.View, Scope: guard.Narrowed, Class: guard.Reading, Spreads: true,
		Summary:     "List groups of executors in order of key, with their counts of jobs and executors",
		Description: "Those that the caller may see.",
	}, s.listGroups)
	guard.Register(s.Guard, guard.Op{
		ID: "get-group", Method: http.MethodGet, Path: "/groups/{group}", Tags: tags,
		Right: access.View, Scope: guard.OnGroup, Class: guard.Reading,
		Policy:  guard.Policy{Kind: guard.KindGroup},
		Summary: "Show a group",
	}, s.getGroup)
	guard.Register(s.Guard, guard.Op{
		ID: "create-group", Method: http.MethodPost, Path: "/groups", Tags: tags,
		Right: access.Own, Scope: guard.InBody, Class: guard.Writing, Status: http.StatusCreated,
		Policy:      guard.Policy{Kind: guard.KindGroup, Made: true, Dry: true},
		Summary:     "Make a group before any executor registers for it",
		Description: "A group that a job names, or an executor registers for, makes itself, in the namespace default.",
	}, s.createGroup)
	guard.Register(s.Guard, guard.Op{
		ID: "delete-group", Method: http.MethodDelete, Path: "/groups/{group}", Tags: tags,
		Right: access.Own, Scope: guard.OnGroup, Class: guard.Writing,
		Policy:      guard.Policy{Kind: guard.KindGroup, Dry: true},
		Summary:     "Remove a group that nothing belongs to any more",
		Description: "While it has jobs, runs, tokens or executors that are alive the answer is a conflict that names what it has.",
	}, s.deleteGroup)
}

func (s *executorRoom) listGroups(ctx context.Context, in *groupQuery) (*groupList, error) {
	found, err := s.config.GroupKeeper.FindGroups(ctx, jobs.GroupQuery{
		Sight: s.Sight(ctx, access.View), Namespace: in.Namespace, After: in.After, Limit: in.Limit,
	})
	if err != nil {
		return nil, err
	}
	list := api.GroupList{Groups: make([]api.GroupFigures, len(found))}
	for i := range found {
		list.Groups[i] = figuresOf(&found[i])
	}
	if n := len(found); n >= in.Limit {
		list.Next = found[n-1].Group.Key
	}
	return &groupList{list}, nil
}

func (s *executorRoom) getGroup(ctx context.Context, in *groupAt) (*figuresReply, error) {
	g, err := s.config.GroupKeeper.Group(ctx, in.Namespace, in.Group)
	if err != nil {
		return nil, err
	}
	return &figuresReply{figuresOf(&g)}, nil
}

func (s *executorRoom) createGroup(ctx context.Context, in *newGroup) (*groupCreated, error) {
	g := job.Group{Namespace: in.Namespace, Key: in.Body.Key, Title: in.Body.Title, Labels: in.Body.Labels}
	if err := s.Allow(ctx, access.Own, access.Object{Namespace: g.Namespace, Group: g.Key}); err != nil {
		return nil, err
	}
	made, err := s.config.GroupKeeper.CreateGroup(ctx, g)
	if err != nil {
		return nil, err
	}
	return &groupCreated{guard.Prefix + "/groups/" + url.PathEscape(made.Key), figuresOf(&jobs.GroupFigures{Group: made})}, nil
}

func (s *executorRoom) deleteGroup(ctx context.Context, in *groupAt) (*struct{}, error) {
	return nil, s.config.GroupKeeper.DeleteGroup(ctx, in.Namespace, in.Group)
}

// figuresOf returns a group as the API shows it.
func figuresOf(g *jobs.GroupFigures) api.GroupFigures {
	return api.GroupFigures{
		Namespace: g.Group.Namespace, Key: g.Group.Key, Title: g.Group.Title, Labels: g.Group.Labels, Version: g.Group.Version, OwnTokenOnly: g.OwnTokenOnly,
		CreatedAt: api.At(g.Group.CreatedAt), Executors: g.Executors, Alive: g.Alive, Draining: g.Draining,
		Jobs: g.Jobs, Running: g.Working, Waiting: g.Waiting,
	}
}
