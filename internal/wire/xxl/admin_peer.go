package xxl

import (
	"strings"
	"sync"
	"time"

	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

// A server that gives no answer, and takes its time over it, is called last for a
// while.
const (
	slowFailure = 200 * time.Millisecond
	restFor     = 30 * time.Second
)

// tongue is a dialect, with the header lines of every request in it. It never
// changes.
type tongue struct {
	dialect.Speech

	head string
}

func newTongue(s dialect.Speech, token, group string) (*tongue, error) {
	head, err := dialect.HeaderOf(&s, group, token)
	if err != nil {
		return nil, job.Errorf(job.Invalid, "%w", err)
	}
	return &tongue{s, head}, nil
}

// admin is one server, and what its answers have revealed about it: all of that may be
// forgotten.
type admin struct {
	address string
	fixed   bool // nothing that it answers changes how it is spoken to

	mu      sync.Mutex
	tongue  *tongue   // guarded by mu
	resting time.Time // guarded by mu; until then it is called last
	logs    bool      // guarded by mu; it takes logs with outcomes
}

// takesLogs reports whether the server takes logs with outcomes.
func (a *admin) takesLogs() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.logs
}

// answered notes that the server has answered, and whether it takes logs. An answer
// without that word is one of another make, or of a proxy.
func (a *admin) answered(logs bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.logs, a.resting = logs, time.Time{}
}

func (a *admin) speaks() *tongue {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.tongue
}

func (a *admin) speak(t *tongue) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tongue = t
}

func (a *admin) rests(now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return now.Before(a.resting)
}

// restUntil lets the server rest; the zero time ends its rest.
func (a *admin) restUntil(t time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.resting = t
}

// meet returns what is known of a server before its first answer. A configured dialect
// holds. The default context path of a fork identifies the fork, since no other has it;
// every other server's dialect is detected.
func (c *AdminClient) meet(config *AdminClientConfig, speeches []dialect.Speech, address string) (*admin, error) {
	a := &admin{address: address, fixed: true, tongue: c.base}
	var dialect job.Dialect
	if config.Dialect != nil {
		dialect = config.Dialect(address)
	}
	for _, s := range speeches {
		said := s.Dialect == dialect
		seen := dialect == "" && s.Context != "" && s.Context != c.base.Context &&
			strings.HasSuffix(strings.TrimRight(address, "/"), s.Context)
		if !said && !seen {
			continue
		}
		t, err := newTongue(s, config.Token, config.Group)
		a.tongue = t
		return a, err
	}
	if dialect != "" {
		return nil, job.Errorf(job.Invalid, "the dialect %q is none that servers of this family speak", dialect)
	}
	a.fixed = false
	return a, nil
}

// reading is what an answer, or the lack of one, reveals about the dialect that the server
// was addressed in.
type reading int

const (
	understood reading = iota
	garbled            // the list of outcomes may have another shape there
	nameless           // it requires the executor's group
	silent             // it did not answer
)

// read interprets a refusal's text.
func (t *tongue) read(name, text string) reading {
	switch {
	case t.GroupHeader == "" && groupWanted(text):
		return nameless
	case name == dialect.APICallback && strings.HasPrefix(text, dialect.TextAPIError) && !strings.HasPrefix(text, dialect.TextAPIError+dialect.TextMalformed):
		return garbled
	}
	return understood
}
