package queries

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/jobs/jobstest"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
	"github.com/orthd/orth/schedule/calendar"
)

// firing returns a job of a schedule that fires.
func firing(key string, s schedule.Spec) job.Job {
	return job.Job{Namespace: job.DefaultNamespace, Key: key, Group: "g", Enabled: true, Schedule: s}
}

func every(d time.Duration) schedule.Spec {
	return schedule.Spec{Kind: schedule.KindEvery, Every: d, Anchor: jobstest.Midnight}
}

func TestTimelineCountsByMinutes(t *testing.T) {
	t.Parallel()
	w, c, s := newShelf()
	w.CalendarsByKey["default/closed"] = job.Calendar{Namespace: "default", Key: "closed", Rules: calendar.Rules{
		Dates: []calendar.Day{{Date: calendar.DateOf(jobstest.Midnight)}},
	}}
	w.CalendarsByKey["default/bad"] = job.Calendar{Namespace: "default", Key: "bad", Rules: calendar.Rules{Mode: "moon"}}
	closed, bad := every(time.Minute), every(time.Minute)
	closed.Calendars, bad.Calendars = []string{"closed"}, []string{"bad"}
	for _, test := range []struct {
		name            string
		job             job.Job
		minutes, counts []int
		partly          bool
	}{
		{"once an hour", firing("a", every(time.Hour)), []int{0, 60}, []int{1, 1}, false},
		{"each half hour", firing("a", every(30*time.Minute)), []int{0, 30, 60, 90}, []int{1, 1, 1, 1}, false},
		{"nothing by hand", firing("a", schedule.Spec{Kind: schedule.KindManual}), nil, nil, false},
		{"nothing on closed days", firing("a", closed), nil, nil, false},
		{"a count that is used up", func() job.Job {
			j := firing("a", every(40*time.Minute))
			j.Schedule.Count, j.Fired, j.LastAt = 2, 1, jobstest.Midnight
			return j
		}(), []int{0, 40}, []int{1, 1}, false},
		{"a delay of which one is known", func() job.Job {
			j := firing("a", schedule.Spec{Kind: schedule.KindAfter, After: time.Minute})
			j.NextAt = jobstest.Midnight.Add(90 * time.Second)
			return j
		}(), []int{1}, []int{1}, true},
		{"a delay that is far away", func() job.Job {
			j := firing("a", schedule.Spec{Kind: schedule.KindAfter, After: time.Minute})
			j.NextAt = jobstest.Midnight.Add(3 * time.Hour)
			return j
		}(), nil, nil, true},
	} {
		s.page = []job.Job{test.job}
		line, err := c.Timeline(t.Context(), TimelineQuery{From: jobstest.Midnight.Add(20 * time.Second), Until: jobstest.Midnight.Add(2 * time.Hour)})
		if err != nil || len(line.Jobs) != 1 || !line.From.Equal(jobstest.Midnight) || line.Next != "" {
			t.Fatalf("%s: %+v, %v", test.name, line, err)
		}
		got := line.Jobs[0]
		if diff := cmp.Diff([][]int{test.minutes, test.counts}, [][]int{got.Minutes, got.Counts}); diff != "" || got.Partly != test.partly || got.Problem != "" {
			t.Errorf("%s: partly %t, problem %q %s", test.name, got.Partly, got.Problem, diff)
		}
	}
	s.page = []job.Job{firing("a", bad)}
	line, err := c.Timeline(t.Context(), TimelineQuery{From: jobstest.Midnight, Until: jobstest.Midnight.Add(time.Hour)})
	if err != nil || !strings.Contains(line.Jobs[0].Problem, `the calendar "bad" cannot be used`) {
		t.Errorf("a calendar that cannot be used: %+v, %v", line.Jobs, err)
	}
}

// However often jobs fire, what a page looks at is bounded.
func TestTimelineIsBounded(t *testing.T) {
	t.Parallel()
	_, c, s := newShelf()
	day := TimelineQuery{From: jobstest.Midnight, Until: jobstest.Midnight.Add(24 * time.Hour), Limit: 50}
	for i := range 50 {
		s.page = append(s.page, firing(fmt.Sprintf("j%02d", i), every(100*time.Millisecond)))
	}
	line, err := c.Timeline(t.Context(), day)
	if err != nil {
		t.Fatal(err)
	}
	const perJob = 24 * 60 * MaxPerMinute
	want := maxPageSteps/perJob + 1
	if len(line.Jobs) != want || line.Next != line.Jobs[want-1].Job.Key {
		t.Errorf("%d jobs and %q next, want %d", len(line.Jobs), line.Next, want)
	}
	got := line.Jobs[0]
	if len(got.Minutes) != 24*60 || slices.Min(got.Counts) != MaxPerMinute || slices.Max(got.Counts) != MaxPerMinute || got.Partly {
		t.Errorf("%d minutes of %d..%d", len(got.Minutes), slices.Min(got.Counts), slices.Max(got.Counts))
	}
	counted := firing("counted", every(100*time.Millisecond))
	counted.Schedule.Count = 1_000_000
	s.page = []job.Job{counted}
	line, err = c.Timeline(t.Context(), day)
	if err != nil || !line.Jobs[0].Partly || len(line.Jobs[0].Minutes) != maxJobSteps/600+1 {
		t.Errorf("a counted job: %d minutes, partly %t, %v", len(line.Jobs[0].Minutes), line.Jobs[0].Partly, err)
	}
}

func TestTimelineAsksAsItIsAsked(t *testing.T) {
	t.Parallel()
	_, c, s := newShelf()
	s.page = []job.Job{firing("b", every(time.Hour)), firing("c", every(time.Hour))}
	line, err := c.Timeline(t.Context(), TimelineQuery{
		Namespace: "team", Group: "g", After: "a", Limit: 2, From: jobstest.Midnight, Until: jobstest.Midnight.Add(MaxTimeline),
	})
	if err != nil || line.Next != "c" {
		t.Errorf("next %q, %v", line.Next, err)
	}
	if q := s.jobs; q.Namespace != "team" || q.Group != "g" || q.After != "a" || q.Limit != 2 || q.Enabled == nil || !*q.Enabled {
		t.Errorf("asked for %+v", q)
	}
	for field, q := range map[string]TimelineQuery{
		"from":  {From: time.Date(1066, 1, 1, 0, 0, 0, 0, time.UTC), Until: jobstest.Midnight},
		"until": {From: jobstest.Midnight, Until: jobstest.Midnight},
	} {
		_, err := c.Timeline(t.Context(), q)
		jobstest.WantField(t, err, field)
	}
	_, err = c.Timeline(t.Context(), TimelineQuery{From: jobstest.Midnight, Until: jobstest.Midnight.Add(MaxTimeline + time.Second)})
	jobstest.WantField(t, err, "until")
}

// All namespaces are told one after the other, and no job twice.
func TestTimelineOfAllNamespaces(t *testing.T) {
	t.Parallel()
	in := func(namespace string, step time.Duration, keys ...string) (jobs []job.Job) {
		for _, key := range keys {
			j := firing(key, every(step))
			j.Namespace = namespace
			jobs = append(jobs, j)
		}
		return jobs
	}
	many := make(map[string][]job.Job)
	for i := range 3 * maxSpaces / 2 {
		name := fmt.Sprintf("s%03d", i)
		many[name] = in(name, time.Hour, "a")
	}
	for _, c := range []struct {
		name  string
		of    map[string][]job.Job
		limit int
		pages string
	}{
		{"on one page", map[string][]job.Job{"a": in("a", time.Hour, "x", "y"), "b": in("b", time.Hour, "x")}, 10, "a/x a/y b/x"},
		{"on pages that end within one", map[string][]job.Job{"a": in("a", time.Hour, "x", "y"), "b": in("b", time.Hour, "x")}, 1, "a/x | a/y | b/x |"},
		{"with one that has none", map[string][]job.Job{"a": nil, "b": in("b", time.Hour, "x"), "c": nil}, 2, "b/x"},
		{"with no namespaces", map[string][]job.Job{}, 2, ""},
		{
			"on pages that end because much fires", map[string][]job.Job{
				"a": in("a", 100*time.Millisecond, strings.Split("a b c d e f g h i j k l", " ")...), "b": in("b", time.Hour, "x"),
			}, 20, "12 | b/x",
		},
		{"on pages that end because there are many namespaces", many, 200, "100 | 50"},
	} {
		_, shelf, s := newShelf()
		s.pages = c.of
		q := TimelineQuery{Spaces: slices.Sorted(maps.Keys(c.of)), From: jobstest.Midnight, Until: jobstest.Midnight.Add(24 * time.Hour), Limit: c.limit}
		if q.Spaces == nil {
			q.Spaces = []string{}
		}
		var pages []string
		for range 10 {
			line, err := shelf.Timeline(t.Context(), q)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			var keys []string
			for _, one := range line.Jobs {
				keys = append(keys, one.Job.Namespace+"/"+one.Job.Key)
			}
			page := strings.Join(keys, " ")
			if len(keys) > 10 {
				page = fmt.Sprint(len(keys))
			}
			pages = append(pages, page)
			if q.After = line.Next; q.After == "" {
				break
			}
		}
		if got := strings.TrimSpace(strings.Join(pages, " | ")); got != c.pages {
			t.Errorf("%s: %q, want %q", c.name, got, c.pages)
		}
	}
}
