package observe

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/thread"
)

// noChain answers nothing.
type noChain struct{}

var errNoChain = errors.New("there is no chain")

func (noChain) ProgramAccounts(context.Context, rpc.Commitment, solana.PublicKey, []byte) ([]rpc.Keyed, uint64, error) {
	return nil, 0, errNoChain
}

func (noChain) Accounts(context.Context, rpc.Commitment, ...solana.PublicKey) ([]*rpc.Account, uint64, error) {
	return nil, 0, errNoChain
}

func (noChain) Parts(context.Context, rpc.Commitment, uint64, uint64, ...solana.PublicKey) ([]*rpc.Account, uint64, error) {
	return nil, 0, errNoChain
}

// newLine is a line that keeps its requests.
func newLine(t *testing.T) (l *line, asked *[]request) {
	t.Helper()
	o, err := New(Config{Profile: thread.Newest(), Chain: noChain{}, Endpoints: []string{"ws://node.example"}})
	if err != nil {
		t.Fatal(err)
	}
	asked = new([]request)
	l = &line{
		source: o.sources[0], pending: make(map[uint64]wish), subscribed: make(map[uint64]wish), known: make(map[wish]uint64),
		write: func(r request) error { *asked = append(*asked, r); return nil },
	}
	if err := l.begin(); err != nil {
		t.Fatal(err)
	}
	return l, asked
}

// clockNotice is a tick in the form of nodes.
func clockNotice(subscription, slot uint64, unix int64) string {
	data := make([]byte, 40)
	binary.LittleEndian.PutUint64(data, slot)
	binary.LittleEndian.PutUint64(data[32:], uint64(unix))
	return accountNotice(subscription, slot, "Sysvar1111111111111111111111111111111111111", data)
}

func accountNotice(subscription, slot uint64, owner string, data []byte) string {
	return fmt.Sprintf(`{"params":{"subscription":%d,"result":{"context":{"slot":%d},"value":{"lamports":1,"owner":%q,"data":[%q,"base64"]}}}}`,
		subscription, slot, owner, base64.StdEncoding.EncodeToString(data))
}

func threadNotice(subscription, slot uint64, key thread.Key, t thread.Thread) string {
	a := account(t)
	return fmt.Sprintf(`{"params":{"subscription":%d,"result":{"context":{"slot":%d},"value":{"pubkey":%q,"account":{"lamports":1,"owner":%q,"data":[%q,"base64"]}}}}}`,
		subscription, slot, key, a.Owner, base64.StdEncoding.EncodeToString(a.Data))
}

func says(t *testing.T, l *line, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if err := l.handleMessage([]byte(text)); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
}

// What must be subscribed to comes first, with the filter; what is watched follows, and ends.
func TestLineSubscribes(t *testing.T) {
	t.Parallel()
	l, asked := newLine(t)
	o := l.source.observer
	if len(*asked) != 2 || (*asked)[0].Method != "programSubscribe" || (*asked)[0].Params[0] != thread.Newest().Program.String() ||
		!strings.Contains(fmt.Sprint((*asked)[0].Params[1]), "bytes:Y8UnU4foPt5") || (*asked)[1].Params[0] != "SysvarC1ock11111111111111111111111111111111" {
		t.Fatalf("it has asked for %+v", *asked)
	}
	says(t, l, `{"id":1,"result":11}`)
	if o.anyUp() {
		t.Error("it is up with one of two subscriptions")
	}
	says(t, l, `{"id":2,"result":12}`, `{"id":77,"result":13}`, `{"id":2,"result":14}`)
	if !o.anyUp() || len(l.subscribed) != 2 || len(l.pending) != 0 {
		t.Errorf("it has %d subscriptions and %d requests", len(l.subscribed), len(l.pending))
	}
	says(t, l, clockNotice(12, 1000, 100), threadNotice(11, 999, key('a'), on(key('w'), "old!", 0)), threadNotice(99, 999, key('b'), every(1, 0)))
	if s := o.Stats(); s.Tracked != 1 || s.Slot != 1000 || s.Endpoints[0].Stray != 1 {
		t.Errorf("%+v", s)
	}
	if err := l.align(); err != nil || len(*asked) != 3 {
		t.Fatalf("the account is not subscribed to: %v, %+v", err, *asked)
	}
	if got := (*asked)[2]; got.Method != "accountSubscribe" || !strings.Contains(fmt.Sprint(got.Params[1]), "dataSlice:map[length:4 offset:2]") {
		t.Errorf("it has asked for %+v", got)
	}
	says(t, l, `{"id":3,"result":15}`, accountNotice(15, 1001, key('o').String(), []byte("new!")))
	if event, _ := o.book.nextEvent(start()); event == nil || o.book.watches.all[part(key('w'))].slot != 1001 {
		t.Error("what is watched is not heard")
	}
	says(t, l, threadNotice(11, 1002, key('a'), every(500, 1)))
	if err := l.align(); err != nil || len(*asked) != 4 || (*asked)[3].Method != "accountUnsubscribe" || (*asked)[3].Params[0] != uint64(15) {
		t.Errorf("the subscription is not ended: %v, %+v", err, *asked)
	}
	says(t, l, `{"id":4,"result":true}`, accountNotice(15, 1003, key('o').String(), []byte("news")))
	if s := o.Stats(); s.Endpoints[0].Stray != 2 || len(l.known) != 2 {
		t.Errorf("%+v, %d wishes", s, len(l.known))
	}
}

// Without the two that must be a connection is of no use; without an account it is.
func TestLineRefused(t *testing.T) {
	t.Parallel()
	for name, answers := range map[string][]string{
		"an error":                {`{"id":1,"error":{"code":-32601,"message":"no"}}`},
		"no number":               {`{"id":1,"result":true}`},
		"the number of another's": {`{"id":1,"result":5}`, `{"id":2,"result":5}`},
	} {
		l, _ := newLine(t)
		var err error
		for _, text := range answers {
			if err == nil {
				err = l.handleMessage([]byte(text))
			}
		}
		if err == nil {
			t.Errorf("%s: the connection goes on", name)
		}
	}
	l, asked := newLine(t)
	says(t, l, `{"id":1,"result":5}`, `{"id":2,"result":6}`, threadNotice(5, 9, key('a'), on(key('w'), "old!", 0)))
	if err := l.align(); err != nil {
		t.Fatal(err)
	}
	says(t, l, `{"id":3,"error":{"code":-32602,"message":"too many"}}`)
	if err := l.align(); err != nil || len(*asked) != 3 || l.source.refused.Load() != 1 {
		t.Errorf("what was refused is asked for again: %v, %d requests", err, len(*asked))
	}
	says(t, l, threadNotice(5, 10, key('a'), every(9, 1)))
	if err := l.align(); err != nil || len(*asked) != 3 || len(l.known) != 2 {
		t.Errorf("what was refused is ended: %v, %d requests", err, len(*asked))
	}
	// One that is not wanted any more when the answer comes is ended then.
	says(t, l, threadNotice(5, 11, key('a'), on(key('v'), "old!", 2)))
	if err := l.align(); err != nil {
		t.Fatal(err)
	}
	says(t, l, threadNotice(5, 12, key('a'), every(9, 3)))
	if err := l.align(); err != nil || len(*asked) != 4 {
		t.Fatalf("%v, %d requests", err, len(*asked))
	}
	says(t, l, `{"id":4,"result":9}`)
	if len(*asked) != 5 || (*asked)[4].Method != "accountUnsubscribe" {
		t.Errorf("it has asked for %+v", (*asked)[4:])
	}
}

// A node that accepts the connection and stays silent is left, and so is one that forgets
// the clock while the chain goes on.
func TestLineSilent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, _ := newLine(t)
		began := time.Now()
		err := l.attend(t.Context(), nil, nil, nil)
		if err == nil || time.Since(began) != longestConfirm {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		l, _ := newLine(t)
		o := l.source.observer
		says(t, l, `{"id":1,"result":5}`, `{"id":2,"result":6}`, clockNotice(6, 1000, 100))
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if err := l.attend(ctx, nil, nil, nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("where the chain stands still: %v", err)
		}
		began := time.Now()
		l.heard = began
		o.changeBook(func(b *book) { b.applyTick(ClockUpdate{Slot: 1065, UnixTimestamp: 120}, time.Now()) })
		if err := l.attend(t.Context(), nil, nil, nil); err == nil || time.Since(began) > muteFor+2*time.Second {
			t.Errorf("where the chain goes on, after %v: %v", time.Since(began), err)
		}
	})
	l, _ := newLine(t)
	gone := errors.New("gone")
	ended := make(chan error, 1)
	ended <- gone
	if err := l.attend(t.Context(), nil, ended, nil); !errors.Is(err, gone) {
		t.Errorf("a connection that has ended: %v", err)
	}
}

// Each first of a row of failures waits a little, later ones longer, none without end, and no two alike.
func TestReconnectAfter(t *testing.T) {
	t.Parallel()
	for failures, millis := range []int{100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600, 30000, 30000, 30000, 30000, 30000} {
		most := time.Duration(millis) * time.Millisecond
		seen := make(map[time.Duration]bool)
		for range 100 {
			d := reconnectAfter(failures)
			if d < most/2 || d > most {
				t.Fatalf("after %d failures it waits %v", failures, d)
			}
			seen[d] = true
		}
		if len(seen) < 50 {
			t.Errorf("after %d failures only %d times are different", failures, len(seen))
		}
	}
}
