package alarm_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/job"
)

func TestRuleDefaults(t *testing.T) {
	t.Parallel()
	r := goodRule()
	full := r.WithDefaults()
	want := r
	want.Severity, want.GroupBy, want.Count, want.Percent, want.MinRuns = alarm.Warning, alarm.ByPool, 3, 50, 5
	want.Window, want.Within, want.For = time.Hour, 5*time.Minute, 2*time.Minute
	want.Wait, want.Interval, want.Repeat = 10*time.Second, 5*time.Minute, 4*time.Hour
	if diff := cmp.Diff(want, full); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(full, full.WithDefaults()); diff != "" {
		t.Errorf("what is said changes (-want +got):\n%s", diff)
	}
	r.Kinds = []alarm.Kind{alarm.KindFailed, alarm.KindBacklog}
	if n := r.WithDefaults().Count; n != 1000 {
		t.Errorf("a backlog of %d", n)
	}
	r.Repeat = alarm.Never
	if d := r.WithDefaults().Repeat; d != alarm.Never {
		t.Errorf("never became %s", d)
	}
}

func TestChannelDefaults(t *testing.T) {
	t.Parallel()
	c := alarm.Channel{Key: "ops"}
	if full := c.WithDefaults(); full.Language != "en" || full.PerMinute != 20 || full.Key != "ops" {
		t.Errorf("got %+v", full)
	}
	c.Language, c.PerMinute = alarm.Chinese, 5
	if diff := cmp.Diff(c, c.WithDefaults()); diff != "" {
		t.Errorf("what is said changes (-want +got):\n%s", diff)
	}
}

// TestWants says for each event which kinds of rules want it.
func TestWants(t *testing.T) {
	t.Parallel()
	bad := []alarm.Kind{
		alarm.KindFailed, alarm.KindTimedOut, alarm.KindLost, alarm.KindStreak, alarm.KindRate, alarm.KindSlow, alarm.KindDeadLetter,
	}
	good := append([]alarm.Kind{alarm.KindMissed}, bad...)
	for name, c := range map[string]struct {
		event alarm.Event
		want  []alarm.Kind
	}{
		"a bad end":         {alarm.Event{Source: alarm.SourceRun, State: job.Failed}, bad},
		"a good end":        {alarm.Event{Source: alarm.SourceRun, State: job.Succeeded}, good},
		"a missed firing":   {alarm.Event{Source: alarm.SourceMissed}, []alarm.Kind{alarm.KindMissed}},
		"a late run":        {alarm.Event{Source: alarm.SourceLate}, []alarm.Kind{alarm.KindNotStarted}},
		"a run that began":  {alarm.Event{Source: alarm.SourceBegun}, []alarm.Kind{alarm.KindNotStarted}},
		"runs that wait":    {alarm.Event{Source: alarm.SourceWaiting}, []alarm.Kind{alarm.KindBacklog}},
		"a group down":      {alarm.Event{Source: alarm.SourceDown}, []alarm.Kind{alarm.KindGroupDown}},
		"a group up again":  {alarm.Event{Source: alarm.SourceUp}, []alarm.Kind{alarm.KindGroupDown}},
		"what nobody knows": {alarm.Event{Source: "news"}, alarm.Kinds()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := c.event
			e.Namespace, e.JobKey, e.Group = "default", "report", "g"
			wanted := map[alarm.Kind]bool{}
			for _, kind := range c.want {
				wanted[kind] = true
			}
			for _, kind := range alarm.Kinds() {
				r := goodRule()
				r.Enabled, r.Kinds = true, []alarm.Kind{kind}
				if got := r.Wants(&e); got != wanted[kind] {
					t.Errorf("%s: got %v", kind, got)
				}
			}
		})
	}
}

func TestWantsByRule(t *testing.T) {
	t.Parallel()
	e := alarm.Event{Source: alarm.SourceRun, State: job.Failed, Namespace: "default", JobKey: "report", Group: "g"}
	for name, c := range map[string]struct {
		change func(r *alarm.Rule)
		want   bool
	}{
		"it fits":           {func(*alarm.Rule) {}, true},
		"one kind of two":   {func(r *alarm.Rule) { r.Kinds = []alarm.Kind{alarm.KindBacklog, alarm.KindFailed} }, true},
		"not enabled":       {func(r *alarm.Rule) { r.Enabled = false }, false},
		"another namespace": {func(r *alarm.Rule) { r.Namespace = "team" }, false},
		"another job":       {func(r *alarm.Rule) { r.Scope.Jobs = []string{"x"} }, false},
	} {
		r := goodRule()
		r.Enabled = true
		c.change(&r)
		if got := r.Wants(&e); got != c.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func TestMailed(t *testing.T) {
	t.Parallel()
	to := []string{"ops@example.com"}
	for name, c := range map[string]struct {
		event alarm.Event
		want  bool
	}{
		"a bad end":      {alarm.Event{Source: alarm.SourceRun, State: job.TimedOut, Emails: to}, true},
		"no address":     {alarm.Event{Source: alarm.SourceRun, State: job.TimedOut}, false},
		"a good end":     {alarm.Event{Source: alarm.SourceRun, State: job.Succeeded, Emails: to}, false},
		"what is no end": {alarm.Event{Source: alarm.SourceMissed, State: job.Failed, Emails: to}, false},
	} {
		if got := c.event.Mailed(); got != c.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
