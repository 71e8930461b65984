package native

import (
	"fmt"
	"testing"

	"github.com/orthd/orth/internal/wire/native/message"
)

// TestLogsOfStrangers: lines are taken from who speaks for the attempt's group, from the
// address that is followed, for this server; a request that has one wrong part changes
// nothing.
func TestLogsOfStrangers(t *testing.T) {
	t.Parallel()
	const address = "http://10.0.0.7:9999/"
	h, d := &house{}, newDesk("mine")
	c := h.config()
	c.Chunks, c.Self = d, d.name
	ask := serveHouse(t, c)
	for attempt, group := range map[int64]int64{1: 7, 2: 8, 3: 9} { // 7 is billing's, 9 takes only tokens of its own
		d.want(attempt, group, address)
	}
	logs := func(server, address string, attempt int64, more string) string {
		return fmt.Sprintf(`{"server":%q,"address":%q,"chunks":[{"attempt":%d,"from":1,"text":"one\n"%s}]}`, server, address, attempt, more)
	}
	for _, c := range []struct {
		token, body  string
		status       int
		answer, text string
		attempt      int64
	}{
		{groupToken, logs("other", address, 1, ""), 200, `{"taken":false,"server":"mine","stop":[]}`, "", 1},
		{groupToken, logs("mine", "http://10.0.0.8:9999/", 1, ""), 200, `{"taken":true,"stop":[1]}`, "", 1},
		{groupToken, logs("mine", address, 4, ""), 200, `{"taken":true,"stop":[4]}`, "", 4},
		{groupToken, logs("mine", address, 2, ""), 200, `{"taken":true,"stop":[2]}`, "", 2},
		{ownToken, logs("mine", address, 3, ""), 200, `{"taken":true,"stop":[3]}`, "", 3},
		{ownToken, logs("mine", address, 2, ""), 200, `{"taken":true,"stop":[]}`, "one\n", 2},
		{groupToken, logs("mine", address, 1, ""), 200, `{"taken":true,"stop":[]}`, "one\n", 1},
		{groupToken, logs("mine", address, 1, `,"end":true`), 200, `{"taken":true,"stop":[1]}`, "one\n", 1},
		{groupToken, `{"server":"mine","address":"a","chunks":[{}]}`, 400, "", "", 4},
	} {
		got := ask(c.token, message.NameLogs, c.body)
		if got.Status != c.status || c.answer != "" && string(got.Body) != c.answer || d.text(c.attempt) != c.text {
			t.Errorf("%s: %d %s, and attempt %d has %q; want %d %s and %q", c.body, got.Status, got.Body, c.attempt, d.text(c.attempt), c.status, c.answer, c.text)
		}
	}
}

// TestLogsNobodyTakes: a server that follows nothing does not have the name.
func TestLogsNobodyTakes(t *testing.T) {
	t.Parallel()
	if _, serve := NewServerHandler((&house{}).config()).route(message.NameLogs, message.MinorLogs); serve != nil {
		t.Error("it has it")
	}
	if _, serve := newTestHandler(new(worker), nil).route(message.NameFollow); serve != nil {
		t.Error("an executor that brings nothing has follow")
	}
}
