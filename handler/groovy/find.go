package groovy

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/job"
)

const (
	// checkTime bounds the question whether Groovy runs, which takes half a
	// second on an idle machine.
	checkTime = 15 * time.Second
	// buildTime bounds the compilation of the shim, which takes two seconds.
	buildTime = 30 * time.Second
	// recordName is the file that is written last: a folder with it is whole.
	recordName = "found.json"
	// folderPrefix begins the names of our folders; 16 hex digits follow.
	folderPrefix = "groovy-"
)

//go:embed shim
var shim embed.FS

//go:embed build.groovy
var buildScript []byte

// savedRuntime is what is remembered of a Groovy that was found.
type savedRuntime struct {
	Version string   `json:"version"`
	Argv    []string `json:"argv"`
}

// Find returns the command that runs a job's class, and Groovy's version:
//
//	argv... <source file> <parameter> <shard index> <shard total>
//
// path names the program groovy; when it is empty, groovy is looked up along PATH. dir is a
// folder of this package alone, which must stay for as long as the command is used; it is
// made when missing. The first call compiles the shim into it, which takes seconds; later
// calls only check that the command still runs. Jars in Groovy's own lib folder and in
// ~/.groovy/lib are on the class path.
//
// The command ends with 0 for success, 1 for failure and 124 for a job that reports that
// its time was up. It reads ORTH_JOB_ID, ORTH_JOB_PARAM and ORTH_JOB_LOG_ID from its
// environment and writes its message into the file ORTH_JOB_RESULT_FILE.
//
// The error is of the kind [job.Refused] when there is no Groovy or when it does not run,
// with a text that names what to install. Calls for the same dir must not overlap.
func Find(ctx context.Context, dir, path string) (argv []string, version string, err error) {
	program, err := locate(path)
	if err != nil {
		return nil, "", err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, "", fmt.Errorf("find the folder of Groovy's classes: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // jobs may run as another user and read it
		return nil, "", fmt.Errorf("make the folder of Groovy's classes: %w", err)
	}
	name, err := folderName(program)
	if err != nil {
		return nil, "", err
	}
	folder := filepath.Join(dir, name)
	if known, err := readRecord(folder); err == nil && known.check(ctx) == nil {
		return known.Argv, known.Version, nil
	}
	found, err := build(ctx, program, folder)
	if err != nil {
		return nil, "", err
	}
	if err := found.check(ctx); err != nil {
		return nil, "", err
	}
	prune(dir, name)
	return found.Argv, found.Version, nil
}

func locate(path string) (string, error) {
	name := path
	if name == "" {
		name = "groovy"
	}
	program, err := exec.LookPath(name)
	switch {
	case err != nil && path != "":
		return "", job.Errorf(job.Refused, "there is no program groovy at %s: correct the path, or install Groovy 2.4 or newer", path)
	case err != nil:
		return "", job.Errorf(job.Refused, "this executor's machine has no groovy along PATH: "+
			"install Groovy 2.4 or newer and Java 8 or newer, or route the job elsewhere")
	}
	if program, err = filepath.Abs(program); err != nil {
		return "", fmt.Errorf("find groovy: %w", err)
	}
	return program, nil
}

// folderName is made of all that the compiled shim and the command depend on
// and that may change without the command failing: another Groovy, other
// jars of the user, another shim.
func folderName(program string) (string, error) {
	sum := sha256.New()
	sum.Write(buildScript)
	err := eachSource(func(name string, text []byte) error {
		_, err := fmt.Fprintf(sum, "%s %d\n%s", name, len(text), text)
		return err
	})
	if err != nil {
		return "", err
	}
	places := []string{program}
	if resolved, err := filepath.EvalSymlinks(program); err == nil {
		places = append(places, resolved)
	}
	if home, err := os.UserHomeDir(); err == nil {
		places = append(places, filepath.Join(home, ".groovy", "lib"))
	}
	for _, place := range places {
		stamp := "none"
		if info, err := os.Stat(place); err == nil {
			stamp = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
		}
		if _, err := fmt.Fprintf(sum, "%s %s\n", place, stamp); err != nil {
			return "", err
		}
	}
	return folderPrefix + hex.EncodeToString(sum.Sum(nil))[:16], nil
}

func eachSource(do func(name string, text []byte) error) error {
	return fs.WalkDir(shim, "shim", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := shim.ReadFile(name)
		if err != nil {
			return err
		}
		return do(name, text)
	})
}

func readRecord(folder string) (savedRuntime, error) {
	text, err := os.ReadFile(filepath.Join(folder, recordName))
	if err != nil {
		return savedRuntime{}, err
	}
	var r savedRuntime
	if err := json.Unmarshal(text, &r); err != nil {
		return savedRuntime{}, err
	}
	if len(r.Argv) == 0 {
		return savedRuntime{}, errors.New("the record names no command")
	}
	return r, nil
}

// check runs the command without a source file: it prints its version.
func (r savedRuntime) check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	output, err := runCommand(ctx, "", r.Argv...)
	if err != nil {
		return refused(ctx, checkTime, r.Argv[0], output)
	}
	if !slices.Contains(strings.Fields(output), r.Version) {
		return job.Errorf(job.Refused, "Groovy is another version than %s by now: %s", r.Version, firstLine(output))
	}
	return nil
}

// prune removes what was made for another Groovy or by another release. What
// cannot be removed stays for the next time.
func prune(dir, keep string) {
	for _, pattern := range []string{folderPrefix + "????????????????", "." + folderPrefix + "*"} {
		old, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			continue
		}
		for _, folder := range old {
			if filepath.Base(folder) != keep {
				_ = os.RemoveAll(folder)
			}
		}
	}
}
