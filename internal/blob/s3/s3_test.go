package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/orthd/orth/internal/blob/blobtest"
	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testSecret = "correct-horse-battery"

// opened returns a store that asks the handler.
func opened(t *testing.T, answer http.HandlerFunc, edit ...func(*Config)) *Store {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	place, err := ParsePlace("place", server.URL+"/bucket/logs")
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Place: place, Region: "us-east-1", AccessKey: "key", SecretKey: redacted.New(testSecret), Timeout: 5 * time.Second}
	for _, fn := range edit {
		fn(&c)
	}
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// shelf is a small store that speaks enough of the protocol.
type shelf struct {
	// simple says that it does not know conditional requests.
	simple bool

	mu      sync.Mutex
	objects map[string][]byte
	sums    map[string]string
	at      time.Time
}

func (h *shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	key := strings.TrimPrefix(r.URL.Path, "/bucket/")
	data, there := h.objects[key]
	switch {
	case r.URL.Query().Get("list-type") == "2":
		h.list(w, r)
	case r.URL.Path == "/bucket/" && r.Method == http.MethodHead:
	case r.Method == http.MethodPut:
		switch {
		case r.Header.Get("If-None-Match") != "" && h.simple:
			say(w, http.StatusNotImplemented, "NotImplemented")
			return
		case there && r.Header.Get("If-None-Match") == "*":
			say(w, http.StatusPreconditionFailed, "PreconditionFailed")
			return
		}
		body, _ := io.ReadAll(r.Body) // a cut one has the wrong length
		h.objects[key], h.sums[key] = unchunked(body), r.Header.Get("X-Amz-Meta-"+sumKey)
		w.Header().Set("ETag", `"x"`)
	case r.Method == http.MethodDelete:
		delete(h.objects, key)
		w.WriteHeader(http.StatusNoContent)
	case !there:
		say(w, http.StatusNotFound, "NoSuchKey")
	default:
		w.Header().Set("ETag", `"x"`)
		w.Header().Set("X-Amz-Meta-"+sumKey, h.sums[key])
		http.ServeContent(w, r, "", h.at, bytes.NewReader(data))
	}
}

// unchunked returns what is in a signed body: each chunk has a line in front of it.
func unchunked(body []byte) []byte {
	var data []byte
	for {
		head, rest, found := bytes.Cut(body, []byte("\r\n"))
		size, _, signed := bytes.Cut(head, []byte(";chunk-signature="))
		n, err := strconv.ParseInt(string(size), 16, 32)
		if !found || !signed || err != nil || n > int64(len(rest)) {
			return body
		}
		if n == 0 {
			return data
		}
		data = append(data, rest[:n]...)
		body = rest[n+2:]
	}
}

func (h *shelf) list(w http.ResponseWriter, r *http.Request) {
	var page strings.Builder
	page.WriteString(`<ListBucketResult><IsTruncated>false</IsTruncated>`)
	for key, data := range h.objects {
		if strings.HasPrefix(key, r.URL.Query().Get("prefix")) {
			fmt.Fprintf(&page, `<Contents><Key>%s</Key><Size>%d</Size><LastModified>%s</LastModified></Contents>`,
				key, len(data), h.at.UTC().Format("2006-01-02T15:04:05.000Z"))
		}
	}
	page.WriteString(`</ListBucketResult>`)
	_, _ = io.WriteString(w, page.String()) // who asked may have left
}

func say(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `<Error><Code>%s</Code><Message>it says no</Message></Error>`, code)
}

func TestBlobs(t *testing.T) {
	t.Parallel()
	blobtest.Suite{Open: func(t *testing.T) logbook.Blobs {
		t.Helper()
		h := &shelf{objects: map[string][]byte{"elsewhere/x": nil}, sums: map[string]string{}, at: time.Now()}
		return opened(t, h.ServeHTTP)
	}, Large: 1 << 20}.Run(t)
}

// A store that does not know conditional requests is asked first.
func TestSimpleStore(t *testing.T) {
	t.Parallel()
	h := &shelf{objects: map[string][]byte{}, sums: map[string]string{}, at: time.Now(), simple: true}
	s := opened(t, h.ServeHTTP)
	for range 2 {
		if err := s.Put(t.Context(), "a", []byte("text")); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Put(t.Context(), "a", []byte("other")); !job.Is(err, job.Conflict) {
		t.Errorf("other data: %v, want a conflict", err)
	}
	if got, err := s.Get(t.Context(), "a", 0, 4); err != nil || string(got) != "text" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestAnswers checks what each answer of a store means.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		code   string
		kind   job.Kind
	}{
		"no blob":           {404, "NoSuchKey", job.NotFound},
		"no bucket":         {404, "NoSuchBucket", job.Unavailable},
		"no right":          {403, "AccessDenied", job.Refused},
		"a wrong key":       {403, "SignatureDoesNotMatch", job.Refused},
		"a wrong request":   {400, "InvalidRequest", job.Refused},
		"too fast":          {503, "SlowDown", job.Unavailable},
		"too many requests": {429, "TooManyRequests", job.Unavailable},
		"a failure":         {500, "InternalError", job.Unavailable},
		"a proxy":           {502, "", job.Unavailable},
		"a full disk":       {507, "XMinioStorageFull", job.Full},
		"a full bucket":     {403, "QuotaExceeded", job.Full},
		"no room":           {507, "", job.Full},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := opened(t, func(w http.ResponseWriter, _ *http.Request) {
				if c.code == "" {
					w.WriteHeader(c.status)
					return
				}
				say(w, c.status, c.code)
			})
			_, err := s.Get(t.Context(), "a/b", 0, 10)
			if !job.Is(err, c.kind) {
				t.Errorf("get: %v of kind %s, want %s", err, job.KindOf(err), c.kind)
			}
			err = s.Put(t.Context(), "a/b", []byte("x"))
			if !job.Is(err, c.kind) {
				t.Errorf("put: %v of kind %s, want %s", err, job.KindOf(err), c.kind)
			}
			if strings.Contains(fmt.Sprintf("%+v %#v", err, err), testSecret) {
				t.Errorf("%v shows the key", err)
			}
		})
	}
}

// A range of which the store sends less, or that is not all there, is no range.
func TestShortAnswers(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"cut": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "10")
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write([]byte("12345")) // and no more
		},
		"all of it": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(bytes.Repeat([]byte("x"), 1000)) // the range was passed over
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := opened(t, answer).Get(t.Context(), "a", 0, 10)
			if err == nil {
				t.Errorf("%q and no error", got)
			}
		})
	}
}

// A store that does not answer is unavailable when its time is over, and its callers
// get their data back.
func TestSilence(t *testing.T) {
	t.Parallel()
	silent := make(chan struct{})
	s := opened(t, func(http.ResponseWriter, *http.Request) { <-silent }, func(c *Config) { c.Timeout = 50 * time.Millisecond })
	t.Cleanup(func() { close(silent) })
	data := make([]byte, 1<<20)
	err := s.Put(t.Context(), "a", data)
	clear(data) // a race, if a request that was given up still read it
	if !job.Is(err, job.Unavailable) || !strings.Contains(err.Error(), "has not answered within 50ms") {
		t.Errorf("put: %v", err)
	}
	err = s.List(t.Context(), func(string, int64, time.Time) bool { return true })
	if !job.Is(err, job.Unavailable) {
		t.Errorf("list: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := s.Get(ctx, "a", 0, 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("get, for a caller who leaves: %v", err)
	}
}

// As many requests are under way as are allowed, and no more.
func TestTurns(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	now, most := 0, 0
	arrived, release := make(chan struct{}), make(chan struct{})
	s := opened(t, func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		now++
		most = max(most, now)
		mu.Unlock()
		arrived <- struct{}{}
		<-release
		mu.Lock()
		now--
		mu.Unlock()
		say(w, http.StatusNotFound, "NoSuchKey")
	}, func(c *Config) { c.Requests = 2 })
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			if _, err := s.Get(t.Context(), "a", 0, 1); !job.Is(err, job.NotFound) {
				t.Error(err)
			}
		})
	}
	for range 5 {
		<-arrived
		<-arrived
		release <- struct{}{}
		release <- struct{}{}
	}
	all.Wait()
	if most != 2 {
		t.Errorf("%d requests were under way at once, want 2", most)
	}
}

func TestParsePlace(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://s3.example.com/logs":                     "https://s3.example.com/logs",
		"https://s3.example.com:9000/logs/":               "https://s3.example.com:9000/logs",
		"http://127.0.0.1:9000/my-bucket/orth/production": "http://127.0.0.1:9000/my-bucket/orth/production",
		"https://[::1]:9000/my-bucket":                    "https://[::1]:9000/my-bucket",
	} {
		got, err := ParsePlace("log-s3-url", text)
		if err != nil || got.String() != want {
			t.Errorf("%s: %s, %v; want %s", text, got, err, want)
		}
	}
	for text, says := range map[string]string{
		"":                                  "is not the place",
		"s3://bucket/x":                     "is not the place",
		"bucket":                            "is not the place",
		"https:///bucket":                   "is not the place",
		"https://host":                      "names no bucket",
		"https://host/":                     "names no bucket",
		"https://host/b?x=1":                "is not the place",
		"https://host/Bucket":               "cannot be the name",
		"https://host/ab":                   "cannot be the name",
		"https://host/bucket/../x":          "prefix",
		"https://host/bucket/a b":           "prefix",
		"https://user:hunter2@host/bucket":  "is not taken",
		"https://host:hunter2/bucket":       "it is no URL",
		"https://user:hunter2%zz@host/buck": "it is no URL",
	} {
		_, err := ParsePlace("log-s3-url", text)
		if !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), says) || !strings.HasPrefix(err.Error(), "log-s3-url: ") {
			t.Errorf("%s: %v; want it invalid, for %q", text, err, says)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v shows a password", err)
		}
	}
}

func FuzzParsePlace(f *testing.F) {
	f.Add("https://host/bucket/prefix")
	f.Add("http://[::1]:80/a.b/c/d")
	f.Fuzz(func(t *testing.T, text string) {
		place, err := ParsePlace("x", text)
		if err != nil {
			return
		}
		again, err := ParsePlace("x", place.String())
		if err != nil || again != place {
			t.Errorf("%q is %s, which is %s: %v", text, place, again, err)
		}
	})
}

func TestConfigIsChecked(t *testing.T) {
	t.Parallel()
	place, err := ParsePlace("x", "http://127.0.0.1:1/bucket")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]Config{
		"no place":               {},
		"half a key":             {Place: place, AccessKey: "x"},
		"the other half":         {Place: place, SecretKey: redacted.New(testSecret)},
		"authorities of nothing": {Place: place, CA: "x"},
	} {
		if _, err := New(c); !job.Is(err, job.Invalid) {
			t.Errorf("%s: %v, want it invalid", name, err)
		}
	}
}
