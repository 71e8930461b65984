package api_test

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// fill sets every field of a struct that is not set, so that one that is
// forgotten in a conversion is found out.
func fill(t *testing.T, v reflect.Value) {
	t.Helper()
	for i := range v.NumField() {
		switch f := v.Field(i).Addr().Interface().(type) {
		case *time.Time:
			*f = instant.Add(time.Duration(i) * time.Hour)
		case *time.Duration:
			*f = time.Duration(i+1) * time.Second
		case *int:
			*f = i + 1
		case *string:
			*f = v.Type().Field(i).Name
		case *bool:
			*f = true
		case **string:
			text := "param"
			*f = &text
		case *[]string:
			*f = []string{"a", "b"}
		case *schedule.Kind:
			*f = schedule.KindSeveral
		case *schedule.Excluded:
			*f = schedule.ExcludedShift
		case **schedule.DST:
			*f = &schedule.DST{Gap: schedule.GapAfter, Overlap: schedule.OverlapBoth, Straight: true}
		case *[]schedule.Spec:
			*f = []schedule.Spec{{Kind: schedule.KindEvery, Every: time.Hour}, {Kind: schedule.KindOnce, At: instant}}
		case *uint32: // the seed, which is not shown
		default:
			t.Fatalf("%s.%s is new: fill it here", v.Type(), v.Type().Field(i).Name)
		}
	}
}

func TestScheduleKeepsAll(t *testing.T) {
	t.Parallel()
	var want schedule.Spec
	fill(t, reflect.ValueOf(&want).Elem())
	text, err := json.Marshal(api.FromSchedule(want))
	if err != nil {
		t.Fatal(err)
	}
	var back api.Schedule
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, back.Spec()); diff != "" {
		t.Errorf("%s: %s", text, diff)
	}
	if got := api.FromSchedule(schedule.Spec{Kind: schedule.KindManual}); got.Of != nil || got.Spec().Of != nil {
		t.Error("nothing became an empty list")
	}
}

func TestMisfireLimitsKeepAll(t *testing.T) {
	t.Parallel()
	var want schedule.MisfireLimits
	fill(t, reflect.ValueOf(&want).Elem())
	got := api.NewJob{MisfireLimits: api.FromJob(job.Job{MisfireLimits: want}).MisfireLimits}.Job().MisfireLimits
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFromSlot(t *testing.T) {
	t.Parallel()
	shanghai := time.FixedZone("CST", 8*3600)
	plain := schedule.Slot{At: instant.Truncate(time.Second), Named: instant.Truncate(time.Second)}
	want := api.Firing{At: api.At(plain.At), Local: "2030-01-31 16:00:00 +08:00 Thu"}
	if diff := cmp.Diff(want, api.FromSlot(plain, shanghai)); diff != "" {
		t.Error(diff)
	}
	moved := schedule.Slot{At: instant, Named: instant.Add(-time.Hour), Dropped: true, Calendar: "cn", Day: "National Day"}
	want = api.Firing{
		At: api.At(instant), Local: "2030-01-31 16:00:00.123 +08:00 Thu", Named: api.At(instant.Add(-time.Hour)),
		Dropped: true, Calendar: "cn", Day: "National Day",
	}
	if diff := cmp.Diff(want, api.FromSlot(moved, shanghai)); diff != "" {
		t.Error(diff)
	}
}

func TestPauseKeepsAll(t *testing.T) {
	t.Parallel()
	want := job.Pause{
		Key: "nights", Reason: "backups", Namespace: "team", Groups: []string{"a"}, From: instant, Until: instant.Add(time.Hour),
		Window: &job.Window{Cron: "@daily", Zone: "Asia/Shanghai", For: time.Hour},
	}
	shown := api.FromPause(want)
	got := api.NewPause{
		Reason: shown.Reason, Namespace: shown.Namespace, Groups: shown.Groups, From: shown.From, Until: shown.Until, Window: shown.Window,
	}.Pause(shown.Key)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := (api.NewPause{}).Pause("all"); got.Window != nil || !got.From.IsZero() {
		t.Errorf("a pause of nothing: %+v", got)
	}
}

func TestBackfillKeepsAll(t *testing.T) {
	t.Parallel()
	param := ""
	want := job.Backfill{
		From: instant, To: instant.Add(time.Hour), Slots: 9, Parallel: 3, Spacing: time.Second, SkipSucceeded: true, Param: &param,
	}
	shown := api.FromBackfill(want)
	got := api.NewBackfill{
		From: shown.From, To: shown.To, Max: shown.Slots, Parallel: shown.Parallel, Spacing: shown.Spacing,
		SkipSucceeded: shown.SkipSucceeded, Param: shown.Param,
	}.Backfill()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	text, err := json.Marshal(api.FromBackfill(job.Backfill{
		ID: 5, JobID: 7, JobKey: "report", From: instant, To: instant, Slots: 4, First: instant, Last: instant, Parallel: 1,
		State: job.BackfillCancelled, Reason: "enough", Made: 3, Skipped: 1, Succeeded: 1, Failed: 2, CreatedAt: instant, EndedAt: instant,
	}))
	const at = `"2030-01-31T08:00:00.123Z"`
	if diff := cmp.Diff(`{"id":"5","job_id":7,"job_key":"report","from":`+at+`,"to":`+at+`,"slots":4,"first":`+at+`,"last":`+at+
		`,"parallel":1,"state":"cancelled","reason":"enough","made":3,"skipped":1,"succeeded":1,"failed":2,"created_at":`+at+
		`,"ended_at":`+at+`}`, string(text)); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
}

// The document names the limits that the server has.
func TestLimitsOfTheDocument(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		of         reflect.Type
		field, tag string
		want       int
	}{
		{reflect.TypeFor[api.Schedule](), "Cron", "maxLength", schedule.MaxExpression},
		{reflect.TypeFor[api.Schedule](), "Of", "maxItems", schedule.MaxSeveral},
		{reflect.TypeFor[api.Schedule](), "Calendars", "maxItems", schedule.MaxCalendars},
		{reflect.TypeFor[api.Schedule](), "Count", "maximum", schedule.MaxCount},
		{reflect.TypeFor[api.MisfireLimits](), "Max", "maximum", schedule.MaxMissed},
		{reflect.TypeFor[api.NewJob](), "StopAfter", "maximum", job.MaxStopAfter},
		{reflect.TypeFor[api.NewPause](), "Groups", "maxItems", job.MaxPauseGroups},
		{reflect.TypeFor[api.NewBackfill](), "Max", "maximum", job.MaxSlots},
		{reflect.TypeFor[api.NewBackfill](), "Parallel", "maximum", job.MaxParallel},
	} {
		field, ok := c.of.FieldByName(c.field)
		if got := field.Tag.Get(c.tag); !ok || got != strconv.Itoa(c.want) {
			t.Errorf("%s.%s: %s is %q, want %d", c.of, c.field, c.tag, got, c.want)
		}
	}
	labels, _ := reflect.TypeFor[api.NewJob]().FieldByName("Labels")
	if want := "at most " + strconv.Itoa(job.MaxLabelValue) + " bytes"; !strings.Contains(labels.Tag.Get("doc"), want) {
		t.Errorf("the document of labels does not say %q", want)
	}
}
