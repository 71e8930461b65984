package workflows

import (
	"context"
	"net/http"
	"slices"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
)

type pausePath struct {
	Key string `path:"key" doc:"The pause's key."`
}

type newPause struct {
	Key  string `path:"key" doc:"The pause's key; keys are unique among all namespaces."`
	Body api.NewPause
}

type pauseReply struct{ Body api.Pause }

type pauseList struct{ Body api.PauseList }

func (s *workflowRoom) registerPauses() {
	guard.Register(s.Guard, guard.Op{
		ID: "list-pauses", Method: http.MethodGet, Path: "/pauses", Tags: []string{guard.TagPauses},
		Right: access.View, Scope: guard.Narrowed, Class: guard.Reading,
		Summary: "List all pauses in order of key",
	}, s.listPauses)
	guard.Register(s.Guard, guard.Op{
		ID: "get-pause", Method: http.MethodGet, Path: "/pauses/{key}", Tags: []string{guard.TagPauses},
		Right: access.View, Scope: guard.OnPause, Class: guard.Reading,
		Policy:  guard.Policy{Kind: guard.KindPause},
		Summary: "Show a pause",
	}, s.getPause)
	guard.Register(s.Guard, guard.Op{
		ID: "save-pause", Method: http.MethodPut, Path: "/pauses/{key}", Tags: []string{guard.TagPauses},
		Right: access.Edit, Scope: guard.PauseInBody, Class: guard.Writing,
		Policy:  guard.Policy{Kind: guard.KindPause, Dry: true},
		Summary: "Hold jobs back, now or at times",
	}, s.savePause)
	guard.Register(s.Guard, guard.Op{
		ID: "delete-pause", Method: http.MethodDelete, Path: "/pauses/{key}", Tags: []string{guard.TagPauses},
		Right: access.Edit, Scope: guard.OnPause, Class: guard.Writing,
		Policy:  guard.Policy{Kind: guard.KindPause, Dry: true},
		Summary: "Lift a pause",
	}, s.deletePause)
}

func (s *workflowRoom) listPauses(ctx context.Context, _ *struct{}) (*pauseList, error) {
	sight := s.Sight(ctx, access.View)
	found, err := s.config.Pauses.Pauses(ctx)
	if err != nil {
		return nil, err
	}
	list := api.PauseList{Pauses: []api.Pause{}}
	for i := range found {
		if slices.ContainsFunc(access.OfPause(&found[i].Pause), sight.Sees) {
			list.Pauses = append(list.Pauses, showPause(found[i]))
		}
	}
	return &pauseList{list}, nil
}

func (s *workflowRoom) getPause(ctx context.Context, in *pausePath) (*pauseReply, error) {
	return replyPause(s.config.Pauses.Pause(ctx, in.Key))
}

func (s *workflowRoom) savePause(ctx context.Context, in *newPause) (*pauseReply, error) {
	wanted := in.Body.Pause(in.Key)
	on := access.OfPause(&wanted)
	old, err := s.config.Places.Place(ctx, "pause", "", in.Key)
	if err != nil && !job.Is(err, job.NotFound) {
		return nil, err
	}
	if err := s.Allow(ctx, access.Edit, append(on, old...)...); err != nil { // it takes the place of the old one
		return nil, err
	}
	return replyPause(s.config.Pauses.SavePause(ctx, wanted))
}

func (s *workflowRoom) deletePause(ctx context.Context, in *pausePath) (*struct{}, error) {
	return nil, s.config.Pauses.DeletePause(ctx, in.Key)
}

func replyPause(p jobrows.Pause, err error) (*pauseReply, error) {
	if err != nil {
		return nil, err
	}
	return &pauseReply{showPause(p)}, nil
}

func showPause(p jobrows.Pause) api.Pause {
	shown := api.FromPause(p.Pause)
	shown.Active, shown.EndsAt, shown.BeginsAt = p.Active, api.At(p.EndsAt), api.At(p.BeginsAt)
	return shown
}

// Pauses is all that the API asks about pauses.
type Pauses interface {
	PauseKeeper
	PauseReader
}

// PauseKeeper writes and lifts pauses.
type PauseKeeper interface {
	SavePause(ctx context.Context, p job.Pause) (jobrows.Pause, error)
	DeletePause(ctx context.Context, key string) error
}

// PauseReader finds pauses.
type PauseReader interface {
	Pause(ctx context.Context, key string) (jobrows.Pause, error)
	Pauses(ctx context.Context) ([]jobrows.Pause, error)
}
