package orth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

// TestRequests pins what an executor of each dialect is sent: paths, headers, and the
// fields that differ.
func TestRequests(t *testing.T) {
	t.Parallel()
	const (
		bothTokens = " XXL-JOB-ACCESS-TOKEN=a-good-token ORTH-ACCESS-TOKEN=a-good-token"
		ownToken   = " XXL-JOB-ACCESS-TOKEN=a-good-token"
		named      = " XXL-JOB-APPNAME=reports"
		run        = `{"jobId":5,"executorHandler":"ok","executorParams":"","executorBlockStrategy":"CONCURRENT","executorTimeout":0,"logId":9,` +
			`"logDateTime":1795226987336,"glueType":"BEAN","glueSource":"","glueUpdatetime":0,"broadcastIndex":0,"broadcastTotal":1`
		three = `,"executorConcurrency":3`
		log   = `"logId":9,"fromLineNum":1}`
		tim   = `"logDateTim":1795226987336,`
		time_ = `"logDateTime":1795226987336,`
	)
	for _, c := range []struct {
		dialect        job.Dialect
		run, log, beat string
	}{
		{"", "/run" + bothTokens + "\n" + run + three + "}", "/log" + bothTokens + "\n{" + tim + time_ + log, "/beat" + bothTokens + "\n"},
		{job.DialectXXL, "/run" + bothTokens + "\n" + run + three + "}", "/log" + bothTokens + "\n{" + tim + time_ + log, "/beat" + bothTokens + "\n"},
		{job.DialectXXL2, "/run" + ownToken + "\n" + run + "}", "/log" + ownToken + "\n{" + tim + log, "/beat" + ownToken + "\n"},
		{job.DialectXXL3, "/run" + ownToken + "\n" + run + "}", "/log" + ownToken + "\n{" + tim + log, "/beat" + ownToken + "\n"},
		{job.DialectXXL35, "/trigger" + ownToken + named + "\n" + run + "}", "/log" + ownToken + named + "\n{" + time_ + log, "/beat" + ownToken + named + "\n"},
		{
			job.DialectOrthJava, "/run ORTH-ACCESS-TOKEN=a-good-token\n" + run + three + `,"scheduleTime":1795226927336}`,
			"/log ORTH-ACCESS-TOKEN=a-good-token\n{" + tim + log, "/beat ORTH-ACCESS-TOKEN=a-good-token\n",
		},
		{job.DialectNative, "/run" + bothTokens + "\n" + run + three + "}", "/log" + bothTokens + "\n{" + tim + time_ + log, "/beat" + bothTokens + "\n"},
	} {
		t.Run("as "+string(c.dialect), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.dialect, c.dialect)
			if err := errors.Join(w.client.Run(t.Context(), w.address, task()), w.client.Beat(t.Context(), w.address)); err != nil {
				t.Error(err)
			}
			w.became(c.dialect, `{"code":200,"data":{"fromLineNum":1,"toLineNum":1,"logContent":"a\n","isEnd":false}}`)
			if _, err := w.client.ReadLog(t.Context(), w.address, 9, task().TriggeredAt, 1); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff([]string{c.run, c.beat, c.log}, w.asked()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if d := w.told(); d != "" {
				t.Errorf("heard that it speaks %q; it said nothing that tells", d)
			}
		})
	}
}

// TestOrthTask: the fork ends a job's runs over a number of 0, so the number is sent
// with every overlap; the planned time only where there is one.
func TestOrthTask(t *testing.T) {
	t.Parallel()
	for _, overlap := range []job.Overlap{job.OverlapSerial, job.OverlapDiscard, job.OverlapCover, job.OverlapConcurrent, ""} {
		for _, n := range []int{-1, 0, 1, 3, 1_000_000} {
			w := newWorld(t, job.DialectOrthJava, job.DialectOrthJava)
			sent := task()
			sent.Overlap, sent.Concurrency, sent.PlannedAt = overlap, n, time.Time{}
			if err := w.client.Run(t.Context(), w.address, sent); err != nil {
				t.Fatal(err)
			}
			want := 1
			if overlap == job.OverlapConcurrent {
				want = min(max(n, 1), job.MaxConcurrency)
			}
			got := w.asked()[0]
			if !strings.Contains(got, fmt.Sprintf(`"executorConcurrency":%d}`, want)) || strings.Contains(got, "scheduleTime") {
				t.Errorf("%q %d: sent %s", overlap, n, got)
			}
		}
	}
}

// TestFindOut shows each executor to a server that knows nothing of it, or something
// wrong: its first run arrives, once, and the second one goes there at once.
func TestFindOut(t *testing.T) {
	t.Parallel()
	executors := []job.Dialect{job.DialectXXL, job.DialectXXL2, job.DialectXXL3, job.DialectXXL35, job.DialectOrthJava}
	for _, is := range executors {
		for _, known := range append(executors, "") {
			t.Run(fmt.Sprintf("%s called as %s", is, known), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, is, known)
				if err := w.client.Run(t.Context(), w.address, task()); err != nil {
					t.Fatal(err)
				}
				if asked := w.asked(); w.accepted != 1 || len(asked) > 2 {
					t.Errorf("%d tasks were accepted after %d requests:\n%s", w.accepted, len(asked), strings.Join(asked, "\n"))
				}
				if d := w.told(); known != "" && d != "" {
					w.speaks(d, ourGroup) // what the registry makes of it
				}
				if err := w.client.Run(t.Context(), w.address, task()); err != nil {
					t.Fatal(err)
				}
				if asked := w.asked(); len(asked) != 1 {
					t.Errorf("the second run took %d requests:\n%s", len(asked), strings.Join(asked, "\n"))
				}
			})
		}
	}
}

// TestUpgrades: the dialect of an executor that is replaced by one of another generation at
// the same address is detected again, although its answers had revealed another.
func TestUpgrades(t *testing.T) {
	t.Parallel()
	w := newWorld(t, job.DialectXXL3, "")
	for _, generation := range []job.Dialect{
		job.DialectXXL35, job.DialectXXL3, job.DialectOrthJava, job.DialectXXL35, job.DialectOrthJava, job.DialectXXL2, job.DialectXXL35,
	} {
		w.became(generation, "")
		for range 2 {
			if err := w.client.Run(t.Context(), w.address, task()); err != nil {
				t.Fatalf("%s: %v\n%s", generation, err, strings.Join(w.asked(), "\n"))
			}
		}
		w.asked()
		if err := w.client.Beat(t.Context(), w.address); err != nil || len(w.asked()) != 1 {
			t.Errorf("%s: a beat after two runs: %v", generation, err)
		}
	}
	if w.accepted != 14 {
		t.Errorf("%d tasks were accepted; want 14", w.accepted)
	}
}

// TestGroupUnknown: an executor that requires its group, when the server knows no group, is
// refused by its own words and called once.
func TestGroupUnknown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, job.DialectXXL35, "")
	w.speaks("", "")
	err := w.client.Beat(t.Context(), w.address)
	if !job.Is(err, job.Refused) || !strings.Contains(err.Error(), "appname is empty") || len(w.asked()) != 1 {
		t.Errorf("error of kind %q: %v", job.KindOf(err), err)
	}
}

// TestWrongToken: an executor that refuses the token is called at most twice a call, and
// nothing is learned from it.
func TestWrongToken(t *testing.T) {
	t.Parallel()
	for _, is := range []job.Dialect{job.DialectXXL3, job.DialectXXL35, job.DialectOrthJava} {
		for _, known := range append(job.Dialects(), "") {
			w := newWorld(t, is, known)
			w.peer.Token = "another-token"
			for range 2 {
				if err := w.client.Run(t.Context(), w.address, task()); !job.Is(err, job.Refused) {
					t.Errorf("%s called as %s: error of kind %q: %v", is, known, job.KindOf(err), err)
				}
				if asked := w.asked(); len(asked) > 2 {
					t.Errorf("%s called as %s: %d requests", is, known, len(asked))
				}
			}
			if d := w.told(); d != "" || w.accepted > 0 {
				t.Errorf("%s called as %s: heard %q, %d tasks accepted", is, known, d, w.accepted)
			}
		}
	}
}

// TestAnswers shows what the fork's answers mean, and that they identify the fork.
func TestAnswers(t *testing.T) {
	t.Parallel()
	run := func(ctx context.Context, w *world) error { return w.client.Run(ctx, w.address, task()) }
	idle := func(ctx context.Context, w *world) error {
		busy, err := w.client.IdleBeat(ctx, w.address, 5)
		if err == nil && !busy {
			err = errors.New("idle")
		}
		return err
	}
	kill := func(ctx context.Context, w *world) error { return w.client.KillAttempt(ctx, w.address, 5, 9) }
	log := func(ctx context.Context, w *world) error {
		page, err := w.client.ReadLog(ctx, w.address, 9, task().TriggeredAt, 1)
		if err == nil && !page.End {
			err = errors.New("the page is not the last")
		}
		return err
	}
	no := func(text string) string { return `{"code":500,"msg":"` + text + `"}` }
	yes := func(data string) string { return `{"code":200,"msg":"Success","data":` + data + `}` }
	for name, c := range map[string]struct {
		ask    func(context.Context, *world) error
		answer string
		kind   job.Kind
		tells  job.Dialect
	}{
		"discarded":       {run, no("Block strategy effect: Discard Later"), job.Refused, job.DialectOrthJava},
		"repeated":        {run, no("Duplicate trigger request, logId: 9"), job.Duplicate, job.DialectOrthJava},
		"no handler":      {run, no("Job handler not found: ok"), job.Refused, job.DialectOrthJava},
		"bad kind":        {run, no("Invalid glue type: null"), job.Refused, job.DialectOrthJava},
		"busy":            {idle, no("Job thread is running or has queued triggers"), "", job.DialectOrthJava},
		"no such path":    {idle, no("Invalid request, URI-mapping(/idleBeat) not found."), job.Refused, job.DialectOrthJava},
		"nothing to end":  {kill, yes(`"Job thread not running (already killed or never started)"`), job.NotFound, job.DialectOrthJava},
		"ended":           {kill, yes(`"Job killed successfully"`), "", job.DialectOrthJava},
		"log":             {log, yes(`{"fromLineNum":1,"toLineNum":0,"logContent":"Log file does not exist \"isEnd\":","end":true}`), "", job.DialectOrthJava},
		"XXL discarded":   {run, no("block strategy effect：Discard Later"), job.Refused, ""},
		"XXL repeated":    {run, no("repeat trigger job, logId:9"), job.Duplicate, ""},
		"XXL busy":        {idle, no("job thread is running or has trigger queue."), "", ""},
		"XXL nothing":     {kill, yes(`"job thread already killed."`), job.NotFound, ""},
		"XXL log":         {log, yes(`{"fromLineNum":1,"toLineNum":0,"logContent":"","isEnd":true}`), "", ""},
		"log of both":     {log, yes(`{"fromLineNum":1,"toLineNum":0,"logContent":"","isEnd":true,"end":true}`), "", ""},
		"no end, no log":  {kill, yes(`{"end":true}`), "", ""},
		"anything":        {run, no("anything"), job.Refused, ""},
		"empty":           {run, no(""), job.Refused, ""},
		"prefix of fork":  {idle, no("Job handler not found"), "", ""},
		"method":          {idle, no("Invalid request, HttpMethod not supported."), job.Refused, job.DialectOrthJava},
		"no path at all":  {idle, no("Invalid request, URI-mapping empty."), job.Refused, job.DialectOrthJava},
		"request error":   {idle, no("Request error: java.lang.NullPointerException"), job.Refused, ""},
		"fork on success": {run, yes(`"Discard Later"`), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, job.DialectXXL, "")
			w.became(job.DialectXXL, c.answer)
			err := c.ask(t.Context(), w)
			if job.KindOf(err) != c.kind || c.kind == "" && err != nil {
				t.Errorf("error of kind %q: %v; want %q", job.KindOf(err), err, c.kind)
			}
			if got := errors.Is(err, job.ErrDiscarded); got != strings.Contains(name, "discarded") {
				t.Errorf("discarded: %t", got)
			}
			if d := w.told(); d != c.tells {
				t.Errorf("it tells %q; want %q", d, c.tells)
			}
		})
	}
}

// TestKnownIsNotToldAgain: what is known of an executor is not made of its answers.
func TestKnownIsNotToldAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, job.DialectXXL3, job.DialectXXL3)
	w.became(job.DialectXXL3, `{"code":500,"msg":"Job handler not found: ok"}`)
	_ = w.client.Run(t.Context(), w.address, task())
	if d := w.told(); d != "" {
		t.Errorf("heard %q", d)
	}
}

// TestNamesDiffer: the fork's words are its own, and they alone identify it.
func TestNamesDiffer(t *testing.T) {
	t.Parallel()
	fork := Speech()
	for _, s := range dialect.Speeches() {
		if s.Dialect == fork.Dialect || s.Answers.Discarded == fork.Answers.Discarded || s.Answers.PathUnknown == fork.Answers.PathUnknown ||
			s.Answers.Busy == fork.Answers.Busy || s.Context == fork.Context {
			t.Errorf("%s says it as %s", s.Dialect, fork.Dialect)
		}
		if s.Dialect != job.DialectXXL && slices.Contains(s.TokenHeaders, fork.TokenHeaders[0]) {
			t.Errorf("%s has the fork's header", s.Dialect)
		}
	}
}
