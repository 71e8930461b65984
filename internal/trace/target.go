package trace

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/orthd/orth/job"
)

// target is where spans go, and how.
type target struct {
	url        string
	headers    map[string]string
	tls        *tls.Config // nil for what the system trusts
	timeout    time.Duration
	compressed bool
}

// defaultURL and defaultTimeout are what OpenTelemetry has where nothing is said.
const (
	defaultURL     = "https://localhost:4318/v1/traces"
	defaultTimeout = 10 * time.Second
	tracesPath     = "v1/traces"
)

// newTarget returns what endpoint says, and beside it the environment. Errors are Invalid.
func newTarget(endpoint string) (*target, error) {
	t := &target{timeout: defaultTimeout, headers: map[string]string{}}
	t.compressed = variable("COMPRESSION") == "gzip"
	if text := variable("TIMEOUT"); text != "" {
		ms, err := strconv.ParseUint(text, 10, 31)
		if err != nil {
			return nil, unfit("TIMEOUT", "is not a number of milliseconds", text)
		}
		t.timeout = time.Duration(ms) * time.Millisecond
	}
	for _, read := range []func() error{func() error { return t.readURL(endpoint) }, t.readHeaders, t.readTLS} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	if t.tls != nil && strings.HasPrefix(t.url, "http:") {
		return nil, job.FieldErrorf("otlp-endpoint", "%s has no TLS, and certificates for it are named", t.url)
	}
	return t, nil
}

// variable returns what the environment says of a thing: for traces, or else for all
// that is exported.
func variable(name string) string {
	return cmp.Or(strings.TrimSpace(os.Getenv("OTEL_EXPORTER_OTLP_TRACES_"+name)), strings.TrimSpace(os.Getenv("OTEL_EXPORTER_OTLP_"+name)))
}

// unfit is the error of a variable.
func unfit(name, why, text string) error {
	return job.Errorf(job.Invalid, "the environment variable OTEL_EXPORTER_OTLP_%s %s: %q", name, why, text)
}

// readURL finds the URL. The endpoint of traces is whole, the others are bases.
func (t *target) readURL(endpoint string) error {
	if endpoint != "" {
		u, err := url.Parse(endpoint)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil || u.RawQuery != "" {
			return job.FieldErrorf("otlp-endpoint", "%q is not the address of a collector, such as http://127.0.0.1:4318", endpoint)
		}
		t.url = u.JoinPath(tracesPath).String()
		return nil
	}
	whole := os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
	text := variable("ENDPOINT")
	if text == "" {
		t.url = defaultURL
		return nil
	}
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return unfit("ENDPOINT", "is not the address of a collector, such as http://127.0.0.1:4318", text)
	}
	if !whole {
		u = u.JoinPath(tracesPath)
	}
	t.url = u.String()
	return nil
}

// readHeaders reads name=value,name=value, with values escaped as in URLs.
func (t *target) readHeaders() error {
	text := variable("HEADERS")
	if text == "" {
		return nil
	}
	for pair := range strings.SplitSeq(text, ",") {
		name, value, found := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		plain, err := url.PathUnescape(strings.TrimSpace(value))
		if !found || err != nil || !isToken(name) || strings.ContainsFunc(plain, unicode.IsControl) {
			return unfit("HEADERS", "has a header that is not name=value", name) // the value may be a secret
		}
		t.headers[name] = plain
	}
	return nil
}

// isToken reports whether a text may name a header.
func isToken(text string) bool {
	const marks = "!#$%&'*+-.^_`|~"
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(marks, r)
	})
}

// readTLS reads whom to trust, and who we are.
func (t *target) readTLS() error {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if file := variable("CERTIFICATE"); file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return job.Errorf(job.Invalid, "read OTEL_EXPORTER_OTLP_CERTIFICATE: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return unfit("CERTIFICATE", "names a file without a certificate", file)
		}
		t.tls = config
	}
	if own, key := variable("CLIENT_CERTIFICATE"), variable("CLIENT_KEY"); own != "" && key != "" {
		pair, err := tls.LoadX509KeyPair(own, key)
		if err != nil {
			return job.Errorf(job.Invalid, "read OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and _CLIENT_KEY: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
		t.tls = config
	}
	return nil
}
