package native

import (
	"strings"
	"time"
)

// Minor is the highest minor version of the protocol that this side knows.
const Minor = 3

// pathPrefix is what stands before the name of a request, behind the base URL.
const pathPrefix = "/orth/v1/"

// The names of requests: to servers, then to executors.
const (
	nameRegister = "register"
	nameFarewell = "farewell"
	nameOutcomes = "outcomes"
	namePull     = "pull"
	nameAnswers  = "answers"
	nameLogs     = "logs"
	nameFacts    = "facts"

	nameTasks    = "tasks"
	nameAttempts = "attempts"
	nameCancel   = "cancel"
	nameBusy     = "busy"
	nameLog      = "log"
	nameFollow   = "follow"
	nameDrain    = "drain"
	nameBeat     = "beat"
)

// The headers, in Go's canonical form.
const (
	headerProtocol  = "Orth-Protocol"
	headerKey       = "Orth-Key"
	headerTime      = "Orth-Time"
	headerNonce     = "Orth-Nonce"
	headerSignature = "Orth-Signature"
)

// contentType is what both sides call their JSON.
const contentType = "application/json"

// The limits of messages.
const (
	maxBody     = 8 << 20 // bytes of a request, and of an answer
	maxTasks    = 1_000
	maxOutcomes = 1_000
	maxAttempts = 1_000
	maxCommands = 1_000 // in the answer to one pull
	maxAnswers  = 256
	maxWait     = 30 * time.Second
	maxChunks   = 64        // in one request
	maxChunk    = 256 << 10 // bytes of the text of one
	maxFollow   = time.Hour
	taskFollow  = 24 * time.Hour // a follow that came with its task
	maxServerID = 64             // bytes
	// defaultBatch is the most tasks of a request to an executor that does not report its
	// own limit.
	defaultBatch = 256
)

// How a server reaches an executor.
const (
	transportPush = "push"
	transportPull = "pull"
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
	return pulls && group != "" && goodInstance(instance)
}

// instanceDigits is how many hexadecimal digits name an instance.
const instanceDigits = 24

// goodInstance reports whether text may name an instance.
func goodInstance(text string) bool {
	if len(text) != instanceDigits {
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
	taskAccepted    = "accepted"
	taskDuplicate   = "duplicate"
	taskRefused     = "refused"
	taskDiscarded   = "discarded"
	taskFull        = "full"
	taskUnavailable = "unavailable"
	taskUncertain   = "uncertain"
)

// What an executor knows of an attempt.
const (
	attemptWaiting = "waiting"
	attemptRunning = "running"
	attemptEnded   = "ended"
	attemptUnknown = "unknown"
)
