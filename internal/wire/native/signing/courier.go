package signing

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/internal/wire/post"
	"github.com/orthd/orth/job"
)

// maxPeers bounds for how many addresses is kept what was learnt of them.
const maxPeers = 4096

// ErrStrange is in the errors of answers that another party seems to have given.
var ErrStrange = errors.New("is not signed with the token")

// Courier sends signed requests, and takes only answers that are signed. Without a
// token it leaves the signatures away where a certificate stands for them: over TLS,
// which answers for both sides. Its methods may be used from many goroutines.
type Courier struct {
	poster *post.Poster
	shows  bool // a certificate, to those who ask
	Minor  int  // the highest minor version that this side knows

	mu    sync.Mutex
	peers map[string]*peer // guarded by mu; by address
}

// peer is what was learnt of one address.
type peer struct {
	ahead atomic.Int64 // milliseconds by which its clock is ahead of ours
	minor atomic.Int32 // the minor version that it answered in last
}

// Letter is one request.
type Letter struct {
	Address string // base URL
	Name    string
	Token   string // signs it; empty: a certificate is shown, if there is one
	To      string // incarnation of the executor that is meant; empty when it is not known
	Body    []byte
}

// Reply is an answer whose signature is right, or needs none.
type Reply struct {
	Status int
	Body   []byte
}

// NewCourier returns a courier. Close it at the end.
func NewCourier(c post.Config) *Courier {
	return &Courier{poster: post.New(c), shows: shows(c), Minor: message.Minor, peers: make(map[string]*peer)}
}

// Close closes the connections.
func (c *Courier) Close() { c.poster.Close() }

func (c *Courier) peer(address string) *peer {
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

// SetClock assumes that the clock at address is ahead of ours, until an answer corrects it.
func (c *Courier) SetClock(address string, ahead time.Duration) {
	c.peer(address).ahead.Store(ahead.Milliseconds())
}

// Send sends the letter and returns the answer, with any status. When the other side's
// clock differs and its answer carries the time, send signs the letter again by it, once.
// Kinds: Invalid, the address is none; Unreachable, not one byte has left; Unauthorized,
// the other side does not know the token, as far as an answer that is not signed can show;
// Ambiguous, there is no answer that can be trusted.
func (c *Courier) Send(ctx context.Context, l Letter) (Reply, error) {
	target, err := c.poster.Find(l.Address, message.PathPrefix+l.Name, c.head())
	if err != nil {
		return Reply{}, err
	}
	known := c.peer(l.Address)
	send := c.post
	if l.Token == "" && c.shows && target.URL.Scheme == "https" {
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
func (c *Courier) head() string {
	return string(post.Fields(nil).Add("Content-Type", message.ContentType).Add(message.HeaderProtocol, message.VersionText(c.Minor)))
}

// MinorOf returns the minor version that is spoken with who is at address; 0 while that
// is not known.
func (c *Courier) MinorOf(address string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.peers[address]
	if known == nil {
		return 0
	}
	return min(int(known.minor.Load()), c.Minor)
}

// post sends the letter once. again: the answer corrected the clock.
func (c *Courier) post(ctx context.Context, target *post.Target, known *peer, l Letter) (_ Reply, again bool, err error) {
	with := NewSigner(l.Token)
	extras, nonce := with.Sign(l.Name, l.To, l.Body, known.now())
	answer, err := c.poster.Ask(ctx, target, &post.Question{
		Body: l.Body, Extras: extras, Limit: message.MaxBody, Want: []string{"orth-signature", "orth-time", "orth-protocol"},
	})
	if err != nil {
		return Reply{}, false, err
	}
	got := Reply{Status: answer.Status, Body: answer.Text}
	var signature, at, version string
	if answer.Got != nil {
		signature, at, version = answer.Got[0], answer.Got[1], answer.Got[2]
	}
	switch {
	case with.proves(nonce, got.Status, at, got.Body, signature):
	case got.Status == http.StatusUnauthorized:
		return Reply{}, false, job.Errorf(job.Unauthorized, "%s does not take the token: %s", target.URL, problemText(got.Body))
	case got.Status == http.StatusOK || signature != "":
		return Reply{}, false, job.Errorf(job.Ambiguous, "%s gave an answer that %w", target.URL, ErrStrange)
	default:
		return Reply{}, false, job.Errorf(job.Ambiguous, "%s answered HTTP status %d, which %w: %s", target.URL, got.Status, ErrStrange, problemText(got.Body))
	}
	if got.Status != http.StatusUnauthorized {
		known.minor.Store(int32(message.ParseMinor(version)))
	}
	return got, got.Status != http.StatusOK && known.correct(at), nil
}

// problemText returns the text of an answer that is no success, for use in a sentence.
func problemText(body []byte) string {
	if p, err := message.DecodeProblem(0, body); err == nil {
		return job.Clean(p.Message, job.MaxMessage)
	}
	return "is a side of this protocol at this address?"
}

// Failure returns the error of an answer that is no success, for those who may send
// again. Kinds: Unauthorized, Refused, Unavailable.
func (r Reply) Failure() error {
	text := problemText(r.Body)
	switch r.Status {
	case http.StatusOK:
		return nil
	case http.StatusUnauthorized:
		return job.Errorf(job.Unauthorized, "%s", text)
	case http.StatusBadRequest, http.StatusForbidden, http.StatusRequestEntityTooLarge:
		return job.Errorf(job.Refused, "%s", text)
	}
	return job.Errorf(job.Unavailable, "HTTP status %d: %s", r.Status, text)
}
