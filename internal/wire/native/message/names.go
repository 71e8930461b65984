package message

import (
	"strings"
	"time"
)

// Minor is the highest minor version of the protocol that this side knows.
const Minor = 3

// PathPrefix is what stands before the name of a request, behind the base URL.
const PathPrefix = "/orth/v1/"

// The names of requests: to servers, then to executors.
const (
	NameRegister = "register"
	NameFarewell = "farewell"
	NameOutcomes = "outcomes"
	NamePull     = "pull"
	NameAnswers  = "answers"
	NameLogs     = "logs"
	NameFacts    = "facts"

	NameTasks    = "tasks"
	NameAttempts = "attempts"
	NameCancel   = "cancel"
	NameBusy     = "busy"
	NameLog      = "log"
	NameFollow   = "follow"
	NameDrain    = "drain"
	NameBeat     = "beat"
)

// The headers, in Go's canonical form.
const (
	HeaderProtocol  = "Orth-Protocol"
	HeaderKey       = "Orth-Key"
	HeaderTime      = "Orth-Time"
	HeaderNonce     = "Orth-Nonce"
	HeaderSignature = "Orth-Signature"
)

// ContentType is what both sides call their JSON.
const ContentType = "application/json"

// The limits of messages.
const (
	MaxBody     = 8 << 20 // bytes of a request, and of an answer
	MaxTasks    = 1_000
	MaxOutcomes = 1_000
	MaxAttempts = 1_000
	MaxCommands = 1_000 // in the answer to one pull
	MaxAnswers  = 256
	MaxWait     = 30 * time.Second
	MaxChunks   = 64        // in one request
	MaxChunk    = 256 << 10 // bytes of the text of one
	MaxFollow   = time.Hour
	TaskFollow  = 24 * time.Hour // a follow that came with its task
	MaxServerID = 64             // bytes
	// DefaultBatch is the most tasks of a request to an executor that does not report its
	// own limit.
	DefaultBatch = 256
)

// How a server reaches an executor.
const (
	TransportPush = "push"
	TransportPull = "pull"
)

// pullScheme begins the address of an executor that pulls; its group, a slash and its
// instance follow. So no executor can take an address in the name of another group.
const pullScheme = "pull://"

// PullAddress returns the address of the executor of a group that pulls.
func PullAddress(group, instance string) string { return pullScheme + group + "/" + instance }

// Pulls reports whether address is one of an executor that pulls.
func Pulls(address string) bool {
	rest, pulls := strings.CutPrefix(address, pullScheme)
	group, instance, _ := strings.Cut(rest, "/")
	return pulls && group != "" && GoodInstance(instance)
}

// InstanceDigits is how many hexadecimal digits name an instance.
const InstanceDigits = 24

// GoodInstance reports whether text may name an instance.
func GoodInstance(text string) bool {
	if len(text) != InstanceDigits {
		return false
	}
	for i := range len(text) {
		c := text[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// What an executor answers for one task.
const (
	TaskAccepted    = "accepted"
	TaskDuplicate   = "duplicate"
	TaskRefused     = "refused"
	TaskDiscarded   = "discarded"
	TaskFull        = "full"
	TaskUnavailable = "unavailable"
	TaskUncertain   = "uncertain"
)

// What an executor knows of an attempt.
const (
	AttemptWaiting = "waiting"
	AttemptRunning = "running"
	AttemptEnded   = "ended"
	AttemptUnknown = "unknown"
)
