// Package interop proves that Orth works with software that others wrote: it
// starts real executors of the XXL-JOB family, lets a real Orth server drive
// them, and writes down what each of them can do (docs/compatibility.md). It is
// a module of its own so that those programs never reach Orth's own go.mod.
package interop

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

var (
	update  = flag.Bool("update", false, "write docs/compatibility.md")
	program string // the orth binary, built once
)

func TestMain(m *testing.M) {
	flag.Parse()
	// The tests wait for other processes most of the time.
	if err := flag.Set("test.parallel", "24"); err != nil {
		panic(err)
	}
	dir, err := os.MkdirTemp("", "orth-interop")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(dir, "orth")
	code := 1
	if err := compile(program, "..", "./cmd/orth"); err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		code = m.Run()
	}
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

// releases returns those of XXL-JOB's Java library that are tried: all of them, and in short mode
// one of each generation of the protocol.
func releases(all ...string) []string {
	if !testing.Short() {
		return all
	}
	return slices.DeleteFunc(all, func(one string) bool { return one != "2.4.2" && one != "3.3.2" })
}

// compile builds a program of Go.
func compile(to, dir, what string) error {
	cmd := exec.Command("go", "build", "-o", to, what)
	cmd.Dir = dir
	return say(cmd)
}

// say runs a command, and tells what it printed when it goes wrong.
func say(cmd *exec.Cmd) error {
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, tail(out))
	}
	return nil
}

func tail(text []byte) []byte {
	const most = 4000
	return text[max(0, len(text)-most):]
}

// need skips a test whose tools are missing; where they must not be missing it
// fails.
func need(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err == nil {
			continue
		}
		text := tool + " is not installed: run scripts/tools"
		if os.Getenv("CI") != "" || os.Getenv("ORTH_REQUIRE_TOOLS") != "" {
			t.Fatal(text)
		}
		t.Skip(text)
	}
}

// filling guards the cache: two tests may want the same part of it, and the tools
// that fill it share a cache of their own.
var filling sync.Mutex

// cached returns a folder outside the repository that fill has filled once. The
// folder's name says what is in it: the name and a digest of the parts.
func cached(name string, parts []string, fill func(dir string) error) (string, error) {
	home, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache folder: %w", err)
	}
	digest := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	dir := filepath.Join(home, "orth", "interop", name+"-"+hex.EncodeToString(digest[:6]))
	filling.Lock()
	defer filling.Unlock()
	whole := filepath.Join(dir, ".whole")
	if _, err := os.Stat(whole); err == nil {
		return dir, nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if err := fill(dir); err != nil {
		return "", err
	}
	return dir, os.WriteFile(whole, nil, 0o644)
}
