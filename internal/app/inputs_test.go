package app

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// parameters is an executor of the XXL-JOB family that remembers what its tasks had as
// parameters, and fails them all.
type parameters struct {
	mu   sync.Mutex
	seen []string
	logs []int64
}

func (p *parameters) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var task struct {
		LogID int64  `json:"logId"`
		Param string `json:"executorParams"`
	}
	if r.URL.Path == "/run" && json.Unmarshal(body, &task) == nil {
		p.mu.Lock()
		p.seen, p.logs = append(p.seen, task.Param), append(p.logs, task.LogID)
		p.mu.Unlock()
	}
	_, _ = io.WriteString(w, `{"code":200,"msg":null}`)
}

// parametersOf returns one that is an executor of group h.
func parametersOf(t *testing.T, s *Server) *parameters {
	t.Helper()
	executor := &parameters{}
	server := httptest.NewServer(executor)
	t.Cleanup(server.Close)
	registration := fmt.Sprintf(`{"registryGroup":"EXECUTOR","registryKey":"h","registryValue":%q}`, server.URL)
	if _, got := knock(t, s, madeFor(s, "h"), "", "/api/registry", registration); !strings.Contains(got, `"code":200`) {
		t.Fatal(got)
	}
	return executor
}

func (p *parameters) got() ([]string, []int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.seen...), append([]int64(nil), p.logs...)
}

// Who may only operate a job gives values of its inputs, and nothing else of its parameter,
// at every door; no value reaches a secret.
func TestInputsAreAllThatOperatorsGive(t *testing.T) {
	t.Parallel()
	f := besiege(t)
	c := &campaign{T: t, f: f, dice: newDice(1, nil)}
	c.hire("operator-of-h", "operator", "default", "h")
	c.hire("operator-of-all", "operator", "default", "*")
	operator, ofAll := c.people[0], c.people[1]
	const job1 = `{"key":"call","group":"h","schedule":{"kind":"cron","cron":"0 0 3 1 1 ?"},"enabled":false,"overlap":"concurrent","concurrency":60,"handler":{"kind":"named","name":"httpJobHandler"},
		"param":"{\"url\":\"https://fixed.example/${input:day|url}\",\"secrets\":[\"KEY\"],\"body\":\"${secret:KEY} ${input:day} ${input:region}\"}",
		"inputs":[{"name":"day","pattern":"[0-9-]{1,10}","default":"0"},{"name":"region","default":"","max":20}]}`
	if made := askAPI(t, f.Server, "POST", "/jobs", job1); made.StatusCode != http.StatusCreated {
		t.Fatal(made.body)
	}
	if made := askAPI(t, f.Server, "PUT", "/workflows/flow", `{"nodes":[{"name":"n","job":"call","param":"{{param}}"}]}`); made.StatusCode != http.StatusOK {
		t.Fatal(made.body)
	}
	executor := parametersOf(t, f.Server)
	// A dead run with values of its own.
	if status, body := c.person(operator, "POST", "/jobs/call/trigger", `{"param":"{\"day\":\"1\"}"}`); status != http.StatusCreated {
		t.Fatal(status, body)
	}
	until(t, "the executor has the task", func() bool { seen, _ := executor.got(); return len(seen) == 1 })
	_, attempts := executor.got()
	knock(t, f.Server, madeFor(f.Server, "h"), "", "/api/callback", fmt.Sprintf(`[{"logId":%d,"handleCode":500}]`, attempts[0]))
	var dead int64
	until(t, "it is a dead letter", func() bool {
		var list struct {
			Letters []struct {
				Run string `json:"run_id"`
			} `json:"dead_letters"`
		}
		_, body := c.person(operator, "GET", "/dead-letters", "")
		_ = json.Unmarshal([]byte(body), &list)
		if len(list.Letters) == 1 {
			_, _ = fmt.Sscan(list.Letters[0].Run, &dead)
		}
		return dead != 0
	})
	j := find(t, f.Jobs(), "call")
	old := newScript(t, f.Server, operator.headers)
	const span = `"from":"2025-12-31T00:00:00Z","to":"2026-01-02T00:00:00Z"`
	ask := func(method, path, body string) func(string) (bool, string) {
		return func(param string) (bool, string) {
			quoted, _ := json.Marshal(param)
			status, text := c.person(operator, method, path, fmt.Sprintf(body, quoted))
			if !strings.Contains(text, "param") && status >= http.StatusBadRequest {
				t.Errorf("%s %s: %d %s", method, path, status, text)
			}
			return status < http.StatusBadRequest && !strings.Contains(text, `"failed":1`), text
		}
	}
	doors := map[string]func(param string) (bool, string){
		"trigger": ask("POST", "/jobs/call/trigger", `{"param":%s}`),
		"trial":   ask("POST", "/jobs/call/trial", `{"param":%s}`),
		"preview": ask("POST", "/jobs/call/backfills?dry_run=true", `{"param":%s,`+span+`}`),
		"rerun":   ask("POST", fmt.Sprintf("/runs/%d/rerun", dead), `{"param":%s}`),
		"old admin": func(param string) (bool, string) {
			reply := old.post("jobinfo/trigger", "id", j.ID, "executorParam", param)
			return reply.Code == 200, reply.text
		},
		"executor": func(param string) (bool, string) {
			body, _ := json.Marshal(map[string]any{"id": j.ID, "executorParam": param})
			_, got := knock(t, f.Server, madeFor(f.Server, "h"), "h", "/api/triggerJob", string(body))
			return strings.Contains(got, `"code":200`), got
		},
	}
	redrive := ask("POST", fmt.Sprintf("/dead-letters/%d/redrive", dead), `{"param":%s}`)
	redriveAll := ask("POST", "/dead-letters/redrive", `{"runs":["`+fmt.Sprint(dead)+`"],"param":%s}`)
	bad := []string{
		`{"url":"https://evil.example","secrets":"KEY"}`, `{"day":"1","body":"x"}`, `{"day":"x"}`, `{"day":"1/../../x"}`, `{"region":"${secret:KEY}"}`,
		`{"region":"\",\"url\":\"https://evil"}`, `https://evil.example`, `url: https://evil.example`, `[1]`, `{"day":{"x":1}}`,
	}
	for _, param := range bad {
		for name, door := range doors {
			if may, text := door(param); may {
				t.Errorf("%s took %s: %s", name, param, text)
			}
		}
		for name, door := range map[string]func(string) (bool, string){"redrive": redrive, "redrive of many": redriveAll} {
			if may, text := door(param); may {
				t.Errorf("%s took %s: %s", name, param, text)
			}
		}
		// What a workflow is given is found wrong when its node runs.
		want := http.StatusCreated
		if strings.Contains(param, "${secret:") {
			want = http.StatusUnprocessableEntity
		}
		if status, body := c.person(ofAll, "POST", "/workflows/flow/runs", fmt.Sprintf(`{"param":%q}`, param)); status != want {
			t.Errorf("workflow: %d %s", status, body)
		}
	}
	const good = `{"day":"2030-01-31","region":"a\"b"}`
	for name, door := range doors {
		if may, text := door(good); !may {
			t.Errorf("%s refused %s: %s", name, good, text)
		}
	}
	if may, text := redrive(good); !may {
		t.Errorf("the redrive refused %s: %s", good, text)
	}
	until(t, "the executor has the good ones", func() bool { seen, _ := executor.got(); return len(seen) >= 7 })
	until(t, "the workflows are over", func() bool {
		_, body := c.person(ofAll, "GET", "/workflow-runs?limit=100", "")
		return strings.Count(body, `"state":"failed"`) == len(bad)-1
	})
	seen, _ := executor.got()
	for i, param := range seen {
		want := `{"url":"https://fixed.example/2030-01-31","secrets":["KEY"],"body":"${secret:KEY} 2030-01-31 a\"b"}`
		if i == 0 {
			want = `{"url":"https://fixed.example/1","secrets":["KEY"],"body":"${secret:KEY} 1 "}`
		}
		if param != want {
			t.Errorf("a task has %s", param)
		}
	}
}

// A node whose values do not fit the inputs of its job is refused when the workflow is
// saved. When the inputs change later, its node fails with the name of the input.
func TestValuesOfNodesFitTheInputs(t *testing.T) {
	t.Parallel()
	f := besiege(t)
	const call = `"group":"h","handler":{"kind":"named","name":"x"},"schedule":{"kind":"manual"}`
	if made := askAPI(t, f.Server, "POST", "/jobs", `{"key":"call",`+call+`,"param":"${input:day}","inputs":[{"name":"day","pattern":"[0-9-]{1,10}"}]}`); made.StatusCode != http.StatusCreated {
		t.Fatal(made.body)
	}
	for param, want := range map[string]string{
		`,"param":"{\"day\":\"today\"}"`:         `"field":"nodes[0].param.day"`,
		`,"param":"{\"dya\":\"{{param}}\"}"`:     "the input day has no value",
		``:                                       "the input day has no value",
		`,"param":"{\"day\":1,\"hour\":\"1\"}"`:  `\"hour\" is no input of job call`,
		`,"param":"{\"day\":[\"{{run_id}}\"]}"`:  "must be a text, a number",
		`,"param":"day={{param}}; {{run_id}} x"`: "must be an object of JSON with the values",
		`,"param":"{{param}}"`:                   "",
	} {
		saved := askAPI(t, f.Server, "PUT", "/workflows/flow", `{"nodes":[{"name":"n","job":"call"`+param+`}]}`)
		if good := saved.StatusCode == http.StatusOK; good != (want == "") || !strings.Contains(saved.body, want) {
			t.Errorf("%s: %d %s, want %q", param, saved.StatusCode, saved.body, want)
		}
	}
	if saved := askAPI(t, f.Server, "PUT", "/workflows/flow", `{"nodes":[{"name":"n","job":"call","param":"{\"day\":\"{{param}}\"}"}]}`); saved.StatusCode != http.StatusOK {
		t.Fatal(saved.body)
	}
	changed := askAPI(t, f.Server, "PATCH", "/jobs/call", `{"param":"${input:date}","inputs":[{"name":"date"}]}`)
	if changed.StatusCode != http.StatusOK {
		t.Fatal(changed.body)
	}
	executor := parametersOf(t, f.Server)
	started := askAPI(t, f.Server, "POST", "/workflows/flow/runs", `{"param":"2030-01-31"}`)
	if started.StatusCode != http.StatusCreated {
		t.Fatal(started.body)
	}
	var run struct{ ID string }
	_ = json.Unmarshal([]byte(started.body), &run)
	var shown string
	until(t, "the workflow has failed", func() bool {
		shown = askAPI(t, f.Server, "GET", "/workflow-runs/"+run.ID, "").body
		return strings.Contains(shown, `"state":"failed"`)
	})
	if !strings.Contains(shown, "the input date has no value and no default") {
		t.Errorf("the workflow run says %s", shown)
	}
	if seen, _ := executor.got(); len(seen) > 0 {
		t.Errorf("the executor was given %s", seen)
	}
}
