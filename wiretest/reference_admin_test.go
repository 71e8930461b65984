package wiretest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// refAdmin is a small admin as the Java ones are, to try the suite on.
type refAdmin struct {
	words words
	url   string
	fault string
	// polite is where it deviates as Orth does.
	polite bool
	work   sync.WaitGroup

	mu        sync.Mutex
	addresses map[string][]string // by group
	jobs      []Job               // the id is the place, from 1
	rows      []*refRow           // the log id is the place, from 1
	clocks    refClocks
}

// refRow is a run, as the admin has it.
type refRow struct {
	Run
	job     int64
	retries int
	date    int64
	sent    bool
}

func newRefAdmin(t *testing.T, f Flavour, fault string, polite bool) *refAdmin {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a := &refAdmin{
		words: mustBook(t).wordsOf(f).with("token", "tok").with("app", "app-x").with("now", number(1795226987336)),
		fault: fault, polite: polite, addresses: make(map[string][]string), clocks: newRefClocks(),
	}
	prefix, err := a.words.text("${prefix}")
	if err != nil {
		t.Fatal(err)
	}
	a.url = "http://" + listener.Addr().String() + prefix
	server := &http.Server{Handler: a}
	a.work.Go(func() { _ = server.Serve(listener) })
	t.Cleanup(func() {
		close(a.clocks.over)
		_ = server.Close()
		a.work.Wait()
	})
	return a
}

func (a *refAdmin) is(fault string) bool { return a.fault == fault }

func (a *refAdmin) word(name string) string {
	text, err := a.words.text("${" + name + "}")
	if err != nil {
		panic(err)
	}
	return text
}

// ServeHTTP implements http.Handler.
func (a *refAdmin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	refusal := a.serve(r, body)
	payload := a.word("payload")
	reply := object{"code": 200, "msg": "Success", payload: nil, "success": true}
	if a.is("replies lack a field") {
		delete(reply, "success")
	}
	if refusal != "" {
		reply["code"], reply["msg"], reply["success"] = 500, refusal, false
		if a.is("refusals have status 401") {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}
	if strings.HasPrefix(r.Header.Get("Accept"), "text/html") && a.is("what is accepted counts") {
		w.WriteHeader(http.StatusNotAcceptable)
	}
	text, _ := json.Marshal(reply)
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text)
}

// serve returns why a request is refused, or "".
func (a *refAdmin) serve(r *http.Request, body []byte) string {
	_, name, _ := strings.Cut(r.URL.Path, "/api/")
	_, strict := a.words["no-token"]
	shown, app := r.Header.Get(a.word("token-header")), r.Header.Get(a.word("app-header"))
	var value any
	err := json.Unmarshal(body, &value)
	switch {
	case r.Method != http.MethodPost && !a.is("any method is taken"):
		return "invalid request, HttpMethod not support."
	case len(bytes.TrimSpace(body)) == 0 && a.words["payload"] != "content" && !a.is("no body is bad JSON"):
		return "invalid request, requestBody empty."
	case strict && (shown == "" || app == "") && !a.is("no app name is taken"):
		return a.word("no-token")
	case shown != "tok" && !a.is("any token is taken"):
		return a.word("wrong-token")
	case name == "nope" && a.is("the name has a slash"):
		return "invalid request, uri-mapping(/nope) not found."
	case strict && strings.HasSuffix(name, "Job"):
		return a.jobCall(name, body)
	case name != "registry" && name != "registryRemove" && name != "callback":
		return "invalid request, uri-mapping(" + name + ") not found."
	case err != nil && !a.is("bad JSON succeeds"):
		return "openapi invoke error: " + err.Error()
	case name == "callback":
		return a.callback(value)
	}
	return a.register(name, value)
}

func (a *refAdmin) register(name string, value any) string {
	fields, _ := value.(object)
	group, _ := fields["registryKey"].(string)
	address, _ := fields["registryValue"].(string)
	kind, _ := fields["registryGroup"].(string)
	if strings.TrimSpace(group) == "" || address == "" || kind == "" {
		if a.is("blank fields are taken") {
			return ""
		}
		return "Illegal Argument."
	}
	if address == "nowhere" && (a.polite && !a.is("any address is taken") || a.is("any address is refused")) {
		return "Illegal Argument."
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.is("paths are cut off") {
		address = strings.Replace(address, "/job/", "/", 1)
	}
	switch {
	case name == "registryRemove" && a.is("farewells are not heard"):
		return ""
	case name == "registryRemove" && a.is("a farewell is everybody's"):
		a.addresses[group] = nil
		return ""
	}
	a.addresses[group] = slices.DeleteFunc(a.addresses[group], func(known string) bool { return known == address })
	if name == "registry" && !a.is("registrations are lost") {
		a.addresses[group] = append(a.addresses[group], address)
	}
	return ""
}

// callback completes runs.
func (a *refAdmin) callback(value any) string {
	if wrapped, ok := value.(object); ok && !a.is("objects are not read") {
		value = wrapped["callbackList"]
	}
	items, ok := value.([]any)
	if !ok {
		return "openapi invoke error: no list"
	}
	for _, item := range items {
		fields, _ := item.(object)
		id, _ := fields["logId"].(float64)
		code, _ := fields["handleCode"].(float64)
		text, _ := fields["handleMsg"].(string)
		if a.is("an unknown log id is an error") && id > 1e15 {
			return "log item not found."
		}
		if code == 409 && a.is("odd codes are lost") {
			continue
		}
		if a.is("only 500 fails") && code == 409 {
			code = 200
		}
		if a.is("texts are lost") {
			text = ""
		}
		a.complete(int64(id), code == 200, text)
	}
	return ""
}

func (a *refAdmin) complete(id int64, ok bool, text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if id < 1 || id > int64(len(a.rows)) {
		return
	}
	row := a.rows[id-1]
	if !row.sent && a.is("who is early is not heard") {
		return
	}
	if row.State != "running" && !a.is("the last outcome stands") {
		if !a.is("children start again") || !ok {
			return
		}
	}
	row.State, row.Message = "failed", text
	j := a.jobs[row.job-1]
	switch {
	case ok:
		row.State = "ok"
		for _, child := range j.Children {
			if !a.is("children never start") {
				a.send(child, 0, nil)
			}
		}
	case row.retries > 0 && !a.is("retries are lost"):
		a.send(row.job, row.retries-1, nil)
	case a.is("retries never end"):
		a.send(row.job, 0, nil)
	}
}

// Create implements Control.
func (a *refAdmin) Create(_ context.Context, j Job) (int64, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.jobs = append(a.jobs, j)
	return int64(len(a.jobs)), nil
}

// Trigger implements Control.
func (a *refAdmin) Trigger(_ context.Context, id int64) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	j := a.jobs[id-1]
	if all := a.addresses[j.Group]; j.Route == "broadcast" && !a.is("broadcasts go to one") {
		for i := range all {
			index := i
			if a.is("shards are all the first") {
				index = 0
			}
			a.send(id, j.Retries, &[3]int{i, index, len(all)})
		}
		return nil
	}
	a.send(id, j.Retries, nil)
	return nil
}

// TriggerAt implements Addresser.
func (a *refAdmin) TriggerAt(_ context.Context, id int64, addresses []string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.is("addresses are passed over") {
		addresses = a.addresses[a.jobs[id-1].Group]
	}
	a.sendTo(id, a.jobs[id-1].Retries, nil, addresses)
	return nil
}

// send makes a row and sends it. mu is held.
func (a *refAdmin) send(id int64, retries int, shard *[3]int) {
	a.sendTo(id, retries, shard, a.addresses[a.jobs[id-1].Group])
}

// sendTo sends a row to one of some addresses. mu is held.
func (a *refAdmin) sendTo(id int64, retries int, shard *[3]int, addresses []string) {
	a.sendParam(id, retries, shard, addresses, a.jobs[id-1].Param)
}

// sendParam sends a row with a parameter. mu is held.
func (a *refAdmin) sendParam(id int64, retries int, shard *[3]int, addresses []string, param string) {
	j := a.jobs[id-1]
	row := &refRow{job: id, retries: retries, date: time.Now().UnixMilli(), Run: Run{Log: int64(len(a.rows) + 1), State: "running"}}
	a.rows = append(a.rows, row)
	all := a.ordered(id, j.Route, addresses)
	index, total := 0, 1
	if shard != nil {
		all, index, total = all[shard[0]:shard[0]+1], shard[1], shard[2]
	}
	fields := object{
		"jobId": id, "executorHandler": j.Handler, "executorParams": param, "executorBlockStrategy": "SERIAL_EXECUTION",
		"executorTimeout": 0, "logId": row.Log, "logDateTime": row.date, "glueType": "BEAN", "glueSource": "",
		"glueUpdatetime": 1795226987000, "broadcastIndex": index, "broadcastTotal": total,
	}
	if a.is("fields are left out") {
		delete(fields, "executorTimeout")
	}
	a.work.Go(func() {
		address, err := a.choose(all, j.Route)
		a.mu.Lock()
		row.Address = address
		a.mu.Unlock()
		if err == nil {
			err = a.post(address, a.word("run-path"), fields)
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		row.sent = true
		if err != nil && !a.is("refusals are not seen") {
			row.State, row.Message = "failed", err.Error()
		}
	})
}

func (a *refAdmin) choose(all []string, route string) (string, error) {
	for _, address := range all {
		switch {
		case route == "failover" && !a.is("failover asks nobody"):
			if a.post(address, "/beat", nil) != nil {
				continue
			}
		case route == "busyover" && !a.is("busyover asks nobody"):
			if a.post(address, "/idleBeat", object{"jobId": 1}) != nil {
				continue
			}
		}
		return address, nil
	}
	return "", fmt.Errorf("registry address is empty")
}

func (a *refAdmin) post(address, path string, fields any) error {
	_, _, err := a.ask(address, path, fields)
	return err
}

// ask posts, and returns the lines of a log that come back.
func (a *refAdmin) ask(address, path string, fields any) (text string, to int, err error) {
	body := []byte{}
	if path == "/beat" && a.is("beats have a body") {
		body = []byte(`""`)
	}
	if fields != nil {
		body, _ = json.Marshal(fields)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(address, "/")+path, bytes.NewReader(body))
	if err != nil {
		return "", 0, err
	}
	if a.is("bodies come in chunks") {
		request.ContentLength = -1
	}
	if a.is("names of headers are tidied up") {
		request.Header.Set(a.word("token-header"), "tok")
	} else {
		request.Header[a.word("token-header")] = []string{"tok"}
	}
	request.Header[a.word("app-header")] = []string{"app-x"}
	request.Close = true
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return "", 0, err
	}
	defer response.Body.Close()
	var reply struct {
		Code          int
		Msg           string
		Data, Content struct {
			LogContent string
			ToLineNum  int
		}
	}
	if err := json.NewDecoder(response.Body).Decode(&reply); err != nil {
		if a.is("odd answers are a success") {
			return "", 0, nil
		}
		return "", 0, err
	}
	if reply.Code != 200 {
		return "", 0, fmt.Errorf("code %d: %s", reply.Code, reply.Msg)
	}
	return reply.Data.LogContent + reply.Content.LogContent, reply.Data.ToLineNum + reply.Content.ToLineNum, nil
}

// Runs implements Control.
func (a *refAdmin) Runs(_ context.Context, id int64) ([]Run, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var found []Run
	for _, row := range a.rows {
		if row.job == id {
			found = append(found, row.Run)
		}
	}
	return found, nil
}

// Kill implements Killer.
func (a *refAdmin) Kill(_ context.Context, log int64) error {
	a.mu.Lock()
	row := a.rows[log-1]
	address, id := row.Address, row.job
	if row.State != "running" && !a.is("what never ran is killed") {
		a.mu.Unlock()
		return errors.New("Trigger Fail, can not kill job")
	}
	if !a.polite && !a.is("a kill waits for the outcome") {
		row.State, row.Message = "failed", "Manual operation, kill job:Success"
	}
	a.mu.Unlock()
	if a.is("a kill names the run") {
		id = log + 1000
	}
	return a.post(address, "/kill", object{"jobId": id})
}
