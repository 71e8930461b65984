package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// trial tries faults.
type trial struct {
	root, folder string        // of the module, and for what is laid over it
	limit        time.Duration // of one test
	find         bool
}

// The verdicts on a fault.
const (
	killed   = "killed"
	survived = "SURVIVED" // its test passed
	broken   = "BROKEN"   // it does not compile, or its line or its test is not there
)

// result is what came of one fault.
type result struct {
	verdict string
	detail  string
	took    time.Duration
}

// try builds the module with the fault and runs its test.
func (t *trial) try(ctx context.Context, number int, m *mutant) result {
	began := time.Now()
	verdict, detail := t.judge(ctx, number, m)
	return result{verdict, detail, time.Since(began)}
}

func (t *trial) judge(ctx context.Context, number int, m *mutant) (verdict, detail string) {
	overlay, err := t.overlay(number, m)
	if err != nil {
		return broken, err.Error()
	}
	args := []string{"test", "-vet=off", "-overlay", overlay, "-timeout", t.limit.String()}
	if !t.find {
		args = append(args, "-run", m.pattern())
	}
	args = append(args, m.pkg)
	if len(m.flags) > 0 {
		args = append(append(args, "-args"), m.flags...)
	}
	command := exec.CommandContext(ctx, "go", args...) //nolint:gosec // The list is part of the source.
	command.Dir = t.root
	command.WaitDelay = 10 * time.Second // the test outlives a go command that is killed, and has its output
	output, err := command.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return broken, fmt.Sprintf("run %s: %v", command, err)
	}
	return verdictOf(m, string(output), err != nil, t.find)
}

// overlay writes the file with the fault, and what lays it over the source.
func (t *trial) overlay(number int, m *mutant) (path string, err error) {
	text, err := m.apply(t.root)
	if err != nil {
		return "", err
	}
	original, err := filepath.Abs(filepath.Join(t.root, m.file))
	if err != nil {
		return "", err
	}
	faulty := filepath.Join(t.folder, fmt.Sprintf("%d.go", number))
	if err := os.WriteFile(faulty, text, 0o600); err != nil {
		return "", err
	}
	replaced, err := json.Marshal(map[string]map[string]string{"Replace": {original: faulty}})
	if err != nil {
		return "", err
	}
	path = filepath.Join(t.folder, fmt.Sprintf("%d.json", number))
	return path, os.WriteFile(path, replaced, 0o600)
}

var (
	// failedTest finds the tests that go test says have failed.
	failedTest = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)
	// hungTest finds those that ran when the time was up.
	hungTest = regexp.MustCompile(`(?m)^\t\t(Test\S+) \(`)
)

// verdictOf judges what go test has printed. Only the failure of the named test counts: a
// fault that does not compile, or that another test stumbles over, shows nothing of it.
func verdictOf(m *mutant, output string, failed, find bool) (verdict, detail string) {
	if strings.Contains(output, "[build failed]") || strings.Contains(output, "[setup failed]") {
		return broken, output
	}
	var names []string
	for _, expression := range []*regexp.Regexp{failedTest, hungTest} {
		for _, found := range expression.FindAllStringSubmatch(output, -1) {
			names = append(names, found[1])
		}
	}
	switch {
	case !failed && strings.Contains(output, "[no tests to run]"):
		return broken, "the test does not exist"
	case !failed:
		return survived, ""
	case find:
		return killed, strings.Join(names, "\n")
	case slices.Contains(names, m.test):
		return killed, ""
	default:
		return broken, "go test failed, and not in the test:\n" + tail(output)
	}
}

// tail returns the end of a text that is too long to show.
func tail(text string) string {
	const shown = 2000
	if len(text) <= shown {
		return text
	}
	return "…" + text[len(text)-shown:]
}
