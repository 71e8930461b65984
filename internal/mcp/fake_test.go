package mcp_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/orthd/orth/internal/mcp"
	"github.com/orthd/orth/internal/redacted"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const token = "token-of-the-test"

// fake is a server that describes its API as the real one does, and answers what it
// is told.
type fake struct {
	*httptest.Server
	document []byte
	answer   func(r *http.Request, body string) (status int, tag, text string)

	mu       sync.Mutex
	requests []string
	headers  []http.Header
}

func newFake(t *testing.T, answer func(*http.Request, string) (int, string, string)) *fake {
	t.Helper()
	document, err := os.ReadFile(filepath.Join("..", "rest", "testdata", "openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{document: document, answer: answer}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

// always answers everything alike.
func always(status int, text string) func(*http.Request, string) (int, string, string) {
	return func(*http.Request, string) (int, string, string) { return status, "", text }
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/api/v1/openapi.json" {
		w.Header().Set("Content-Type", "application/openapi+json")
		_, _ = w.Write(f.document)
		return
	}
	body, _ := io.ReadAll(r.Body)
	f.mu.Lock()
	f.requests = append(f.requests, strings.TrimSpace(r.Method+" "+strings.TrimPrefix(r.URL.RequestURI(), "/api/v1")+" "+string(body)))
	f.headers = append(f.headers, r.Header)
	f.mu.Unlock()
	status, tag, text := f.answer(r, string(body))
	media := "application/json"
	if status >= 400 {
		media = "application/problem+json"
	}
	w.Header().Set("Content-Type", media)
	if tag != "" {
		w.Header().Set("ETag", tag)
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text)
}

// seen returns what was asked since the last time.
func (f *fake) seen() (requests []string, headers []http.Header) {
	f.mu.Lock()
	defer f.mu.Unlock()
	requests, headers = f.requests, f.headers
	f.requests, f.headers = nil, nil
	return requests, headers
}

// expect fails unless exactly these were asked since the last time.
func (f *fake) expect(t *testing.T, want ...string) []http.Header {
	t.Helper()
	got, headers := f.seen()
	if !slices.Equal(got, want) {
		t.Fatalf("asked\n%q\nwant\n%q", got, want)
	}
	return headers
}

// assist starts the tools of a server and returns the session of an assistant.
func assist(t *testing.T, f *fake, c mcp.Config) *sdk.ClientSession {
	t.Helper()
	c.Address, c.Token = f.URL, redacted.New(token)
	s, err := mcp.New(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	toServer, fromAssistant := io.Pipe()
	toAssistant, fromServer := io.Pipe()
	ended := make(chan error, 1)
	// The end of the input ends it, and not that of the test.
	running := context.WithoutCancel(t.Context())
	go func() { ended <- s.Run(running, toServer, fromServer) }()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.IOTransport{Reader: toAssistant, Writer: fromAssistant}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()
		if err := <-ended; err != nil {
			t.Errorf("the end of the input ends with %v", err)
		}
	})
	return session
}

// use calls a tool and returns its texts.
func use(t *testing.T, session *sdk.ClientSession, name string, arguments map[string]any) (texts []string, failed bool) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for _, content := range result.Content {
		text, ok := content.(*sdk.TextContent)
		if !ok {
			t.Fatalf("%s answers with %T", name, content)
		}
		texts = append(texts, text.Text)
	}
	return texts, result.IsError
}

// does calls a tool that has to succeed, and refused one that has to fail.
func does(t *testing.T, session *sdk.ClientSession, name string, arguments map[string]any) string {
	t.Helper()
	texts, failed := use(t, session, name, arguments)
	if failed {
		t.Fatalf("%s failed: %s", name, texts)
	}
	return strings.Join(texts, "\n")
}

func refused(t *testing.T, session *sdk.ClientSession, name string, arguments map[string]any, want string) {
	t.Helper()
	texts, failed := use(t, session, name, arguments)
	if text := fmt.Sprint(texts); !failed || !strings.Contains(text, want) {
		t.Fatalf("%s says %s (failed: %t), want %q", name, text, failed, want)
	}
}
