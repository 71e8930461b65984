package groovy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/orthd/orth/job"
)

// outputLimit bounds what is kept of the output of a child, in bytes. A class
// path of a thousand jars has room.
const outputLimit = 256 << 10

// build compiles the shim and puts it at folder in one step: a folder that
// exists is whole.
func build(ctx context.Context, program, folder string) (savedRuntime, error) {
	work, err := os.MkdirTemp(filepath.Dir(folder), "."+folderPrefix+"*")
	if err != nil {
		return savedRuntime{}, fmt.Errorf("make a folder for Groovy's classes: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }() // nothing is left there after success
	if err := writeSources(work); err != nil {
		return savedRuntime{}, fmt.Errorf("write the sources for Groovy: %w", err)
	}
	facts, err := compile(ctx, program, work)
	if err != nil {
		return savedRuntime{}, err
	}
	found := savedRuntime{Version: facts.version, Argv: facts.command(filepath.Join(folder, "classes"))}
	text, err := json.Marshal(found)
	if err != nil {
		return savedRuntime{}, fmt.Errorf("remember Groovy: %w", err)
	}
	//nolint:gosec // jobs may run as another user and read it; there are no secrets in it
	if err := errors.Join(
		os.WriteFile(filepath.Join(work, recordName), text, 0o644), os.Chmod(work, 0o755),
	); err != nil {
		return savedRuntime{}, fmt.Errorf("remember Groovy: %w", err)
	}
	if err := errors.Join(os.RemoveAll(folder), os.Rename(work, folder)); err != nil {
		return savedRuntime{}, fmt.Errorf("put Groovy's classes in their place: %w", err)
	}
	return found, nil
}

// writeSources writes the shim, the script that compiles it and an empty folder
// for the classes.
func writeSources(work string) error {
	//nolint:gosec // jobs may run as another user and read the classes
	if err := os.Mkdir(filepath.Join(work, "classes"), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(work, "build.groovy"), buildScript, 0o600); err != nil {
		return err
	}
	return eachSource(func(name string, text []byte) error {
		file := filepath.Join(work, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return err
		}
		return os.WriteFile(file, text, 0o600)
	})
}

// facts are a Groovy's own report.
type facts struct {
	version string
	java    string // Java's home
	jars    []string
}

// compile lets Groovy compile the shim. Debian's start script insists on a Java
// at one place unless JAVA_HOME is set, so the Java along PATH is tried second.
func compile(ctx context.Context, program, work string) (facts, error) {
	ctx, cancel := context.WithTimeout(ctx, buildTime)
	defer cancel()
	argv := []string{
		program, filepath.Join(work, "build.groovy"), filepath.Join(work, "shim"), filepath.Join(work, "classes"),
	}
	output, err := runCommand(ctx, "", argv...)
	if err != nil && ctx.Err() == nil {
		if home := javaHome(); home != "" {
			output, err = runCommand(ctx, home, argv...)
		}
	}
	if err != nil {
		return facts{}, refused(ctx, buildTime, program, output)
	}
	f := readFacts(output)
	if f.version == "" || f.java == "" || len(f.jars) == 0 {
		return facts{}, refused(ctx, buildTime, program, output)
	}
	return f, nil
}

func readFacts(output string) facts {
	var f facts
	for line := range strings.Lines(output) {
		fact, marked := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "orth:")
		name, value, _ := strings.Cut(fact, "=")
		switch {
		case !marked:
		case name == "version":
			f.version = value
		case name == "java":
			f.java = value
		case name == "jar":
			f.jars = append(f.jars, value)
		}
	}
	return f
}

// command is the command that runs our Main. Sources, logs and messages are UTF-8
// whatever the locale is; names of files follow the locale. No file is left in
// the machine's temporary folder.
func (f facts) command(classes string) []string {
	java := filepath.Join(f.java, "bin", "java")
	if runtime.GOOS == "windows" {
		java += ".exe"
	}
	path := strings.Join(append([]string{classes}, f.jars...), string(os.PathListSeparator))
	return []string{java, "-Xshare:auto", "-XX:-UsePerfData", "-Dfile.encoding=UTF-8", "-cp", path, "orth.glue.Main"}
}

// javaHome returns the home of the Java along PATH, or "".
func javaHome() string {
	java, err := exec.LookPath("java")
	if err != nil {
		return ""
	}
	if java, err = filepath.EvalSymlinks(java); err != nil {
		return ""
	}
	return filepath.Dir(filepath.Dir(java))
}

// runCommand runs a command to its end and returns what it wrote. A java that is not
// empty becomes its JAVA_HOME.
func runCommand(ctx context.Context, java string, argv ...string) (string, error) {
	var output bounded
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...) //nolint:gosec // the operator's own Groovy and Java
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.WaitDelay = time.Second
	if java != "" {
		cmd.Env = append(os.Environ(), "JAVA_HOME="+java)
	}
	err := runBound(cmd)
	return output.String(), err
}

// bounded keeps the beginning of what is written.
type bounded struct{ bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	_, err := b.Buffer.Write(p[:min(len(p), outputLimit-b.Len())])
	return len(p), err
}

// refused explains why a Groovy is of no use, by its own output.
func refused(ctx context.Context, limit time.Duration, program, output string) error {
	reason := firstLine(output)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		reason = fmt.Sprintf("no answer within %s", limit)
	case ctx.Err() != nil:
		return fmt.Errorf("ask %s for its version: %w", program, context.Cause(ctx))
	case reason == "":
		reason = "it printed nothing"
	}
	return job.Errorf(job.Refused, "%s does not run (%s): "+
		"install Groovy 2.4 or newer and Java 8 or newer, or set JAVA_HOME to the Java that is there", program, reason)
}

// firstLine returns the first line with something in it, cut to a length for
// messages.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return strings.ToValidUTF8(line[:min(len(line), 300)], "")
		}
	}
	return ""
}
