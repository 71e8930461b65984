package native

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/internal/wire/post"
	"github.com/orthd/orth/job"
)

// maxPeers bounds for how many addresses is kept what was learnt of them.
const maxPeers = 4096

// errStrange is in the errors of answers that another party seems to have given.
var errStrange = errors.New("is not signed with the token")

// courier sends signed requests, and takes only answers that are signed. Without a
// token it leaves the signatures away where a certificate stands for them: over TLS,
// which answers for both sides. Its methods may be used from many goroutines.
type courier struct {
	poster *post.Poster
	shows  bool // a certificate, to those who ask
	minor  int  // the highest minor version that this side knows

	mu    sync.Mutex
	peers map[string]*peer // guarded by mu; by address
}

// peer is what was learnt of one address.
type peer struct {
	ahead atomic.Int64 // milliseconds by which its clock is ahead of ours
	minor atomic.Int32 // the minor version that it answered in last
}

// letter is one request.
type letter struct {
	address string // base URL
	name    string
	token   string // signs it; empty: a certificate is shown, if there is one
	to      string // incarnation of the executor that is meant; empty when it is not known
	body    []byte
}

// reply is an answer whose signature is right, or needs none.
type reply struct {
	status int
	body   []byte
}

// newCourier returns a courier. Close it at the end.
func newCourier(c post.Config) *courier {
	return &courier{poster: post.New(c), shows: shows(c), minor: Minor, peers: make(map[string]*peer)}
}

func (c *courier) close() { c.poster.Close() }

func (c *courier) peer(address string) *peer {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.peers[address]; known != nil {
		return known
	}
	if len(c.peers) >= maxPeers {
		clear(c.peers)
	}
	made := new(peer)
	c.peers[address] = made
	return made
}

// send sends the letter and returns the answer, with any status. When the other side's
// clock differs and its answer carries the time, send signs the letter again by it, once.
// Kinds: Invalid, the address is none; Unreachable, not one byte has left; Unauthorized,
// the other side does not know the token, as far as an answer that is not signed can show;
// Ambiguous, there is no answer that can be trusted.
func (c *courier) send(ctx context.Context, l letter) (reply, error) {
	target, err := c.poster.Find(l.address, pathPrefix+l.name, c.head())
	if err != nil {
		return reply{}, err
	}
	known := c.peer(l.address)
	send := c.post
	if l.token == "" && c.shows && target.URL.Scheme == "https" {
		send = c.postBare
	}
	answer, again, err := send(ctx, target, known, l)
	if again {
		answer, _, err = send(ctx, target, known, l)
	}
	return answer, err
}

// now returns the time by the clock of the other side, as far as it is known.
func (p *peer) now() time.Time {
	return time.Now().Add(time.Duration(p.ahead.Load()) * time.Millisecond)
}

// correct learns the clock of the other side from the time of an answer, and reports
// whether it carries one.
func (p *peer) correct(at string) bool {
	theirs, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return false
	}
	p.ahead.Store(theirs - time.Now().UnixMilli())
	return true
}

// head is the header lines of all requests.
func (c *courier) head() string {
	return string(post.Fields(nil).Add("Content-Type", contentType).Add(headerProtocol, versionText(c.minor)))
}

// speaks returns the minor version that is spoken with who is at address; 0 while that
// is not known.
func (c *courier) speaks(address string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.peers[address]
	if known == nil {
		return 0
	}
	return min(int(known.minor.Load()), c.minor)
}

// post sends the letter once. again: the answer corrected the clock.
func (c *courier) post(ctx context.Context, target *post.Target, known *peer, l letter) (_ reply, again bool, err error) {
	with := newSigner(l.token)
	extras, nonce := with.sign(l.name, l.to, l.body, known.now())
	answer, err := c.poster.Ask(ctx, target, &post.Question{
		Body: l.body, Extras: extras, Limit: maxBody, Want: []string{"orth-signature", "orth-time", "orth-protocol"},
	})
	if err != nil {
		return reply{}, false, err
	}
	got := reply{status: answer.Status, body: answer.Text}
	var signature, at, version string
	if answer.Got != nil {
		signature, at, version = answer.Got[0], answer.Got[1], answer.Got[2]
	}
	switch {
	case with.proves(nonce, got.status, at, got.body, signature):
	case got.status == http.StatusUnauthorized:
		return reply{}, false, job.Errorf(job.Unauthorized, "%s does not take the token: %s", target.URL, problemText(got.body))
	case got.status == http.StatusOK || signature != "":
		return reply{}, false, job.Errorf(job.Ambiguous, "%s gave an answer that %w", target.URL, errStrange)
	default:
		return reply{}, false, job.Errorf(job.Ambiguous, "%s answered HTTP status %d, which %w: %s", target.URL, got.status, errStrange, problemText(got.body))
	}
	if got.status != http.StatusUnauthorized {
		known.minor.Store(int32(parseMinor(version)))
	}
	return got, got.status != http.StatusOK && known.correct(at), nil
}

// problemText returns the text of an answer that is no success, for use in a sentence.
func problemText(body []byte) string {
	if p, err := decodeProblem(0, body); err == nil {
		return job.Clean(p.message, job.MaxMessage)
	}
	return "is a side of this protocol at this address?"
}
