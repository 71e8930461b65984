package executors

import (
	"context"
	"net/http"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
)

// Servers are the servers of a database.
type Servers interface {
	// Servers returns them in order of name: those that were heard of within a day.
	Servers(ctx context.Context) ([]api.Server, error)
	// DrainServer drains a server, or ends its drain. Kinds: NotFound; Conflict when it is
	// lost, or when no other one would work.
	DrainServer(ctx context.Context, name string, on bool) error
}

// noServers is the default of an API without servers.
type noServers struct{}

// Servers implements Servers.
func (noServers) Servers(context.Context) ([]api.Server, error) { return []api.Server{}, nil }

// DrainServer implements Servers.
func (noServers) DrainServer(_ context.Context, name string, _ bool) error { return noServer(name) }

func noServer(name string) error {
	wrong := job.Errorf(job.NotFound, "there is no server %q", name)
	wrong.Hint = "GET " + guard.Prefix + "/servers lists them"
	return wrong
}

type serverList struct{ Body api.ServerList }

type serverReply struct{ Body api.Server }

type serverName struct {
	Name string `path:"name" maxLength:"200" example:"orth-1:8080" doc:"The server's name."`
}

type newServerDrain struct {
	Name string `path:"name" maxLength:"200" example:"orth-1:8080" doc:"The server's name."`
	Body api.ServerDrain
}

// registerServers adds what is about the servers of a database.
func (s *executorRoom) registerServers() {
	guard.Register(s.Guard, guard.Op{
		ID: "list-servers", Method: http.MethodGet, Path: "/servers", Tags: []string{guard.TagServer},
		Right: access.Admin, Scope: guard.OnServer, Class: guard.Reading,
		Summary:     "List the servers, with whether they do their work",
		Description: "All that share the database, in order of name. A server that has stopped, or is lost, is shown for a day.",
	}, s.listServers)
	guard.Register(s.Guard, guard.Op{
		ID: "get-server", Method: http.MethodGet, Path: "/servers/{name}", Tags: []string{guard.TagServer},
		Right: access.Admin, Scope: guard.OnServer, Class: guard.Reading,
		Summary: "Show the state of a server, with its readiness",
	}, s.getServer)
	guard.Register(s.Guard, guard.Op{
		ID: "drain-server", Method: http.MethodPut, Path: "/servers/{name}/drain", Tags: []string{guard.TagServer},
		Right: access.Admin, Scope: guard.OnServer, Class: guard.Writing,
		Summary: "Drain a server, or end its drain",
		Description: "A draining server plans and claims no more, finishes its work, and still accepts reports of executors. Others do its work. " +
			"It hears of it within seconds. The last one that works does not drain. After a restart a server works.",
	}, s.drainServer)
}

func (s *executorRoom) listServers(ctx context.Context, _ *struct{}) (*serverList, error) {
	all, err := s.config.Servers.Servers(ctx)
	if err != nil {
		return nil, err
	}
	return &serverList{api.ServerList{Servers: all}}, nil
}

func (s *executorRoom) getServer(ctx context.Context, in *serverName) (*serverReply, error) {
	all, err := s.config.Servers.Servers(ctx)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].Name == in.Name {
			return &serverReply{all[i]}, nil
		}
	}
	return nil, noServer(in.Name)
}

func (s *executorRoom) drainServer(ctx context.Context, in *newServerDrain) (*serverReply, error) {
	if err := s.config.Servers.DrainServer(ctx, in.Name, in.Body.On); err != nil {
		return nil, err
	}
	return s.getServer(ctx, &serverName{in.Name})
}
