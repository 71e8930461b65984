package rest

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/orthd/orth/api"
)

type executorList struct{ Body api.ExecutorList }

type versionReply struct{ Body api.Version }

// registerRest adds what is neither about jobs nor about runs.
func (s *server) registerRest() {
	register(s, huma.Operation{
		OperationID: "list-executors", Method: http.MethodGet, Path: "/executors", Tags: []string{"executors"},
		Summary: "List the executors that are alive",
	}, s.listExecutors)
	register(s, huma.Operation{
		OperationID: "get-version", Method: http.MethodGet, Path: "/version", Tags: []string{"server"},
		Summary: "Tell the version of the server",
	}, func(context.Context, *struct{}) (*versionReply, error) {
		return &versionReply{api.Version{Version: s.config.Version}}, nil
	})
}

func (s *server) listExecutors(ctx context.Context, _ *struct{}) (*executorList, error) {
	executors, err := s.config.Executors.Executors(ctx)
	if err != nil {
		return nil, err
	}
	list := api.ExecutorList{Executors: make([]api.Executor, len(executors))}
	for i, e := range executors {
		list.Executors[i] = api.FromExecutor(e)
	}
	return &executorList{list}, nil
}
