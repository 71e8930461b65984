package xxl

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

// forked stands for a dialect of another package.
func forked() dialect.Speech {
	s := dialect.Classic()
	s.Dialect, s.Context, s.TokenHeaders, s.LogEnds = "forked", "/fork-admin", []string{"FORK-TOKEN"}, []string{"fin"}
	s.Payloads = []string{"data"}
	s.Answers = dialect.Answers{Method: "no post", PathUnknown: dialect.Phrase{Before: "no path <", After: ">"}, Discarded: "let go", Repeated: dialect.Phrase{Before: "again ", After: ""}, Busy: "at work"}
	return s
}

// TestHeadNames: names of headers leave in exactly this case, because some peers
// compare by case; a group's only to those who want it.
func TestHeadNames(t *testing.T) {
	t.Parallel()
	const (
		content = "Content-Type: application/json;charset=UTF-8\r\n"
		own     = "XXL-JOB-ACCESS-TOKEN: tok\r\n"
	)
	for _, s := range append(dialect.Speeches(), forked()) {
		want := map[job.Dialect]string{
			job.DialectXXL: content + "ORTH-ACCESS-TOKEN: tok\r\n" + own, job.DialectXXL2: content + own, job.DialectXXL3: content + own,
			job.DialectXXL35: content + own + "XXL-JOB-APPNAME: g\r\n", "forked": content + "FORK-TOKEN: tok\r\n",
		}[s.Dialect]
		if got, err := dialect.HeaderOf(&s, "g", "tok"); got != want || err != nil {
			t.Errorf("%s: %q, %v; want %q", s.Dialect, got, err, want)
		}
		if got, err := dialect.HeaderOf(&s, "", ""); err != nil || strings.Contains(got, "APPNAME") || !strings.Contains(got, "-TOKEN: \r\n") {
			t.Errorf("%s without a group and a token: %q, %v", s.Dialect, got, err)
		}
		for _, wrong := range []string{"a\nb", "a\rb", "\x00", "\x7f"} {
			if _, err := dialect.HeaderOf(&s, "g", wrong); err == nil {
				t.Errorf("%s: the token %q leaves", s.Dialect, wrong)
			}
			if _, err := dialect.HeaderOf(&s, wrong, "tok"); err == nil {
				t.Errorf("%s: the group %q leaves", s.Dialect, wrong)
			}
		}
	}
}

// TestAddressesOfPeers: Java executors register a slash at the end, some clients a path;
// the answer about an unknown path names all of it.
func TestAddressesOfPeers(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"": "/run /trigger /trigger", "/": "/run /trigger /trigger", "/job": "/job/run /job/trigger /job/trigger", "/a/b/": "/a/b/run /a/b/trigger /a/b/trigger",
	} {
		var asked []string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, r.RequestURI)
			if strings.HasSuffix(r.RequestURI, "/trigger") {
				answer(w, executorContent, dialect.ExecutorSuccess)
			} else {
				refuse(w, pathUnknown(r.RequestURI))
			}
		}))
		client := newClient(t, "", 0)
		for range 2 {
			if err := client.Run(t.Context(), server.URL+path, sampleTask()); err != nil {
				t.Errorf("%q: %v", path, err)
			}
		}
		server.Close()
		if got := strings.Join(asked, " "); got != want {
			t.Errorf("%q: asked %s; want %s", path, got, want)
		}
	}
}

// TestOutcomesOfPeers: clients send many codes, and messages of every shape.
func TestOutcomesOfPeers(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]job.State{
		200: job.Succeeded, 500: job.Failed, 502: job.TimedOut, 403: job.Failed, 407: job.Failed, 409: job.Failed, 0: job.Failed, -1: job.Failed,
	} {
		for text, message := range map[string]string{`"m"`: "m", `"{\"a\":1}"`: `{"a":1}`, `{"a":1}`: `{"a":1}`, "null": "", "7": "7"} {
			out, err := dialect.DecodeOutcomes([]byte(`[{"logId":1,"handleCode":` + strconv.Itoa(code) + `,"handleMsg":` + text + `}]`))
			if code <= 0 {
				message = dialect.TextResultLost
			}
			if err != nil || len(out) != 1 || out[0].State != want || out[0].Message != message {
				t.Errorf("code %d, message %s: %+v, %v", code, text, out, err)
			}
		}
	}
	out, err := dialect.DecodeOutcomes([]byte(`[{"logId":1,"executeResult":{"code":200,"msg":null,"content":"done"}},{"logId":2,"executeResult":{"code":502,"msg":"late"}}]`))
	if err != nil || len(out) != 2 || out[0].State != job.Succeeded || out[0].Message != "done" || out[1].State != job.TimedOut || out[1].Message != "late" {
		t.Errorf("results of release 2.2: %+v, %v", out, err)
	}
}

// TestShardsOfPeers: releases before 2.3, and some clients' own servers, have other
// names for the shard; what has none is the whole.
func TestShardsOfPeers(t *testing.T) {
	t.Parallel()
	for fields, want := range map[string][2]int{
		`,"broadcastIndex":1,"broadcastTotal":3`: {1, 3}, `,"shardIndex":1,"shardTotal":3`: {1, 3}, `,"shardIndex":"2","shardTotal":"3"`: {2, 3},
		`,"broadcastIndex":1,"shardTotal":2`: {1, 2}, "": {0, 1}, `,"broadcastIndex":null,"broadcastTotal":null`: {0, 1}, `,"broadcastTotal":0`: {0, 1},
	} {
		got, err := dialect.DecodeTask([]byte(`{"jobId":7,"logId":1,"glueType":"BEAN","executorHandler":"demo"` + fields + `}`))
		if err != nil || [2]int{got.ShardIndex, got.ShardTotal} != want {
			t.Errorf("%s: %d of %d, %v; want %v", fields, got.ShardIndex, got.ShardTotal, err, want)
		}
	}
	for _, fields := range []string{`,"shardIndex":3,"shardTotal":3`, `,"shardIndex":1`} {
		if got, err := dialect.DecodeTask([]byte(`{"jobId":7,"logId":1,"glueType":"BEAN","executorHandler":"demo"` + fields + `}`)); !job.Is(err, job.Invalid) {
			t.Errorf("%s: %+v, %v", fields, got, err)
		}
	}
}

// TestLogsOfPeers: a page is under either name, and its end under any or none.
func TestLogsOfPeers(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"content", "data"} {
		for flag, end := range map[string]bool{
			"": false, `,"isEnd":true`: true, `,"end":true`: true, `,"isEnd":false,"end":false`: false, `,"isEnd":false`: false,
		} {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				answer(w, executorContent, `{"code":200,"`+name+`":{"fromLineNum":1,"toLineNum":2,"logContent":"a\nb\n"`+flag+`}}`)
			}))
			page, err := newClient(t, "", 0).ReadLog(t.Context(), server.URL, 1, sampleTask().TriggeredAt, 1)
			server.Close()
			if err != nil || page.Text != "a\nb\n" || page.To != 2 || page.End != end {
				t.Errorf("%s%s: %+v, %v", name, flag, page, err)
			}
		}
	}
}

// TestEveryAnswer: every request is answered with HTTP status 200, a JSON content type, a
// length, and an object with a numeric code; without them some clients stop for good.
// Nothing that is refused has an effect.
func TestEveryAnswer(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		room := new(serverRoom)
		h := NewAdminHandler(AdminConfig{Token: "tok", Leases: room, Outcomes: room, Speeches: []dialect.Speech{forked()}})
		r := httptest.NewRequest(
			rapid.SampledFrom([]string{"POST", "POST", "POST", "GET", "PUT"}).Draw(t, "method"), "/",
			strings.NewReader(rapid.SampledFrom([]string{
				"", " ", "{}", "[]", "[{}]", "null", "[", `{"callbackList":[{"logId":1,"handleCode":200}]}`, `[{"logId":1,"handleCode":200}]`,
				`{"registryGroup":"EXECUTOR","registryKey":"a","registryValue":"http://1"}`,
				`{"registryGroup":"EXECUTOR","registryKey":"a","registryValue":"ftp://1"}`, strings.Repeat("[", 10_000),
			}).Draw(t, "body")))
		r.URL.Path = rapid.SampledFrom([]string{"", "/", "/xxl-job-admin", "/fork-admin/", "//"}).Draw(t, "prefix") +
			rapid.SampledFrom([]string{"/api/registry", "api/registryRemove", "/api//callback", "/api/", "/api", "/api/nope", "/beat", ""}).Draw(t, "path")
		for _, name := range []string{dialect.HeaderTokenCanonical, dialect.HeaderForkTokenCanonical, "Fork-Token", dialect.HeaderGroupCanonical, "Accept-Charset", dialect.HeaderIncarnation} {
			values := rapid.SliceOfN(rapid.SampledFrom([]string{"tok", "", "UTF-8", charsetToThreeTwo, "\x00"}), 0, 2).Draw(t, name)
			if len(values) > 0 {
				r.Header[name] = values
			}
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		var reply struct {
			Code *int
			Msg  *string
		}
		err := json.Unmarshal(w.Body.Bytes(), &reply)
		length := w.Header().Get("Content-Length")
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != adminContent || length != strconv.Itoa(w.Body.Len()) ||
			err != nil || reply.Code == nil || reply.Msg == nil {
			t.Fatalf("status %d, length %s, %v: %s", w.Code, length, err, w.Body)
		}
		if did := room.take(); *reply.Code != dialect.CodeSuccess && did != "" {
			t.Fatalf("refused and done: %s: %s", did, w.Body)
		}
		shown := slices.Concat(r.Header[dialect.HeaderTokenCanonical], r.Header[dialect.HeaderForkTokenCanonical])
		if *reply.Code == dialect.CodeSuccess && !slices.Contains(shown, "tok") {
			t.Fatalf("let in with the tokens %q: %s", shown, w.Body)
		}
	})
}

// TestVoicesBound: what is kept of peers and their answers has a limit, and what is
// forgotten is made again.
func TestVoicesBound(t *testing.T) {
	t.Parallel()
	v := newVoices([]dialect.Speech{forked()})
	first := v.of(Peer{Dialect: job.DialectXXL3, Token: "tok"})
	if v.of(Peer{Dialect: job.DialectXXL3, Token: "tok"}) != first {
		t.Error("the same voice was made twice")
	}
	for n := range max(maxVoices, maxHeard) + 10 {
		v.of(Peer{Token: strconv.Itoa(n)})
		v.note(strconv.Itoa(n), job.DialectXXL35)
	}
	if len(v.made) > maxVoices || len(v.heard) > maxHeard {
		t.Errorf("%d voices and %d dialects are kept; at most %d and %d may be", len(v.made), len(v.heard), maxVoices, maxHeard)
	}
	again := v.of(Peer{Dialect: job.DialectXXL3, Token: "tok"})
	if again.head != first.head || again.speech.Dialect != job.DialectXXL3 {
		t.Errorf("made anew: %+v", again)
	}
	if d := v.of(Peer{Dialect: "unheard-of"}).speech.Dialect; d != job.DialectXXL {
		t.Errorf("an unknown dialect is spoken as %s", d)
	}
}

// TestPhrase: a phrase's word is found in its text again.
func TestPhrase(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := dialect.Phrase{Before: rapid.String().Draw(t, "before"), After: rapid.String().Draw(t, "after")}
		word := rapid.String().Draw(t, "word")
		if got, ok := p.Word(p.With(word)); !ok || got != word {
			t.Fatalf("%q, %t", got, ok)
		}
	})
	for _, text := range []string{"", "b", "ba", "xbda", "bwd"} {
		if word, ok := (dialect.Phrase{Before: "b", After: "da"}).Word(text); ok {
			t.Errorf("%q is the phrase with %q", text, word)
		}
	}
}

// FuzzAnswer reads the answers of executors in all dialects: only code 200 is a yes, and an
// answer common to all dialects reveals none.
func FuzzAnswer(f *testing.F) {
	for _, text := range []string{
		`{"code":200,"data":{"fin":true}}`, `{"code":500,"msg":"let go"}`, `{"code":500,"msg":"again 7"}`, `{"code":200,"content":"x"}`,
		`{"code":500,"msg":"no path </run>"}`, `{"code":500,"msg":"The access token is wrong."}`, `{"code":500,"data":[1]}`,
		`{"code":500,"msg":"invalid request, uri-mapping(/run) not found."}`, `{"code":500,"msg":"` + dialect.TextGroupEmpty + `"}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v := newVoices([]dialect.Speech{forked()})
		r, err := dialect.DecodeReply(text)
		if err != nil {
			return
		}
		if err := v.refusal(r); (err == nil) != (r.Code == dialect.CodeSuccess) {
			t.Errorf("code %d: %v", r.Code, err)
		}
		if d := v.tellsByLog(r.Payload); d != "" && !strings.Contains(string(r.Payload), "fin") {
			t.Errorf("%s tells %s", r.Payload, d)
		}
		if d := v.tells(r); d != "" && d != "forked" {
			t.Errorf("%+v tells %s", r, d)
		}
		for _, d := range append(job.Dialects(), "", "forked") {
			for _, path := range []string{dialect.PathRun, dialect.PathBeat, dialect.PathLog} {
				spoken := v.of(Peer{Dialect: d, Group: "g"})
				again := v.instead(spoken, path, r)
				if again == nil {
					continue
				}
				if again == spoken || r.Code == dialect.CodeSuccess || !v.wrongDialect(spoken.speech, path, r) {
					t.Errorf("%+v spoken as %s at %s: said again as %s", r, d, path, again.speech.Dialect)
				}
			}
		}
		_ = v.nothingKilled(r)
	})
}

// TestForeignDiscards: executors of other makes have words of their own for a run
// that meets another. It is discarded only when that was asked for.
func TestForeignDiscards(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"There are tasks running", "jobId 7 is already executing.", "There is already have a same job is running.",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprintf(w, `{"code":500,"msg":%q}`, text)
		}))
		t.Cleanup(server.Close)
		client := newClient(t, "tok", 10*time.Second)
		for overlap, discarded := range map[job.Overlap]bool{job.OverlapDiscard: true, job.OverlapSerial: false, job.OverlapCover: false} {
			task := sampleTask()
			task.Overlap = overlap
			err := client.Run(t.Context(), server.URL, task)
			if !job.Is(err, job.Refused) || errors.Is(err, job.ErrDiscarded) != discarded || !strings.Contains(err.Error(), text) {
				t.Errorf("%s, %s: %v", overlap, text, err)
			}
		}
	}
}

// An executor in Python gives a sentence as the lines of a log that it does not have
// yet: it is none of them.
func TestAbsentLogIsNoLine(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"code":200,"msg":null,"content":{"fromLineNum":1,"toLineNum":1,"logContent":"No such logid logs.","isEnd":false}}`)
	}))
	t.Cleanup(server.Close)
	page, err := newClient(t, "", 10*time.Second).ReadLog(t.Context(), server.URL, 7, time.UnixMilli(1), 1)
	if err != nil || page.To != 0 || !page.End {
		t.Errorf("ReadLog = %+v, %v", page, err)
	}
}
