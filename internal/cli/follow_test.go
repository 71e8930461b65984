package cli_test

import (
	"context"
	"strings"
	"testing"
	"time"
)

// page is an answer with lines from..to of a log, or with none.
func page(from, to, text string) string {
	next := from
	if text != "" {
		next = map[string]string{"1": "2", "2": "3", "3": "4"}[to]
	}
	return `200 {"from":` + from + `,"to":` + to + `,"next":` + next + `,"text":"` + text + `","done":false}`
}

func TestLogs(t *testing.T) {
	t.Parallel()
	const run, log = "GET /runs/" + runID, "GET /runs/" + runID + "/log"
	second := strings.NewReplacer(`"tries":1`, `"tries":2`, `"99"`, `"100"`).Replace
	for _, c := range []struct {
		name, args     string
		answers        map[string][]string
		code           int
		stdout, stderr string
		requests       string // attempt and first line of each request for the log
	}{
		{
			name: "one look", args: "",
			answers: map[string][]string{run: {"200 " + running}, log: {page("1", "2", `a\nb\n`), page("3", "2", "")}},
			stdout:  "a\nb\n", requests: "1:1,1:3",
		},
		{
			name: "an older attempt", args: "--attempt 1",
			answers: map[string][]string{run: {"200 " + failed}, log: {page("1", "1", `a\n`), page("2", "1", "")}},
			stdout:  "a\n", requests: "1:1,1:2",
		},
		{
			name: "an older attempt, followed", args: "--attempt 1 --follow",
			answers: map[string][]string{run: {"200 " + failed}, log: {page("1", "1", `a\n`), page("2", "1", "")}},
			stdout:  "a\n", requests: "1:1,1:2",
		},
		{
			name: "not tried yet", args: "",
			answers: map[string][]string{run: {"200 " + planned}},
			stderr:  "--- run " + runID + " has no attempt yet: it is planned\n",
		},
		{
			name: "an empty log", args: "",
			answers: map[string][]string{run: {"200 " + succeeded}, log: {page("1", "0", "")}},
			stderr:  "--- attempt 1 has written no log\n", requests: "1:1",
		},
		{
			name: "kept by the server", args: "",
			answers: map[string][]string{run: {"200 " + running}, log: {
				strings.Replace(page("1", "2", `a\nb\n`), `"done"`, `"from_memory":true,"done"`, 1),
				strings.Replace(page("3", "2", ""), `"done"`, `"from_memory":true,"done"`, 1),
			}},
			stdout: "a\nb\n", requests: "1:1,1:3",
			stderr: "--- the executor of attempt 1 is unreachable: showing the lines stored on the server\n",
		},
		{
			name: "the executor is away", args: "",
			answers: map[string][]string{run: {"200 " + running}, log: {`503 {"code":"unreachable","detail":"executor http://10.0.0.1:9999: connection refused"}`}},
			code:    6, stderr: "orth: executor http://10.0.0.1:9999: connection refused\n", requests: "1:1",
		},
		{
			name: "followed to the end", args: "--follow",
			answers: map[string][]string{
				run: {"200 " + planned, "200 " + running, "200 " + running, "200 " + succeeded},
				log: {page("1", "1", `a\n`), page("2", "1", ""), page("2", "2", `b\n`), page("3", "2", ""), page("3", "3", `c\n`), page("4", "3", "")},
			},
			stdout: "a\nb\nc\n", requests: "1:1,1:2,1:2,1:3,1:3,1:4",
		},
		{
			name: "followed through a retry", args: "-f",
			answers: map[string][]string{
				run: {"200 " + running, "200 " + waiting, "200 " + second(running), "200 " + second(running), "200 " + second(succeeded)},
				log: {
					page("1", "1", `a\n`), page("2", "1", ""), page("2", "1", ""), page("2", "2", `b\n`), page("3", "2", ""),
					page("1", "1", `c\n`), page("2", "1", ""), page("2", "1", ""),
				},
			},
			stdout: "a\nb\nc\n", stderr: "--- attempt 2\n",
			requests: "1:1,1:2,1:2,1:2,1:3,2:1,2:2,2:2",
		},
		{
			name: "followed while the executor is away", args: "--follow",
			answers: map[string][]string{
				run: {"200 " + running, "200 " + running, "200 " + succeeded},
				log: {`503 {"code":"unreachable","detail":"away"}`, page("1", "1", `a\n`), page("2", "1", ""), page("2", "1", "")},
			},
			stdout: "a\n", requests: "1:1,1:1,1:2,1:2",
		},
		{
			name: "followed and never tried", args: "--follow",
			answers: map[string][]string{run: {"200 " + planned, "200 " + strings.NewReplacer("planned\"", "cancelled\"", `"final":false`, `"final":true,"reason":"the job was deleted"`).Replace(planned)}},
			stderr:  "--- run " + runID + " has no attempt yet: it is cancelled: the job was deleted\n",
		},
		{
			name: "no such run", args: "--follow",
			answers: map[string][]string{run: {`404 {"code":"not_found","detail":"there is no run ` + runID + `"}`}},
			code:    3, stderr: "orth: there is no run " + runID + "\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := newFake(t, c.answers)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			r := orth(ctx, server.env(), strings.Fields("run log "+runID+" "+c.args)...)
			if r.code != c.code || r.stdout != c.stdout || r.stderr != c.stderr {
				t.Errorf("exit code %d, standard output %q, standard error %q", r.code, r.stdout, r.stderr)
			}
			var asked []string
			for line := range strings.Lines(server.seen()) {
				if _, query, ok := strings.Cut(strings.TrimSpace(line), "/log?"); ok {
					asked = append(asked, strings.NewReplacer("attempt=", "", "&from=", ":").Replace(query))
				}
			}
			if got := strings.Join(asked, ","); got != c.requests {
				t.Errorf("asked for %s, want %s", got, c.requests)
			}
		})
	}
}

func TestWaitingIsInterrupted(t *testing.T) {
	t.Parallel()
	server := newFake(t, map[string][]string{
		"POST /jobs/report/trigger": {"201 " + planned}, "GET /runs/" + runID: {"200 " + running},
		"GET /runs/" + runID + "/log": {page("1", "0", "")},
	})
	for _, args := range []string{"job trigger report --wait", "run log " + runID + " --follow"} {
		ctx, cancel := context.WithCancel(t.Context())
		before := strings.Count(server.seen(), "/runs/"+runID)
		go func() { // until it waits
			for ctx.Err() == nil && strings.Count(server.seen(), "/runs/"+runID) == before {
				<-time.After(time.Millisecond)
			}
			cancel()
		}()
		r := orth(ctx, server.env(), strings.Split(args, " ")...)
		cancel()
		if r.code != 130 || !strings.HasSuffix(r.stderr, "orth: interrupted\n") {
			t.Errorf("%s: exit code %d, %s", args, r.code, r.stderr)
		}
		if strings.Contains(args, "--wait") && !strings.Contains(r.stderr, "continues. See it with 'orth run show "+runID) {
			t.Errorf("%s: %s", args, r.stderr)
		}
	}
}
