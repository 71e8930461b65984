package app

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// generation is how the executors of one release call, and what they check.
type generation struct {
	dialect job.Dialect // what the server makes of it
	api     string      // below the server's address
	lines   map[string]string
	run     string // the path at which runs start
	token   string // the header in which it wants the token
	named   bool   // it wants its group named
	object  bool   // it sends outcomes within an object
	flag    string // the end of a log's page
	hand    bool   // it does not register
}

func generations() map[string]generation {
	const (
		old, later = "application/json;charset=UTF-8", "UTF-8"
		token      = "XXL-JOB-ACCESS-TOKEN"
	)
	next := generation{
		dialect: job.DialectXXL35, api: "/api/", lines: map[string]string{"Accept-Charset": later, "XXL-JOB-APPNAME": "g"},
		run: "/trigger", token: token, named: true, object: true, flag: "isEnd",
	}
	byHand := next
	byHand.hand = true
	return map[string]generation{
		"2.4.2": {
			dialect: job.DialectXXL2, api: "/xxl-job-admin/api/", lines: map[string]string{"Accept-Charset": old},
			run: "/run", token: token, flag: "isEnd",
		},
		"3.4.2": {dialect: job.DialectXXL3, api: "/api/", lines: map[string]string{"Accept-Charset": later}, run: "/run", token: token, flag: "isEnd"},
		"3.5":   next,
		"fork": {
			dialect: job.DialectOrthJava, api: "/orth-admin/api/", lines: map[string]string{"Accept-Charset": later},
			run: "/run", token: "ORTH-ACCESS-TOKEN", flag: "end",
		},
		"somebody": {api: "/api/", run: "/run", token: token, flag: "isEnd"},
		"by hand":  byHand,
	}
}

// foreigner is an executor of another make.
type foreigner struct {
	*testing.T
	generation

	name, token, server, address string

	mu   sync.Mutex
	runs []float64 // ids
}

// call asks the server for something.
func (p *foreigner) call(name, body string) {
	r, err := http.NewRequestWithContext(p.Context(), http.MethodPost, p.server+p.api+name, strings.NewReader(body))
	if err != nil {
		p.Error(err)
		return
	}
	r.Header.Set(p.generation.token, p.token)
	for key, value := range p.lines {
		r.Header.Set(key, value)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		if p.Context().Err() == nil {
			p.Error(err)
		}
		return
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	if !strings.HasPrefix(string(text), `{"code":200,`) {
		p.Errorf("%s: %s is answered %s", p.name, name, text)
	}
}

func (p *foreigner) register() {
	p.call("registry", `{"registryGroup":"EXECUTOR","registryKey":"g","registryValue":"`+p.address+`"}`)
}

func (p *foreigner) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request map[string]any
	_ = json.NewDecoder(r.Body).Decode(&request)
	say := func(text string) { _, _ = io.WriteString(w, text) }
	switch {
	case p.named && (r.Header.Get("Xxl-Job-Appname") == "" || r.Header.Get(p.generation.token) == ""):
		say(`{"code":500,"msg":"invalid request, accessToken or appname is empty."}`)
		return
	case r.Header.Get(p.generation.token) != p.token || p.named && r.Header.Get("Xxl-Job-Appname") != "g":
		say(`{"code":500,"msg":"The access token is wrong."}`)
		return
	}
	switch r.URL.Path {
	case "/beat", "/idleBeat", "/kill":
		say(`{"code":200}`)
	case "/log":
		say(`{"code":200,"data":{"fromLineNum":1,"toLineNum":1,"logContent":"` + p.name + `\n","` + p.flag + `":false}}`)
	case p.run:
		id, _ := request["logId"].(float64)
		p.mu.Lock()
		p.runs = append(p.runs, id)
		p.mu.Unlock()
		say(`{"code":200}`)
	default:
		say(`{"code":500,"msg":"invalid request, uri-mapping(` + r.URL.Path + `) not found."}`)
	}
}

// report sends the outcomes of all runs.
func (p *foreigner) report() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, id := range p.runs {
		item, _ := json.Marshal(map[string]any{"logId": id, "handleCode": 200, "handleMsg": p.name})
		list := "[" + string(item) + "]"
		if p.object {
			list = `{"callbackList":` + list + `}`
		}
		p.call("callback", list)
	}
	p.runs = nil
}

// enter enters an address by hand.
func enter(t *testing.T, s *Server, address string) {
	t.Helper()
	body := strings.NewReader(`{"address":"` + address + `"}`)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+"/api/v1/groups/g/addresses", body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.config.APIToken.Reveal())
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, _ := io.ReadAll(answer.Body); answer.StatusCode != http.StatusCreated || strings.Contains(string(text), "unreachable") {
		t.Fatalf("entered by hand: %d %s", answer.StatusCode, text)
	}
}

// TestDialectsAtOnce lets executors of all generations register in one group, and
// sends one broadcast to all of them: each gets its shard as it wants it, its log is
// read and its outcome is taken.
func TestDialectsAtOnce(t *testing.T) {
	t.Parallel()
	s := begin(t)
	c := s.Jobs()
	peers := map[string]*foreigner{} // by address
	for name, g := range generations() {
		p := &foreigner{T: t, generation: g, name: name, token: madeFor(s, "g"), server: s.URL()}
		door := httptest.NewServer(p)
		t.Cleanup(door.Close)
		p.address = door.URL + "/"
		if peers[p.address] = p; p.hand {
			enter(t, s, p.address)
			continue
		}
		p.register()
	}
	until(t, "all are known, and how they are spoken to", func() bool {
		all, err := c.Executors(t.Context())
		for _, e := range all {
			// One that was entered by hand has a lease once it has answered, and tasks from then on.
			if e.Dialect != peers[e.Address].dialect || e.Unreachable != "" || e.LeaseUntil.IsZero() {
				return false
			}
		}
		return err == nil && len(all) == len(peers)
	})
	_, err := c.CreateJob(t.Context(), job.Job{
		Key: "all", Group: "g", Schedule: schedule.Spec{Kind: schedule.KindManual}, Route: job.RouteBroadcast,
		Handler: job.Handler{Kind: job.HandlerNamed, Name: "demo"},
	})
	if err != nil {
		t.Fatal(err)
	}
	run, err := c.Trigger(t.Context(), "", "all", jobs.Trigger{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range peers {
		until(t, p.name+" gets its shard", func() bool {
			p.mu.Lock()
			defer p.mu.Unlock()
			return len(p.runs) == 1
		})
		p.report()
	}
	until(t, "the run ends", func() bool {
		run, err = c.Run(t.Context(), run.ID)
		return err == nil && run.State == job.Succeeded
	})
	// The logs are read as each wants to be asked.
	shards, err := c.Runs(t.Context(), jobrows.RunFilter{JobID: run.JobID, Shards: true, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	read := map[string]bool{}
	for _, shard := range shards {
		if shard.ID == run.ID {
			continue
		}
		page, err := s.Queries().Log(t.Context(), shard.ID, queries.LogQuery{})
		if err != nil {
			t.Errorf("log of shard %d: %+v, %v", shard.ID, page, err)
		}
		read[strings.TrimSpace(page.Text)] = true
	}
	if len(read) != len(peers) {
		t.Errorf("logs of %v were read; want one of each of %d", read, len(peers))
	}
}
