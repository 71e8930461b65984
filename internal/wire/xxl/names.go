package xxl

import "github.com/orthd/orth/job"

// The paths of an executor. They are compared with the whole request target.
const (
	pathBeat     = "/beat"
	pathIdleBeat = "/idleBeat"
	pathRun      = "/run"
	pathTrigger  = "/trigger" // what releases after 3.4 call /run
	pathKill     = "/kill"
	pathLog      = "/log"
)

// The names below /api/ of an admin, and the context path that admins up to
// 3.4.0 have in front of it.
const (
	pathAPI           = "/api/"
	contextPath       = "/xxl-job-admin"
	apiRegistry       = "registry"
	apiRegistryRemove = "registryRemove"
	apiCallback       = "callback"
)

// The token header. It leaves in exactly the first form because one client
// compares it by case; net/http files it under the second when it arrives.
const (
	headerToken          = "XXL-JOB-ACCESS-TOKEN" //nolint:gosec // a name, no token
	headerTokenCanonical = "Xxl-Job-Access-Token" //nolint:gosec // a name, no token
)

// registryGroupExecutor is the only registry group that anyone reads.
const registryGroupExecutor = "EXECUTOR"

// The codes of replies and of outcomes.
const (
	codeSuccess = 200
	codeFailure = 500
	codeTimeout = 502
)

// Texts that peers show, log or compare. The colon-less joins are theirs.
const (
	textSuccess        = "Success"
	textMethod         = "invalid request, HttpMethod not support."
	textPathEmpty      = "invalid request, uri-mapping empty."
	textPathUnknown    = "invalid request, uri-mapping(" // P + textPathUnknownEnd
	textPathUnknownEnd = ") not found."
	textBodyEmpty      = "invalid request, requestBody empty."
	textToken          = "The access token is wrong."
	textRequestError   = "request error: "
	textAPIError       = "openapi invoke error: "
	textMalformed      = "malformed request: "
	textFull           = "executor cannot take the task now: "
	textIllegal        = "Illegal Argument."
	textInternal       = "internal error"
	textBusy           = "job thread is running or has trigger queue."
	textKilledAlready  = "job thread already killed."
	textKillReason     = "scheduling center kill job."
	textResultLost     = "job handle result lost."
	textRepeat         = "repeat trigger job"
	textRepeatOld      = "repeate trigger job" // up to 3.4.0
	textRepeatJava     = "Duplicate trigger"   // the Java fork's wording
)

// The names of kinds of code.
const (
	glueNamed = "BEAN"
	glueShell = "GLUE_SHELL"
)

// glueTitle returns what messages call a kind of code that the dialect knows
// and Orth does not run, and false for a name that the dialect does not know.
func glueTitle(name string) (string, bool) {
	switch name {
	case "GLUE_GROOVY":
		return "GLUE(Java)", true
	case "GLUE_PYTHON":
		return "GLUE(Python3)", true
	case "GLUE_PYTHON2":
		return "GLUE(Python2)", true
	case "GLUE_PHP":
		return "GLUE(PHP)", true
	case "GLUE_NODEJS":
		return "GLUE(Nodejs)", true
	case "GLUE_POWERSHELL":
		return "GLUE(PowerShell)", true
	}
	return "", false
}

// ParseHandlerKind returns the kind of handler that the dialect's name stands
// for, and false for a name that Orth cannot run.
func ParseHandlerKind(name string) (job.HandlerKind, bool) {
	switch name {
	case glueNamed:
		return job.HandlerNamed, true
	case glueShell:
		return job.HandlerShell, true
	}
	return "", false
}

// HandlerKindName returns the dialect's name of a kind of handler, and false
// when the dialect has none.
func HandlerKindName(kind job.HandlerKind) (string, bool) {
	switch kind {
	case job.HandlerNamed:
		return glueNamed, true
	case job.HandlerShell:
		return glueShell, true
	}
	return "", false
}

// The names of overlaps.
const (
	overlapSerial  = "SERIAL_EXECUTION"
	overlapDiscard = "DISCARD_LATER"
	overlapCover   = "COVER_EARLY"
)

// ParseOverlap returns the overlap that the dialect's name stands for. Every
// other name, and none, means serial: so do all executors read it.
func ParseOverlap(name string) job.Overlap {
	switch name {
	case overlapDiscard:
		return job.OverlapDiscard
	case overlapCover:
		return job.OverlapCover
	}
	return job.OverlapSerial
}

// OverlapName returns the dialect's name of an overlap. The dialect has no
// word for concurrent runs; its executors would run them one by one, so that
// is what they are told.
func OverlapName(overlap job.Overlap) string {
	switch overlap {
	case job.OverlapDiscard:
		return overlapDiscard
	case job.OverlapCover:
		return overlapCover
	default:
		return overlapSerial
	}
}

// ParseRoute returns the route that the dialect's name stands for, and false
// for a name that Orth has no route for.
func ParseRoute(name string) (job.Route, bool) {
	switch name {
	case "FIRST":
		return job.RouteFirst, true
	case "ROUND":
		return job.RouteRound, true
	case "RANDOM":
		return job.RouteRandom, true
	case "CONSISTENT_HASH":
		return job.RouteConsistentHash, true
	case "FAILOVER":
		return job.RouteFailover, true
	}
	return "", false
}

// RouteName returns the dialect's name of a route, and false when the dialect
// has none.
func RouteName(route job.Route) (string, bool) {
	switch route {
	case job.RouteFirst:
		return "FIRST", true
	case job.RouteRound:
		return "ROUND", true
	case job.RouteRandom:
		return "RANDOM", true
	case job.RouteConsistentHash:
		return "CONSISTENT_HASH", true
	case job.RouteFailover:
		return "FAILOVER", true
	}
	return "", false
}

// stateCode returns the code that an outcome's state travels as.
func stateCode(state job.State) int {
	switch state {
	case job.Succeeded:
		return codeSuccess
	case job.TimedOut:
		return codeTimeout
	default:
		return codeFailure
	}
}

// codeState returns the state that an outcome's code stands for. Clients send
// many codes for failure; only the server knows which of them it caused by a
// cancel.
func codeState(code int64) job.State {
	switch code {
	case codeSuccess:
		return job.Succeeded
	case codeTimeout:
		return job.TimedOut
	}
	return job.Failed
}
