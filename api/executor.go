package api

import (
	"encoding/json"

	"github.com/orthd/orth/job"
)

// Executor is a process that runs tasks.
type Executor struct {
	Namespace    string   `json:"namespace" doc:"The namespace of its group."`
	Group        string   `json:"group" doc:"The group it belongs to."`
	Address      string   `json:"address" doc:"The base URL under which it is reached."`
	RegisteredAs string   `json:"registered_as,omitempty" doc:"The base URL that it gave, when a rule of its group replaced it."`
	Manual       bool     `json:"manual,omitempty" doc:"A user entered the address: it need not register, and is alive while it answers."`
	LeaseUntil   Time     `json:"lease_until,omitzero" format:"date-time" doc:"Until when it is thought alive without another sign of life."`
	RegisteredAt Time     `json:"registered_at" format:"date-time"`
	SeenAt       Time     `json:"seen_at" format:"date-time" doc:"Its last sign of life."`
	StartedAt    Time     `json:"started_at,omitzero" format:"date-time" doc:"When its process started, by its own clock; absent when it does not report it."`
	Incarnation  string   `json:"incarnation,omitempty" doc:"Another value after each start; absent when it does not report it."`
	Instance     string   `json:"instance,omitempty" doc:"The id of its data folder, which stays when it restarts, also under another address; absent when it does not report it."`
	Load         *Load    `json:"load,omitempty" doc:"Its running and waiting tasks; absent when it does not report them."`
	Draining     bool     `json:"draining,omitempty" doc:"It finishes its tasks and accepts no more."`
	Features     []string `json:"features,omitempty" nullable:"false" doc:"The features that it announces, such as shell or python=3.11.2; absent when it announces none."`
	Dialect      string   `json:"dialect,omitempty" doc:"Its protocol and, where they differ, the generation; absent while it is unknown; fields with two names are then sent under both."`
	DialectBy    string   `json:"dialect_by,omitempty" enum:"probed,seen,set" doc:"How that is known: by its answers, by its own calls, or set by a person."`
	Kind         string   `json:"kind,omitempty" doc:"The kind of the facts that it sends: get-executor-facts shows them. Absent when it sends none."`
	FactsAt      Time     `json:"facts_at,omitzero" format:"date-time" doc:"When it last sent its facts."`
	Breaker      *Breaker `json:"breaker,omitempty" doc:"Set while calls of this server to it fail."`
	Trouble      string   `json:"trouble,omitempty" doc:"The problem with its address or its data folder: another executor registers the address too, or has a copy of the folder."`
	Unreachable  string   `json:"unreachable,omitempty" doc:"Why this server cannot reach it: it is picked only while none of its group can be reached."`
}

// Breaker is the state of a server's circuit breaker for an executor. After several failed
// calls in a row it opens for a while, and then one task probes the executor.
type Breaker struct {
	State    string `json:"state" enum:"closed,open,half_open" doc:"open: it is left alone until then; half_open: one task finds out whether it is well again; closed: too few calls have failed."`
	Failures int    `json:"failures" doc:"How many calls in a row have failed."`
	Reason   string `json:"reason,omitempty" doc:"How the last of them failed."`
	Until    Time   `json:"until,omitzero" format:"date-time" doc:"When it is tried again, for open."`
}

// Load is what an executor has to do.
type Load struct {
	Running int `json:"running" doc:"Tasks that run."`
	Waiting int `json:"waiting" doc:"Tasks that it accepted and has not begun."`
}

// ExecutorList is the executors that are alive and those that were entered by
// hand, by group and address.
type ExecutorList struct {
	Executors []Executor `json:"executors" nullable:"false"`
}

// ExecutorFacts is a document that an executor sends about itself.
type ExecutorFacts struct {
	Namespace string          `json:"namespace" doc:"The namespace of its group."`
	Group     string          `json:"group" doc:"The group it belongs to."`
	Address   string          `json:"address" doc:"The base URL under which it is reached."`
	Kind      string          `json:"kind" example:"solana" doc:"The subject of the document."`
	At        Time            `json:"at" format:"date-time" doc:"When a server received it. The document is that old: an executor sends changed facts within some seconds, and others once a minute."`
	Facts     json.RawMessage `json:"facts" doc:"The document as the executor wrote it, a JSON object of at most 64 KiB. The author of executors of the kind defines its content."`
}

// GroupHandlers is what the living executors of a group can run.
type GroupHandlers struct {
	Executors int              `json:"executors" minimum:"0" doc:"How many executors of the group are alive."`
	Silent    int              `json:"silent" minimum:"0" doc:"How many of these announce no handler names, as executors of other makes do. They may have handlers of any name and run scripts of any kind."`
	Handlers  []OfferedHandler `json:"handlers" nullable:"false" doc:"The handlers that the others announce: kinds of scripts first, then named handlers by name."`
}

// OfferedHandler is a kind of script, or a named handler, that executors offer.
type OfferedHandler struct {
	Kind      job.HandlerKind `json:"kind" enum:"named,shell,python,python2,nodejs,php,powershell,groovy,javascript"`
	Name      string          `json:"name,omitempty" doc:"The name that jobs use, for named handlers. httpJobHandler makes HTTP calls, commandJobHandler runs programs."`
	Executors int             `json:"executors" minimum:"1" doc:"How many executors of the group can run it."`
}

// FromOffer returns what a group can run as the API shows it.
func FromOffer(o job.Offer) GroupHandlers {
	shown := GroupHandlers{Executors: o.Executors, Silent: o.Silent, Handlers: make([]OfferedHandler, len(o.Handlers))}
	for i, h := range o.Handlers {
		shown.Handlers[i] = OfferedHandler{Kind: h.Kind, Name: h.Name, Executors: h.Executors}
	}
	return shown
}

// NewAddress is the address of an executor that does not register.
type NewAddress struct {
	Address string `json:"address" doc:"The base URL of the executor." example:"http://10.0.0.5:9999"`
	Dialect string `json:"dialect,omitempty" enum:"auto,xxl-job,xxl-job-2,xxl-job-3,xxl-job-3.5,orth-java,native" default:"auto" doc:"Its protocol; auto detects it from its answers."`
}

// ExecutorDialect sets the protocol of an executor.
type ExecutorDialect struct {
	Dialect string `json:"dialect" enum:"auto,xxl-job,xxl-job-2,xxl-job-3,xxl-job-3.5,orth-java,native" doc:"auto detects it from the token that the executor shows."`
}

// DialectAuto leaves a dialect to what the executor shows.
const DialectAuto = "auto"

// ParseDialect returns the dialect of a name.
func ParseDialect(name string) job.Dialect {
	if name == DialectAuto {
		return ""
	}
	return job.Dialect(name)
}

// Rewrite replaces addresses under which executors register.
type Rewrite struct {
	From string `json:"from" doc:"The beginning of an address, such as http://172.17., or a network of IP addresses, such as 172.17.0.0/16."`
	To   string `json:"to" doc:"The replacement for the whole address; {host} and {port} stand for those that were registered." example:"http://gateway:{port}"`
}

// RewriteList is the rules of a group; the first one that is about an address
// counts.
type RewriteList struct {
	Rules []Rewrite `json:"rules" nullable:"false" maxItems:"50"`
}

// Version is the version of the server.
type Version struct {
	Version string `json:"version" example:"1.2.3"`
}

// Health is the answer of a server that is up.
type Health struct {
	Status string `json:"status" enum:"ok"`
}

// FromExecutor returns the executor as the API shows it.
func FromExecutor(e job.Executor) Executor {
	shown := Executor{
		Namespace: e.Namespace, Group: e.Group, Address: e.Address, RegisteredAs: e.RegisteredAs, Manual: e.Manual,
		LeaseUntil: At(e.LeaseUntil), RegisteredAt: At(e.RegisteredAt), SeenAt: At(e.SeenAt), StartedAt: At(e.StartedAt),
		Incarnation: e.Incarnation, Instance: e.Instance, Features: e.Features, Unreachable: e.Unreachable, Trouble: e.Trouble, Draining: e.Draining,
		Dialect: string(e.Dialect), DialectBy: string(e.DialectBy), Kind: e.Kind, FactsAt: At(e.FactsAt),
	}
	if e.Load != nil {
		shown.Load = &Load{Running: e.Load.Running, Waiting: e.Load.Waiting}
	}
	return shown
}

// Rewrites returns the rules as the server keeps them.
func (l RewriteList) Rewrites() []job.Rewrite {
	rules := make([]job.Rewrite, len(l.Rules))
	for i, r := range l.Rules {
		rules[i] = job.Rewrite{From: r.From, To: r.To}
	}
	return rules
}

// FromRewrites returns the rules as the API shows them.
func FromRewrites(rules []job.Rewrite) RewriteList {
	list := RewriteList{Rules: make([]Rewrite, len(rules))}
	for i, r := range rules {
		list.Rules[i] = Rewrite{From: r.From, To: r.To}
	}
	return list
}
