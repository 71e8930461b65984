package mcp

import (
	"crypto/rand"
	"crypto/sha256"
	"sync"
	"time"

	"github.com/orthd/orth/job"
)

// consentFor is how long a code is good, and maxConsents how many may be open; the
// oldest makes room.
const (
	consentFor  = 5 * time.Minute
	maxConsents = 64
)

// consents are the confirmations that are open. It is safe for concurrent use.
type consents struct {
	now func() time.Time

	mu   sync.Mutex
	open []consent // the oldest first
}

// consent is one: a code is good once, for one tool and its exact arguments.
type consent struct {
	code  string
	about [sha256.Size]byte
	until time.Time
	tag   string // the ETag of what was shown, "" for none
}

func newConsents(now func() time.Time) *consents { return &consents{now: now} }

// newCode returns a text that nobody guesses.
func newCode() string { return rand.Text() }

// about returns what tells one call from another.
func about(tool string, canonical []byte) [sha256.Size]byte {
	return sha256.Sum256(append([]byte(tool+"\n"), canonical...))
}

// openConsent opens a confirmation and returns its code and its end.
func (c *consents) openConsent(about [sha256.Size]byte, tag string) (code string, until time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.open) >= maxConsents {
		c.open = append(c.open[:0], c.open[len(c.open)-maxConsents+1:]...)
	}
	made := consent{code: newCode(), about: about, until: c.now().Add(consentFor), tag: tag}
	c.open = append(c.open, made)
	return made.code, made.until
}

// redeem ends a confirmation and returns the tag of what was shown. The code is used up
// by the attempt, whatever comes of it.
func (c *consents) redeem(code string, about [sha256.Size]byte) (tag string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	wrong := &job.Error{
		Kind: job.Conflict, Field: argConfirm,
		Hint: "call without confirm: that shows what would happen, and answers with a new code",
	}
	for i, open := range c.open {
		if open.code != code {
			continue
		}
		c.open = append(c.open[:i], c.open[i+1:]...)
		switch {
		case open.about != about:
			wrong.Message = "the code is for another tool or other arguments, and is used up"
			return "", wrong
		case !c.now().Before(open.until):
			wrong.Message = "the code was good for five minutes, which are over"
			return "", wrong
		}
		return open.tag, nil
	}
	wrong.Message = "the code is unknown, or was used already"
	return "", wrong
}
