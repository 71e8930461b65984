package executors

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
)

// Groups is all that the API asks about the addresses of groups.
type Groups interface {
	AddressKeeper
	RewriteKeeper
	DialectKeeper
	FactsReader
	OfferReader
}

// AddressKeeper enters and removes addresses of executors by hand.
type AddressKeeper interface {
	AddAddress(ctx context.Context, group, address string, d job.Dialect) (job.Executor, error)
	RemoveAddress(ctx context.Context, group, address string) error
}

// FactsReader reads the facts that executors send.
type FactsReader interface {
	Facts(ctx context.Context, group, address string) (job.Facts, error)
}

// OfferReader reads what the executors of a group can run.
type OfferReader interface {
	Offer(ctx context.Context, group string) (job.Offer, error)
}

// DialectKeeper stores the protocols of executors.
type DialectKeeper interface {
	// SetDialect takes the empty dialect for one that is to be found out.
	SetDialect(ctx context.Context, group, address string, d job.Dialect) (job.Executor, error)
}

// RewriteKeeper keeps the rules by which addresses are replaced.
type RewriteKeeper interface {
	Rewrites(ctx context.Context, group string) ([]job.Rewrite, error)
	SaveRewrites(ctx context.Context, group string, rules []job.Rewrite) error
}

// tagExecutors groups operations in the OpenAPI document.
const tagExecutors = "executors"

type executorList struct{ Body api.ExecutorList }

type executorReply struct{ Body api.Executor }

type factsReply struct{ Body api.ExecutorFacts }

type offerReply struct{ Body api.GroupHandlers }

type factsQuery struct {
	Group   string `path:"group" doc:"The group's key."`
	Address string `query:"address" required:"true" maxLength:"512" doc:"The executor's base URL as lists show it."`
}

type executorQuery struct {
	Kind      string `query:"kind" pattern:"^[a-z][a-z0-9-]{0,31}$" patternDescription:"a kind of facts" doc:"Only executors that send facts of this kind."`
	Namespace string `query:"namespace" doc:"Only executors of groups of this namespace."`
}

type groupPath struct {
	Group string `path:"group" doc:"The group's key."`
}

type newAddress struct {
	Group string `path:"group" doc:"The group's key; it is made when it does not exist."`
	Body  api.NewAddress
}

type addressQuery struct {
	Group   string `path:"group" doc:"The group's key."`
	Address string `query:"address" required:"true" doc:"The base URL as it was entered."`
}

type newDialect struct {
	Group   string `path:"group" doc:"The group's key."`
	Address string `query:"address" required:"true" doc:"The executor's base URL as lists show it."`
	Body    api.ExecutorDialect
}

type rewriteReply struct{ Body api.RewriteList }

type newRewrites struct {
	Group string `path:"group" doc:"The group's key; it is made when it does not exist."`
	Body  api.RewriteList
}

type versionReply struct{ Body api.Version }

// registerRest adds what is neither about jobs nor about runs.
func (s *executorRoom) registerRest() {
	guard.Register(s.Guard, guard.Op{
		ID: "list-executors", Method: http.MethodGet, Path: "/executors", Tags: []string{tagExecutors},
		Right: access.View, Scope: guard.Narrowed, Class: guard.Reading, Spreads: true,
		Summary: "List the executors that are alive, and those entered by hand",
	}, s.listExecutors)
	guard.Register(s.Guard, guard.Op{
		ID: "get-executor-facts", Method: http.MethodGet, Path: "/groups/{group}/addresses/facts", Tags: []string{tagExecutors},
		Right: access.View, Scope: guard.OnGroup, Class: guard.Reading,
		Summary:     "Show the facts of an executor",
		Description: "The last document that it sent. It is kept until the executor is removed. Not found when it sends none.",
	}, s.getExecutorFacts)
	guard.Register(s.Guard, guard.Op{
		ID: "list-group-handlers", Method: http.MethodGet, Path: "/groups/{group}/handlers", Tags: []string{tagExecutors},
		Right: access.View, Scope: guard.OnGroup, Class: guard.Reading,
		Summary:     "List the handlers of the executors of a group",
		Description: "The handler names that living executors of the group have announced, and the kinds of scripts that they run. A job may name others: executors of other makes announce nothing.",
	}, s.listGroupHandlers)
	guard.Register(s.Guard, guard.Op{
		ID: "add-address", Method: http.MethodPost, Path: "/groups/{group}/addresses", Tags: []string{tagExecutors},
		Right: access.Own, Scope: guard.OnGroupOrNew, Class: guard.Writing, Status: http.StatusCreated,
		Summary: "Enter the address of an executor that does not register",
	}, s.addAddress)
	guard.Register(s.Guard, guard.Op{
		ID: "remove-address", Method: http.MethodDelete, Path: "/groups/{group}/addresses", Tags: []string{tagExecutors},
		Right: access.Own, Scope: guard.OnGroup, Class: guard.Writing,
		Summary: "Remove an address that was entered by hand",
	}, s.removeAddress)
	guard.Register(s.Guard, guard.Op{
		ID: "set-dialect", Method: http.MethodPut, Path: "/groups/{group}/addresses/dialect", Tags: []string{tagExecutors},
		Right: access.Own, Scope: guard.OnGroup, Class: guard.Writing,
		Summary: "Set the protocol of an executor",
	}, s.setDialect)
	guard.Register(s.Guard, guard.Op{
		ID: "get-rewrites", Method: http.MethodGet, Path: "/groups/{group}/rewrites", Tags: []string{tagExecutors},
		Right: access.View, Scope: guard.OnGroup, Class: guard.Reading,
		Summary: "Show the rules by which addresses of a group are replaced",
	}, s.getRewrites)
	guard.Register(s.Guard, guard.Op{
		ID: "save-rewrites", Method: http.MethodPut, Path: "/groups/{group}/rewrites", Tags: []string{tagExecutors},
		Right: access.Own, Scope: guard.OnGroupOrNew, Class: guard.Writing,
		Summary: "Set the rules by which addresses of a group are replaced",
	}, s.saveRewrites)
	guard.Register(s.Guard, guard.Op{
		ID: "get-version", Method: http.MethodGet, Path: "/version", Tags: []string{guard.TagServer},
		Right: access.View, Scope: guard.Anywhere, Class: guard.Reading,
		Summary: "Show the version of the server",
	}, func(context.Context, *struct{}) (*versionReply, error) {
		return &versionReply{api.Version{Version: s.config.Version}}, nil
	})
}

func (s *executorRoom) listExecutors(ctx context.Context, in *executorQuery) (*executorList, error) {
	sight := s.Sight(ctx, access.View)
	executors, err := s.config.Executors.Executors(ctx)
	if err != nil {
		return nil, err
	}
	list := api.ExecutorList{Executors: []api.Executor{}}
	for _, e := range executors {
		if in.Kind != "" && in.Kind != e.Kind || in.Namespace != "" && in.Namespace != e.Namespace || !sight.Sees(access.Object{Namespace: e.Namespace, Group: e.Group}) {
			continue
		}
		shown := api.FromExecutor(e)
		shown.Breaker = s.breaker(e.Address)
		list.Executors = append(list.Executors, shown)
	}
	return &executorList{list}, nil
}

func (s *executorRoom) getExecutorFacts(ctx context.Context, in *factsQuery) (*factsReply, error) {
	f, err := s.config.Groups.Facts(ctx, in.Group, in.Address)
	if err != nil {
		return nil, err
	}
	e, err := s.placed(ctx, job.Executor{Group: in.Group})
	if err != nil {
		return nil, err
	}
	return &factsReply{api.ExecutorFacts{
		Namespace: e.Namespace, Group: in.Group, Address: in.Address, Kind: f.Kind, At: api.At(f.At), Facts: json.RawMessage(f.Text),
	}}, nil
}

func (s *executorRoom) listGroupHandlers(ctx context.Context, in *groupPath) (*offerReply, error) {
	offer, err := s.config.Groups.Offer(ctx, in.Group)
	if err != nil {
		return nil, err
	}
	return &offerReply{api.FromOffer(offer)}, nil
}

func (s *executorRoom) addAddress(ctx context.Context, in *newAddress) (*executorReply, error) {
	e, err := s.config.Groups.AddAddress(ctx, in.Group, in.Body.Address, api.ParseDialect(in.Body.Dialect))
	if err != nil {
		return nil, err
	}
	return &executorReply{api.FromExecutor(e)}, nil
}

func (s *executorRoom) removeAddress(ctx context.Context, in *addressQuery) (*struct{}, error) {
	return nil, s.config.Groups.RemoveAddress(ctx, in.Group, in.Address)
}

// placed returns an executor with the namespace of its group, which rooms do not know
// of one whose row is not read yet.
func (s *executorRoom) placed(ctx context.Context, e job.Executor) (job.Executor, error) {
	if e.Namespace != "" {
		return e, nil
	}
	on, err := s.config.Places.Place(ctx, guard.KindGroup, "", e.Group)
	if err == nil && len(on) > 0 {
		e.Namespace = on[0].Namespace
	}
	return e, err
}

func (s *executorRoom) setDialect(ctx context.Context, in *newDialect) (*executorReply, error) {
	e, err := s.config.Groups.SetDialect(ctx, in.Group, in.Address, api.ParseDialect(in.Body.Dialect))
	if err == nil {
		e, err = s.placed(ctx, e)
	}
	if err != nil {
		return nil, err
	}
	return &executorReply{api.FromExecutor(e)}, nil
}

func (s *executorRoom) getRewrites(ctx context.Context, in *groupPath) (*rewriteReply, error) {
	rules, err := s.config.Groups.Rewrites(ctx, in.Group)
	if err != nil {
		return nil, err
	}
	return &rewriteReply{api.FromRewrites(rules)}, nil
}

func (s *executorRoom) saveRewrites(ctx context.Context, in *newRewrites) (*rewriteReply, error) {
	rules := in.Body.Rewrites()
	if err := s.config.Groups.SaveRewrites(ctx, in.Group, rules); err != nil {
		return nil, err
	}
	return &rewriteReply{api.FromRewrites(rules)}, nil
}

// Executors lists the executors that are alive.
type Executors interface {
	Executors(ctx context.Context) ([]job.Executor, error)
}
