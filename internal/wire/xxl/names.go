package xxl

import (
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// The paths of an executor. They are compared with the whole request target, in which
// doubled slashes and one at the end do not count.
const (
	pathBeat     = "/beat"
	pathIdleBeat = "/idleBeat"
	pathRun      = "/run"
	pathTrigger  = "/trigger" // what releases after 3.4 call /run
	pathKill     = "/kill"
	pathLog      = "/log"
)

// The names below /api/ of an admin.
const (
	pathAPI           = "/api/"
	apiRegistry       = "registry"
	apiRegistryRemove = "registryRemove"
	apiCallback       = "callback"
)

// contextPaths are the context paths that admins up to 3.4.0 and the Java fork
// have in front of /api/.
func contextPaths() []string { return []string{"xxl-job-admin/", "orth-admin/"} }

// The token headers: the dialect's and that of its Java fork. They leave in
// exactly the first forms because one client compares by case; net/http files
// them under the second ones when they arrive.
const (
	headerToken              = "XXL-JOB-ACCESS-TOKEN"
	headerTokenCanonical     = "Xxl-Job-Access-Token"
	headerForkToken          = "ORTH-ACCESS-TOKEN"
	headerForkTokenCanonical = "Orth-Access-Token"
)

// The header that names the executor's group, from release 3.5 on, and what
// net/http files it under.
const (
	headerGroup          = "XXL-JOB-APPNAME"
	headerGroupCanonical = "Xxl-Job-Appname"
)

// The names of the instant that a task was triggered at: in a task, and from 3.5 on
// everywhere; and what every earlier release has elsewhere.
const (
	fieldDate      = "logDateTime"
	fieldDateShort = "logDateTim"
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
	textGroupEmpty     = "invalid request, accessToken or appname is empty." // from 3.5 on, as the next
	textGroupWrong     = "invalid request, accessToken or appname invalid."
	textRequestError   = "request error: "
	textAPIError       = "openapi invoke error: "
	textMalformed      = "malformed request: "
	textFull           = "executor cannot take the task now: "
	textDiscard        = "block strategy effect：Discard Later"
	textKindOff        = "fail, current glue type [" // title + textKindOffEnd
	textKindOffEnd     = "] not supported."
	textStopping       = "the executor is stopping and takes no more tasks"
	textNoCancel       = "this executor cannot end one attempt alone: kill the job"
	textIllegal        = "Illegal Argument."
	textInternal       = "internal error"
	textBusy           = "job thread is running or has trigger queue."
	textKilledAlready  = "job thread already killed."
	textKillReason     = "scheduling center kill job."
	textResultLost     = "job handle result lost."
	textRepeat         = "repeat trigger job"
	textRepeatOld      = "repeate trigger job" // up to 3.4.0
)

// busyTexts are the answers of executors of other makes about a job that runs already: one
// in Go, one in Python and one in JavaScript.
func busyTexts() []string {
	return []string{"There are tasks running", "is already executing", "a same job is running"}
}

// absentLogTexts are what executors of other makes give as the lines of a log that is
// not there: one in Python, which has none of a run that waits.
func absentLogTexts() []string { return []string{"No such logid logs."} }

// kinds are the dialect's names of kinds of code, and what its messages call
// them. GLUE_JS is ours: the dialect has no JavaScript without Node.js.
func kinds() []kind {
	return []kind{
		{job.HandlerNamed, "BEAN", "BEAN"},
		{job.HandlerShell, "GLUE_SHELL", "GLUE(Shell)"},
		{job.HandlerPython, "GLUE_PYTHON", "GLUE(Python3)"},
		{job.HandlerPython2, "GLUE_PYTHON2", "GLUE(Python2)"},
		{job.HandlerNode, "GLUE_NODEJS", "GLUE(Nodejs)"},
		{job.HandlerPHP, "GLUE_PHP", "GLUE(PHP)"},
		{job.HandlerPowerShell, "GLUE_POWERSHELL", "GLUE(PowerShell)"},
		{job.HandlerGroovy, "GLUE_GROOVY", "GLUE(Java)"},
		{job.HandlerJS, "GLUE_JS", "GLUE(JavaScript)"},
	}
}

type kind struct {
	kind        job.HandlerKind
	name, title string
}

// ParseHandlerKind returns the kind of handler that the dialect's name stands
// for, and false for a name that it does not know.
func ParseHandlerKind(name string) (job.HandlerKind, bool) {
	for _, k := range kinds() {
		if k.name == name {
			return k.kind, true
		}
	}
	return "", false
}

// HandlerKindName returns the dialect's name of a kind of handler, and false
// when the dialect has none.
func HandlerKindName(kind job.HandlerKind) (string, bool) {
	for _, k := range kinds() {
		if k.kind == kind {
			return k.name, true
		}
	}
	return "", false
}

// kindTitle returns what messages call a kind of handler.
func kindTitle(kind job.HandlerKind) string {
	for _, k := range kinds() {
		if k.kind == kind {
			return k.title
		}
	}
	return string(kind)
}

// The names of overlaps.
const (
	overlapSerial     = "SERIAL_EXECUTION"
	overlapDiscard    = "DISCARD_LATER"
	overlapCover      = "COVER_EARLY"
	overlapConcurrent = "CONCURRENT" // the Java fork's; others take it for serial
)

// ParseOverlap returns the overlap that the dialect's name stands for. Every
// other name, and none, means serial: so do all executors read it.
func ParseOverlap(name string) job.Overlap {
	switch name {
	case overlapDiscard:
		return job.OverlapDiscard
	case overlapCover:
		return job.OverlapCover
	case overlapConcurrent:
		return job.OverlapConcurrent
	}
	return job.OverlapSerial
}

// OverlapName returns the dialect's name of an overlap. Executors that do not
// know the word for concurrent runs run them one by one.
func OverlapName(overlap job.Overlap) string {
	switch overlap {
	case job.OverlapDiscard:
		return overlapDiscard
	case job.OverlapCover:
		return overlapCover
	case job.OverlapConcurrent:
		return overlapConcurrent
	default:
		return overlapSerial
	}
}

// routeNames are the routes that the dialect knows.
func routeNames() map[string]job.Route {
	return map[string]job.Route{
		"FIRST":                 job.RouteFirst,
		"LAST":                  job.RouteLast,
		"ROUND":                 job.RouteRound,
		"RANDOM":                job.RouteRandom,
		"CONSISTENT_HASH":       job.RouteConsistentHash,
		"LEAST_FREQUENTLY_USED": job.RouteLeastFrequent,
		"LEAST_RECENTLY_USED":   job.RouteLeastRecent,
		"FAILOVER":              job.RouteFailover,
		"BUSYOVER":              job.RouteBusyover,
		"SHARDING_BROADCAST":    job.RouteBroadcast,
	}
}

// ParseRoute returns the route that the dialect's name stands for, and false
// for a name that Orth has no route for.
func ParseRoute(name string) (job.Route, bool) {
	route, known := routeNames()[name]
	return route, known
}

// RouteName returns the dialect's name of a route, and false when it has none.
func RouteName(route job.Route) (string, bool) {
	for name, r := range routeNames() {
		if r == route {
			return name, true
		}
	}
	return "", false
}

// ParseMisfire returns the misfire policy that the dialect's name stands for, and
// false for a name that it does not have.
func ParseMisfire(name string) (schedule.Misfire, bool) {
	switch name {
	case "DO_NOTHING":
		return schedule.MisfireSkip, true
	case "FIRE_ONCE_NOW":
		return schedule.MisfireFireOnce, true
	}
	return "", false
}

// MisfireName returns the dialect's name of a misfire policy. The dialect has none for
// [schedule.MisfireFireAll]: it gets the name of the policy that makes up for anything at
// all.
func MisfireName(policy schedule.Misfire) string {
	if policy == schedule.MisfireSkip || policy == "" {
		return "DO_NOTHING"
	}
	return "FIRE_ONCE_NOW"
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
