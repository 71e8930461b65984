package rest

import (
	"context"
	"net/http"
	"slices"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/catalog"
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

func (s *server) registerPauses() {
	register(s, Op{
		ID: "list-pauses", Method: http.MethodGet, Path: "/pauses", Tags: []string{tagPauses},
		Right: access.View, Scope: narrowed, Class: Reading,
		Summary: "List all pauses in order of key",
	}, s.listPauses)
	register(s, Op{
		ID: "get-pause", Method: http.MethodGet, Path: "/pauses/{key}", Tags: []string{tagPauses},
		Right: access.View, Scope: onPause, Class: Reading,
		Policy:  Policy{Kind: kindPause},
		Summary: "Show a pause",
	}, s.getPause)
	register(s, Op{
		ID: "save-pause", Method: http.MethodPut, Path: "/pauses/{key}", Tags: []string{tagPauses},
		Right: access.Edit, Scope: pauseInBody, Class: Writing,
		Policy:  Policy{Kind: kindPause, Dry: true},
		Summary: "Hold jobs back, now or at times",
	}, s.savePause)
	register(s, Op{
		ID: "delete-pause", Method: http.MethodDelete, Path: "/pauses/{key}", Tags: []string{tagPauses},
		Right: access.Edit, Scope: onPause, Class: Writing,
		Policy:  Policy{Kind: kindPause, Dry: true},
		Summary: "Lift a pause",
	}, s.deletePause)
}

func (s *server) listPauses(ctx context.Context, _ *struct{}) (*pauseList, error) {
	sight := s.sight(ctx, access.View)
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

func (s *server) getPause(ctx context.Context, in *pausePath) (*pauseReply, error) {
	return replyPause(s.config.Pauses.Pause(ctx, in.Key))
}

func (s *server) savePause(ctx context.Context, in *newPause) (*pauseReply, error) {
	wanted := in.Body.Pause(in.Key)
	on := access.OfPause(&wanted)
	old, err := s.config.Places.Place(ctx, "pause", "", in.Key)
	if err != nil && !job.Is(err, job.NotFound) {
		return nil, err
	}
	if err := s.allow(ctx, access.Edit, append(on, old...)...); err != nil { // it takes the place of the old one
		return nil, err
	}
	return replyPause(s.config.Pauses.SavePause(ctx, wanted))
}

func (s *server) deletePause(ctx context.Context, in *pausePath) (*struct{}, error) {
	return nil, s.config.Pauses.DeletePause(ctx, in.Key)
}

func replyPause(p catalog.Pause, err error) (*pauseReply, error) {
	if err != nil {
		return nil, err
	}
	return &pauseReply{showPause(p)}, nil
}

func showPause(p catalog.Pause) api.Pause {
	shown := api.FromPause(p.Pause)
	shown.Active, shown.EndsAt, shown.BeginsAt = p.Active, api.At(p.EndsAt), api.At(p.BeginsAt)
	return shown
}
