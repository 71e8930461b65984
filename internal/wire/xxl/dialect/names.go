package dialect

import (
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// The paths of an executor. They are compared with the whole request target, in which
// doubled slashes and one at the end do not count.
const (
	PathBeat     = "/beat"
	PathIdleBeat = "/idleBeat"
	PathRun      = "/run"
	PathTrigger  = "/trigger" // what releases after 3.4 call /run
	PathKill     = "/kill"
	PathLog      = "/log"
)

// The names below /api/ of an admin.
const (
	PathAPI           = "/api/"
	APIRegistry       = "registry"
	APIRegistryRemove = "registryRemove"
	APICallback       = "callback"
)

// ContextPaths are the context paths that admins up to 3.4.0 and the Java fork
// have in front of /api/.
func ContextPaths() []string { return []string{"xxl-job-admin/", "orth-admin/"} }

// The token headers: the dialect's and that of its Java fork. They leave in
// exactly the first forms because one client compares by case; net/http files
// them under the second ones when they arrive.
const (
	HeaderToken              = "XXL-JOB-ACCESS-TOKEN"
	HeaderTokenCanonical     = "Xxl-Job-Access-Token"
	HeaderForkToken          = "ORTH-ACCESS-TOKEN"
	HeaderForkTokenCanonical = "Orth-Access-Token"
)

// The header that names the executor's group, from release 3.5 on, and what
// net/http files it under.
const (
	HeaderGroup          = "XXL-JOB-APPNAME"
	HeaderGroupCanonical = "Xxl-Job-Appname"
)

// The names of the instant that a task was triggered at: in a task, and from 3.5 on
// everywhere; and what every earlier release has elsewhere.
const (
	fieldDate      = "logDateTime"
	fieldDateShort = "logDateTim"
)

// RegistryGroupExecutor is the only registry group that anyone reads.
const RegistryGroupExecutor = "EXECUTOR"

// The codes of replies and of outcomes.
const (
	CodeSuccess = 200
	CodeFailure = 500
	CodeTimeout = 502
)

// Texts that peers show, log or compare. The colon-less joins are theirs.
const (
	TextSuccess        = "Success"
	TextMethod         = "invalid request, HttpMethod not support."
	TextPathEmpty      = "invalid request, uri-mapping empty."
	TextPathUnknown    = "invalid request, uri-mapping(" // P + TextPathUnknownEnd
	TextPathUnknownEnd = ") not found."
	TextBodyEmpty      = "invalid request, requestBody empty."
	TextToken          = "The access token is wrong."
	TextGroupEmpty     = "invalid request, accessToken or appname is empty." // from 3.5 on, as the next
	TextGroupWrong     = "invalid request, accessToken or appname invalid."
	TextRequestError   = "request error: "
	TextAPIError       = "openapi invoke error: "
	TextMalformed      = "malformed request: "
	TextFull           = "executor cannot take the task now: "
	textDiscard        = "block strategy effect：Discard Later"
	TextKindOff        = "fail, current glue type [" // title + TextKindOffEnd
	TextKindOffEnd     = "] not supported."
	TextStopping       = "the executor is stopping and takes no more tasks"
	TextNoCancel       = "this executor cannot end one attempt alone: kill the job"
	TextIllegal        = "Illegal Argument."
	TextInternal       = "internal error"
	TextBusy           = "job thread is running or has trigger queue."
	textKilledAlready  = "job thread already killed."
	textKillReason     = "scheduling center kill job."
	TextResultLost     = "job handle result lost."
	TextRepeat         = "repeat trigger job"
	TextRepeatOld      = "repeate trigger job" // up to 3.4.0
)

// BusyTexts are the answers of executors of other makes about a job that runs already: one
// in Go, one in Python and one in JavaScript.
func BusyTexts() []string {
	return []string{"There are tasks running", "is already executing", "a same job is running"}
}

// AbsentLogTexts are what executors of other makes give as the lines of a log that is
// not there: one in Python, which has none of a run that waits.
func AbsentLogTexts() []string { return []string{"No such logid logs."} }

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

// KindTitle returns what messages call a kind of handler.
func KindTitle(kind job.HandlerKind) string {
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

// StateCode returns the code that an outcome's state travels as.
func StateCode(state job.State) int {
	switch state {
	case job.Succeeded:
		return CodeSuccess
	case job.TimedOut:
		return CodeTimeout
	default:
		return CodeFailure
	}
}

// CodeState returns the state that an outcome's code stands for. Clients send
// many codes for failure; only the server knows which of them it caused by a
// cancel.
func CodeState(code int64) job.State {
	switch code {
	case CodeSuccess:
		return job.Succeeded
	case CodeTimeout:
		return job.TimedOut
	}
	return job.Failed
}
