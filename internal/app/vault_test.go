package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/executor"
	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/lifecycle/lifecycletest"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// blabs is a server with an executor whose handler tells everybody what it was given.
type blabs struct {
	*testing.T
	server *Server
	client *client.Client
	data   string
	stop   func()
	said   *lockedBuffer // by the server's logger

	mu  sync.Mutex
	got []string // parameters and labels of tasks
}

// lockedBuffer is a buffer for many goroutines.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func newBlabs(t *testing.T) *blabs {
	t.Helper()
	b := &blabs{T: t, data: t.TempDir(), said: &lockedBuffer{}}
	b.start("127.0.0.1:0")
	e, err := executor.New(executor.Config{
		Servers: []string{b.server.URL()}, Token: b.server.ExecutorToken().Reveal(), Group: "g", Listen: "127.0.0.1:0", Data: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	e.Handle("blab", handler.Func(func(_ context.Context, task *handler.Task) error {
		b.mu.Lock()
		b.got = append(b.got, task.Param, task.Labels["token"])
		b.mu.Unlock()
		inJSON, _ := json.Marshal(task.Param)
		task.Log("param %s\nand %s\nlabel %s", task.Param, inJSON, task.Labels["token"])
		task.Log("https://example.com/?q=%s&p=%s", url.QueryEscape(task.Param), job.EscapeURL(task.Labels["token"]))
		return fmt.Errorf("it failed with %s and %s", task.Param, task.Labels["token"])
	}))
	t.Cleanup(func() {
		b.stop()
	})
	lifecycletest.Start(t, e.Run)
	return b
}

// start starts the server on its folder.
func (b *blabs) start(listen string) {
	b.Helper()
	var err error
	b.server, err = New(Config{
		Data: b.data, Listen: listen, NoFirstUser: true, Logger: slog.New(slog.NewJSONHandler(b.said, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		b.Fatal(err)
	}
	if b.client, err = client.New(client.Config{Address: b.server.URL(), Token: b.server.config.APIToken.Reveal()}); err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- b.server.Run(ctx) }()
	b.stop = func() {
		b.client.Close()
		cancel()
		if err := <-ended; err != nil {
			b.Error(err)
		}
		b.stop = func() {}
	}
}

// run triggers a job and returns its run when that is over, with its log whole.
func (b *blabs) run(key string) api.Run {
	b.Helper()
	run, err := b.client.Trigger(b.Context(), key, api.Trigger{})
	if err != nil {
		b.Fatal(err)
	}
	until(b.T, "the run ends", func() bool {
		run, err = b.client.Run(b.Context(), run.ID)
		return err == nil && run.State.Final()
	})
	return run
}

// given returns what the last task came with.
func (b *blabs) given() (param, label string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := len(b.got)
	if n == 0 {
		return "", ""
	}
	return b.got[n-2], b.got[n-1]
}

// page returns an answer of the API.
func (b *blabs) page(path string) string {
	b.Helper()
	r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, b.server.URL()+"/api/v1"+path, nil)
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+b.server.config.APIToken.Reveal())
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		b.Errorf("%s: %d %s, %v", path, response.StatusCode, text, err)
	}
	return string(text)
}

// wantHidden checks that a text has none of the forms of a value.
func (b *blabs) wantHidden(where, text, value string) {
	b.Helper()
	inJSON, _ := json.Marshal(value)
	forPeople := strings.NewReplacer("\\u003c", "<", "\\u003e", ">", "\\u0026", "&").Replace(string(inJSON))
	for _, form := range []string{value, strings.Trim(string(inJSON), `"`), strings.Trim(forPeople, `"`), url.QueryEscape(value), job.EscapeURL(value)} {
		if at := strings.Index(text, form); at >= 0 {
			b.Errorf("%s shows the value %q: …%.200s", where, value, text[max(at-60, 0):])
		}
	}
}

// wantNowhere checks that no file of the server has a value in clear.
func (b *blabs) wantNowhere(values []string) {
	b.Helper()
	files := 0
	err := filepath.WalkDir(b.data, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		files++
		for _, value := range values {
			b.wantHidden(path, string(raw), value)
		}
		return err
	})
	if err != nil || files == 0 {
		b.Errorf("%d files, %v", files, err)
	}
}

// A value that is set as a secret reaches the handler of the job that refers to it, and is
// seen nowhere else: in no answer, no line of the audit, no file of the server and no log,
// whatever the handler does with it, before a restart and after it.
func TestSecretsAreSeenByTheirHandlersAlone(t *testing.T) {
	t.Parallel()
	b := newBlabs(t)
	until(t, "the executor is there", func() bool { return len(b.server.taps.Leases.Executors()) == 1 })
	values := rapid.SliceOfN(rapid.StringMatching(`[!-~]{3,6}[ -~é]{8,30}[!-~]{3,6}`), 3, 3).Example(20300131)
	values = append(values, `key"with\quotes&<tags>/+%`)
	j := api.NewJob{
		Key: "blab", Group: "g", Schedule: api.Schedule{Kind: schedule.KindManual}, Handler: api.Handler{Kind: job.HandlerNamed, Name: "blab"},
		Param: `{"token":"${secret:api}"}`, Labels: map[string]string{"token": "${secret:api}"},
	}
	var runs []api.Run
	for i, value := range values {
		var err error
		if i == 0 {
			_, err = b.client.CreateSecret(t.Context(), api.NewSecret{Key: "api", Value: value})
		} else {
			_, err = b.client.UpdateSecret(t.Context(), "api", api.SecretChange{Value: &value})
		}
		if err == nil && i == 0 {
			_, err = b.client.CreateJob(t.Context(), j)
		}
		if err != nil {
			t.Fatal(err)
		}
		run := b.run("blab")
		runs = append(runs, run)
		param, label := b.given()
		var object struct{ Token string }
		if err := json.Unmarshal([]byte(param), &object); err != nil || object.Token != value || label != value {
			t.Fatalf("the handler was given %q and %q for %q: %v", param, label, value, err)
		}
		if want := `it failed with {"token":"***"} and ***`; run.State != job.Failed || run.Message != want {
			t.Errorf("the run is %s with %q, want %q", run.State, run.Message, want)
		}
	}
	b.wantPages(runs, values)
	b.stop()
	b.wantNowhere(values)
	b.start(b.server.listener.Addr().String())
	b.wantPages(runs, values)
	if text := b.page("/secrets/api"); !strings.Contains(text, `"used_at"`) {
		t.Errorf("it is not told when it was used: %s", text)
	}
	b.stop()
	for _, value := range values {
		b.wantHidden("the server's own log", b.said.String(), value)
	}
}

// wantPages checks that no answer of the API shows a value.
func (b *blabs) wantPages(runs []api.Run, values []string) {
	b.Helper()
	paths := []string{"/secrets", "/secrets/api", "/secrets/api/jobs", "/jobs", "/jobs/blab", "/runs", "/audit", "/dead-letters", "/settings", "/summary", "/jobs/blab/explanation"}
	for _, run := range runs {
		id := run.ID.String()
		for _, path := range []string{"", "/attempts", "/log", "/explanation"} {
			paths = append(paths, "/runs/"+id+path)
		}
		until(b.T, "the log is there", func() bool { return strings.Contains(b.page("/runs/"+id+"/log"), "example.com") })
		paths = append(paths, "/dead-letters/"+id)
	}
	for _, path := range paths {
		text := b.page(path)
		for _, value := range values {
			b.wantHidden(path, text, value)
		}
	}
	if text := b.page("/jobs/blab"); !strings.Contains(text, "${secret:api}") {
		b.Errorf("the job does not show the reference: %s", text)
	}
	if text := b.page("/runs/" + runs[0].ID.String() + "/log"); !strings.Contains(text, "***") {
		b.Errorf("the log shows nothing where a value was: %s", text)
	}
}

// A run that refers to a secret that is gone fails before anything is sent, and says why;
// with the secret back the next one runs.
func TestGoneSecretFailsTheRun(t *testing.T) {
	t.Parallel()
	b := newBlabs(t)
	until(t, "the executor is there", func() bool { return len(b.server.taps.Leases.Executors()) == 1 })
	j := api.NewJob{
		Key: "blab", Group: "g", Schedule: api.Schedule{Kind: schedule.KindManual}, Handler: api.Handler{Kind: job.HandlerNamed, Name: "blab"}, Param: "${secret:api}",
	}
	if _, err := b.client.CreateJob(t.Context(), j); !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), "param: secret api does not exist in namespace default") {
		t.Errorf("a job that refers to nothing: %v", err)
	}
	until(t, "the store takes writes", func() bool {
		_, err := b.server.vault.Create(t.Context(), job.Secret{Namespace: job.DefaultNamespace, Key: "api"}, redacted.New("correct-horse"))
		return err == nil
	})
	if _, err := b.client.CreateJob(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	if err := b.client.DeleteSecret(t.Context(), "api", false); !job.Is(err, job.Conflict) || !strings.Contains(err.Error(), "blab") {
		t.Errorf("deleted while it is needed: %v", err)
	}
	if err := b.client.DeleteSecret(t.Context(), "api", true); err != nil {
		t.Fatal(err)
	}
	run := b.run("blab")
	if want := "the task was not sent: put secrets into the parameter: secret api does not exist in namespace default"; run.State != job.Failed || run.Message != want {
		t.Errorf("the run is %s with %q, want %q", run.State, run.Message, want)
	}
	if param, _ := b.given(); param != "" {
		t.Errorf("the handler was given %q", param)
	}
	if _, err := b.client.CreateSecret(t.Context(), api.NewSecret{Key: "api", Value: "battery-staple"}); err != nil {
		t.Fatal(err)
	}
	b.run("blab")
	if param, _ := b.given(); param != "battery-staple" {
		t.Errorf("the handler was given %q", param)
	}
}
