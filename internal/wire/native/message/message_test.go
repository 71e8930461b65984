package message

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
		func(body []byte) (bool, error) { return DecodeFlag(body, name) },
		func(dst []byte, value bool) []byte { return AppendFlag(dst, name, value) },
	)
}

// messages returns how each message is read and written again, by name.
func messages() map[string]func([]byte) ([]byte, error) {
	return map[string]func([]byte) ([]byte, error){
		"register":        again(DecodeRegistration, AppendRegistration),
		"register answer": again(DecodeRegistered, AppendRegistered),
		"farewell":        again(DecodeFarewell, AppendFarewell),
		"facts":           again(DecodeFacts, AppendFacts),
		"outcomes":        again(DecodeOutcomes, AppendOutcomes),
		"pull":            again(DecodePull, AppendPull),
		"pull answer":     again(DecodeCommands, AppendCommands),
		"answers":         again(DecodeAnswers, AppendAnswers),
		"tasks":           again(DecodeTasks, AppendTasks),
		"tasks answer":    again(DecodeTaskAnswers, AppendTaskAnswers),
		"attempts":        again(DecodeAttempts, AppendAttempts),
		"attempts answer": again(DecodeAttemptStates, AppendAttemptStates),
		"cancel":          again(DecodeCancel, AppendCancel),
		"busy":            again(DecodeJob, AppendJob),
		"busy answer":     flagged(FlagBusy),
		"log":             again(DecodeLogRequest, AppendLogRequest),
		"log answer":      again(DecodeLogPage, AppendLogPage),
		"follow":          again(DecodeFollow, AppendFollow),
		"logs":            again(DecodeLogs, AppendLogs),
		"logs answer":     again(DecodeLogsAnswer, AppendLogsAnswer),
		"drain":           flagged(FlagOn),
		"drain answer":    flagged(FlagDraining),
		"beat answer":     again(DecodeBeatAnswer, AppendBeatAnswer),
		"problem": again(
			func(body []byte) (Problem, error) { return DecodeProblem(403, body) }, AppendProblem,
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
func tasksOf(tasks ...job.Task) TasksRequest {
	var r TasksRequest
	for _, t := range tasks {
		r.Tasks = append(r.Tasks, Arrival{Task: t})
	}
	return r
}

// followedTasks is a request with tasks of which the second is followed.
func followedTasks() TasksRequest {
	r := tasksOf(plainTask(16), fullTask())
	r.Server, r.Address, r.Within, r.Tasks[1].Follow = "XJ2", "http://10.0.0.7:9999/", 3*time.Second, true
	r.Tasks[1].StartIn = 80*time.Millisecond + 17*time.Microsecond
	return r
}

func fullRegistration() Registration {
	return Registration{
		Beat: job.Beat{
			Group: "billing", Address: "http://10.0.0.7:9999/", Dialect: job.DialectNative, Features: []string{"shell", "zone=eu"}, Handlers: []string{"pay", "report \"x\""},
			Life: job.Life{
				Incarnation: "a1", StartedAt: ms(1795227154000), Every: 10 * time.Second, Load: &job.Load{Running: 3, Waiting: 1},
				Holds: []int64{17, 18}, Whole: true, Draining: true,
			},
		},
		Transport: TransportPush, Instance: instanceForTests, Batch: 256,
	}
}

// samples returns each message as it is written, by name.
func samples() map[string][]byte {
	load := &job.Load{Running: 3, Waiting: 1}
	commands := Pulled{Waited: 1500 * time.Millisecond, Commands: []Command{
		{ID: 7, Name: NameTasks, Body: AppendTasks(nil, tasksOf(plainTask(17))), Within: 3 * time.Second, Held: 10250 * time.Microsecond},
		{ID: 8, Name: NameCancel, Body: []byte(`{"attempts":[17]}`)},
	}}
	return map[string][]byte{
		"register":        AppendRegistration(nil, fullRegistration()),
		"register answer": AppendRegistered(nil, Registered{"http://10.0.0.7:9999/", 25 * time.Second, ms(1795227154000), "1.0.0"}),
		"farewell":        AppendFarewell(nil, Farewell{"billing", PullAddress("billing", instanceForTests)}),
		"facts":           AppendFacts(nil, FactsMessage{"billing", "http://10.0.0.7:9999/", job.Facts{Kind: "solana", Text: `{"threads": [1]}`}}),
		"outcomes": AppendOutcomes(nil, []job.Outcome{
			{AttemptID: 17, TriggeredAt: ms(1795227154001), State: job.Succeeded, Message: "paid \"2\"", EndedAt: ms(1795227154900), Log: "one\ntwo\n"},
			{AttemptID: 18, State: job.Failed, Class: retry.ClassNotReady, RetryAfter: 90 * time.Second},
		}),
		"pull":            AppendPull(nil, PullRequest{"billing", instanceForTests, "a1", 25 * time.Second, 256, 7, true}),
		"pull answer":     AppendCommands(nil, commands),
		"answers":         AppendAnswers(nil, AnswersRequest{"billing", instanceForTests, []CommandAnswer{{7, 200, []byte(`{"answers":[]}`)}}}),
		"tasks":           AppendTasks(nil, followedTasks()),
		"tasks answer":    AppendTaskAnswers(nil, []TaskAnswer{{17, TaskAccepted, ""}, {18, TaskFull, "10000 wait"}}),
		"attempts":        AppendAttempts(nil, []AttemptRef{{17, ms(1795227154001)}, {18, time.Time{}}}),
		"attempts answer": AppendAttemptStates(nil, []AttemptState{{17, AttemptRunning, false}, {18, AttemptUnknown, false}, {19, AttemptEnded, true}}),
		"cancel":          AppendCancel(nil, CancelRequest{[]int64{17, 18}, "the deadline is over"}),
		"busy":            AppendJob(nil, 3),
		"busy answer":     AppendFlag(nil, FlagBusy, true),
		"log":             AppendLogRequest(nil, LogRequest{17, ms(1795227154001), 1}),
		"log answer":      AppendLogPage(nil, job.LogPage{From: 1, To: 2, Text: "one\ntwo\n"}),
		"follow":          AppendFollow(nil, FollowRequest{"s1", "http://10.0.0.7:9999/", 17, ms(1795227154001), 3, time.Minute}),
		"logs": AppendLogs(nil, LogsRequest{"s1", "http://10.0.0.7:9999/", []Chunk{
			{17, job.LogPage{From: 3, Text: "three\nfour \"4\"\n"}}, {18, job.LogPage{From: 1, End: true}},
		}}),
		"logs answer":  AppendLogsAnswer(nil, LogsAnswer{true, "", []int64{18}}),
		"drain":        AppendFlag(nil, FlagOn, true),
		"drain answer": AppendFlag(nil, FlagDraining, false),
		"beat answer":  AppendBeatAnswer(nil, BeatAnswer{true, load}),
		"problem":      AppendProblem(nil, Problem{403, kindRefused, "no"}),
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
		{"tasks", `{"tasks":` + over(MaxTasks, `{"attempt":1}`) + `}`, "more than 1000"},
		{"tasks", `{"tasks":[{"attempt":1,"labels":{` + `"a0":1,"a1":1,"a2":1,"a3":1,"a4":1,"a5":1,"a6":1,"a7":1,"a8":1,` +
			`"a9":1,"b0":1,"b1":1,"b2":1,"b3":1,"b4":1,"b5":1,"b6":1}}]}`, "labels has more than 16"},
		{"outcomes", `{"outcomes":[{"attempt":1}]}`, "outcomes[0]: state is missing"},
		{"outcomes", `{"outcomes":[{"state":"failed"}]}`, "attempt is missing"},
		{"outcomes", `{"outcomes":` + over(MaxOutcomes, `{"attempt":1,"state":"failed"}`) + `}`, "more than 1000"},
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
		{"answers", `{"group":"a","instance":"` + instanceForTests + `","answers":` + over(MaxAnswers, `{"id":1}`) + `}`, "more than 256"},
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
		{"logs", `{"server":"s","address":"a","chunks":` + over(MaxChunks, `{"attempt":1}`) + `}`, "more than 64"},
		{"logs answer", `{"taken":1}`, "taken must be true or false"},
		{"problem", `{"message":"no"}`, "kind is missing"},
	} {
		_, err := messages()[c.message]([]byte(c.body))
		if !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s %.60s: %v; want an invalid one with %q", c.message, c.body, err, c.text)
		}
		if strings.Contains(c.body, ",") && strings.Contains(err.Error(), "items") != errors.Is(err, ErrTooMuch) {
			t.Errorf("%s %.60s: %v is or is not one of size", c.message, c.body, err)
		}
	}
}

// TestOutcomesOfLaterVersions: an end with a new name is an end, and a new class
// none.
func TestOutcomesOfLaterVersions(t *testing.T) {
	t.Parallel()
	got, err := DecodeOutcomes([]byte(`{"outcomes":[{"attempt":1,"state":"evaporated","message":"m","class":"odd"},{"attempt":2,"state":"running"}]}`))
	if err != nil || len(got) != 2 || got[0].State != job.Failed || got[1].State != job.Failed || got[0].Class != "" ||
		!strings.Contains(got[0].Message, "evaporated") {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestTasksOfLaterVersions: a task with an unknown word is refused alone.
func TestTasksOfLaterVersions(t *testing.T) {
	t.Parallel()
	r, err := DecodeTasks([]byte(`{"tasks":[{"attempt":1,"handler":{"kind":"wasm"}},{"attempt":2,"handler":{"kind":"named"},"overlap":"sometimes"},` +
		`{"attempt":3,"handler":{"kind":"named"},"on_crash":"pray"},{"attempt":4,"handler":{"kind":"named"},"shard_index":2},` +
		`{"attempt":5,"handler":{"kind":"named"},"concurrency":1000},{"attempt":6,"handler":{"kind":"named"},"start_in":1000000},` +
		`{"attempt":7,"handler":{"kind":"named"},"start_in":1000001}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for i, word := range []string{"wasm", "sometimes", "pray", "shard_index", "concurrency", "", "start_in"} {
		err := CheckTask(&r.Tasks[i])
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
		sent.Server, sent.Address = text.Draw(t, "server"), text.Draw(t, "address")
		for i := range sent.Tasks {
			sent.Tasks[i].Follow = rapid.Bool().Draw(t, "follow")
			sent.Tasks[i].StartIn = time.Duration(rapid.Int64Range(0, job.MaxHold.Microseconds()).Draw(t, "start in")) * time.Microsecond
		}
		body := AppendTasks(nil, sent)
		if !json.Valid(body) {
			t.Fatalf("no JSON: %s", body)
		}
		back, err := DecodeTasks(body)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(sent, back, cmp.AllowUnexported(TasksRequest{}, Arrival{})); diff != "" {
			t.Fatalf("(-sent +got):\n%s", diff)
		}
		for i := range back.Tasks {
			if err := CheckTask(&back.Tasks[i]); err != nil {
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
		p, known := ProblemOf(&job.Error{Kind: kind, Field: "group", Message: "is odd", Hint: "do this"})
		back, err := DecodeProblem(p.Status, AppendProblem(nil, p))
		if !known || err != nil || !job.Is(back.Err(), want) || back.Err().Error() != "group: is odd; do this" {
			t.Errorf("%s: %+v, %v, %v; want %s", kind, back, back.Err(), err, want)
		}
	}
	p, known := ProblemOf(errors.New("secret"))
	if known || strings.Contains(p.Message, "secret") || p.Status != 503 {
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
		if got := CommonMinor(1, text); got != want {
			t.Errorf("1.1 and %q meet at %d; want %d", text, got, want)
		}
		if got := CommonMinor(0, text); got != 0 {
			t.Errorf("1.0 and %q meet at %d", text, got)
		}
	}
	if got := CommonMinor(3, VersionText(2)); got != 2 {
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
