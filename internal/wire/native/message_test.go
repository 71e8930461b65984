package native

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

var update = flag.Bool("update", false, "rewrite the messages in testdata")

// again reads a message and writes what was read.
func again[T any](decode func([]byte) (T, error), encode func([]byte, T) []byte) func([]byte) ([]byte, error) {
	return func(body []byte) ([]byte, error) {
		value, err := decode(body)
		if err != nil {
			return nil, err
		}
		return encode(nil, value), nil
	}
}

// flagged is again for the messages that have one truth value.
func flagged(name string) func([]byte) ([]byte, error) {
	return again(
		func(body []byte) (bool, error) { return decodeFlag(body, name) },
		func(dst []byte, value bool) []byte { return appendFlag(dst, name, value) },
	)
}

// messages returns how each message is read and written again, by name.
func messages() map[string]func([]byte) ([]byte, error) {
	return map[string]func([]byte) ([]byte, error){
		"register":        again(decodeRegistration, appendRegistration),
		"register answer": again(decodeRegistered, appendRegistered),
		"farewell":        again(decodeFarewell, appendFarewell),
		"facts":           again(decodeFacts, appendFacts),
		"outcomes":        again(decodeOutcomes, appendOutcomes),
		"pull":            again(decodePull, appendPull),
		"pull answer":     again(decodeCommands, appendCommands),
		"answers":         again(decodeAnswers, appendAnswers),
		"tasks":           again(decodeTasks, appendTasks),
		"tasks answer":    again(decodeTaskAnswers, appendTaskAnswers),
		"attempts":        again(decodeAttempts, appendAttempts),
		"attempts answer": again(decodeAttemptStates, appendAttemptStates),
		"cancel":          again(decodeCancel, appendCancel),
		"busy":            again(decodeJob, appendJob),
		"busy answer":     flagged(flagBusy),
		"log":             again(decodeLogRequest, appendLogRequest),
		"log answer":      again(decodeLogPage, appendLogPage),
		"follow":          again(decodeFollow, appendFollow),
		"logs":            again(decodeLogs, appendLogs),
		"logs answer":     again(decodeLogsAnswer, appendLogsAnswer),
		"drain":           flagged(flagOn),
		"drain answer":    flagged(flagDraining),
		"beat answer":     again(decodeBeatAnswer, appendBeatAnswer),
		"problem": again(
			func(body []byte) (problem, error) { return decodeProblem(403, body) }, appendProblem,
		),
	}
}

const instanceForTests = "5f0c1122334455667788990a"

func ms(n int64) time.Time { return job.FromMillis(n) }

// fullTask is a task with all words, plainTask one with as few as may be.
func fullTask() job.Task {
	return job.Task{
		AttemptID: 17, JobID: 3, RunID: 9, Try: 2,
		Handler: job.Handler{Kind: job.HandlerShell, Name: "pay", Source: "echo \"hi\"\n", SourceAt: ms(1795227154000)},
		Param:   "x=1\u2028<&>", Labels: map[string]string{"zone": "eu", "a": "\x01"}, Overlap: job.OverlapConcurrent,
		Concurrency: 4, Timeout: 1500 * time.Millisecond, TriggeredAt: ms(1795227154001), PlannedAt: ms(1795227154002),
		ShardIndex: 1, ShardTotal: 3, OnCrash: job.CrashRerun,
	}
}

func plainTask(attempt int64) job.Task {
	return job.Task{
		AttemptID: attempt, JobID: 3, Handler: job.Handler{Kind: job.HandlerNamed, Name: "pay"}, Overlap: job.OverlapSerial,
		TriggeredAt: ms(1795227154001), ShardTotal: 1,
	}
}

// tasksOf is a request with tasks whose logs have no follower.
func tasksOf(tasks ...job.Task) tasksRequest {
	var r tasksRequest
	for _, t := range tasks {
		r.tasks = append(r.tasks, arrival{Task: t})
	}
	return r
}

// followedTasks is a request with tasks of which the second is followed.
func followedTasks() tasksRequest {
	r := tasksOf(plainTask(16), fullTask())
	r.server, r.address, r.within, r.tasks[1].follow = "XJ2", "http://10.0.0.7:9999/", 3*time.Second, true
	r.tasks[1].startIn = 80*time.Millisecond + 17*time.Microsecond
	return r
}

func fullRegistration() registration {
	return registration{
		beat: job.Beat{
			Group: "billing", Address: "http://10.0.0.7:9999/", Dialect: job.DialectNative, Features: []string{"shell", "zone=eu"}, Handlers: []string{"pay", "report \"x\""},
			Life: job.Life{
				Incarnation: "a1", StartedAt: ms(1795227154000), Every: 10 * time.Second, Load: &job.Load{Running: 3, Waiting: 1},
				Holds: []int64{17, 18}, Whole: true, Draining: true,
			},
		},
		transport: transportPush, instance: instanceForTests, batch: 256,
	}
}

// samples returns each message as it is written, by name.
func samples() map[string][]byte {
	load := &job.Load{Running: 3, Waiting: 1}
	commands := pulled{waited: 1500 * time.Millisecond, commands: []command{
		{7, nameTasks, appendTasks(nil, tasksOf(plainTask(17))), 3 * time.Second}, {8, nameCancel, []byte(`{"attempts":[17]}`), 0},
	}}
	return map[string][]byte{
		"register":        appendRegistration(nil, fullRegistration()),
		"register answer": appendRegistered(nil, registered{"http://10.0.0.7:9999/", 25 * time.Second, ms(1795227154000), "1.0.0"}),
		"farewell":        appendFarewell(nil, farewell{"billing", PullAddress("billing", instanceForTests)}),
		"facts":           appendFacts(nil, factsMessage{"billing", "http://10.0.0.7:9999/", job.Facts{Kind: "solana", Text: `{"threads": [1]}`}}),
		"outcomes": appendOutcomes(nil, []job.Outcome{
			{AttemptID: 17, TriggeredAt: ms(1795227154001), State: job.Succeeded, Message: "paid \"2\"", EndedAt: ms(1795227154900), Log: "one\ntwo\n"},
			{AttemptID: 18, State: job.Failed, Class: retry.ClassNotReady, RetryAfter: 90 * time.Second},
		}),
		"pull":            appendPull(nil, pullRequest{"billing", instanceForTests, "a1", 25 * time.Second, 256, 7, true}),
		"pull answer":     appendCommands(nil, commands),
		"answers":         appendAnswers(nil, answersRequest{"billing", instanceForTests, []commandAnswer{{7, 200, []byte(`{"answers":[]}`)}}}),
		"tasks":           appendTasks(nil, followedTasks()),
		"tasks answer":    appendTaskAnswers(nil, []taskAnswer{{17, taskAccepted, ""}, {18, taskFull, "10000 wait"}}),
		"attempts":        appendAttempts(nil, []attemptRef{{17, ms(1795227154001)}, {18, time.Time{}}}),
		"attempts answer": appendAttemptStates(nil, []attemptState{{17, attemptRunning, false}, {18, attemptUnknown, false}, {19, attemptEnded, true}}),
		"cancel":          appendCancel(nil, cancelRequest{[]int64{17, 18}, "the deadline is over"}),
		"busy":            appendJob(nil, 3),
		"busy answer":     appendFlag(nil, flagBusy, true),
		"log":             appendLogRequest(nil, logRequest{17, ms(1795227154001), 1}),
		"log answer":      appendLogPage(nil, job.LogPage{From: 1, To: 2, Text: "one\ntwo\n"}),
		"follow":          appendFollow(nil, followRequest{"s1", "http://10.0.0.7:9999/", 17, ms(1795227154001), 3, time.Minute}),
		"logs": appendLogs(nil, logsRequest{"s1", "http://10.0.0.7:9999/", []chunk{
			{17, job.LogPage{From: 3, Text: "three\nfour \"4\"\n"}}, {18, job.LogPage{From: 1, End: true}},
		}}),
		"logs answer":  appendLogsAnswer(nil, logsAnswer{true, "", []int64{18}}),
		"drain":        appendFlag(nil, flagOn, true),
		"drain answer": appendFlag(nil, flagDraining, false),
		"beat answer":  appendBeatAnswer(nil, beatAnswer{true, load}),
		"problem":      appendProblem(nil, problem{403, kindRefused, "no"}),
	}
}

// TestMessages: messages are written as testdata/messages.txt shows them, are JSON,
// and read back as they were.
func TestMessages(t *testing.T) {
	t.Parallel()
	all := samples()
	var text strings.Builder
	for _, name := range sortedKeys(all) {
		text.WriteString("=== " + name + "\n" + string(all[name]) + "\n")
		if !json.Valid(all[name]) {
			t.Errorf("%s is no JSON: %s", name, all[name])
		}
		back, err := messages()[name](all[name])
		if err != nil || !bytes.Equal(back, all[name]) {
			t.Errorf("%s: read and written again: %v\n%s\nwant\n%s", name, err, back, all[name])
		}
	}
	path := filepath.Join("testdata", "messages.txt")
	if *update {
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func sortedKeys[T any](m map[string]T) []string {
	var keys []string
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// TestMessagesOfLaterVersions: unknown fields are skipped, wherever they stand.
func TestMessagesOfLaterVersions(t *testing.T) {
	t.Parallel()
	const news = `"from_2031":{"a":[1,{"b":null}]},"also":"\u00e9",`
	for name, sample := range samples() {
		later := bytes.ReplaceAll(sample, []byte(`{"`), []byte(`{`+news+`"`))
		if name == "tasks" { // its labels are not fields
			later = bytes.Replace(later, []byte(`"labels":{`+news), []byte(`"labels":{`), 1)
		}
		back, err := messages()[name](later)
		if name == "pull answer" || name == "answers" || name == "facts" { // what they carry comes as it is
			if err != nil || !bytes.Contains(back, []byte("from_2031")) {
				t.Errorf("%s of a later version: %v\n%s", name, err, back)
			}
			continue
		}
		if err != nil || !bytes.Equal(back, sample) {
			t.Errorf("%s of a later version: %v\n%s\nwant\n%s", name, err, back, sample)
		}
	}
}

// TestMessagesRefuse: what is wrong is Invalid, with the place.
func TestMessagesRefuse(t *testing.T) {
	t.Parallel()
	over := func(n int, item string) string { return "[" + strings.Repeat(item+",", n) + item + "]" }
	register := func(change string) string {
		return strings.Replace(string(samples()["register"]), `"group":"billing"`, change, 1)
	}
	for _, c := range []struct{ message, body, text string }{
		{"tasks", ``, "an object"},
		{"tasks", `{"tasks":[{"attempt":1},{"attempt":"x"}]}`, "tasks[1]: attempt must be a whole number"},
		{"tasks", `{"tasks":[{}]}`, "tasks[0]: attempt is missing"},
		{"tasks", `{"tasks":[{"attempt":1,"shard_index":-1}]}`, "shard_index"},
		{"tasks", `{"tasks":` + over(maxTasks, `{"attempt":1}`) + `}`, "more than 1000"},
		{"tasks", `{"tasks":[{"attempt":1,"labels":{` + `"a0":1,"a1":1,"a2":1,"a3":1,"a4":1,"a5":1,"a6":1,"a7":1,"a8":1,` +
			`"a9":1,"b0":1,"b1":1,"b2":1,"b3":1,"b4":1,"b5":1,"b6":1}}]}`, "labels has more than 16"},
		{"outcomes", `{"outcomes":[{"attempt":1}]}`, "outcomes[0]: state is missing"},
		{"outcomes", `{"outcomes":[{"state":"failed"}]}`, "attempt is missing"},
		{"outcomes", `{"outcomes":` + over(maxOutcomes, `{"attempt":1,"state":"failed"}`) + `}`, "more than 1000"},
		{"outcomes", strings.Repeat("[", 100), "an object"},
		{"outcomes", `{"x":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, "nested"},
		{"register", register(`"group":""`), "group"},
		{"register", register(`"group":"a b"`), "group"},
		{"register", `{"group":"a","transport":"pigeon","instance":"` + instanceForTests + `","incarnation":"a"}`, "transport"},
		{"register", `{"group":"a","transport":"push","instance":"` + instanceForTests + `","incarnation":"a","address":"ftp://h"}`, "address"},
		{"register", `{"group":"a","transport":"pull","instance":"` + instanceForTests + `"}`, "incarnation"},
		{"register", `{"group":"a","features":` + over(job.MaxFeatures, `"f"`) + `}`, "features"},
		{"register", `{"group":"a","handlers":` + over(job.MaxHandlers, `"f"`) + `}`, "handlers"},
		{"register", `{"group":"a","holds":` + over(job.MaxHolds, `1`) + `}`, "holds"},
		{"pull", `{"group":"a","instance":"../../etc/passwd"}`, "instance"},
		{"pull", `{"instance":"` + instanceForTests + `"}`, "group"},
		{"pull answer", `{"commands":[{"name":"beat"}]}`, "commands[0]: id is missing"},
		{"answers", `{"group":"a","instance":"` + instanceForTests + `","answers":` + over(maxAnswers, `{"id":1}`) + `}`, "more than 256"},
		{"farewell", `{"group":"a"}`, "address is missing"},
		{"attempts", `{"attempts":[{"triggered_at":1}]}`, "attempts[0]: attempt is missing"},
		{"cancel", `{"attempts":["a"]}`, "attempts[0]"},
		{"busy", `{}`, "job is missing"},
		{"busy answer", `{"busy":"maybe"}`, "busy must be true or false"},
		{"log", `{}`, "attempt is missing"},
		{"follow", `{"server":"s","address":"a"}`, "attempt is missing"},
		{"follow", `{"attempt":1,"address":"a"}`, "server is missing"},
		{"follow", `{"attempt":1,"server":"s"}`, "address is missing"},
		{"follow", `{"attempt":1,"address":"a","server":"` + strings.Repeat("s", 65) + `"}`, "65 bytes"},
		{"follow", `{"attempt":1,"server":"s","address":"` + strings.Repeat("a", job.MaxAddress+1) + `"}`, "address has"},
		{"logs", `{"address":"a"}`, "server is missing"},
		{"logs", `{"server":"s","address":"a","chunks":[{"from":1}]}`, "chunks[0]: attempt is missing"},
		{"logs", `{"server":"s","address":"a","chunks":` + over(maxChunks, `{"attempt":1}`) + `}`, "more than 64"},
		{"logs answer", `{"taken":1}`, "taken must be true or false"},
		{"problem", `{"message":"no"}`, "kind is missing"},
	} {
		_, err := messages()[c.message]([]byte(c.body))
		if !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s %.60s: %v; want an invalid one with %q", c.message, c.body, err, c.text)
		}
		if strings.Contains(c.body, ",") && strings.Contains(err.Error(), "items") != errors.Is(err, errTooMuch) {
			t.Errorf("%s %.60s: %v is or is not one of size", c.message, c.body, err)
		}
	}
}

// TestOutcomesOfLaterVersions: an end with a new name is an end, and a new class
// none.
func TestOutcomesOfLaterVersions(t *testing.T) {
	t.Parallel()
	got, err := decodeOutcomes([]byte(`{"outcomes":[{"attempt":1,"state":"evaporated","message":"m","class":"odd"},{"attempt":2,"state":"running"}]}`))
	if err != nil || len(got) != 2 || got[0].State != job.Failed || got[1].State != job.Failed || got[0].Class != "" ||
		!strings.Contains(got[0].Message, "evaporated") {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestTasksOfLaterVersions: a task with an unknown word is refused alone.
func TestTasksOfLaterVersions(t *testing.T) {
	t.Parallel()
	r, err := decodeTasks([]byte(`{"tasks":[{"attempt":1,"handler":{"kind":"wasm"}},{"attempt":2,"handler":{"kind":"named"},"overlap":"sometimes"},` +
		`{"attempt":3,"handler":{"kind":"named"},"on_crash":"pray"},{"attempt":4,"handler":{"kind":"named"},"shard_index":2},` +
		`{"attempt":5,"handler":{"kind":"named"},"concurrency":1000},{"attempt":6,"handler":{"kind":"named"},"start_in":1000000},` +
		`{"attempt":7,"handler":{"kind":"named"},"start_in":1000001}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for i, word := range []string{"wasm", "sometimes", "pray", "shard_index", "concurrency", "", "start_in"} {
		err := checkTask(&r.tasks[i])
		if word == "" && err != nil || word != "" && (!job.Is(err, job.Refused) || !strings.Contains(err.Error(), word)) {
			t.Errorf("task %d: %v; want a refusal with %q", i+1, err, word)
		}
	}
}

// TestTasksRoundTrip: every task that a server sends arrives as it is.
func TestTasksRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-z"\\\x{1}-\x{1f}é\x{2028}]{0,8}`)
		instant := rapid.Map(rapid.Int64Range(0, 253402300799999), job.FromMillis)
		tasks := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) job.Task {
			task := job.Task{
				AttemptID: rapid.Int64Range(1, 1<<62).Draw(t, "attempt"), JobID: rapid.Int64Range(0, 1<<31).Draw(t, "job"),
				RunID: rapid.Int64Range(0, 1<<62).Draw(t, "run"), Try: rapid.IntRange(0, 1000).Draw(t, "try"),
				Handler: job.Handler{
					Kind: rapid.SampledFrom(job.HandlerKinds()).Draw(t, "kind"), Name: text.Draw(t, "name"),
					Source: text.Draw(t, "source"), SourceAt: instant.Draw(t, "source at"),
				},
				Param: text.Draw(t, "param"), Overlap: rapid.SampledFrom([]job.Overlap{
					job.OverlapSerial, job.OverlapDiscard, job.OverlapCover, job.OverlapConcurrent,
				}).Draw(t, "overlap"),
				Concurrency: rapid.IntRange(0, 64).Draw(t, "concurrency"),
				Timeout:     time.Duration(rapid.Int64Range(0, maxDuration).Draw(t, "timeout")) * time.Millisecond,
				TriggeredAt: instant.Draw(t, "triggered at"), PlannedAt: instant.Draw(t, "planned at"),
				ShardTotal: rapid.IntRange(1, 100).Draw(t, "shards"),
				OnCrash:    rapid.SampledFrom([]job.OnCrash{"", job.CrashReport, job.CrashRerun}).Draw(t, "on crash"),
				Trace:      rapid.SampledFrom([]string{"", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}).Draw(t, "trace"),
			}
			task.ShardIndex = rapid.IntRange(0, task.ShardTotal-1).Draw(t, "shard")
			for _, key := range rapid.SliceOfN(text, 0, 3).Draw(t, "labels") {
				if task.Labels == nil {
					task.Labels = make(map[string]string)
				}
				task.Labels[key] = text.Draw(t, "label")
			}
			return task
		}), 0, 5).Draw(t, "tasks")
		sent := tasksOf(tasks...)
		sent.server, sent.address = text.Draw(t, "server"), text.Draw(t, "address")
		for i := range sent.tasks {
			sent.tasks[i].follow = rapid.Bool().Draw(t, "follow")
			sent.tasks[i].startIn = time.Duration(rapid.Int64Range(0, job.MaxHold.Microseconds()).Draw(t, "start in")) * time.Microsecond
		}
		body := appendTasks(nil, sent)
		if !json.Valid(body) {
			t.Fatalf("no JSON: %s", body)
		}
		back, err := decodeTasks(body)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(sent, back, cmp.AllowUnexported(tasksRequest{}, arrival{})); diff != "" {
			t.Fatalf("(-sent +got):\n%s", diff)
		}
		for i := range back.tasks {
			if err := checkTask(&back.tasks[i]); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// FuzzMessages: no text breaks a reader, every refusal is Invalid, and what was read
// reads alike when it is written again.
func FuzzMessages(f *testing.F) {
	for _, sample := range samples() {
		f.Add(sample)
	}
	all := messages()
	names := sortedKeys(all)
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, name := range names {
			once, err := all[name](body)
			if err != nil {
				if !job.Is(err, job.Invalid) {
					t.Fatalf("%s: error of kind %q: %v", name, job.KindOf(err), err)
				}
				continue
			}
			twice, err := all[name](once) // the first time made it clean UTF-8
			if err != nil {
				t.Fatalf("%s: what was written is not read: %v\n%s", name, err, once)
			}
			if again, err := all[name](twice); err != nil || !bytes.Equal(again, twice) {
				t.Fatalf("%s: %v\n%s\n%s", name, err, twice, again)
			}
		}
	})
}

// TestProblems: each kind of error comes back as what it means to the caller.
func TestProblems(t *testing.T) {
	t.Parallel()
	for kind, want := range map[job.Kind]job.Kind{
		job.Invalid: job.Invalid, job.Unauthorized: job.Refused, job.Forbidden: job.Refused, job.Refused: job.Refused,
		job.NotFound: job.Refused, job.Full: job.Full, job.Unavailable: job.Unavailable, job.Interrupted: job.Unavailable,
	} {
		p, known := problemOf(&job.Error{Kind: kind, Field: "group", Message: "is odd", Hint: "do this"})
		back, err := decodeProblem(p.status, appendProblem(nil, p))
		if !known || err != nil || !job.Is(back.err(), want) || back.err().Error() != "group: is odd; do this" {
			t.Errorf("%s: %+v, %v, %v; want %s", kind, back, back.err(), err, want)
		}
	}
	p, known := problemOf(errors.New("secret"))
	if known || strings.Contains(p.message, "secret") || p.status != 503 {
		t.Errorf("an error of no kind: %+v", p)
	}
}

// TestVersions: two sides meet at the lower version, and one without a readable version has
// the first.
func TestVersions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"1.0": 0, "1.1": 1, "1.7": 1, "": 0, "2.3": 0, "1.": 0, "1.x": 0, "1.-1": 0, "1.99999999999999999999": 0, "1.1000001": 0,
	} {
		if got := common(1, text); got != want {
			t.Errorf("1.1 and %q meet at %d; want %d", text, got, want)
		}
		if got := common(0, text); got != 0 {
			t.Errorf("1.0 and %q meet at %d", text, got)
		}
	}
	if got := common(3, versionText(2)); got != 2 {
		t.Errorf("1.3 and 1.2 meet at %d", got)
	}
}

// TestPullAddresses: only what is made of a group and an instance is one.
func TestPullAddresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		PullAddress("billing", instanceForTests): true, "pull://" + instanceForTests: false, "pull:///" + instanceForTests: false,
		PullAddress("billing", strings.ToUpper(instanceForTests)): false, "pull://billing/abc": false, "http://h/": false, "": false,
		PullAddress("billing", instanceForTests) + "/": false,
	} {
		if Pulls(address) != want {
			t.Errorf("Pulls(%q) = %v", address, !want)
		}
	}
}
