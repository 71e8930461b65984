package xxl

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

// ledger receives outcomes and answers as fn does.
type ledger func(ctx context.Context, outcomes []job.Outcome) error

func (l ledger) CompleteAs(ctx context.Context, _ job.Caller, outcomes []job.Outcome) error {
	return l(ctx, outcomes)
}

// envelopes are the two forms that callbacks have.
var envelopes = map[string]string{"array": "%s", "object": `{"callbackList":%s}`}

// callBack posts the items of a callback in an envelope, and checks that the HTTP
// status is 503 exactly for what may go well the next time.
func callBack(t *testing.T, l ledger, envelope, items string, again ...bool) string {
	t.Helper()
	want := http.StatusOK
	if len(again) > 0 && again[0] {
		want = http.StatusServiceUnavailable
	}
	handler := NewAdminHandler(AdminConfig{Leases: new(serverRoom), Outcomes: l})
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/callback", strings.NewReader(fmt.Sprintf(envelope, items)))
	response := httptest.NewRecorder()
	handler.ServeHTTP(response, request)
	body, err := io.ReadAll(response.Result().Body)
	if err != nil || response.Code != want {
		t.Errorf("HTTP status %d, %v", response.Code, err)
	}
	return string(body)
}

// TestCallbackIsAnsweredAfterTheCommit: only durable outcomes are acknowledged, so that an
// executor keeps everything else.
func TestCallbackIsAnsweredAfterTheCommit(t *testing.T) {
	t.Parallel()
	for form, envelope := range envelopes {
		for name, test := range map[string]struct {
			err  error
			want string
		}{
			"durable":      {nil, adminSuccess},
			"disk is full": {job.Errorf(job.Unavailable, "the disk is full"), `"openapi invoke error: the disk is full"`},
			"too much":     {job.Errorf(job.Full, "too many writes wait"), `"openapi invoke error: too many writes wait"`},
			"a bug":        {fmt.Errorf("constraint failed in /secret/path"), `"openapi invoke error: internal error"`},
			"time is over": {context.DeadlineExceeded, `"openapi invoke error: internal error"`},
		} {
			t.Run(form+"/"+name, func(t *testing.T) {
				t.Parallel()
				fails := func(context.Context, []job.Outcome) error { return test.err }
				got := callBack(t, fails, envelope, `[{"logId":7,"handleCode":200}]`, test.err != nil)
				if code := strings.HasPrefix(got, `{"code":200,`); code != (test.err == nil) || !strings.Contains(got, test.want) {
					t.Errorf("answered %s, want %s", got, test.want)
				}
			})
		}
	}
}

// TestCallbackWaitsForTheCommit: there is no answer while the store blocks.
func TestCallbackWaitsForTheCommit(t *testing.T) {
	t.Parallel()
	for form, envelope := range envelopes {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				answers := make(chan string, 1)
				commit := make(chan struct{})
				blocks := func(ctx context.Context, _ []job.Outcome) error {
					select {
					case <-commit:
						return nil
					case <-ctx.Done():
						return ctx.Err()
					}
				}
				go func() { answers <- callBack(t, blocks, envelope, `[{"logId":7,"handleCode":200}]`) }()
				time.Sleep(time.Hour)
				synctest.Wait()
				select {
				case got := <-answers:
					t.Fatalf("answered %s before the commit", got)
				default:
				}
				close(commit)
				if got := <-answers; got != adminSuccess {
					t.Errorf("answered %s", got)
				}
			})
		})
	}
}

// TestCallbackOfUnknownAttempts: an unknown attempt is not needed, and a refusal would have
// its executor repeat it for ever.
func TestCallbackOfUnknownAttempts(t *testing.T) {
	t.Parallel()
	for form, envelope := range envelopes {
		for _, err := range []error{nil, job.Errorf(job.NotFound, "attempt 7 is unknown"), job.Errorf(job.Conflict, "it is over")} {
			got := callBack(t, func(context.Context, []job.Outcome) error { return err }, envelope, `[{"logId":7,"handleCode":200}]`)
			if got != adminSuccess {
				t.Errorf("%s, %v: answered %s", form, err, got)
			}
		}
	}
}

// TestCallbackItemsAreJudgedOneByOne: what is wrong with one item costs no other.
func TestCallbackItemsAreJudgedOneByOne(t *testing.T) {
	t.Parallel()
	good := []job.Outcome{
		{AttemptID: 1, State: job.Succeeded, Message: "first"}, {AttemptID: 9, State: job.Failed, Message: "last"},
	}
	unread := job.Outcome{AttemptID: 5, State: job.Failed, Message: dialect.TextResultUnread}
	for bad, want := range map[string][]job.Outcome{
		`{"logId":5,"handleCode":"soon"}`:          {good[0], unread, good[1]},
		`{"handleCode":true,"logId":"5"}`:          {good[0], unread, good[1]},
		`{"logId":5,"handleCode":99999999999}`:     {good[0], unread, good[1]},
		`{"logId":5,"executeResult":{"code":"x"}}`: {good[0], unread, good[1]},
		`{"logId":"five","handleCode":200}`:        good,
		`{"handleCode":200}`:                       good,
		`{"logId":-5,"handleCode":200}`:            good,
		`{}`:                                       good,
		`null`:                                     good,
		`5`:                                        good,
		`"5"`:                                      good,
		`[{"logId":5}]`:                            good,
	} {
		for form, envelope := range envelopes {
			t.Run(form+"/"+bad, func(t *testing.T) {
				t.Parallel()
				var taken []job.Outcome
				keep := func(_ context.Context, outcomes []job.Outcome) error {
					for _, o := range outcomes {
						o.EndedAt = time.Time{}
						taken = append(taken, o)
					}
					return nil
				}
				got := callBack(t, keep, envelope,
					`[{"logId":1,"handleCode":200,"handleMsg":"first"},`+bad+`,{"logId":9,"handleCode":500,"handleMsg":"last"}]`)
				if got != adminSuccess {
					t.Errorf("answered %s", got)
				}
				if diff := cmp.Diff(want, taken); diff != "" {
					t.Errorf("taken (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// TestCallbackThatIsNoJSON: then the end of an item is unknown, and none is accepted.
func TestCallbackThatIsNoJSON(t *testing.T) {
	t.Parallel()
	never := func(context.Context, []job.Outcome) error {
		t.Error("something was taken")
		return nil
	}
	for _, items := range []string{
		`[{"logId":1,"handleCode":200},{"logId":]`, `[{"logId":1,"handleCode":200}`, `[{"logId":1,"handleCode":200}{}]`, `{"logId":1}`,
		`[` + strings.Repeat(`[`, 100) + strings.Repeat(`]`, 100) + `]`,
	} {
		for form, envelope := range envelopes {
			if got := callBack(t, never, envelope, items); !strings.HasPrefix(got, `{"code":500,"msg":"openapi invoke error: malformed request: `) {
				t.Errorf("%s %s: answered %s", form, items, got)
			}
		}
	}
}
