package xxl

import (
	"slices"
	"strings"
	"sync"

	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

// Peer is an executor as it is spoken to.
type Peer struct {
	// Dialect is empty while it is unknown: then what has two names is sent under both, and
	// the answers reveal the dialect.
	Dialect job.Dialect
	// Group is the key of its group, which executors from release 3.5 on require.
	Group string
	// Token is shown to it.
	Token string
}

// The most voices and dialects that are kept; then all are forgotten, and made or detected
// again.
const (
	maxVoices = 4096
	maxHeard  = 4096
)

// voice is how one executor is called. It never changes.
type voice struct {
	peer   Peer
	speech *dialect.Speech
	head   string // the lines of every request
	broken error  // nothing can be sent at all
}

// voices keeps what was made for peers, because each is called many times, and what their
// answers revealed.
type voices struct {
	speeches []dialect.Speech // Classic first
	forks    []dialect.Speech // those of them that are not XXL-JOB's own

	mu    sync.RWMutex
	made  map[Peer]*voice        // guarded by mu, by peer with the dialect it is spoken to in
	heard map[string]job.Dialect // guarded by mu, by address
}

func newVoices(further []dialect.Speech) *voices {
	own := dialect.Speeches()
	all := slices.Concat(own, further)
	return &voices{
		speeches: all, forks: all[len(own):],
		made: make(map[Peer]*voice), heard: make(map[string]job.Dialect),
	}
}

// dialect returns the dialect that the answers from an address revealed, empty for none.
func (v *voices) dialect(address string) job.Dialect {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.heard[address]
}

// note remembers the dialect that answers revealed.
func (v *voices) note(address string, d job.Dialect) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, known := v.heard[address]; !known && len(v.heard) >= maxHeard {
		clear(v.heard)
	}
	v.heard[address] = d
}

// of returns the voice for a peer in its dialect, or in that of every executor when
// it has none that is known here.
func (v *voices) of(p Peer) *voice {
	v.mu.RLock()
	known := v.made[p]
	v.mu.RUnlock()
	if known != nil {
		return known
	}
	made := &voice{peer: p, speech: v.speech(p.Dialect)}
	made.head, made.broken = dialect.HeaderOf(made.speech, p.Group, p.Token)
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.made) >= maxVoices {
		clear(v.made)
	}
	v.made[p] = made
	return made
}

func (v *voices) speech(d job.Dialect) *dialect.Speech {
	i := slices.IndexFunc(v.speeches, func(s dialect.Speech) bool { return s.Dialect == d })
	return &v.speeches[max(i, 0)]
}

// instead returns the voice for repeating what an executor refused because it was sent in
// another dialect than its own, or nil. Nothing was done then.
//
//	spoken       refused because of                spoken again
//	any but 3.5  the path of runs; a missing group  as 3.5
//	3.5          the path of runs                   as to one of whom nothing is known
//	any          the token                          as to one of whom nothing is known
func (v *voices) instead(spoken *voice, path string, r dialect.Reply) *voice {
	if r.Code != dialect.CodeFailure {
		return nil
	}
	s, next := spoken.speech, job.DialectXXL35
	switch {
	case groupWanted(r.Text):
		if s.GroupHeader != "" || spoken.peer.Group == "" {
			return nil
		}
	case path == dialect.PathRun && v.runUnknown(s, r.Text):
		if s.Dialect == job.DialectXXL35 {
			next = job.DialectXXL
		}
	case r.Text == s.Answers.Token && s.Dialect != job.DialectXXL:
		next = job.DialectXXL
	default:
		return nil
	}
	peer := spoken.peer
	peer.Dialect = next
	return v.of(peer)
}

// runUnknown reports whether an executor answers that it does not have the path for runs;
// the text names the whole path, with its prefix in the address.
func (v *voices) runUnknown(s *dialect.Speech, text string) bool {
	return slices.ContainsFunc(v.speeches, func(known dialect.Speech) bool {
		path, ok := known.Answers.PathUnknown.Word(text)
		return ok && strings.HasSuffix(path, s.RunPath)
	})
}

// wrongDialect reports whether a refusal is about the dialect.
func (v *voices) wrongDialect(s *dialect.Speech, path string, r dialect.Reply) bool {
	return r.Code == dialect.CodeFailure &&
		(groupWanted(r.Text) || r.Text == s.Answers.Token || path == dialect.PathRun && v.runUnknown(s, r.Text))
}

// tells returns the fork's dialect that alone answers so, empty for none: all dialects
// share the texts of XXL-JOB itself.
func (v *voices) tells(r dialect.Reply) job.Dialect {
	for i := range v.forks {
		if v.forks[i].Recognizes(r) {
			return v.forks[i].Dialect
		}
	}
	return ""
}

// tellsByLog returns the fork's dialect that alone names the end of a log's page so,
// empty for none.
func (v *voices) tellsByLog(page []byte) job.Dialect {
	names := make(map[string]bool)
	s := dialect.Scan(page)
	err := s.Fields(func(name []byte) error {
		names[string(name)] = true
		return s.Skip()
	})
	if err != nil || names[v.speeches[0].LogEnds[0]] {
		return ""
	}
	for i := range v.forks {
		if names[v.forks[i].LogEnds[0]] {
			return v.forks[i].Dialect
		}
	}
	return ""
}
