package outbox

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// TestPlainRecord: the short way of writing an outcome does what the long way does, and the short way of reading one says what the decoder of JSON says, or leaves it to it.
func TestPlainRecord(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(1_700_000_000_123)
	short := 0
	for _, out := range []job.Outcome{
		{AttemptID: 1, State: job.Succeeded, TriggeredAt: at, EndedAt: at},
		{AttemptID: 1, State: job.Failed, EndedAt: at, Message: "exit status 3: no rows"},
		{AttemptID: 1, State: job.Failed, EndedAt: at, Message: "a \"quote\", a \\ and <tags> \n\u2028 \x00"},
		{AttemptID: 1, State: job.Failed, EndedAt: at, Message: "中文: 失败"},
		{AttemptID: 1, State: job.Failed, EndedAt: at, Message: "no", Log: "a line\n\nanother\nhalf"},
		{AttemptID: 1, State: job.Failed, EndedAt: at, Log: "\n"},
		{AttemptID: 1, State: job.Failed, EndedAt: at, Log: "a \"quote\"\n\t<br>\n"},
		{AttemptID: 1, State: job.Failed, EndedAt: at, Log: "<br>--- start ---<br>--- Param:a & b\n<br>--- end ---\n"},
		{AttemptID: 1, State: job.Failed, EndedAt: at, Log: "日志\n"},
		{AttemptID: 1, State: job.Failed, EndedAt: at, Message: "later", Class: retry.ClassNotReady, RetryAfter: time.Minute},
	} {
		it, err := itemOf(out)
		if err != nil {
			t.Fatal(err)
		}
		var want storedOutcome
		if err := json.Unmarshal(it.Body, &want); err != nil {
			t.Fatal(err)
		}
		if long, err := want.appendAny(nil); err != nil || !bytes.Equal(long, it.Body) {
			t.Errorf("stored is %s, the long way makes %s (%v)", it.Body, long, err)
		}
		got, ok := plain(it.Body)
		if ok {
			short++
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got)\n%s", it.Body, diff)
			}
		}
		back, err := outcomeOf(it)
		if err != nil || back.Message != want.Message || back.Log != out.Log || back.State != out.State {
			t.Errorf("%s: %+v, %v", it.Body, back, err)
		}
	}
	if short != 7 {
		t.Errorf("%d were read the short way", short)
	}
	for _, bad := range []string{
		"",
		"{",
		`{"triggered_at":1`,
		`{"triggered_at":x,"state":"failed","ended_at":1}`,
		`{"triggered_at":1,"state":"failed","ended_at":1}x`,
		`{"triggered_at":1,"state":"failed","ended_at":1,"log":"a\`,
		`{"triggered_at":1,"state":"failed","ended_at":1,"log":"a\n`,
	} {
		if _, ok := plain([]byte(bad)); ok {
			t.Errorf("%q was read", bad)
		}
		if _, err := outcomeOf(queue.Item{Key: 1, Body: []byte(bad)}); err == nil {
			t.Errorf("%q is an outcome", bad)
		}
	}
}

// TestSimple: a text is simple when JSON writes it as it is.
func TestSimple(t *testing.T) {
	t.Parallel()
	for c := range 256 {
		for length := range 20 {
			for at := range length {
				text := bytes.Repeat([]byte("~"), length)
				text[at] = byte(c)
				var written bytes.Buffer
				encoder := json.NewEncoder(&written)
				encoder.SetEscapeHTML(false)
				if err := encoder.Encode(string(text)); err != nil {
					t.Fatal(err)
				}
				if want := written.String() == `"`+string(text)+"\"\n"; simple(string(text)) != want {
					t.Fatalf("simple(%q) = %t", text, !want)
				}
			}
		}
	}
}
