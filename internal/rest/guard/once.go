package guard

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/orthd/orth/internal/failpoint"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/job"
)

// headerRetry has the seconds after which to retry.
const headerRetry = "Retry-After"

const (
	// maxOnceKey bounds a key, maxKept the body of an answer that is kept with it.
	maxOnceKey = 128
	maxKept    = 64 << 10
)

// checkOnce reports what is wrong with a key that a caller has made up.
func checkOnce(key string) error {
	if len(key) > maxOnceKey {
		return job.FieldErrorf(headerOnce, "has %d characters, at most %d are allowed", len(key), maxOnceKey)
	}
	for _, c := range []byte(key) {
		if c < '!' || c > '~' {
			return job.FieldErrorf(headerOnce, "must be printable ASCII without blanks, such as a UUID")
		}
	}
	return nil
}

// underway are the keys of requests that are being carried out here. Its size is that
// of the requests.
type underway struct {
	mu   sync.Mutex
	keys map[string]bool // guarded by mu
}

func (u *underway) begin(key string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.keys[key] {
		return false
	}
	if u.keys == nil {
		u.keys = map[string]bool{}
	}
	u.keys[key] = true
	return true
}

func (u *underway) end(key string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.keys, key)
}

// keptReply is an answer as it is kept.
type keptReply struct {
	Status   int    `json:"status"`
	Type     string `json:"type,omitempty"`
	Location string `json:"location,omitempty"`
	Body     string `json:"body,omitempty"`
	// Withheld is why the body is not kept.
	Withheld string `json:"withheld,omitempty"`
}

// once carries a request with a key out, or answers what was answered to it before.
func (g *Guard) once(on carried, i *intent.Intent, p Policy, next func(huma.Context)) {
	caller := intent.CallerOf(&i.By)
	mine := caller + " " + i.Once
	if !g.underway.begin(mine) {
		wrong := job.Errorf(job.Conflict, "a request with the key %q is being carried out", i.Once)
		wrong.Hint = "ask again in a moment, with the same key"
		on.SetHeader(headerRetry, "1")
		g.Refuse(on, i.Operation, wrong)
		return
	}
	defer g.underway.end(mine)
	read, err := io.ReadAll(on.plain.BodyReader())
	on.body = bytes.NewReader(read)
	if err != nil {
		on.body = io.MultiReader(on.body, broken{err})
	}
	i.Request = digestOf(on, read)
	used, is, err := g.config.Ledger.Once(on.Context(), caller, i.Once)
	switch {
	case err != nil:
		g.Refuse(on, i.Operation, fmt.Errorf("look for the key of the request: %w", err))
		return
	case is:
		g.replay(on, i, &used)
		return
	}
	out := &replied{carried: on}
	next(out)
	if i.Kept() {
		failpoint.Hit("rest/carried")
		g.keep(on.Context(), caller, i, p, out)
	}
	out.send()
}

// keep keeps an answer for those that ask again.
func (g *Guard) keep(ctx context.Context, caller string, i *intent.Intent, p Policy, out *replied) {
	reply := keptReply{Status: out.status, Type: out.headers().Get("Content-Type"), Location: out.header.Get("Location")}
	switch {
	case p.Shown && out.status < http.StatusMultipleChoices:
		reply.Withheld = "it had a secret that is shown once"
	case out.body.Len() > maxKept:
		reply.Withheld = "it was too long to be kept"
	default:
		reply.Body = out.body.String()
	}
	text, err := json.Marshal(reply)
	if err == nil {
		err = g.config.Ledger.SetReply(context.WithoutCancel(ctx), caller, i.Once, string(text))
	}
	if err != nil {
		// A repeated request gets what is known: it was done, and its answer is not kept.
		g.config.Logger.WarnContext(ctx, "answer not kept", "operation", i.Operation, "error", err)
	}
}

// replay answers a request whose key was used before.
func (g *Guard) replay(on carried, i *intent.Intent, used *intent.Reuse) {
	if used.Request != i.Request {
		wrong := job.FieldErrorf(headerOnce, "was used for another request, of operation %s", used.Operation)
		wrong.Hint = "make a new key for each thing that you want"
		g.Refuse(on, i.Operation, wrong)
		return
	}
	var reply keptReply
	switch {
	case used.Reply == "":
		g.Refuse(on, i.Operation, lost(used, "the answer was lost"))
		return
	case json.Unmarshal([]byte(used.Reply), &reply) != nil:
		g.Refuse(on, i.Operation, lost(used, "the answer cannot be read"))
		return
	case reply.Withheld != "":
		g.Refuse(on, i.Operation, lost(used, "of the answer nothing is kept: "+reply.Withheld))
		return
	}
	on.SetHeader(headerReplayed, "true")
	for name, value := range map[string]string{"Content-Type": reply.Type, "Location": reply.Location} {
		if value != "" {
			on.SetHeader(name, value)
		}
	}
	on.SetStatus(reply.Status)
	_, _ = io.WriteString(on.BodyWriter(), reply.Body)
}

// lost is the error for a request that was carried out, of whose answer nothing is
// known.
func lost(used *intent.Reuse, why string) error {
	wrong := job.Errorf(job.Conflict, "the request was carried out before, and %s", why)
	wrong.Hint = "look at what there is now, before you ask for it with another key"
	if used.Line > 0 {
		wrong.Hint = "line " + strconv.FormatInt(used.Line, 10) + " of the audit log has what was done; " + wrong.Hint
	}
	return wrong
}

// digestOf returns a digest that identifies a request.
func digestOf(on carried, body []byte) [32]byte {
	u := on.plain.URL()
	head := fmt.Sprintf("%q %q %q %q\n", on.Method(), u.Path, u.RawQuery, on.Header("Content-Type"))
	return sha256.Sum256(append([]byte(head), body...))
}

// broken is the end of a body that could not be read.
type broken struct{ err error }

// Read returns why.
func (b broken) Read([]byte) (int, error) { return 0, b.err }
