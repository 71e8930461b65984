package guard

import (
	"fmt"
	"math"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/rest/browser"
	"github.com/orthd/orth/internal/tries"
	"github.com/orthd/orth/job"
)

// Rates limit the requests a second, of each class separately: from one credential, or from
// one address when there is none. The burst is twice as many. The token of the server
// itself has no limit. The defaults are far above the needs of a busy console or program,
// and below what hurts others.
type Rates struct {
	// Reading defaults to 5,000, Writing to 2,000.
	Reading, Writing int
	// Searching, through logs and the audit, defaults to 50.
	Searching int
	// Streaming counts the streams that are begun. Defaults to 100.
	Streaming int
	// Signing limits sign-ins, which also have limits of their own. Defaults to 50.
	Signing int
	// Strangers counts requests without a good credential. Defaults to 1,000.
	Strangers int
}

// burst is the time whose requests may come at once.
const burst = 2 * time.Second

// maxPayers bounds those whose requests are counted at the same time.
const maxPayers = 50_000

// payer is who makes requests of a class.
type payer struct {
	class          Class
	user           int64
	credential     int64
	kind           access.Kind
	addressIfNoOne netip.Prefix
}

// meter counts requests: each is paid for with the time that it takes until the next
// one may come. It never grows beyond maxPayers.
type meter struct {
	price map[Class]time.Duration // of a request

	mu   sync.Mutex
	owed map[payer]time.Time // when all is paid; guarded by mu
}

func newMeter(r Rates) *meter {
	price := func(rate, usual int) time.Duration {
		if rate <= 0 {
			rate = usual
		}
		return time.Second / time.Duration(rate)
	}
	return &meter{
		price: map[Class]time.Duration{
			Reading: price(r.Reading, 5000), Writing: price(r.Writing, 2000), Searching: price(r.Searching, 50),
			Streaming: price(r.Streaming, 100), Signing: price(r.Signing, 50), Strange: price(r.Strangers, 1000),
		},
		owed: make(map[payer]time.Time),
	}
}

// take counts a request, and returns how long its payer has to wait when there were
// too many; then it is not counted.
func (m *meter) take(p payer, now time.Time) (wait time.Duration) {
	price := m.price[p.class]
	m.mu.Lock()
	defer m.mu.Unlock()
	paid, known := m.owed[p]
	if paid.Before(now) {
		paid = now
	}
	if wait = paid.Add(price).Sub(now) - max(burst, price); wait > 0 {
		return wait
	}
	if !known && len(m.owed) >= maxPayers {
		m.forget(now)
	}
	m.owed[p] = paid.Add(price)
	return 0
}

// forget makes room: it drops payers without debt, and at least one. It checks few of them,
// so its cost does not depend on their number.
func (m *meter) forget(now time.Time) {
	looked := 0
	for p, paid := range m.owed {
		if looked++; !paid.After(now) || looked == 1 && len(m.owed) >= maxPayers {
			delete(m.owed, p)
		}
		if looked == 64 {
			return
		}
	}
}

// metered reports that a caller makes too many requests, and after how many seconds
// it may come again.
func (g *Guard) metered(caller *access.Principal, remote string, c Class) (seconds string, err error) {
	if caller.Kind == access.System {
		return "", nil
	}
	p := payer{class: c, user: caller.ID, credential: caller.Credential, kind: caller.Kind}
	if caller.Kind == "" {
		p.addressIfNoOne = networkOf(remote)
	}
	wait := g.meter.take(p, time.Now())
	if wait <= 0 {
		return "", nil
	}
	seconds = strconv.Itoa(int(math.Ceil(wait.Seconds())))
	return seconds, &job.Error{
		Kind: job.Full, Message: "too many requests come at once",
		Hint: fmt.Sprintf("wait %s s, and send fewer a second", seconds),
	}
}

// networkOf returns what stands for an address: it itself, or the network of one
// customer for a long one, where addresses cost nothing.
func networkOf(remote string) netip.Prefix {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		return netip.Prefix{}
	}
	address = address.Unmap().WithZone("")
	bits := 32
	if address.Is6() {
		bits = 64
	}
	network, _ := address.Prefix(bits) // The length always fits.
	return network
}

// paid lets a request of an operation pass unless there were too many.
func (g *Guard) paid(ctx huma.Context, caller *access.Principal, o *Op) bool {
	if asksItself(ctx.Context()) {
		return true
	}
	wait, err := g.metered(caller, ctx.RemoteAddr(), o.Class)
	if err == nil {
		return true
	}
	ctx.SetHeader(headerRetry, wait)
	g.Refuse(ctx, o.ID, err)
	return false
}

// strangerPaid lets the answer to a request without a good credential pass unless
// there were too many, or too many with wrong tokens.
func (g *Guard) strangerPaid(w http.ResponseWriter, r *http.Request, refused error) error {
	seconds, err := g.metered(&access.Principal{}, r.RemoteAddr, Strange)
	if shown := r.Header.Values("Authorization"); err == nil && len(shown) > 0 {
		seconds, err = g.guessed(r, shown[0], refused)
	}
	if err != nil {
		w.Header().Set(headerRetry, seconds)
	}
	return err
}

// guessed counts an unknown token. It reports whether too many of them came from its
// network, and the seconds until the next is answered as others are.
func (g *Guard) guessed(r *http.Request, token string, refused error) (seconds string, err error) {
	if !job.Is(refused, job.Unauthorized) {
		return "", nil
	}
	wait := g.config.Guesses.Wrong(browser.AddressOf(r), token, time.Now())
	if wait == 0 {
		return "", nil
	}
	return strconv.Itoa(int(math.Ceil(wait.Seconds()))), tries.TooOften(wait)
}
