package observe

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/thread"
)

func TestDecode(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		answer *rpcAnswer
		notice *notice
	}{
		`{"jsonrpc":"2.0","result":7,"id":1}`:    {answer: &rpcAnswer{id: 1, subscription: 7}},
		`{"result":18446744073709551615,"id":2}`: {answer: &rpcAnswer{id: 2, subscription: 1<<64 - 1}},
		`{"result":true,"id":3}`:                 {answer: &rpcAnswer{id: 3}},
		`{"id":3}`:                               {answer: &rpcAnswer{id: 3}},
		`{"method":"x","params":{"result":{"context":{"slot":5},"value":null},"subscription":9}}`:          {notice: &notice{9, 5, json.RawMessage("null")}},
		`{"params":{"subscription":9,"result":{"value":{"a":1},"context":{"slot":0,"apiVersion":"3.0"}}}}`: {notice: &notice{9, 0, json.RawMessage(`{"a":1}`)}},
	} {
		a, n, err := decode([]byte(text))
		switch {
		case err != nil:
			t.Errorf("%s: %v", text, err)
		case (a == nil) != (want.answer == nil) || a != nil && *a != *want.answer:
			t.Errorf("%s: the answer is %+v, want %+v", text, a, want.answer)
		case (n == nil) != (want.notice == nil) || n != nil && (n.slot != want.notice.slot || n.subscription != want.notice.subscription || string(n.value) != string(want.notice.value)):
			t.Errorf("%s: the notice is %+v, want %+v", text, n, want.notice)
		}
	}
	for _, text := range garbage() {
		if a, n, err := decode([]byte(text)); err == nil {
			t.Errorf("%s is %+v, %+v", text, a, n)
		}
	}
	a, _, err := decode([]byte(`{"id":4,"error":{"code":-32602,"message":"` + strings.Repeat("no ", 200) + `"}}`))
	if err != nil || a.refused == nil || !strings.Contains(a.refused.Error(), "-32602") || len(a.refused.Error()) > 300 {
		t.Errorf("a refusal: %+v, %v", a, err)
	}
}

// garbage is what nodes must not send.
func garbage() []string {
	return []string{
		``, `null`, `7`, `"a"`, `[]`, `[{"id":1,"result":1}]`, `{`, `{}`, `{"id":"1","result":1}`, `{"id":-1,"result":1}`, `{"id":1.5}`, `{"id":1,"result":1.5}`,
		`{"id":1,"result":99999999999999999999}`, `{"params":{}}`, `{"params":{"subscription":1}}`, `{"params":{"subscription":"1","result":{}}}`,
		`{"params":{"subscription":1,"result":{"context":{"slot":-1},"value":{}}}}`, `{"params":{"subscription":1,"result":{"context":{"slot":1}}}}`,
		strings.Repeat(`{"params":`, 20_000), strings.Repeat("[", 100_000),
	}
}

func TestNotices(t *testing.T) {
	t.Parallel()
	good := `{"lamports":5,"owner":"11111111111111111111111111111111","data":["YWJj","base64"]}`
	if a, err := (&notice{value: json.RawMessage(good)}).account(); err != nil || string(a.Data) != "abc" {
		t.Errorf("an account: %+v, %v", a, err)
	}
	for _, none := range []string{`null`, strings.Replace(good, "5", "0", 1)} {
		if a, err := (&notice{value: json.RawMessage(none)}).account(); err != nil || a != nil {
			t.Errorf("%s: %+v, %v, want nothing", none, a, err)
		}
	}
	for _, bad := range []string{
		`{}`, `null`, `[]`, `{"pubkey":"SysvarC1ock11111111111111111111111111111111"}`, `{"account":` + good + `}`, `{"pubkey":"no key","account":` + good + `}`,
		`{"pubkey":"SysvarC1ock11111111111111111111111111111111","account":{"lamports":5}}`,
	} {
		if k, a, err := (&notice{value: json.RawMessage(bad)}).keyed(); err == nil {
			t.Errorf("%s is %v, %+v", bad, k, a)
		}
	}
	if _, err := clock(nil); err == nil {
		t.Error("a clock that is not there has a time")
	}
	if _, err := clock(&rpc.Account{Data: make([]byte, 39)}); !errors.Is(err, thread.ErrFormat) {
		t.Errorf("a clock of 39 bytes: %v", err)
	}
}

// Whatever nodes send, it is an answer, a notice, or an error.
func FuzzDecode(f *testing.F) {
	for _, text := range garbage() {
		if len(text) < 1000 {
			f.Add([]byte(text))
		}
	}
	f.Add([]byte(`{"id":1,"result":7}`))
	f.Add([]byte(`{"params":{"subscription":1,"result":{"context":{"slot":1},"value":{"pubkey":"SysvarC1ock11111111111111111111111111111111","account":{"lamports":5,"owner":"11111111111111111111111111111111","data":["YWJj","base64"]}}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, n, err := decode(data)
		if (a != nil) == (n != nil) && err == nil || err != nil && (a != nil || n != nil) {
			t.Fatalf("%+v, %+v, %v", a, n, err)
		}
		if n == nil {
			return
		}
		if account, err := n.account(); err == nil {
			_, _ = clock(account)
		}
		if key, account, err := n.keyed(); err == nil {
			b := newBook(thread.Newest(), 10, 10)
			b.applyTick(ClockUpdate{Slot: 5, UnixTimestamp: 5}, start())
			b.account(key, account, n.slot)
			for event, t := b.nextEvent(start()); event != nil; event, t = b.nextEvent(start()) {
				b.noteReceived(event, t)
			}
		}
	})
}
