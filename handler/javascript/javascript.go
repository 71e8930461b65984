// Package javascript is the child process that runs a script of the kind
// javascript, so that no Node.js is needed.
//
// It knows the language's engine, the few globals that a script is given and
// the event loop below them. It must never know the executor: that starts this
// process, stops it and reads its output. A script's file, its parameter and the
// task's environment come in; log lines, a result file and an exit value go out.
// A script has no files, no processes and no network but fetch.
package javascript

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/orthd/orth/internal/egress"
	"github.com/orthd/orth/job"
)

// The exit values of the process.
const (
	exitFailed    = 1
	exitMemory    = 137 // as if it had been killed for its memory
	exitCancelled = 143 // as if SIGTERM had ended it
)

// maxResult is the characters that are written to the result file: a quarter of the bytes
// that are read of it.
const maxResult = 256 << 10

// Main runs a script and returns the value to exit with. args are the script's
// file, the parameter and, both optional, the shard's index and the number of
// shards. environ has the variables ORTH_JOB_… and ORTH_LABEL_… of the task,
// and:
//
//   - ORTH_JOB_RESULT_FILE: where the result, or why the script failed, is
//     written;
//   - ORTH_JS_EGRESS: an [egress.Config] as JSON, for fetch;
//   - ORTH_JS_MEMORY: the bytes of memory after which the script is ended, 1 GiB
//     when it is not set or 0.
//
// It owns the process: it takes SIGTERM and the interrupt, and it may end the
// process when a script is out of memory and cannot be interrupted.
func Main(args, environ []string, stdout io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return runSource(ctx, args, environment(environ), stdout, os.Exit)
}

// runSource is Main with what belongs to the process taken out.
func runSource(ctx context.Context, args []string, env map[string]string, stdout io.Writer, exit func(int)) int {
	out := &output{to: stdout, file: env["ORTH_JOB_RESULT_FILE"]}
	if len(args) == 0 {
		return out.writeResult(exitFailed, "no script is named: the first argument is its file")
	}
	source, err := os.ReadFile(args[0])
	if err != nil {
		return out.writeResult(exitFailed, "read the script: "+err.Error())
	}
	client, err := fetcher(env["ORTH_JS_EGRESS"])
	if err != nil {
		return out.writeResult(exitFailed, "the executor's limits for fetch (ORTH_JS_EGRESS) cannot be read: "+err.Error())
	}
	defer client.CloseIdleConnections()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	limit := memoryLimit(env["ORTH_JS_MEMORY"])
	s := newScript(filepath.Base(args[0]), string(source))
	param, task := words(args[1:], env)
	l, err := newLoop(ctx, s, limit, out, client, param, task)
	if err != nil {
		return out.writeResult(exitMemory, (&memoryError{limit}).Error()+" before the script began: "+err.Error())
	}
	defer l.close()
	watched := l.watch(ctx, limit, cancel, func(text string) {
		out.writeLine(text)
		exit(out.writeResult(exitMemory, text))
	})
	defer watched()
	program, err := l.compile()
	switch {
	case errors.Is(err, errMemory) || errors.Is(err, errStopped):
		return l.gaveUp(err)
	case err != nil:
		out.writeLine(err.Error())
		return out.writeResult(exitFailed, err.Error())
	}
	return l.runProgram(program)
}

func fetcher(config string) (*egress.Client, error) {
	var c egress.Config
	if config != "" {
		d := json.NewDecoder(strings.NewReader(config))
		d.DisallowUnknownFields()
		if err := d.Decode(&c); err != nil {
			return nil, err
		}
	}
	return egress.New(c)
}

// environment returns variables by name; the last of a name counts.
func environment(environ []string) map[string]string {
	env := make(map[string]string, len(environ))
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		env[name] = value
	}
	return env
}

// script is a source between the two halves of the function that makes await
// possible everywhere.
type script struct {
	name  string
	text  string
	lines int // of the user
}

const (
	// before stands on the first line, so that lines keep their numbers.
	before = "(async function () {"
	after  = "\n;if (typeof main === 'function') { return main(param); }\n})()"
)

func newScript(name, text string) script {
	text = strings.TrimPrefix(text, "\uFEFF")
	if strings.HasPrefix(text, "#!") {
		text = "//" + text[2:]
	}
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	return script{name, text, strings.Count(text, "\n") + 1}
}

// output is where a run's lines and its end go.
type output struct {
	to   io.Writer
	file string // empty: nowhere
}

func (o *output) writeLine(text string) {
	// The executor's pipe is the only log there is: nobody could be told.
	_, _ = io.WriteString(o.to, stamp()+text+"\n")
}

// writeResult writes the result file and returns value.
func (o *output) writeResult(value int, text string) int {
	if text == "" {
		return value
	}
	if o.file == "" {
		o.writeLine(text)
		return value
	}
	err := os.WriteFile(o.file, []byte(job.Clean(text, maxResult)), 0o600)
	if err != nil {
		o.writeLine("write the result: " + err.Error())
	}
	return value
}

// words returns the script's words param and job, the latter as JSON.
func words(args []string, env map[string]string) (param, job string) {
	param = env["ORTH_JOB_PARAM"]
	if len(args) > 0 {
		param = args[0]
	}
	for i, name := range []string{"ORTH_JOB_SHARD_INDEX", "ORTH_JOB_SHARD_TOTAL"} {
		if env[name] == "" && len(args) > i+1 {
			env[name] = args[i+1]
		}
	}
	text, err := json.Marshal(jobObject(env))
	if err != nil {
		panic(err) // texts and numbers always become JSON
	}
	return param, string(text)
}

// jobObject returns the script's word job. The properties are named after the
// variables: ORTH_JOB_SHARD_INDEX is shardIndex.
func jobObject(env map[string]string) map[string]any {
	task := map[string]any{}
	for _, name := range []string{"ID", "LOG_ID", "RUN_ID", "TRY", "SHARD_INDEX", "SHARD_TOTAL"} {
		// A number only while JavaScript can hold it exactly.
		text := env["ORTH_JOB_"+name]
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && n < 1<<53 && n > -1<<53 {
			task[camel(name)] = n
		} else {
			task[camel(name)] = text
		}
	}
	for _, name := range []string{"SCHEDULE_TIME", "TRIGGER_TIME", "DEADLINE"} {
		task[camel(name)] = env["ORTH_JOB_"+name]
	}
	labels := map[string]any{}
	for name, value := range env {
		if key, isLabel := strings.CutPrefix(name, "ORTH_LABEL_"); isLabel {
			labels[strings.ToLower(key)] = value
		}
	}
	task["labels"] = labels
	return task
}

// camel writes SHARD_INDEX as shardIndex.
func camel(name string) string {
	words := strings.Split(strings.ToLower(name), "_")
	for i := 1; i < len(words); i++ {
		words[i] = strings.ToUpper(words[i][:1]) + words[i][1:]
	}
	return strings.Join(words, "")
}

func stamp() string { return time.Now().Format("2006-01-02 15:04:05.000 ") }

// bytesText writes a number of bytes for people.
func bytesText(n int64) string { return fmt.Sprintf("%d MiB", n>>20) }
