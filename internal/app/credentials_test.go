package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/executorauth"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// journal is a log that may be read while it is written.
type journal struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.String()
}

// peer is an executor that takes one token only, in both directions, as those in
// Java do.
type peer struct {
	*httptest.Server
	group, token string

	mu    sync.Mutex
	shown map[string]int // tokens, and how often
	runs  int
}

func newPeer(t *testing.T, group, token string) *peer {
	t.Helper()
	p := &peer{group: group, token: token, shown: map[string]int{}}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *peer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	token := r.Header.Get("Xxl-Job-Access-Token") + r.Header.Get("Orth-Access-Token")
	if first := r.Header.Get("Xxl-Job-Access-Token"); token == first+first {
		token = first
	}
	p.shown[token]++
	if token != p.token {
		_, _ = io.WriteString(w, `{"code":500,"msg":"The access token is wrong."}`)
		return
	}
	if r.URL.Path == "/run" {
		p.runs++
	}
	_, _ = io.WriteString(w, `{"code":200,"msg":null}`)
}

// ran returns how many tasks it was given.
func (p *peer) ran() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.runs
}

// tokens returns what it was shown.
func (p *peer) tokens() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.shown))
}

// calls returns how often it was called.
func (p *peer) calls() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, often := range p.shown {
		n += often
	}
	return n
}

// registration is how it registers and says farewell.
func (p *peer) registration() string {
	return fmt.Sprintf(`{"registryGroup":"EXECUTOR","registryKey":%q,"registryValue":%q}`, p.group, p.URL)
}

// rig is a server with a log, and what was answered.
type rig struct {
	*testing.T
	*Server
	api      string // secret
	log      *journal
	answered journal
}

// serveAt runs a server on a data folder; stop ends it.
func serveAt(t *testing.T, data string, log *journal, admitted ...string) (r *rig, stop func()) {
	t.Helper()
	api := credential.Generate()
	server, err := New(Config{
		Data: data, Listen: "127.0.0.1:0", APIToken: api, AdmitDefaultTokens: admitted,
		Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			if err := <-ended; err != nil {
				t.Errorf("the server stopped with %v", err)
			}
		})
	}
	t.Cleanup(stop)
	return &rig{T: t, Server: server, api: api.Reveal(), log: log}, stop
}

// send asks the server and returns the status and the answer.
func (r *rig) send(method, path, token, body string) (int, string) {
	r.Helper()
	request, err := http.NewRequestWithContext(r.Context(), method, r.URL()+path, strings.NewReader(body))
	if err != nil {
		r.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if strings.HasPrefix(path, "/api/v1/") {
		request.Header.Set("Authorization", "Bearer "+r.api)
	} else if token != "" {
		request.Header.Set("Xxl-Job-Access-Token", token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		r.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		r.Fatal(err)
	}
	_, _ = r.answered.Write(text)
	return response.StatusCode, string(text)
}

// bring makes a token of a group of what executors have, or a new one, which comes
// back with its id.
func (r *rig) bring(group, token string) (id, text string) {
	r.Helper()
	body, _ := json.Marshal(map[string]string{"token": token})
	request := "/api/v1/groups/" + group + "/tokens"
	var made struct{ ID, Token string }
	status, answer := r.send(http.MethodPost, request, "", string(body))
	if err := json.Unmarshal([]byte(answer), &made); err != nil || status != http.StatusCreated {
		r.Fatalf("add a token: %d %s", status, answer)
	}
	return made.ID, made.Token
}

// register beats for an executor and reports whether it was taken.
func (r *rig) register(p *peer) bool {
	r.Helper()
	_, answer := r.send(http.MethodPost, "/api/registry", p.token, p.registration())
	return strings.Contains(answer, `"code":200`)
}

// work gives the group a job, and fires it until all its executors had a task.
func (r *rig) work(group string, peers ...*peer) {
	r.Helper()
	catalog := r.Jobs()
	key := "job-of-" + group
	_, err := catalog.CreateJob(r.Context(), job.Job{
		Key: key, Group: group, Schedule: schedule.Spec{Kind: schedule.KindManual}, Route: job.RouteRound, Overlap: job.OverlapConcurrent, Concurrency: 64,
		Handler: job.Handler{Kind: job.HandlerNamed, Name: "hello"},
	})
	if err != nil && !job.Is(err, job.Conflict) {
		r.Fatal(err)
	}
	until(r.T, "executors of "+group+" are alive", func() bool {
		_, list := r.send(http.MethodGet, "/api/v1/executors", "", "")
		return !slices.ContainsFunc(peers, func(p *peer) bool { return !strings.Contains(list, p.URL) })
	})
	until(r.T, "executors of "+group+" have tasks", func() bool {
		if status, answer := r.send(http.MethodPost, "/api/v1/jobs/"+key+"/trigger", "", "{}"); status != http.StatusCreated {
			r.Fatalf("trigger: %d %s", status, answer)
		}
		return !slices.ContainsFunc(peers, func(p *peer) bool { return p.ran() == 0 })
	})
}

// While a group changes its token, and while others still show what everybody
// knows, each executor is shown what it showed, and nothing else. No token is in
// what the server says or keeps.
func TestCredentials(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	log := new(journal)
	r, stop := serveAt(t, data, log, "default_token", executorauth.NoToken)
	oldID, _ := r.bring("g", "theirs-already")
	_, made := r.bring("g", "")
	older, newer := newPeer(t, "g", "theirs-already"), newPeer(t, "g", made)
	own := newPeer(t, "own", madeFor(r.Server, "own"))
	known, none := newPeer(t, "known", "default_token"), newPeer(t, "none", "")
	all := []*peer{older, newer, own, known, none}
	for _, p := range all {
		if !r.register(p) {
			t.Fatalf("the executor of %s is refused", p.group)
		}
	}
	r.work("g", older, newer)
	r.work("own", own)
	r.work("known", known)
	r.work("none", none)
	for _, p := range all {
		if shown := p.tokens(); !slices.Equal(shown, []string{p.token}) {
			t.Errorf("the executor of %s was shown %q", p.group, shown)
		}
	}
	for _, stranger := range []string{"nobody's", r.ExecutorToken().Reveal(), madeFor(r.Server, "own"), "orth-secret-token", strings.Repeat("x", 8<<10), "密码密码密码"} {
		if r.register(newPeer(t, "g", stranger)) {
			t.Errorf("a stranger with %.20q is taken", stranger)
		}
	}
	if r.register(newPeer(t, "own", "theirs-already")) {
		t.Error("a token of a group is good for another group")
	}
	_, warnings := r.send(http.MethodGet, "/api/v1/warnings", "", "")
	if strings.Count(warnings, "1 executor does so now") != 2 || !strings.Contains(warnings, "default_token is admitted") || !strings.Contains(warnings, "showing no token is admitted") {
		t.Errorf("warnings: %s", warnings)
	}
	r.refusals(oldID, made)
	stop()

	opened := checkSilence(t, r, data, "theirs-already", made, r.ExecutorToken().Reveal(), madeFor(r.Server, "own"))
	if opened {
		t.Error("a token can be read in the data folder")
	}
	lostKey(t, data, log, older, own)
}

// refusals tries what must not be done with tokens.
func (r *rig) refusals(used, made string) {
	r.Helper()
	for _, c := range []struct{ method, path, body, want string }{
		{http.MethodPost, "/groups/other/tokens", `{"token":"theirs-already"}`, "that of group g already"},
		{http.MethodPost, "/groups/g/tokens", `{"token":"` + made + `"}`, "that of group g already"},
		{http.MethodPost, "/groups/g/tokens", `{"token":"` + r.api + `"}`, "the secret of the API"},
		{http.MethodPost, "/groups/g/tokens", `{"token":"` + r.ExecutorToken().Reveal() + `"}`, "as a server's key"},
		{http.MethodPost, "/groups/g/tokens", `{"token":"default_token"}`, "well-known"},
		{http.MethodPost, "/groups/g/tokens", `{"token":"short"}`, "8 to 256"},
		{http.MethodPost, "/groups/g/tokens", `{"token":"` + strings.Repeat("x", 64<<10) + `"}`, "8 to 256"},
		{http.MethodPost, "/groups/g/tokens", `{"token":"theirs-already\r\n"}`, "8 to 256"},
		{http.MethodPost, "/groups/g/tokens", `{"token":"theirs-already-密"}`, "8 to 256"},
		{http.MethodPost, "/groups/g/tokens", `{"token":["theirs-already"]}`, "token"},
		{http.MethodPost, "/groups/g/tokens", `{"token":"theirs-already`, "unexpected end"},
		{http.MethodDelete, "/groups/g/tokens/" + used, "", "still used: 1 executor does so"},
	} {
		if status, answer := r.send(c.method, "/api/v1"+c.path, "", c.body); status < 400 || status > 499 || !strings.Contains(answer, c.want) {
			r.Errorf("%s %s: %d %s, want %q", c.method, c.path, status, answer, c.want)
		}
	}
	if _, list := r.send(http.MethodGet, "/api/v1/groups/g/tokens", "", ""); strings.Count(list, `"outbound":true,"executors":1`) != 2 {
		r.Errorf("listed %s", list)
	}
}

// checkSilence looks for tokens in answers and in the log, and reports whether any
// but the server's own can be read in the data folder.
func checkSilence(t *testing.T, r *rig, data string, tokens ...string) (found bool) {
	t.Helper()
	for _, token := range tokens {
		answers, most := strings.Count(r.answered.String(), token), 0
		if strings.HasPrefix(token, "orthg_") {
			most = 1 // when it was made
		}
		if answers > most || strings.Contains(r.log.String(), token) {
			t.Errorf("%q is in %d answers; logged: %t", token, answers, strings.Contains(r.log.String(), token))
		}
		files, err := filepath.Glob(filepath.Join(data, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			found = found || err == nil && filepath.Base(file) != "executor.token" && bytes.Contains(content, []byte(token))
		}
	}
	return found
}

// lostKey starts again without the key: executors are taken as before, and the
// groups whose tokens cannot be shown any more are named.
func lostKey(t *testing.T, data string, log *journal, older, own *peer) {
	t.Helper()
	if err := os.Remove(filepath.Join(data, "secrets.key")); err != nil {
		t.Fatal(err)
	}
	r, _ := serveAt(t, data, log)
	if !r.register(older) || !r.register(own) {
		t.Error("executors are refused because a key is gone")
	}
	if text := log.String(); !strings.Contains(text, "cannot be shown to executors any more") || !strings.Contains(text, "groups=g ") {
		t.Error("nobody was told which groups it is about")
	}
	_, warnings := r.send(http.MethodGet, "/api/v1/warnings", "", "")
	_, list := r.send(http.MethodGet, "/api/v1/groups/g/tokens", "", "")
	if !strings.Contains(warnings, "any more: g.") || strings.Count(list, `"outbound":false`) != 2 {
		t.Errorf("warnings: %s; listed: %s", warnings, list)
	}
}
