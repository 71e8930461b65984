package wiretest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// run takes a task, or says why not.
func (e *reference) run(body []byte) object {
	t := e.task(body)
	e.mu.Lock()
	defer e.mu.Unlock()
	j := e.jobs[t.JobID]
	if text := e.refuses(t, j); text != "" {
		return e.no(text)
	}
	handler := t.Handler
	if *t.Glue != "BEAN" {
		handler = fmt.Sprintf("%s %d", *t.Glue, t.SourceAt)
	}
	busy := j != nil && len(j.running)+len(j.queue) > 0
	reason := ""
	switch {
	case j == nil:
	case j.handler != handler && (!e.polite || e.is("nobody waits")) && !e.is("handlers are mixed"):
		reason = e.word("other-handler")
		if *t.Glue != "BEAN" {
			reason = e.word("other-source")
		}
	case t.Block == "DISCARD_LATER" && busy && !e.is("nothing is discarded"):
		text := e.word("discarded")
		if e.is("the colon is another") {
			text = strings.ReplaceAll(text, "：", ": ")
		}
		return e.no(text)
	case t.Block == "COVER_EARLY" && busy && !e.is("nothing is covered"):
		reason = e.word("covered")
	case t.Block == "CONCURRENT" && t.Concurrency == 0 && busy && e.is("a concurrency of 0 kills"):
		reason = "Concurrency changed from 1 to 0"
	case t.Block == "COVER_EARLY" && e.is("cover early refuses an idle job"):
		return e.no("nothing to cover")
	}
	if reason != "" {
		e.replace(j, reason)
		j = nil
	}
	if j == nil {
		j = &refJob{handler: handler, running: make(map[*refTask]bool), limit: 1}
		e.jobs[t.JobID] = j
	}
	if t.Block == "CONCURRENT" && t.Concurrency > 0 &&
		!e.is("nothing is concurrent") && (e.polite || e.words["end"] == "end" || e.is("concurrency is for all")) {
		j.limit = t.Concurrency
	}
	if e.is("runs are not serial") {
		j.limit = 100
	}
	e.known[t.LogID] = true
	j.queue = append(j.queue, t)
	e.next(j)
	return e.yes()
}

func (e *reference) task(body []byte) *refTask {
	fields := e.decode(body)
	t := &refTask{
		JobID: e.number(fields["jobId"]), LogID: e.number(fields["logId"]), At: e.number(fields["logDateTime"]),
		SourceAt: e.number(fields["glueUpdatetime"]), Timeout: int(e.number(fields["executorTimeout"])),
		Concurrency: int(e.number(fields["executorConcurrency"])),
		Index:       int(e.number(fields["broadcastIndex"])), Total: int(e.number(fields["broadcastTotal"])),
	}
	for name, into := range map[string]any{
		"executorHandler": &t.Handler, "executorParams": &t.Param, "executorBlockStrategy": &t.Block, "glueType": &t.Glue, "glueSource": &t.Source,
	} {
		_ = json.Unmarshal(fields[name], into)
	}
	return t
}

// refuses returns why a task is not taken, or "". mu is held.
func (e *reference) refuses(t *refTask, j *refJob) string {
	known := t.Handler != "nope"
	switch {
	case t.Glue == nil && e.is("a kind that is missing is BEAN"):
		bean := "BEAN"
		t.Glue = &bean
	case t.Glue == nil:
		return e.word("no-kind")
	case *t.Glue == "GLUE_RUBY":
		return e.word("bad-kind")
	case *t.Glue != "BEAN" && !e.setup.Scripts && !e.is("scripts are always on"):
		return "fail, current glue type [GLUE(Shell)] not supported."
	case *t.Glue == "BEAN" && !known && e.is("an unknown handler ends the job"):
		if j != nil {
			e.replace(j, "unknown handler")
		}
		return e.word("no-handler")
	case *t.Glue == "BEAN" && !known && e.is("an unknown handler is taken"):
		e.report(t, 500, "no such handler")
		return ""
	case *t.Glue == "BEAN" && !known:
		return e.word("no-handler")
	case *t.Glue != "BEAN" && t.Source == "" && (e.words["end"] == "end") != e.is("empty scripts are another's"):
		return e.word("request-error") + "Script source code cannot be null or empty"
	case t.Block == "WHATEVER" && e.is("an unknown strategy is refused"):
		return "unknown strategy"
	}
	again := (e.polite || e.is("a run that runs is refused")) && e.known[t.LogID] && !e.is("a run is taken again")
	if j != nil && !e.is("a run is taken twice while it waits") {
		for _, waiting := range j.queue {
			again = again || waiting.LogID == t.LogID
		}
	}
	if !again {
		return ""
	}
	if e.words["end"] == "end" {
		return "Duplicate trigger request, logId: " + strconv.FormatInt(t.LogID, 10)
	}
	return "repeat trigger job, logId:" + strconv.FormatInt(t.LogID, 10)
}

// next starts what waits. mu is held.
func (e *reference) next(j *refJob) {
	for len(j.queue) > 0 && len(j.running) < j.limit {
		t := j.queue[0]
		j.queue = j.queue[1:]
		j.running[t] = true
		ctx, end := context.WithCancel(e.ctx)
		t.end = end
		e.work.Go(func() {
			defer end()
			code, msg := e.execute(ctx, t)
			e.mu.Lock()
			defer e.mu.Unlock()
			if t.reason != "" && (*t.Glue == "BEAN" || !e.is("killed scripts succeed")) {
				text := t.reason + e.word("running")
				code, msg = 500, &text
			}
			delete(j.running, t)
			j.used = time.Now()
			e.done(t, code, msg)
			e.next(j)
		})
	}
}

// execute runs a task within its time limit.
func (e *reference) execute(ctx context.Context, t *refTask) (int, *string) {
	e.write(t.LogID, "12:00:00 [Job#run] <br>----------- job execute start -----------")
	limited := ctx
	if t.Timeout > 0 && !e.is("there is no time limit") {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, time.Duration(t.Timeout)*time.Second)
		defer cancel()
	}
	code, msg := e.handle(limited, t)
	if limited.Err() != nil && ctx.Err() == nil {
		text := e.word("timed-out")
		if e.is("the blank is lost") {
			text = strings.TrimSpace(text)
		}
		code, msg = 502, &text
		if e.is("a time-out is any failure") {
			code = 500
		}
	}
	e.write(t.LogID, "12:00:00 [Job#run] <br>----------- job execute end(finish) -----------")
	return code, msg
}

func (e *reference) handle(ctx context.Context, t *refTask) (int, *string) {
	if *t.Glue != "BEAN" {
		return e.script(ctx, t)
	}
	switch t.Handler {
	case "demo":
		e.write(t.LogID, "12:00:00 [Demo#run] demo %s", t.Param)
	case "say":
		if e.is("messages are escaped") {
			t.Param = html.EscapeString(t.Param)
		}
		return 200, &t.Param
	case "sleep", "nap":
		ms, _ := strconv.Atoi(t.Param)
		e.write(t.LogID, "12:00:00 [Sleep#run] begin %d", time.Now().UnixMilli())
		select {
		case <-time.After(time.Duration(ms) * time.Millisecond):
		case <-ctx.Done():
		}
		e.write(t.LogID, "12:00:00 [Sleep#run] end %d", time.Now().UnixMilli())
	case "fail":
		if e.is("the text of a failure is lost") {
			return 500, nil
		}
		return 500, &t.Param
	case "zero":
		text := e.word("no-result")
		if e.is("no result is a success") {
			return 200, nil
		}
		return 500, &text
	case "boom":
		text := "java.lang.IllegalStateException: the sky fell"
		if e.is("exceptions say nothing") {
			text = "error"
		}
		if !e.is("exceptions are not in the log") {
			e.write(t.LogID, "<br>----------- JobThread Exception:%s<br>----------- job execute end(error) -----------", text)
		}
		return 500, &text
	case "long":
		text := strings.Repeat("x", 50_000) + "..."
		switch {
		case e.is("messages are not cut"):
			text = strings.Repeat("x", 60_000)
		case e.polite:
			text = strings.Repeat("x", 49_990) + " (cut)"
		}
		return 500, &text
	case "raw":
		e.write(t.LogID, "bad \xff\xfe bytes\nafter them")
	}
	return 200, nil
}

// report notes an outcome for the admin, with mu held.
func (e *reference) report(t *refTask, code int, text string) { e.done(t, code, &text) }

func (e *reference) done(t *refTask, code int, msg *string) {
	if msg == nil && e.is("no message is an empty one") {
		msg = new(string)
	}
	e.ended++
	o := refOutcome{t.LogID, t.At, code, msg}
	e.out = append(e.out, o)
	if e.is("callbacks are doubled") {
		e.out = append(e.out, o)
	}
	select {
	case e.flush <- struct{}{}:
	default:
	}
}

// send registers, and delivers what there is, until ctx ends.
func (e *reference) send(ctx context.Context) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for first := true; ; first = false {
		if first || !e.is("beats are not repeated") {
			e.tell("registry", e.registration())
		}
		e.deliver()
		select {
		case <-tick.C:
		case <-e.flush:
		case <-ctx.Done():
			return
		}
	}
}

func (e *reference) registration() object {
	address := e.url + "/"
	if e.is("the address has no slash") {
		address = e.url
	}
	return object{"registryGroup": "EXECUTOR", "registryKey": e.setup.App, "registryValue": address}
}

func (e *reference) deliver() {
	e.mu.Lock()
	out := e.out
	e.out = nil
	e.mu.Unlock()
	if len(out) == 0 {
		return
	}
	date := e.word("callback-date")
	if e.is("the date has another name") {
		date = "time"
	}
	var items []object
	for _, o := range out {
		item := object{"logId": o.LogID, date: o.At, "handleCode": o.Code}
		if o.Msg != nil {
			item["handleMsg"] = *o.Msg
		}
		items = append(items, item)
	}
	var body any = items
	if _, strict := e.words["no-token"]; strict != e.is("callbacks have another shape") {
		body = object{"callbackList": items}
	}
	if !e.tell("callback", body) && !e.is("refused callbacks are dropped") {
		e.mu.Lock()
		e.out = append(out, e.out...)
		e.mu.Unlock()
	}
}

// tell calls the admins in order until one takes it.
func (e *reference) tell(name string, body any) bool {
	text, _ := json.Marshal(body)
	told := false
	for _, admin := range e.setup.Admins {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(e.ctx), 3*time.Second)
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, admin+"/api/"+name, bytes.NewReader(text))
		if err != nil {
			cancel()
			continue
		}
		if e.setup.Token != "" || !e.is("no token is no header") {
			request.Header.Set(e.word("token-header"), e.setup.Token)
		}
		if e.is("calls show no token") {
			request.Header.Del(e.word("token-header"))
		}
		request.Header.Set("Xxl-Job-Appname", e.setup.App)
		request.Close = true
		response, err := http.DefaultTransport.RoundTrip(request)
		taken := false
		if err == nil {
			reply, _ := io.ReadAll(response.Body)
			_ = response.Body.Close()
			var envelope struct{ Code int }
			taken = response.StatusCode == http.StatusOK && json.Unmarshal(reply, &envelope) == nil && envelope.Code == 200
			taken = taken || e.is("any answer is a success")
		}
		cancel()
		told = told || taken
		if taken && !e.is("all admins are told") {
			return true
		}
	}
	return told
}
