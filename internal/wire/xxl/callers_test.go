package xxl

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

// guests are the callers with tokens: of group a, of group b, and one that all share,
// perhaps none, for whom group b is closed.
type guests struct {
	away bool
	open bool // who shows none is taken
}

func (g guests) Caller(_ context.Context, token string) (job.Caller, error) {
	switch token {
	case "orthg_a", "orthg_a2":
		return g.tell(job.Caller{GroupID: 1, Group: "a"})
	case "orthg_b":
		return g.tell(job.Caller{GroupID: 2, Group: "b"})
	case "the-server's", "s3cr3t-t0ken":
		return g.tell(job.Caller{TokenID: job.TokenShared, Closed: job.NewClosedGroups(map[int64]string{2: "b"})})
	case "":
		if g.open {
			return g.tell(job.Caller{TokenID: job.TokenShared, Closed: job.NewClosedGroups(map[int64]string{2: "b"})})
		}
	case "admitted":
		return g.tell(job.Caller{TokenID: job.TokenAdmitted})
	}
	return job.Caller{}, job.Errorf(job.Unauthorized, "nobody's")
}

func (guests) Wrong(context.Context, string) error { return job.Errorf(job.Unauthorized, "nobody's") }

func (g guests) tell(c job.Caller) (job.Caller, error) {
	if g.away {
		return job.Caller{}, job.Errorf(job.Unavailable, "the tokens cannot be read")
	}
	return c, nil
}

// judge takes outcomes: attempt 1 is of group a, 2 of group b.
type judge struct{ calls }

func (j *judge) CompleteAs(_ context.Context, caller job.Caller, outcomes []job.Outcome) error {
	var refused error
	for _, o := range outcomes {
		switch err := caller.Admitted(o.AttemptID); {
		case !caller.Owns(o.AttemptID):
			j.add("foreign %d of %s", o.AttemptID, caller.Group)
		case err != nil:
			refused = err
		default:
			j.add("complete %d", o.AttemptID)
		}
	}
	return refused
}

// shows posts a body with a token under a header and returns the status and the
// answer.
func shows(t *testing.T, h http.Handler, header, token, path, body string) (int, string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body))
	r.Header.Set(header, token)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	answer, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Code, string(answer)
}

func TestCallersRegister(t *testing.T) {
	t.Parallel()
	for _, server := range []string{"the-server's", ""} {
		for _, header := range []string{dialect.HeaderToken, dialect.HeaderForkToken} {
			for _, c := range []struct{ token, group, want string }{
				{"orthg_a", "a", ""},
				{"orthg_a2", "a", ""}, // two at once
				{"orthg_a", "b", "the token shown is one of group a, and says nothing about group b: give this executor a token of its own group"},
				{"orthg_a", "c", "of group a, and says nothing about group c"},
				{"orthg_b", "b", ""},
				{server, "a", ""},
				{server, "b", "group b takes only tokens of its own, and the one shown is the one that executors of all groups share: give this executor a token of its group, made with 'orth group token add b'"},
			} {
				for _, name := range []string{dialect.APIRegistry, dialect.APIRegistryRemove} {
					room := new(serverRoom)
					h := NewAdminHandler(AdminConfig{Leases: room, Outcomes: room, Credentials: guests{open: server == ""}})
					body := fmt.Sprintf(`{"registryGroup":"EXECUTOR","registryKey":%q,"registryValue":"http://10.0.0.1:9999/"}`, c.group)
					status, got := shows(t, h, header, c.token, "/api/"+name, body)
					asked := room.take()
					switch {
					case status != http.StatusOK:
						t.Errorf("%q %s for %s: HTTP status %d", c.token, name, c.group, status)
					case c.want == "" && (got != adminSuccess || !strings.Contains(asked, "register "+c.group)):
						t.Errorf("%q %s for %s: %s, asked %s", c.token, name, c.group, got, asked)
					case c.want != "" && (!strings.HasPrefix(got, `{"code":500,`) || !strings.Contains(got, c.want) || asked != ""):
						t.Errorf("%q %s for %s: %s, asked %s", c.token, name, c.group, got, asked)
					}
				}
			}
		}
	}
}

func TestCallersCallBack(t *testing.T) {
	t.Parallel()
	const items = `[{"logId":1,"handleCode":200},{"logId":2,"handleCode":200}]`
	for form, envelope := range envelopes {
		for _, c := range []struct{ token, calls, want string }{
			{"orthg_a", "complete 1\nforeign 2 of a", adminSuccess},
			{"orthg_b", "foreign 1 of b\ncomplete 2", adminSuccess},
			{"the-server's", "complete 1", `"msg":"group b takes only tokens of its own`},
			{"orthg_gone", "", dialect.TextToken},
			{"", "", dialect.TextToken},
		} {
			j := new(judge)
			h := NewAdminHandler(AdminConfig{Leases: new(serverRoom), Outcomes: j, Credentials: guests{}})
			status, got := shows(t, h, dialect.HeaderToken, c.token, "/api/callback", fmt.Sprintf(envelope, items))
			if calls := j.take(); status != http.StatusOK || !strings.Contains(got, c.want) || calls != c.calls {
				t.Errorf("%s, %q: HTTP status %d: %s; called %q", form, c.token, status, got, calls)
			}
		}
	}
}

// While callers cannot be identified, executors are asked to come again, and their tokens
// are in no log.
func TestCallersUnknownAtPresent(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	j := new(judge)
	h := NewAdminHandler(AdminConfig{
		Leases: new(serverRoom), Outcomes: j, Credentials: guests{away: true},
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	for _, token := range []string{"orthg_a", "the-server's"} {
		status, got := shows(t, h, dialect.HeaderToken, token, "/api/callback", `[{"logId":1,"handleCode":200}]`)
		if status != http.StatusServiceUnavailable || !strings.Contains(got, "the tokens cannot be read") || !strings.HasPrefix(got, `{"code":500,`) || j.take() != "" {
			t.Errorf("%s: HTTP status %d: %s", token, status, got)
		}
	}
	if text := log.String(); text == "" || strings.Contains(text, "orthg_a") || strings.Contains(text, "the-server's") {
		t.Errorf("log: %s", text)
	}
}

// An executor of ours keeps what a server cannot take at present, and what its
// token is not good for.
func TestOutcomesAreKept(t *testing.T) {
	t.Parallel()
	j := new(judge)
	away := serve(t, NewAdminHandler(AdminConfig{Leases: new(serverRoom), Outcomes: j, Credentials: guests{away: true, open: true}}))
	closed := serve(t, NewAdminHandler(AdminConfig{Leases: new(serverRoom), Outcomes: j, Credentials: guests{open: true}}))
	for address, want := range map[string]string{
		away: "cannot do it at present", closed: "group b takes only tokens of its own",
	} {
		err := newAdminClient(t, "", "http://"+address).SendOutcomes(t.Context(), []job.Outcome{{AttemptID: 2, State: job.Succeeded}})
		if !job.Is(err, job.Unavailable) || !strings.Contains(err.Error(), want) {
			t.Errorf("error of kind %q: %v, want %q", job.KindOf(err), err, want)
		}
	}
}

// Executors that hang up before they are answered make no errors of the server.
func TestCallersWhoHangUp(t *testing.T) {
	t.Parallel()
	gone, leave := context.WithCancel(t.Context())
	leave()
	for _, c := range []struct {
		name string
		ctx  context.Context
		logs bool
	}{{"here", t.Context(), true}, {"gone", gone, false}} {
		var log bytes.Buffer
		h := NewAdminHandler(AdminConfig{
			Leases: new(serverRoom), Outcomes: new(serverRoom), Logger: slog.New(slog.NewTextHandler(&log, nil)),
		})
		body := `{"registryGroup":"EXECUTOR","registryKey":"locked","registryValue":"http://10.0.0.1:9999/"}`
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(c.ctx, http.MethodPost, "/api/registry", strings.NewReader(body)))
		if logs := strings.Contains(log.String(), "level=ERROR"); w.Code != http.StatusServiceUnavailable || logs != c.logs {
			t.Errorf("%s: HTTP status %d, log %q", c.name, w.Code, &log)
		}
	}
}
