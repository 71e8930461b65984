// Package s3 proves that packs of logs are kept in a store of S3 that others wrote:
// versitygw, which speaks the protocol in front of a folder.
package s3

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/orthd/orth/internal/blob/s3"
	"github.com/orthd/orth/internal/redacted"
)

const (
	accessKey = "orth-test"
	secretKey = "correct-horse-battery"
)

// program is the gateway, built once from the versions in ../versitygw.
var program string

func TestMain(m *testing.M) { os.Exit(inside(m)) }

func inside(m *testing.M) int {
	dir, err := os.MkdirTemp("", "orth-versitygw")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "versitygw")
	build := exec.Command("go", "build", "-o", program, "github.com/versity/versitygw/cmd/versitygw")
	build.Dir = filepath.Join("..", "versitygw")
	build.Env = append(os.Environ(), "GOWORK=off") // its versions are apart from those of the workspace
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build versitygw: %v\n%s\n", err, out)
		return 1
	}
	return m.Run()
}

// gateway is a store with one bucket.
type gateway struct {
	t     *testing.T
	dir   string // of its buckets
	place s3.Place
	args  []string
	cmd   *exec.Cmd
	out   *printed
}

// printed keeps what a process prints.
type printed struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (p *printed) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

// begin starts a gateway with a bucket named logs until the test ends.
func begin(t *testing.T, scheme string, args ...string) *gateway {
	t.Helper()
	g := &gateway{t: t, dir: t.TempDir(), args: args}
	if err := os.Mkdir(filepath.Join(g.dir, "logs"), 0o750); err != nil {
		t.Fatal(err)
	}
	place, err := s3.ParsePlace("place", fmt.Sprintf("%s://%s/logs/orth", scheme, freeAddress(t)))
	if err != nil {
		t.Fatal(err)
	}
	g.place = place
	g.start()
	t.Cleanup(func() {
		g.kill()
		if t.Failed() {
			g.out.mu.Lock()
			defer g.out.mu.Unlock()
			text := g.out.text.String()
			t.Logf("--- the gateway printed last:\n%s", text[max(0, len(text)-4000):])
		}
	})
	return g
}

// given counts the ports that freeAddress has tried.
var given atomic.Uint32

// freeAddress returns a loopback address that nothing listens on, another one each
// time, with a port below those that systems give to whoever asks for any.
func freeAddress(t *testing.T) string {
	t.Helper()
	const first, many = 20_000, 12_000
	var listening net.ListenConfig
	for range many {
		port := first + (uint32(os.Getpid())*131+given.Add(1))%many
		l, err := listening.Listen(t.Context(), "tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		return l.Addr().String()
	}
	t.Fatal("no port is free")
	return ""
}

// start runs the gateway and waits until it answers.
func (g *gateway) start() {
	g.t.Helper()
	address := g.place.Endpoint.Host
	args := append([]string{"--port", address, "--access", accessKey, "--secret", secretKey}, g.args...)
	g.cmd, g.out = exec.Command(program, append(args, "posix", g.dir)...), &printed{}
	g.cmd.Stdout, g.cmd.Stderr = g.out, g.out
	if err := g.cmd.Start(); err != nil {
		g.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		var calling net.Dialer
		if c, err := calling.DialContext(ctx, "tcp", address); err == nil {
			_ = c.Close() // it answers
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			g.t.Fatalf("the gateway does not answer at %s", address)
		}
	}
}

// kill ends the gateway at once.
func (g *gateway) kill() {
	_ = g.cmd.Process.Kill() // it may be over
	_ = g.cmd.Wait()         // how it ended is no matter
}

// config returns how the gateway is reached; blobs are below a prefix of their own.
func (g *gateway) config(prefix string) s3.Config {
	place := g.place
	place.Prefix += strings.ReplaceAll(prefix, " ", "-") + "/"
	return s3.Config{
		Place: place, Region: "us-east-1", AccessKey: accessKey, SecretKey: redacted.New(secretKey), Timeout: 20 * time.Second,
	}
}

// open returns a store, closed with the test.
func open(t *testing.T, c s3.Config) *s3.Store {
	t.Helper()
	s, err := s3.New(c)
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

// elsewhere returns the gateway's place with another bucket.
func (g *gateway) elsewhere(bucket string) s3.Place {
	return s3.Place{Endpoint: url.URL{Scheme: g.place.Endpoint.Scheme, Host: g.place.Endpoint.Host}, Bucket: bucket}
}
