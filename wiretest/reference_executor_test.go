package wiretest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// refIdle is how long the reference keeps a job without work.
const refIdle = 400 * time.Millisecond

// reference is a small executor as the Java ones are, to try the suite on. A
// mutant is one with a fault, by name.
type reference struct {
	words  words
	setup  Setup
	url    string
	fault  string
	polite bool // it deviates as Orth does
	server *http.Server
	work   sync.WaitGroup
	ctx    context.Context
	cancel context.CancelFunc

	mu    sync.Mutex
	jobs  map[int64]*refJob
	logs  map[int64]*bytes.Buffer
	known map[int64]bool // log ids that were taken
	ended int            // how many of them ended
	out   []refOutcome
	flush chan struct{}
}

// refJob is what Java calls a job thread.
type refJob struct {
	handler string // with the version of its script
	queue   []*refTask
	running map[*refTask]bool
	limit   int
	used    time.Time
}

type refTask struct {
	JobID       int64   `json:"jobId"`
	Handler     string  `json:"executorHandler"`
	Param       string  `json:"executorParams"`
	Block       string  `json:"executorBlockStrategy"`
	Concurrency int     `json:"executorConcurrency"`
	Timeout     int     `json:"executorTimeout"`
	LogID       int64   `json:"logId"`
	At          int64   `json:"logDateTime"`
	Glue        *string `json:"glueType"`
	Source      string  `json:"glueSource"`
	SourceAt    int64   `json:"glueUpdatetime"`
	Index       int     `json:"broadcastIndex"`
	Total       int     `json:"broadcastTotal"`

	reason string // why it was killed
	end    context.CancelFunc
}

type refOutcome struct {
	LogID int64
	At    int64
	Code  int
	Msg   *string
}

// startReference returns a Start for the suite.
func startReference(b *book, f Flavour, fault string, polite bool) func(context.Context, Setup) (*Instance, error) {
	return func(ctx context.Context, s Setup) (*Instance, error) {
		listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		e := &reference{
			words: b.wordsOf(f), setup: s, url: "http://" + listener.Addr().String(), fault: fault, polite: polite,
			jobs: make(map[int64]*refJob), logs: make(map[int64]*bytes.Buffer), known: make(map[int64]bool), flush: make(chan struct{}, 1),
		}
		e.ctx, e.cancel = context.WithCancel(context.WithoutCancel(ctx))
		e.server = &http.Server{Handler: e}
		if text, err := os.ReadFile(e.file()); err == nil {
			_ = json.Unmarshal(text, &e.out)
		}
		if e.is("names of headers count") {
			listener = strictListener{listener}
		}
		e.work.Go(func() { _ = e.server.Serve(listener) })
		sending, stopSending := context.WithCancel(e.ctx)
		sent := make(chan struct{})
		go func() { e.send(sending); close(sent) }()
		return &Instance{URL: e.url, Stop: func() error {
			stopSending()
			<-sent
			e.stop()
			return nil
		}}, nil
	}
}

func (e *reference) is(fault string) bool { return e.fault == fault }

func (e *reference) word(name string) string {
	text, err := e.words.text("${" + name + "}")
	if err != nil {
		panic(err)
	}
	return text
}

func (e *reference) file() string { return filepath.Join(e.setup.Data, "outbox.json") }

func (e *reference) stop() {
	if e.is("callbacks before the farewell") {
		e.kill(0, e.word("stopped"))
		for e.running() {
			time.Sleep(time.Millisecond)
		}
		e.deliver()
	}
	e.tell("registryRemove", e.registration())
	_ = e.server.Close()
	e.kill(0, e.word("stopped"))
	e.work.Wait()
	e.deliver()
	e.mu.Lock()
	defer e.mu.Unlock()
	if text, err := json.Marshal(e.out); err == nil && len(e.out) > 0 && !e.is("refused callbacks are dropped") {
		_ = os.WriteFile(e.file(), text, 0o600)
	}
	e.cancel()
}

// running reports whether a run has not said how it ended.
func (e *reference) running() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ended < len(e.known)
}

// ServeHTTP implements http.Handler.
func (e *reference) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	limit := int64(5 << 20)
	if e.is("bodies have no limit") {
		limit *= 2
	}
	body, _ := io.ReadAll(io.LimitReader(r.Body, limit+1))
	if int64(len(body)) > limit {
		w.Header().Set("Content-Length", "0")
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	if e.is("the connection is closed") {
		w.Header().Set("Connection", "close")
	}
	reply := e.answer(r, body)
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(e.is("replies are escaped") || e.words["payload"] == "content" && !e.is("replies are raw"))
	_ = enc.Encode(reply)
	out := bytes.TrimSpace(text.Bytes())
	if e.words["payload"] == "content" && !e.is("replies are raw") {
		out = bytes.ReplaceAll(out, []byte("="), []byte(`\u003d`))
	}
	w.Header().Set("Content-Type", "text/html;charset=UTF-8")
	if !e.is("replies have no length") {
		w.Header().Set("Content-Length", strconv.Itoa(len(out)))
	}
	if e.is("refusals have status 500") && reply["code"] == 500 {
		w.WriteHeader(http.StatusInternalServerError)
	}
	if e.is("replies have no length") {
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
	}
	_, _ = w.Write(out)
}

type object = map[string]any

func (e *reference) no(text string) object { return object{"code": 500, "msg": text} }

func (e *reference) yes() object {
	if e.words["payload"] == "content" {
		return object{"code": 200}
	}
	return object{"code": 200, "msg": "Success"}
}

// answer checks in the order of the protocol: method, token, path, body.
func (e *reference) answer(r *http.Request, body []byte) object {
	checks := []func() string{
		func() string {
			if r.Method != http.MethodPost {
				if e.is("the text of a wrong method") {
					return "method not allowed"
				}
				return e.word("no-method")
			}
			return ""
		},
		func() string { return e.stranger(r) },
	}
	if e.is("the token is checked first") {
		slices.Reverse(checks)
	}
	path := r.RequestURI
	named := path // as the peer wrote it
	if e.is("unknown paths have no name") {
		named = ""
	}
	if e.is("queries are cut") {
		path, _, _ = strings.Cut(path, "?")
	}
	joins := e.polite && !e.is("exact paths only")
	if joins || e.is("slashes are joined") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	if joins || e.is("the last slash is cut") {
		path = strings.TrimSuffix(path, "/")
	}
	serve := map[string]func([]byte) object{
		"/beat": func(body []byte) object {
			if len(body) == 0 && e.is("a beat needs a body") {
				return e.no(e.word("request-error"))
			}
			return e.yes()
		}, "/idleBeat": e.idleBeat, e.word("run-path"): e.run, "/kill": e.serveKill, "/log": e.log,
	}[path]
	if e.is("the path is checked first") && serve == nil && r.Method == http.MethodPost {
		return e.no(e.word("no-mapping") + "(" + named + ") not found.")
	}
	for _, check := range checks {
		if text := check(); text != "" {
			return e.no(text)
		}
	}
	if serve == nil {
		return e.no(e.word("no-mapping") + "(" + named + ") not found.")
	}
	if path != "/beat" && (!json.Valid(body) || string(e.decode(body)["jobId"]) == `"x"`) {
		if e.is("bad JSON succeeds") {
			return e.yes()
		}
		return e.no(e.word("request-error") + "bad JSON")
	}
	return serve(body)
}

func (e *reference) stranger(r *http.Request) string {
	if e.setup.Token == "" || e.is("any token is taken") {
		return ""
	}
	shown := r.Header.Get(e.word("token-header"))
	if e.is("no token is taken") && shown == "" {
		return ""
	}
	_, strict := e.words["no-token"]
	app := r.Header.Get("Xxl-Job-Appname")
	switch {
	case strict && (shown == "" || app == "") && !e.is("no app name is taken"):
		return e.word("no-token")
	case shown != e.setup.Token, strict && app != e.setup.App && !e.is("any app name is taken"):
		return e.word("wrong-token")
	}
	return ""
}

// number reads a field as lenient Java does: text counts, and none is 0.
func (e *reference) number(raw json.RawMessage) int64 {
	text := string(raw)
	if !e.is("numbers as text are 0") {
		text = strings.Trim(text, `"`)
	}
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

func (e *reference) decode(body []byte) map[string]json.RawMessage {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(body, &fields)
	return fields
}

func (e *reference) idleBeat(body []byte) object {
	id := e.number(e.decode(body)["jobId"])
	e.mu.Lock()
	defer e.mu.Unlock()
	j := e.jobs[id]
	switch {
	case j != nil && (len(j.running)+len(j.queue) > 0) && !e.is("nobody is busy"), e.is("everybody is busy"):
		return e.no(e.word("busy"))
	}
	return e.yes()
}

func (e *reference) serveKill(body []byte) object {
	id := e.number(e.decode(body)["jobId"])
	if e.is("a kill ends all jobs") {
		e.kill(0, e.word("killed"))
	}
	if e.kill(id, e.word("killed")) {
		return e.yes()
	}
	if e.is("a kill of nobody fails") {
		return e.no("job thread not found")
	}
	nothing, err := e.words.fill("${nothing-killed}")
	if err != nil {
		panic(err)
	}
	reply := object{}
	if choices, ok := nothing.(object)[anyOf].([]any); ok {
		nothing = choices[0]
	}
	maps.Copy(reply, nothing.(object))
	return reply
}

// kill ends a job, or all with 0, and reports whether it was there.
func (e *reference) kill(id int64, reason string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	found := false
	for jobID, j := range e.jobs {
		if id != 0 && jobID != id || len(j.running)+len(j.queue) == 0 && time.Since(j.used) > refIdle && !e.is("jobs are never forgotten") {
			continue
		}
		found = true
		e.replace(j, reason)
		delete(e.jobs, jobID)
	}
	return found
}

// replace ends everything of a job for a reason. mu is held.
func (e *reference) replace(j *refJob, reason string) {
	for task := range j.running {
		task.reason = reason
		task.end()
	}
	for _, task := range j.queue {
		switch {
		case e.is("killed runs that waited say nothing"):
		case e.is("killed runs that waited say that they ran"):
			e.report(task, 500, reason+e.word("running"))
		default:
			e.report(task, 500, reason+e.word("queued"))
		}
	}
	j.queue = nil
}

func (e *reference) log(body []byte) object {
	fields := e.decode(body)
	from := int(e.number(fields["fromLineNum"]))
	date := e.word("log-date")
	e.mu.Lock()
	defer e.mu.Unlock()
	page := object{"fromLineNum": from, "toLineNum": 0, "logContent": e.word("no-log"), "isEnd": true}
	if e.is("logs do not end") {
		page["isEnd"] = false
	}
	buffer := e.logs[e.number(fields["logId"])]
	if buffer != nil && fields[date] != nil && !e.is("logs are not found") {
		text := buffer.String()
		if e.is("logs stop at bytes that are no text") {
			text, _, _ = strings.Cut(text, "\xff")
		}
		lines := strings.SplitAfter(strings.ToValidUTF8(text, "\ufffd"), "\n")
		lines = lines[:len(lines)-1]
		first := min(max(from, 1)-1, len(lines))
		page["logContent"], page["isEnd"], page["toLineNum"] = strings.Join(lines[first:], ""), false, len(lines)
		if first == len(lines) && e.words["payload"] != "content" && !e.is("the end of a log is its length") {
			page["toLineNum"] = 0
		}
		if e.is("lines are counted from 0") {
			page["toLineNum"] = len(lines) - 1
		}
		if e.is("logs are cut off their line ends") {
			page["logContent"] = strings.TrimRight(strings.Join(lines[first:], ""), "\n")
		}
	}
	if from < 1 && e.is("the first line is not echoed") {
		page["fromLineNum"] = 1
	}
	end := e.word("end")
	if e.is("the end of a log has another name") {
		end = map[string]string{"end": "isEnd", "isEnd": "end"}[end]
	}
	if end != "isEnd" {
		page[end] = page["isEnd"]
		delete(page, "isEnd")
	}
	payload := e.word("payload")
	if e.is("the payload has another name") {
		payload = map[string]string{"data": "content", "content": "data"}[payload]
	}
	reply := e.yes()
	reply[payload] = page
	return reply
}

func (e *reference) write(log int64, format string, args ...any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.logs[log] == nil {
		e.logs[log] = new(bytes.Buffer)
	}
	fmt.Fprintf(e.logs[log], format+"\n", args...)
}

// script runs a shell script and returns its outcome.
func (e *reference) script(ctx context.Context, t *refTask) (int, *string) {
	param := []string{t.Param, strconv.Itoa(t.Index), strconv.Itoa(t.Total)}
	if e.is("parameters are split") {
		param = append(strings.Fields(t.Param), param[1:]...)
	}
	if e.is("an empty parameter is left out") && t.Param == "" {
		param = param[1:]
	}
	cmd := exec.CommandContext(ctx, "bash", append([]string{"-c", t.Source, "script"}, param...)...)
	cmd.Env = append(os.Environ(), fmt.Sprintf("ORTH_JOB_ID=%d", t.JobID), fmt.Sprintf("ORTH_LOG_ID=%d", t.LogID),
		"ORTH_JOB_PARAM="+t.Param, "ORTH_SCHEDULE_TIME=", "ORTH_TRIGGER_TIME=now", "ORTH_SHARD_INDEX=0", "ORTH_SHARD_TOTAL=1")
	if e.is("scripts have an empty environment") {
		cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	}
	out := &refWriter{e, t.LogID}
	cmd.Stdout, cmd.Stderr = out, out
	err := cmd.Run()
	if err == nil || e.is("exit values are lost") {
		return 200, nil
	}
	text := e.word("exit")
	if code := cmd.ProcessState.ExitCode(); code != 3 {
		text = strings.Replace(text, "3", strconv.Itoa(code), 1)
	}
	return 500, &text
}

// strictListener makes a header's name in small letters another name.
type strictListener struct{ net.Listener }

func (l strictListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	return strictConn{conn}, err
}

type strictConn struct{ net.Conn }

func (c strictConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	copy(p, bytes.ReplaceAll(p[:n], []byte("\r\nxxl-job"), []byte("\r\nyyl-job")))
	return n, err
}

type refWriter struct {
	e   *reference
	log int64
}

func (w *refWriter) Write(p []byte) (int, error) {
	w.e.write(w.log, "%s", strings.TrimSuffix(string(p), "\n"))
	return len(p), nil
}
