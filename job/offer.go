package job

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// The names of the handlers that an executor of Orth has built in. Jobs of XXL-JOB's
// samples use the same names.
const (
	HandlerNameHTTP    = "httpJobHandler"
	HandlerNameCommand = "commandJobHandler"
)

// FixesParam reports whether the parameter of a job with this handler determines what is
// executed, or the host and the secrets of calls: replacing it for a run is equivalent to
// changing the job, and needs the right to edit it. The parameters of other handlers are
// data for their code.
func (h *Handler) FixesParam() bool {
	return h.Kind == HandlerNamed && (h.Name == HandlerNameHTTP || h.Name == HandlerNameCommand)
}

// ParamUse is what the parameter that a run is given means to its job.
type ParamUse string

// What the parameter of a run can mean.
const (
	ParamData   ParamUse = "data"   // to the code of the job
	ParamCode   ParamUse = "code"   // what is executed, see [Handler.FixesParam]
	ParamInputs ParamUse = "inputs" // values of the job's inputs
)

// ParamUseOf returns what the parameter of a run means to a job with these inputs, whose
// handler, or that of its template, is code.
func ParamUseOf(inputs []Input, code *Handler) ParamUse {
	switch {
	case len(inputs) > 0:
		return ParamInputs
	case code.FixesParam():
		return ParamCode
	}
	return ParamData
}

// Becomes reports whether parameters that were given for one use may be used for another.
func (u ParamUse) Becomes(other ParamUse) bool {
	return u == other || u == ParamCode && other == ParamData
}

// Offer is what the live executors of a group can run.
type Offer struct {
	// Executors is how many of the group are alive.
	Executors int
	// Silent is how many of these announce no handler names: executors of other protocols
	// than Orth's own. They may have handlers of any name, and run scripts of any kind.
	Silent int
	// Handlers are the kinds of scripts in the order of [HandlerKinds], then the named
	// handlers by name.
	Handlers []OfferedHandler
}

// OfferedHandler is one kind of script or one named handler of an [Offer].
type OfferedHandler struct {
	Kind HandlerKind
	// Name is set for [HandlerNamed] alone.
	Name string
	// Executors is how many of the group can run it, at least 1.
	Executors int
}

// OfferOf adds up what executors announce. The caller passes living executors of one
// group with their Handlers.
func OfferOf(executors []Executor) Offer {
	offer := Offer{Executors: len(executors)}
	counts := make(map[OfferedHandler]int)
	for _, e := range executors {
		if e.Dialect != DialectNative {
			offer.Silent++
		}
		for _, h := range e.offered() {
			counts[h]++
		}
	}
	offer.Handlers = make([]OfferedHandler, 0, len(counts))
	for h, n := range counts {
		h.Executors = n
		offer.Handlers = append(offer.Handlers, h)
	}
	slices.SortFunc(offer.Handlers, func(a, b OfferedHandler) int {
		return cmp.Or(cmp.Compare(a.Kind.rankOf(), b.Kind.rankOf()), cmp.Compare(a.Name, b.Name))
	})
	return offer
}

// offered returns what one executor announces, each once.
func (e *Executor) offered() []OfferedHandler {
	found := make(map[OfferedHandler]struct{})
	for _, feature := range e.Features {
		name, _, _ := strings.Cut(feature, "=")
		switch kind := HandlerKind(name); {
		case kind.Script() && slices.Contains(HandlerKinds(), kind):
			found[OfferedHandler{Kind: kind}] = struct{}{}
		case feature == "http":
			found[OfferedHandler{Kind: HandlerNamed, Name: HandlerNameHTTP}] = struct{}{}
		case feature == "command":
			found[OfferedHandler{Kind: HandlerNamed, Name: HandlerNameCommand}] = struct{}{}
		}
	}
	for _, name := range e.Handlers {
		found[OfferedHandler{Kind: HandlerNamed, Name: name}] = struct{}{}
	}
	return slices.Collect(maps.Keys(found))
}

// rankOf orders kinds as [HandlerKinds] does, with [HandlerNamed] last.
func (k HandlerKind) rankOf() int {
	if k == HandlerNamed {
		return len(HandlerKinds())
	}
	return slices.Index(HandlerKinds(), k)
}
