package xxl

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/orthd/orth/internal/wire/jsontext"
	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

// The requests below are what servers and executors of the dialect send, byte
// for byte.
const (
	sampleRun = `{"jobId":5,"executorHandler":"ok","executorParams":"run first","executorBlockStrategy":"SERIAL_EXECUTION",` +
		`"executorTimeout":0,"logId":1,"logDateTime":1795226987336,"glueType":"BEAN","glueSource":"","glueUpdatetime":1795226987000,` +
		`"broadcastIndex":0,"broadcastTotal":1}`
	sampleCallback = `[{"logId":9004,"logDateTim":1795227154000,"handleCode":502,"handleMsg":"job execute timeout "},` +
		`{"logId":9005,"logDateTim":1795227154000,"handleCode":200}]`
	sampleRegistry = `{"registryGroup":"EXECUTOR","registryKey":"app-x","registryValue":"http://127.0.0.1:21342/"}`
)

func sampleTask() job.Task {
	return job.Task{
		AttemptID: 1, JobID: 5, Handler: job.Handler{Kind: job.HandlerNamed, Name: "ok", SourceAt: time.UnixMilli(1795226987000)},
		Param: "run first", Overlap: job.OverlapSerial, TriggeredAt: time.UnixMilli(1795226987336), ShardTotal: 1,
	}
}

func sampleOutcomes() []job.Outcome {
	at := time.UnixMilli(1795227154000).UTC()
	return []job.Outcome{
		{AttemptID: 9004, TriggeredAt: at, State: job.TimedOut, Message: "job execute timeout "},
		{AttemptID: 9005, TriggeredAt: at, State: job.Succeeded},
	}
}

// callbackOf is the callback with the first n outcomes, as most servers take it.
func callbackOf(batch []job.Outcome) (body []byte, n int) {
	return dialect.AppendBatch(nil, new(dialect.Classic()), batch, true)
}

func TestWritersMatchTheSamples(t *testing.T) {
	t.Parallel()
	run, err := dialect.AppendTask(nil, new(sampleTask()), new(dialect.Classic()))
	if err != nil {
		t.Fatal(err)
	}
	callback, n := callbackOf(sampleOutcomes())
	retryFile, _ := callbackOf([]job.Outcome{
		{AttemptID: 501, TriggeredAt: time.UnixMilli(1795225000000), State: job.Succeeded},
	})
	for name, c := range map[string]struct{ got, want string }{
		"run":        {string(run), sampleRun},
		"callback":   {string(callback), sampleCallback},
		"retry file": {string(retryFile), `[{"logId":501,"logDateTim":1795225000000,"handleCode":200}]`},
		"registry":   {string(dialect.Registration{Group: "EXECUTOR", Key: "app-x", Value: "http://127.0.0.1:21342/"}.Encode()), sampleRegistry},
		"job id":     {string(dialect.EncodeJobID(7)), `{"jobId":7}`},
		"log": {
			string(dialect.LogRequest{Attempt: 1, At: time.UnixMilli(1795226987000), From: 1}.Encode(dialect.Classic().LogDates)),
			`{"logDateTim":1795226987000,"logDateTime":1795226987000,"logId":1,"fromLineNum":1}`,
		},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, c.got, c.want)
		}
	}
	if n != 2 {
		t.Errorf("appendOutcomes took %d of 2", n)
	}
	outcomes, err := dialect.DecodeOutcomes([]byte(sampleCallback))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sampleOutcomes(), outcomes); diff != "" {
		t.Errorf("decodeOutcomes (-want +got):\n%s", diff)
	}
}

// TestRetryFileName covers C6: the text of a callback, from which the dialect's
// executors name the file of one that failed.
func TestRetryFileName(t *testing.T) {
	t.Parallel()
	body, _ := callbackOf([]job.Outcome{
		{AttemptID: 501, TriggeredAt: time.UnixMilli(1795225000000), State: job.Succeeded},
	})
	if sum := md5.Sum(body); hex.EncodeToString(sum[:]) != "5834d818eb05f7628993c80b13e066dc" {
		t.Errorf("%s has the sum %x", body, sum)
	}
}

// TestLongMessage covers R19, in characters and not in bytes.
func TestLongMessage(t *testing.T) {
	t.Parallel()
	for _, letter := range []string{"x", "数"} {
		for n, want := range map[int]string{
			0:                          "",
			dialect.MaxSendMessage:     strings.Repeat(letter, dialect.MaxSendMessage),
			dialect.MaxSendMessage + 1: strings.Repeat(letter, dialect.MaxSendMessage) + "...",
			60_000:                     strings.Repeat(letter, dialect.MaxSendMessage) + "...",
		} {
			body, _ := callbackOf([]job.Outcome{{AttemptID: 1, State: job.Failed, Message: strings.Repeat(letter, n)}})
			got, err := dialect.DecodeOutcomes(body)
			if err != nil || len(got) != 1 || got[0].Message != want {
				t.Errorf("%d of %s: %v, or another text than expected", n, letter, err)
			}
		}
	}
}

// TestSentConcurrency: executors of the Java fork end a job's runs over a 0,
// and others have never seen the field.
func TestSentConcurrency(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{-1: ":1}", 0: ":1}", 1: ":1}", 3: ":3}", 64: ":64}", 65: ":64}"} {
		task := sampleTask()
		task.Concurrency = n
		if body, err := dialect.AppendTask(nil, &task, new(dialect.Classic())); err != nil || strings.Contains(string(body), "executorConcurrency") {
			t.Errorf("serial, %d: %s, %v", n, body, err)
		}
		task.Overlap = job.OverlapConcurrent
		body, err := dialect.AppendTask(nil, &task, new(dialect.Classic()))
		if err != nil || !strings.HasSuffix(string(body), `,"executorConcurrency"`+want) ||
			!strings.Contains(string(body), `"executorBlockStrategy":"CONCURRENT"`) {
			t.Errorf("concurrent, %d: %s, %v", n, body, err)
		}
	}
}

func TestTaskThatCannotBeSent(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*job.Task){
		"unknown kind":       func(t *job.Task) { t.Handler.Kind = "telepathy" },
		"job id of 32 bits":  func(t *job.Task) { t.JobID = math.MaxInt32 + 1 },
		"job id of the void": func(t *job.Task) { t.JobID = -1 },
	} {
		task := sampleTask()
		spoil(&task)
		if body, err := dialect.AppendTask(nil, &task, new(dialect.Classic())); !job.Is(err, job.Invalid) {
			t.Errorf("%s: %s, %v; want an error of kind invalid", name, body, err)
		}
	}
}

func TestSeconds(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]int64{
		0: 0, -time.Second: 0, 1: 1, time.Second: 1, time.Second + 1: 2, 90 * time.Second: 90, math.MaxInt64: math.MaxInt32,
	} {
		if got := dialect.Seconds(d); got != want {
			t.Errorf("seconds(%s) = %d; want %d", d, got, want)
		}
	}
}

func instants() *rapid.Generator[time.Time] {
	return rapid.Custom(func(t *rapid.T) time.Time {
		return job.FromMillis(rapid.Int64Range(0, jsontext.MaxMillis).Draw(t, "ms"))
	})
}

// TestTaskRoundTrip: what the server sends is what the executor runs.
func TestTaskRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.IntRange(1, math.MaxInt32).Draw(t, "total")
		want := job.Task{
			AttemptID: rapid.Int64Min(1).Draw(t, "attempt"), JobID: rapid.Int64Range(0, math.MaxInt32).Draw(t, "job"),
			Param: rapid.String().Draw(t, "param"), TriggeredAt: instants().Draw(t, "triggered"),
			Overlap: rapid.SampledFrom([]job.Overlap{job.OverlapSerial, job.OverlapDiscard, job.OverlapCover}).Draw(t, "overlap"),
			Timeout: time.Duration(rapid.Int64Range(0, math.MaxInt32).Draw(t, "seconds")) * time.Second, ShardTotal: total,
			ShardIndex: rapid.IntRange(0, total-1).Draw(t, "shard"),
		}
		if rapid.Bool().Draw(t, "concurrent") {
			want.Overlap, want.Concurrency = job.OverlapConcurrent, rapid.IntRange(1, job.MaxConcurrency).Draw(t, "concurrency")
		}
		if rapid.Bool().Draw(t, "script") {
			want.Handler = job.Handler{
				Kind: rapid.SampledFrom(job.HandlerKinds()[1:]).Draw(t, "kind"), Source: rapid.String().Draw(t, "source"), SourceAt: instants().Draw(t, "source at"),
			}
		} else {
			want.Handler = job.Handler{Kind: job.HandlerNamed, Name: rapid.String().Draw(t, "name")}
		}
		body, err := dialect.AppendTask(nil, &want, new(dialect.Classic()))
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(body) {
			t.Fatalf("not JSON: %s", body)
		}
		got, err := dialect.DecodeTask(body)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-sent +got):\n%s", diff)
		}
	})
}

// TestOutcomesRoundTrip: a batch arrives whole, in order and in calls within
// the limits, however large.
func TestOutcomesRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) job.Outcome {
			return job.Outcome{
				AttemptID: rapid.Int64Min(1).Draw(t, "attempt"), TriggeredAt: instants().Draw(t, "triggered"),
				State:   rapid.SampledFrom([]job.State{job.Succeeded, job.Failed, job.TimedOut}).Draw(t, "state"),
				Message: rapid.String().Draw(t, "message") + strings.Repeat("é", rapid.IntRange(0, 60_000).Draw(t, "padding")),
			}
		}), 1, 120).Draw(t, "batch")
		var got []job.Outcome
		for rest := want; len(rest) > 0; {
			body, n := callbackOf(rest)
			if n < 1 || n > dialect.MaxSendMany || n > 1 && len(body) > dialect.MaxSendBytes+2 || n > dialect.MaxSendItems && len(body) > dialect.MaxManyBytes+2 {
				t.Fatalf("a callback with %d items and %d bytes", n, len(body))
			}
			part, err := dialect.DecodeOutcomes(body)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, part...)
			rest = rest[n:]
		}
		for i := range want {
			want[i].Message = dialect.CutMessage(want[i].Message)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-sent +got):\n%s", diff)
		}
	})
}

func TestLogPageRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := job.LogPage{
			From: int(rapid.Int32().Draw(t, "from")), To: int(rapid.Int32().Draw(t, "to")),
			Text: rapid.String().Draw(t, "text"), End: rapid.Bool().Draw(t, "end"),
		}
		r, err := dialect.DecodeReply(dialect.AppendPayload(nil, dialect.AppendLogPage(nil, want)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := dialect.DecodeLogPage(r.Payload)
		if err != nil || got != want {
			t.Fatalf("%+v came back as %+v, %v", want, got, err)
		}
	})
}

func TestDecodeReply(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]dialect.Reply{
		`{"code":200}`:                                     {Code: 200},
		`{"code":200,"msg":null,"content":null}`:           {Code: 200},
		`{"code":200,"msg":"Success","data":"x"}`:          {Code: 200, Text: "Success", Payload: []byte(`"x"`)},
		`{"code":200,"content":{"a":1}}`:                   {Code: 200, Payload: []byte(`{"a":1}`)},
		`{"code":200,"content":7,"data":null}`:             {Code: 200, Payload: []byte(`7`)},
		`{"code":200,"content":7,"data":8,"success":true}`: {Code: 200, Payload: []byte(`8`)},
		`{"code":"500","msg":"no"}`:                        {Code: 500, Text: "no"},
		`{"code":500,"msg":"\u003cb\u003e"}`:               {Code: 500, Text: "<b>"},
		"\n {\"msg\":\"x\",\"code\":502} \n":               {Code: 502, Text: "x"},
	} {
		got, err := dialect.DecodeReply([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(dialect.Reply{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	for _, text := range []string{``, `{}`, `{"msg":"x"}`, `{"code":null}`, `[]`, `null`, `<html>`, `{"code":200}x`, `{"code":"ok"}`, `{"code":200`} {
		if got, err := dialect.DecodeReply([]byte(text)); !job.Is(err, job.Invalid) {
			t.Errorf("%s: %+v, %v; want an error of kind invalid", text, got, err)
		}
	}
}

func TestShort(t *testing.T) {
	t.Parallel()
	if got := dialect.Shorten("é"); got != "é" {
		t.Errorf("short cut a short text to %q", got)
	}
	long := dialect.Shorten(strings.Repeat("é", 400)[1:]) // begins in the middle of one
	if len(long) > dialect.MaxShown+len(job.CutMark) || !strings.HasSuffix(long, "é"+job.CutMark) {
		t.Errorf("short left %d bytes that end in %q", len(long), long[len(long)-20:])
	}
}

// seeds gives a decoder's fuzzer every sample, so that each meets the others'.
func seeds(f *testing.F) {
	f.Helper()
	for _, seed := range []string{
		sampleRun, sampleCallback, sampleRegistry, `{"jobId":7}`, `{"callbackList":` + sampleCallback + `}`,
		`[{"logId":1,"executeResult":{"code":200,"msg":null,"content":"x"}}]`,
		`{"logDateTim":1,"logId":1,"fromLineNum":-1}`, `{"fromLineNum":1,"toLineNum":0,"logContent":"x","isEnd":"true","end":false}`,
		`{"code":200,"data":{},"content":[]}`, `null`, ``, `{"jobId":1e2,"logId":"9","shardIndex":1,"shardTotal":2,"glueType":"GLUE_SHELL"}`,
	} {
		f.Add([]byte(seed))
	}
}

// checkError: a decoder's errors are the caller's fault and short.
func checkError(t *testing.T, err error) {
	t.Helper()
	if err != nil && (!job.Is(err, job.Invalid) && !job.Is(err, job.Refused) || len(err.Error()) > 2*dialect.MaxShown) {
		t.Fatalf("error of kind %q with %d bytes: %.200s", job.KindOf(err), len(err.Error()), err)
	}
}

func FuzzDecodeTask(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		task, err := dialect.DecodeTask(bytes.Clone(body))
		checkError(t, err)
		if err != nil {
			return
		}
		if concurrent := task.Overlap == job.OverlapConcurrent; concurrent != (task.Concurrency > 0) || task.Concurrency > job.MaxConcurrency {
			t.Fatalf("overlap %s, concurrency %d", task.Overlap, task.Concurrency)
		}
		if task.ShardIndex < 0 || task.ShardIndex >= task.ShardTotal || task.Timeout < 0 || task.TriggeredAt.Year() > 9999 {
			t.Fatalf("%+v is no task", task)
		}
		if task.JobID < 0 {
			return // taken, and never sent by us
		}
		again, err := dialect.AppendTask(nil, &task, new(dialect.Classic()))
		if err != nil {
			t.Fatal(err)
		}
		back, err := dialect.DecodeTask(again)
		task.PlannedAt = time.Time{} // not carried
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(task, back); diff != "" {
			t.Fatalf("(-first +second):\n%s", diff)
		}
	})
}

func FuzzDecodeOutcomes(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		outcomes, err := dialect.DecodeOutcomes(body)
		checkError(t, err)
		for _, o := range outcomes {
			if o.AttemptID <= 0 || !o.State.Final() {
				t.Fatalf("%+v is no outcome", o)
			}
		}
	})
}

func FuzzDecodeSmall(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := dialect.DecodeReply(body)
		checkError(t, err)
		if err == nil && r.Payload != nil && !bytes.Contains(body, r.Payload) {
			t.Fatal("the payload is not in the body")
		}
		reg, err := dialect.DecodeRegistration(body)
		checkError(t, err)
		if back, err2 := dialect.DecodeRegistration(reg.Encode()); err == nil && (err2 != nil || back != reg) {
			t.Fatalf("%+v came back as %+v, %v", reg, back, err2)
		}
		jobID, err := dialect.DecodeJobID(body)
		checkError(t, err)
		if back, err2 := dialect.DecodeJobID(dialect.EncodeJobID(jobID)); err == nil && (err2 != nil || back != jobID) {
			t.Fatalf("job %d came back as %d, %v", jobID, back, err2)
		}
		request, err := dialect.DecodeLogRequest(body)
		checkError(t, err)
		if back, err2 := dialect.DecodeLogRequest(request.Encode(dialect.Classic().LogDates)); err == nil && (err2 != nil || back != request) {
			t.Fatalf("%+v came back as %+v, %v", request, back, err2)
		}
		page, err := dialect.DecodeLogPage(body)
		checkError(t, err)
		if back, err2 := dialect.DecodeLogPage(dialect.AppendLogPage(nil, page)); err == nil && (err2 != nil || back != page) {
			t.Fatalf("%+v came back as %+v, %v", page, back, err2)
		}
	})
}
