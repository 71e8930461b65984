package trace

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	wire "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/orthd/orth/job"
)

// oneSpan is a batch.
func oneSpan() []*wire.ResourceSpans {
	return []*wire.ResourceSpans{{ScopeSpans: []*wire.ScopeSpans{{Spans: []*wire.Span{{Name: "run"}}}}}}
}

// sent serves answers one after another, and sends a batch to them.
func sent(t *testing.T, limit time.Duration, answers ...func(http.ResponseWriter)) (calls int, err error) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		calls++
		answers[min(calls, len(answers))-1](w)
	}))
	defer s.Close()
	to, err := newTarget(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	c := newSender(to)
	c.pause = time.Millisecond
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	err = c.UploadTraces(ctx, oneSpan())
	_ = c.Stop(ctx)
	return calls, err
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	status := func(code int, after string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			if after != "" {
				w.Header().Set("Retry-After", after)
			}
			w.WriteHeader(code)
			_, _ = io.WriteString(w, "because")
		}
	}
	partial, err := proto.Marshal(&collector.ExportTraceServiceResponse{
		PartialSuccess: &collector.ExportTracePartialSuccess{RejectedSpans: 3, ErrorMessage: "too old"},
	})
	if err != nil {
		t.Fatal(err)
	}
	reply := func(body []byte) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", mediaProtobuf)
			_, _ = w.Write(body)
		}
	}
	for name, test := range map[string]struct {
		answers []func(http.ResponseWriter)
		calls   int
		want    string // a part of the error, empty for none
	}{
		"taken":          {[]func(http.ResponseWriter){status(200, "")}, 1, ""},
		"again":          {[]func(http.ResponseWriter){status(503, ""), status(200, "")}, 2, ""},
		"refused":        {[]func(http.ResponseWriter){status(400, "")}, 1, `400 Bad Request: "because"`},
		"later than we":  {[]func(http.ResponseWriter){status(429, "3600")}, 1, "429"},
		"in part":        {[]func(http.ResponseWriter){reply(partial)}, 1, "refused 3 spans: too old"},
		"whole":          {[]func(http.ResponseWriter){reply(nil)}, 1, ""},
		"not to be read": {[]func(http.ResponseWriter){reply([]byte{0x0a, 0xff, 0x01})}, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls, err := sent(t, time.Minute, test.answers...)
			if calls != test.calls || (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("%d calls, error %v", calls, err)
			}
		})
	}
}

func TestEnvironmentSays(t *testing.T) {
	got := make(chan *http.Request, 1)
	var body []byte
	s := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		got <- r
	}))
	defer s.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := os.WriteFile(file, ca, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", s.URL+"/base")
	t.Setenv("OTEL_EXPORTER_OTLP_CERTIFICATE", file)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "key=all")
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "key=a%20b, other=c")
	t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
	to, err := newTarget("")
	if err != nil {
		t.Fatal(err)
	}
	c := newSender(to)
	if err := c.UploadTraces(t.Context(), oneSpan()); err != nil {
		t.Fatal(err)
	}
	_ = c.Stop(t.Context())
	r := <-got
	if r.URL.Path != "/base/v1/traces" || r.Header.Get("Key") != "a b" || r.Header.Get("Other") != "c" {
		t.Errorf("%s %v", r.URL, r.Header)
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	plain, _ := io.ReadAll(unzipped)
	var request collector.ExportTraceServiceRequest
	if err := proto.Unmarshal(plain, &request); err != nil || request.GetResourceSpans()[0].GetScopeSpans()[0].GetSpans()[0].GetName() != "run" {
		t.Errorf("%v, %v", &request, err)
	}
}

func TestTargets(t *testing.T) {
	for _, test := range []struct {
		name, value, endpoint string
		url, wrong            string // one of them
	}{
		{"", "", "http://a:4318", "http://a:4318/v1/traces", ""},
		{"", "", "http://a/b/", "http://a/b/v1/traces", ""},
		{"", "", "a:4318", "", "otlp-endpoint"},
		{"", "", "http://u:p@a", "", "otlp-endpoint"},
		{"", "", "", defaultURL, ""},
		{"TRACES_ENDPOINT", "http://a/x", "", "http://a/x", ""},
		{"ENDPOINT", "http://a/x", "", "http://a/x/v1/traces", ""},
		{"ENDPOINT", "http://a/x", "http://b", "http://b/v1/traces", ""},
		{"ENDPOINT", "a:4318", "", "", "OTEL_EXPORTER_OTLP_ENDPOINT"},
		{"HEADERS", "a", "http://a", "", "HEADERS"},
		{"HEADERS", "a b=c", "http://a", "", "HEADERS"},
		{"HEADERS", "a=b%0Ac", "http://a", "", "HEADERS"},
		{"TIMEOUT", "10s", "http://a", "", "TIMEOUT"},
		{"CERTIFICATE", "/no/such", "https://a", "", "CERTIFICATE"},
	} {
		t.Run(test.name+" "+test.value+" "+test.endpoint, func(t *testing.T) {
			for _, name := range []string{"ENDPOINT", "TRACES_ENDPOINT"} {
				t.Setenv("OTEL_EXPORTER_OTLP_"+name, "")
			}
			if test.name != "" {
				t.Setenv("OTEL_EXPORTER_OTLP_"+test.name, test.value)
			}
			to, err := newTarget(test.endpoint)
			switch {
			case test.wrong != "":
				if job.KindOf(err) != job.Invalid || !strings.Contains(err.Error(), test.wrong) {
					t.Errorf("%v", err)
				}
			case err != nil || to.url != test.url:
				t.Errorf("%+v, %v", to, err)
			}
		})
	}
}
