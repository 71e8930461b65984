package xxl

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// stripped is the outcome as a callback without the header carries it.
func stripped(batch []job.Outcome) []job.Outcome {
	var bare []job.Outcome
	for _, o := range batch {
		o.State, o.Class, o.RetryAfter = dialect.CodeState(int64(dialect.StateCode(o.State))), "", 0
		bare = append(bare, o)
	}
	return bare
}

// TestFailuresRoundTrip: a callback's words about its failures arrive, and a whole batch of
// the longest words is read.
func TestFailuresRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) job.Outcome {
			o := job.Outcome{
				AttemptID: rapid.Int64Range(1<<62, 1<<63-1).Draw(t, "attempt"),
				State:     rapid.SampledFrom([]job.State{job.Failed, job.TimedOut, job.Cancelled, job.Skipped}).Draw(t, "state"),
				Class:     rapid.SampledFrom([]retry.Class{retry.ClassPermanent, retry.ClassNotReady, retry.ClassResource}).Draw(t, "class"),
			}
			if dialect.NoFailure(o.State) { // there is no next try
				o.Class = ""
				return o
			}
			ms := rapid.Int64Range(0, retry.MaxDelayCap.Milliseconds()).Draw(t, "after")
			o.RetryAfter = time.Duration(ms) * time.Millisecond
			return o
		}), 1, dialect.MaxSendItems, func(o job.Outcome) int64 { return o.AttemptID }).Draw(t, "batch")
		got := stripped(want)
		dialect.ReadFailures(linesOf(dialect.FailureFields(want)), got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-sent +got):\n%s", diff)
		}
	})
}

// TestFailuresWithoutAWord: most callbacks have no such header at all.
func TestFailuresWithoutAWord(t *testing.T) {
	t.Parallel()
	if h := dialect.FailureFields([]job.Outcome{
		{AttemptID: 1, State: job.Succeeded, Class: retry.ClassPermanent},
		{AttemptID: 2, State: job.Failed},
		{AttemptID: 3, State: job.Failed, Class: retry.ClassTransient, RetryAfter: time.Second},
		{AttemptID: 4, State: job.Failed, Class: "odd"},
	}); h != nil {
		t.Errorf("header %v", h)
	}
}

func TestFailuresNonsense(t *testing.T) {
	t.Parallel()
	good := job.Outcome{AttemptID: 7, State: job.Failed}
	permanent := job.Outcome{AttemptID: 7, State: job.Failed, Class: retry.ClassPermanent}
	for text, want := range map[string]job.Outcome{
		"":                                   good,
		"7":                                  good,
		"=":                                  good,
		"7=":                                 good,
		"7=fatal":                            good,
		"7=lost":                             good,
		"7=succeeded":                        good,
		"7=cancelled;after=5":                good,
		"7=cancelled":                        {AttemptID: 7, State: job.Cancelled},
		"7=skipped":                          {AttemptID: 7, State: job.Skipped},
		"7=Permanent":                        good,
		"-7=permanent":                       good,
		"8=permanent":                        good,
		"7=permanent;after=":                 good,
		"7=permanent;after=-1":               good,
		"7=permanent;after=1e3":              good,
		"7=permanent;before=5":               good,
		",,7=permanent,":                     permanent,
		"x, 7=permanent":                     permanent,
		strings.Repeat("7=permanent,", 1000): good,
		"7=not_ready;after=9223372036854775807": {
			AttemptID: 7, State: job.Failed, Class: retry.ClassNotReady, RetryAfter: retry.MaxDelayCap,
		},
	} {
		got := []job.Outcome{good}
		dialect.ReadFailures(http.Header{dialect.HeaderFailures: {text}}, got)
		if got[0] != want {
			t.Errorf("%.60q became %+v; want %+v", text, got[0], want)
		}
	}
	dialect.ReadFailures(http.Header{dialect.HeaderFailures: {}}, []job.Outcome{good})
	for _, state := range []job.State{job.Succeeded, job.TimedOut} { // the code is more precise
		got := []job.Outcome{{AttemptID: 7, State: state}}
		dialect.ReadFailures(http.Header{dialect.HeaderFailures: {"7=cancelled"}}, got)
		if got[0].State != state {
			t.Errorf("%s became %s", state, got[0].State)
		}
	}
}

// FuzzHeaders: what arrives in Orth's own headers is bounded or left out.
func FuzzHeaders(f *testing.F) {
	for _, seed := range []string{
		"7=permanent,8=not_ready;after=30000", "team=a&tier=%20", "shell=5.2,python=3", "1795226980000", "rerun", "%zz", "a=1;b=2",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		h := http.Header{}
		for _, name := range []string{
			dialect.HeaderPlannedAt, dialect.HeaderOnCrash, dialect.HeaderRunID, dialect.HeaderTry, dialect.HeaderLabels, dialect.HeaderFailures, dialect.HeaderFeatures,
		} {
			h[name] = []string{text}
		}
		var task job.Task
		dialect.ReadExtras(h, &task)
		if err := job.CheckLabels("labels", task.Labels); err != nil || task.RunID < 0 || task.Try < 0 || task.PlannedAt.Year() > 9999 {
			t.Fatalf("%q became %+v: %v", text, task, err)
		}
		var again job.Task
		dialect.ReadExtras(linesOf(dialect.AppendExtras(nil, &task)), &again)
		if diff := cmp.Diff(task, again); diff != "" {
			t.Fatalf("%q (-first +second):\n%s", text, diff)
		}
		if features := dialect.ReadFeatures(h); len(features) > job.MaxFeatures || strings.Join(features, ",") != dialect.JoinFeatures(features) {
			t.Fatalf("%q became the features %q", text, features)
		}
		outcomes := []job.Outcome{{AttemptID: 7, State: job.Failed}, {AttemptID: 8, State: job.Succeeded}}
		dialect.ReadFailures(h, outcomes)
		if o := outcomes[0]; o.RetryAfter < 0 || o.RetryAfter > retry.MaxDelayCap || o.Class != "" && !o.Class.Known() || outcomes[1].Class != "" {
			t.Fatalf("%q became %+v", text, outcomes)
		}
	})
}
