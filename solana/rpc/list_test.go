package rpc

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

const keyedAccount = `{"account":{"lamports":6,"owner":"11111111111111111111111111111111","data":["c2l4","base64"],"space":3},"pubkey":"SysvarC1ock11111111111111111111111111111111"}`

// A list is read in any order of its members, with any other members.
func TestListReads(t *testing.T) {
	for name, text := range map[string]string{
		"as nodes write it": `{"jsonrpc":"2.0","result":{"context":{"apiVersion":"3","slot":7},"value":[` + keyedAccount + `,` + keyedAccount + `]},"id":1}`,
		"the other way":     `{"id":1,"more":{"a":[1,{}]},"result":{"value":[` + keyedAccount + `,` + keyedAccount + `],"more":[],"context":{"slot":7}},"error":null} `,
	} {
		var l keyedList
		var told response
		if err := l.readList(strings.NewReader(text), &told); err != nil || told.ID == nil || *told.ID != 1 || told.Error != nil {
			t.Errorf("%s: %v, %+v", name, err, told)
		}
		if len(l.all) != 2 || l.slot != 7 || string(l.all[1].Account.Data) != "six" {
			t.Errorf("%s: %+v", name, l)
		}
	}
}

// Cut anywhere, a list is an error, and never a shorter list.
func TestListCut(t *testing.T) {
	text := `{"jsonrpc":"2.0","result":{"context":{"slot":7},"value":[` + keyedAccount + `,` + keyedAccount + `]},"id":1}`
	for n := range text {
		var l keyedList
		if err := l.readList(strings.NewReader(text[:n]), new(response)); err == nil {
			t.Fatalf("%d of %d bytes are a list of %d", n, len(text), len(l.all))
		}
	}
	for _, bad := range []string{
		`{"id":1}`, `[]`, `{"result":null}`, `{"result":[]}`, `{"result":{"value":[]}}`, `{"result":{"context":{"slot":1}}}`, `{"result":{"context":null,"value":[]}}`,
		`{"result":{"context":{"slot":1},"value":null}}`, `{"result":{"context":{"slot":1},"value":{}}}`, `{"result":{"context":{"slot":-1},"value":[]}}`,
		`{"result":{"context":{"slot":1},"value":[{"pubkey":"no key"}]}}`, text + `{}`,
	} {
		var l keyedList
		if err := l.readList(strings.NewReader(bad), new(response)); err == nil {
			t.Errorf("%s is a list of %d", bad, len(l.all))
		}
	}
}

// A list's failures are reported as with every other answer.
func TestListFails(t *testing.T) {
	for name, c := range map[string]struct {
		answer answer
		wrong  func(error) bool
	}{
		"an error of the node's": {answer{code: -32010}, func(err error) bool { e, is := errors.AsType[*Error](err); return is && e.Code == -32010 }},
		"an error of HTTP":       {answer{status: 403, body: "no"}, func(err error) bool { e, is := errors.AsType[*UnreachableError](err); return is && e.Status == 403 }},
		"no JSON":                {answer{body: "<html>"}, IsTransient},
		"another's answer":       {answer{body: `{"id":99,"result":{"context":{"slot":1},"value":[]}}`}, IsTransient},
	} {
		n := &nodes{does: map[string]func(call) answer{"a.example": says(c.answer)}}
		p, err := New(Config{Endpoints: two()[:1], Client: n.client(), Tries: 1})
		if err != nil {
			t.Fatal(err)
		}
		all, _, err := p.ProgramAccounts(t.Context(), Confirmed, key(1), nil)
		if err == nil || !c.wrong(err) {
			t.Errorf("%s: %v, %v", name, all, err)
		}
	}
}

// Parts of accounts are asked for by where they begin and how long they are.
func TestParts(t *testing.T) {
	p, n := one(t, map[string]any{"getMultipleAccounts": inSlot([]any{held(5, "ve"), nil})})
	accounts, slot, err := p.Parts(t.Context(), Confirmed, 2, 1<<40, key(1), key(2))
	if err != nil || slot != 77 || len(accounts) != 2 || string(accounts[0].Data) != "ve" || accounts[1] != nil {
		t.Errorf("%v, %d, %v", accounts, slot, err)
	}
	if got, want := string(n.calls[0].Params[1]), fmt.Sprintf(`{"encoding":"base64","commitment":"confirmed","dataSlice":{"offset":2,"length":%d}}`, 1<<40); got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
}
