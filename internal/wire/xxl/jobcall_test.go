package xxl

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// jobRoom keeps jobs by id: 1 is group a's, 2 group b's. Its groups have the ids
// 1, 2 and so on.
type jobRoom struct {
	calls

	jobs map[int64]job.Job
	away error
}

func newJobRoom() *jobRoom {
	return &jobRoom{jobs: map[int64]job.Job{1: storedJob("a"), 2: storedJob("b")}}
}

// storedJob is a job with something in every place that a form could change, and
// with some for which a form has no word.
func storedJob(group string) job.Job {
	j := job.Job{
		Key: "kept", Title: "Kept", Group: group,
		Schedule: schedule.Spec{Kind: schedule.KindCron, Cron: "0 0 2 * * ?", Zone: "Europe/Berlin"},
		Misfire:  schedule.MisfireFireOnce, Handler: job.Handler{Kind: job.HandlerNamed, Name: "demo"}, Param: "p",
		Route: job.RouteFirst, Overlap: job.OverlapDiscard, Timeout: 9 * time.Second,
		Labels:   map[string]string{"author": "ada", "glue_remark": "first", "team": "x"},
		Children: []job.Child{{JobID: 7, On: job.ChildOnAlways}}, AlarmEmails: []string{"a@example.com"},
	}
	j.Retry.Tries, j.Retry.Initial = 3, time.Minute
	return j
}

func (r *jobRoom) find(group string, id int64) (job.Job, error) {
	if r.away != nil {
		return job.Job{}, r.away
	}
	j, ok := r.jobs[id]
	if !ok || j.Group != group {
		return job.Job{}, job.Errorf(job.NotFound, "group %s has no job %d", group, id)
	}
	return j, nil
}

func (r *jobRoom) AddJob(_ context.Context, j job.Job) (int64, error) {
	if r.away != nil {
		return 0, r.away
	}
	for _, other := range r.jobs {
		if other.Key == j.Key {
			return 0, job.Errorf(job.Conflict, "job %s exists already", j.Key)
		}
	}
	id := int64(len(r.jobs) + 1)
	r.jobs[id] = j
	r.add("add %d", id)
	return id, nil
}

func (r *jobRoom) EditJob(_ context.Context, group string, id int64, edit func(job.Job) (job.Job, error)) error {
	j, err := r.find(group, id)
	if err != nil {
		return err
	}
	if j, err = edit(j); err != nil {
		return err
	}
	r.jobs[id] = j
	r.add("edit %d", id)
	return nil
}

func (r *jobRoom) RemoveJob(_ context.Context, group string, id int64) error {
	_, err := r.find(group, id)
	if err == nil {
		delete(r.jobs, id)
		r.add("remove %d", id)
	}
	return err
}

func (r *jobRoom) StartJob(_ context.Context, group string, id int64) error {
	j, err := r.find(group, id)
	if err == nil && j.Schedule.Kind == schedule.KindManual {
		return job.Errorf(job.Refused, "job %s never fires by itself", j.Key)
	}
	return r.told(err, "start %d", id)
}

func (r *jobRoom) StopJob(_ context.Context, group string, id int64) error {
	_, err := r.find(group, id)
	return r.told(err, "stop %d", id)
}

func (r *jobRoom) TriggerJob(_ context.Context, group string, id int64, param *string, addresses []string) error {
	_, err := r.find(group, id)
	text := "its own"
	if param != nil {
		text = fmt.Sprintf("%q", *param)
	}
	return r.told(err, "trigger %d with %s on %q", id, text, addresses)
}

func (r *jobRoom) told(err error, format string, args ...any) error {
	if err == nil {
		r.add(format, args...)
	}
	return err
}

func (r *jobRoom) GroupID(_ context.Context, group string) (int64, error) {
	return map[string]int64{"a": 1, "b": 2}[group], r.away
}

// jobHandler serves the room to all callers of guests.
func jobHandler(room *jobRoom) *AdminHandler {
	return NewAdminHandler(AdminConfig{
		Leases: new(serverRoom), Outcomes: new(serverRoom), Credentials: guests{},
		JobCalls: JobCalls{Book: room, Switch: room, Groups: room},
	})
}

// ask makes a call and returns the HTTP status and the answer.
func ask(t *testing.T, h http.Handler, token, group, path, body string) (int, string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body))
	if token != "" {
		r.Header[dialect.HeaderTokenCanonical] = []string{token}
	}
	if group != "" {
		r.Header[dialect.HeaderGroupCanonical] = []string{group}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

const (
	jobDone = `{"code":200,"msg":"Success","data":null,"success":true}`
	newForm = `{"name":"Nightly Report","author":"ada","scheduleType":"CRON","scheduleConf":"0 0 2 * * ?","glueType":"BEAN",` +
		`"executorHandler":"demo","executorRouteStrategy":"ROUND","misfireStrategy":"DO_NOTHING","executorBlockStrategy":"SERIAL_EXECUTION"%s}`
)

// TestJobCallsKeepToTheirGroup: each call by each caller. What is another group's is
// answered as what does not exist, and nothing changes.
func TestJobCallsKeepToTheirGroup(t *testing.T) {
	t.Parallel()
	type caller struct{ name, token, group string }
	own := []caller{
		{"token of the group", "orthg_a", ""},
		{"token and name of the group", "orthg_a", "a"},
		{"token of the server and name", "the-server's", "a"},
	}
	strangers := []struct {
		caller

		want string
	}{
		{caller{"no token", "", ""}, dialect.TextToken},
		{caller{"no token and a name", "", "a"}, dialect.TextGroupEmpty},
		{caller{"wrong token", "orthg_no", ""}, dialect.TextToken},
		{caller{"wrong token and a name", "orthg_no", "a"}, dialect.TextGroupWrong},
		{caller{"a server's token without a name", "the-server's", ""}, dialect.TextGroupEmpty},
		{caller{"blank name", "the-server's", " "}, dialect.TextGroupEmpty},
		{caller{"name of another group", "orthg_a", "b"}, dialect.TextGroupWrong},
		{caller{"name of a group that has tokens of its own", "the-server's", "b"}, dialect.TextGroupWrong},
		{caller{"name that is none", "the-server's", "../a"}, dialect.TextGroupWrong},
		{caller{"admitted token", "admitted", "a"}, dialect.TextGroupWrong},
	}
	calls := []struct{ name, body, done, unknown string }{
		{callAddJob, fmt.Sprintf(newForm, ""), "add 3", ""},
		{callUpdateJob, `{"id":%d,"name":"N"}`, "edit %d", textNoJobToEdit},
		{callRemoveJob, `{"id":%d}`, "remove %d", ""},
		{callStartJob, `{"id":%d}`, "start %d", textNoJob},
		{callStopJob, `{"id":%d}`, "stop %d", textNoJob},
		{callTriggerJob, `{"id":%d}`, `trigger %d with its own on []`, textNoJob},
	}
	with := func(text string, id int64) string { return strings.ReplaceAll(text, "%d", fmt.Sprint(id)) }
	for _, c := range calls {
		path := "/api/" + c.name
		for _, who := range own {
			room := newJobRoom()
			status, got := ask(t, jobHandler(room), who.token, who.group, path, with(c.body, 1))
			if did := room.take(); status != http.StatusOK || !strings.HasPrefix(got, `{"code":200,`) || did != with(c.done, 1) {
				t.Errorf("%s, %s: status %d: %s; did %q", c.name, who.name, status, got, did)
			}
			var answers []string
			for _, id := range []int64{2, 99, 0, -1} { // another group's, and unknown ones
				if c.name == callAddJob {
					break
				}
				before := maps.Clone(room.jobs)
				_, got := ask(t, jobHandler(room), who.token, who.group, path, with(c.body, id))
				answers = append(answers, got)
				want := jobDone
				if c.unknown != "" {
					want = `{"code":500,"msg":"` + c.unknown + `","data":null,"success":false}`
				}
				if did := room.take(); got != want || did != "" {
					t.Errorf("%s of job %d, %s: %s; did %q", c.name, id, who.name, got, did)
				}
				if diff := cmp.Diff(before, room.jobs); diff != "" {
					t.Errorf("%s of job %d, %s changed (-was +is):\n%s", c.name, id, who.name, diff)
				}
			}
			for _, answer := range answers {
				if answer != answers[0] {
					t.Errorf("%s, %s: answers tell jobs of others from none: %q", c.name, who.name, answers)
				}
			}
		}
		for _, who := range strangers {
			room := newJobRoom()
			before := maps.Clone(room.jobs)
			status, got := ask(t, jobHandler(room), who.token, who.group, path, with(c.body, 1))
			if status != http.StatusOK || !strings.HasPrefix(got, `{"code":500,"msg":"`+who.want) || !cmp.Equal(before, room.jobs) || room.take() != "" {
				t.Errorf("%s, %s: status %d: %s", c.name, who.name, status, got)
			}
		}
	}
}

// TestAddJobAsksInOrder follows a caller who mends one thing after the other, in
// the order of the dialect's own servers.
func TestAddJobAsksInOrder(t *testing.T) {
	t.Parallel()
	form := map[string]string{}
	steps := []struct{ field, value, want string }{
		{"", "", dialect.TextNoName},
		{"name", `" "`, dialect.TextNoName},
		{"name", `"Nightly Report"`, dialect.TextNoAuthor},
		{"author", `"ada"`, dialect.TextScheduleWrong},
		{"jobGroup", `2`, dialect.TextNoGroup},
		{"jobGroup", `99`, dialect.TextNoGroup},
		{"jobGroup", `1`, dialect.TextScheduleWrong},
		{"scheduleType", `"HOURLY"`, dialect.TextScheduleWrong},
		{"scheduleType", `"CRON"`, dialect.TextCronWrong},
		{"scheduleConf", `"every day"`, dialect.TextCronWrong},
		{"scheduleType", `"FIX_RATE"`, dialect.TextScheduleWrong},
		{"scheduleConf", `null`, dialect.TextNoSchedule},
		{"scheduleConf", `"0"`, dialect.TextScheduleWrong},
		{"scheduleConf", `"30"`, dialect.TextKindWrong},
		{"glueType", `"GLUE_RUBY"`, dialect.TextKindWrong},
		{"glueType", `"BEAN"`, dialect.TextNoHandler},
		{"executorHandler", `""`, dialect.TextNoHandler},
		{"executorHandler", `"demo"`, dialect.TextRouteWrong},
		{"executorRouteStrategy", `"NEAREST"`, dialect.TextRouteWrong},
		{"executorRouteStrategy", `"ROUND"`, dialect.TextMisfireWrong},
		{"misfireStrategy", `"LATER"`, dialect.TextMisfireWrong},
		{"misfireStrategy", `"DO_NOTHING"`, dialect.TextOverlapWrong},
		{"executorBlockStrategy", `"WHATEVER"`, dialect.TextOverlapWrong},
	}
	room := newJobRoom()
	h := jobHandler(room)
	body := func() string {
		var fields []string
		for name, value := range form {
			fields = append(fields, fmt.Sprintf("%q:%s", name, value))
		}
		return "{" + strings.Join(fields, ",") + "}"
	}
	for _, step := range steps {
		if step.field != "" {
			form[step.field] = step.value
		}
		for _, token := range []string{"orthg_a", "the-server's"} {
			_, got := ask(t, h, token, "a", "/api/addJob", body())
			if !strings.HasPrefix(got, `{"code":500,"msg":"`+step.want) {
				t.Errorf("after %s = %s: %s; want %s", step.field, step.value, got, step.want)
			}
		}
	}
	form["executorBlockStrategy"] = `"COVER_EARLY"`
	_, got := ask(t, h, "orthg_a", "a", "/xxl-job-admin/api/addJob", body())
	if got != `{"code":200,"msg":"Success","data":"3","success":true}` {
		t.Fatal(got)
	}
	want := job.Job{
		Key: "nightly-report", Title: "Nightly Report", Group: "a",
		Schedule: schedule.Spec{Kind: schedule.KindEvery, Every: 30 * time.Second}, Misfire: schedule.MisfireSkip,
		Handler: job.Handler{Kind: job.HandlerNamed, Name: "demo"}, Route: job.RouteRound, Overlap: job.OverlapCover,
		Labels: map[string]string{"author": "ada"},
	}
	if diff := cmp.Diff(want, room.jobs[3]); diff != "" {
		t.Errorf("the job (-want +got):\n%s", diff)
	}
}

func TestAddJobScripts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ fields, want string }{
		{`"glueType":"GLUE_SHELL","glueSource":"echo 1\r\necho 2\r"`, "echo 1\necho 2"},
		{`"glueType":"GLUE_PYTHON","glueSource":"print(1)\r\n"`, "print(1)\r\n"},
		{`"glueType":"GLUE_NODEJS","glueSource":"1","executorHandler":null`, "1"},
	} {
		room := newJobRoom()
		body := strings.Replace(fmt.Sprintf(newForm, ","+c.fields+`,"glueRemark":"why","executorTimeout":-1,"executorFailRetryCount":2`), `"glueType":"BEAN",`, "", 1)
		_, got := ask(t, jobHandler(room), "orthg_a", "", "/api/addJob", body)
		j := room.jobs[3]
		if !strings.Contains(got, `"data":"3"`) || j.Handler.Source != c.want || !j.Handler.Kind.Script() || j.Handler.Name != "" ||
			j.Labels["glue_remark"] != "why" || j.Timeout != 0 || j.Retry.Tries != 2 || j.Retry.Initial != 0 {
			t.Errorf("%s: %s: %+v", c.fields, got, j)
		}
	}
}

// TestJobKeys: jobs of one name get keys of their own.
func TestJobKeys(t *testing.T) {
	t.Parallel()
	room := newJobRoom()
	h := jobHandler(room)
	for range 3 {
		if _, got := ask(t, h, "orthg_a", "", "/api/addJob", fmt.Sprintf(newForm, "")); !strings.HasPrefix(got, `{"code":200`) {
			t.Fatal(got)
		}
	}
	seen := map[string]bool{}
	for id := int64(3); id <= 5; id++ {
		key := room.jobs[id].Key
		if seen[key] || !strings.HasPrefix(key, "nightly-report") || job.CheckKey("key", key) != nil {
			t.Errorf("the key of job %d is %s", id, key)
		}
		seen[key] = true
	}
	for name, want := range map[string]string{
		"Report": "report", "(a)  b-_c!": "a-b-c", "日报": "job", "x日报y": "x-y", "": "job",
		strings.Repeat("long ", 40): "long-long-long-long-long-long-long-long-long-lon",
	} {
		j := job.Job{Title: name}
		if got := dialect.JobKey(&j, false); got != want || job.CheckKey("key", got) != nil {
			t.Errorf("the key of %q is %q; want %q", name, got, want)
		}
		if got := dialect.JobKey(&j, true); len(got) != len(want)+1+dialect.MaxKeyTail || job.CheckKey("key", got) != nil {
			t.Errorf("a random key of %q is %q", name, got)
		}
	}
	if got := dialect.JobKey(&job.Job{Title: "日报", Handler: job.Handler{Name: "dailyReport"}}, false); got != "dailyreport" {
		t.Errorf("the key of a job whose handler alone has letters is %q", got)
	}
}

// TestUpdateJobFields covers each field of updateJob: absent and null leave it as it
// is, an empty text empties it where that may be, anything else sets it (A30: and
// children stay in any case).
func TestUpdateJobFields(t *testing.T) {
	t.Parallel()
	labels := func(key, value string) func(*job.Job) {
		return func(j *job.Job) {
			j.Labels = maps.Clone(j.Labels)
			if j.Labels[key] = value; value == "" {
				delete(j.Labels, key)
			}
		}
	}
	same := func(*job.Job) {}
	for _, c := range []struct {
		field, value string
		change       func(*job.Job) // nil when it is refused
		want         string         // with what
	}{
		{"name", `""`, nil, dialect.TextNoName},
		{"name", `"New"`, func(j *job.Job) { j.Title = "New" }, ""},
		{"author", `""`, nil, dialect.TextNoAuthor},
		{"author", `"bob"`, labels("author", "bob"), ""},
		{"alarmEmail", `""`, func(j *job.Job) { j.AlarmEmails = nil }, ""},
		{"alarmEmail", `"b@example.com, c@example.com;"`, func(j *job.Job) { j.AlarmEmails = []string{"b@example.com", "c@example.com"} }, ""},
		{"glueRemark", `""`, labels("glue_remark", ""), ""},
		{"scheduleType", `""`, nil, dialect.TextScheduleWrong},
		{"scheduleType", `"CRON"`, same, ""},
		{"scheduleType", `"NONE"`, func(j *job.Job) { j.Schedule = schedule.Spec{Kind: schedule.KindManual} }, ""},
		{"scheduleType", `"FIX_RATE"`, nil, dialect.TextScheduleWrong}, // with the cron that there is
		{"scheduleConf", `""`, nil, dialect.TextCronWrong},
		{"scheduleConf", `"0 0 2 * * ?"`, same, ""},
		{"scheduleConf", `"0 0 3 * * ?"`, func(j *job.Job) { j.Schedule.Cron = "0 0 3 * * ?" }, ""},
		{"misfireStrategy", `""`, nil, dialect.TextMisfireWrong},
		{"misfireStrategy", `"DO_NOTHING"`, func(j *job.Job) { j.Misfire = schedule.MisfireSkip }, ""},
		{"executorRouteStrategy", `""`, nil, dialect.TextRouteWrong},
		{"executorRouteStrategy", `"LAST"`, func(j *job.Job) { j.Route = job.RouteLast }, ""},
		{"executorBlockStrategy", `""`, nil, dialect.TextOverlapWrong},
		{"executorBlockStrategy", `"SERIAL_EXECUTION"`, func(j *job.Job) { j.Overlap = job.OverlapSerial }, ""},
		{"executorHandler", `""`, func(j *job.Job) { j.Handler.Name = "" }, ""}, // the catalog refuses it
		{"executorHandler", `"other"`, func(j *job.Job) { j.Handler.Name = "other" }, ""},
		{"executorParam", `""`, func(j *job.Job) { j.Param = "" }, ""},
		{"executorParam", `"q"`, func(j *job.Job) { j.Param = "q" }, ""},
		{"executorParam", `7`, func(j *job.Job) { j.Param = "7" }, ""},
		{"executorTimeout", `0`, func(j *job.Job) { j.Timeout = 0 }, ""},
		{"executorTimeout", `-5`, func(j *job.Job) { j.Timeout = 0 }, ""},
		{"executorTimeout", `"30"`, func(j *job.Job) { j.Timeout = 30 * time.Second }, ""},
		{"executorTimeout", `""`, nil, dialect.TextAPIError + dialect.TextMalformed},
		{"executorFailRetryCount", `0`, func(j *job.Job) { j.Retry.Tries, j.Retry.Initial = 0, 0 }, ""},
		{"executorFailRetryCount", `5`, func(j *job.Job) { j.Retry.Tries = 5 }, ""},
		{"executorFailRetryCount", `1e400`, nil, dialect.TextAPIError + dialect.TextMalformed},
		// The dialect's own servers do not look at these, and a caller may send what
		// it has kept since the job was made.
		{"glueType", `"GLUE_SHELL"`, same, ""},
		{"glueSource", `"rm -r /"`, same, ""},
		{"childJobId", `""`, same, ""},
		{"jobGroup", `2`, same, ""},
	} {
		for value, change := range map[string]func(*job.Job){c.value: c.change, "null": same} {
			room := newJobRoom()
			body := fmt.Sprintf(`{"id":1,%q:%s}`, c.field, value)
			_, got := ask(t, jobHandler(room), "orthg_a", "", "/api/updateJob", body)
			want := storedJob("a")
			if change != nil {
				change(&want)
			}
			if diff := cmp.Diff(want, room.jobs[1]); diff != "" {
				t.Errorf("%s (-want +got):\n%s", body, diff)
			}
			if change == nil && !strings.HasPrefix(got, `{"code":500,"msg":"`+c.want) || change != nil && got != jobDone {
				t.Errorf("%s: %s; want %s", body, got, c.want)
			}
		}
	}
}

// TestUpdateJobSchedules covers schedules that one of the two fields alone does not
// determine, and those for which the dialect has no words.
func TestUpdateJobSchedules(t *testing.T) {
	t.Parallel()
	daily := schedule.Spec{Kind: schedule.KindDaily, Daily: "02:00", Zone: "Asia/Tokyo"}
	every := schedule.Spec{Kind: schedule.KindEvery, Every: time.Minute, Calendars: []string{"work"}}
	quartz := schedule.Quartz()
	cron := schedule.Spec{Kind: schedule.KindCron, Cron: "0 0 4 * * ?", Zone: "Asia/Tokyo", DST: &quartz}
	for _, c := range []struct {
		present schedule.Spec
		fields  string
		want    schedule.Spec
		refused string
	}{
		{daily, `"name":"N"`, daily, ""},
		{daily, `"scheduleConf":"30"`, daily, dialect.TextScheduleWrong},
		{daily, `"scheduleType":"CRON","scheduleConf":"0 0 4 * * ?"`, cron, ""},
		{every, `"scheduleType":"FIX_RATE","scheduleConf":"60"`, every, ""},
		{every, `"scheduleConf":60`, every, ""},
		{every, `"scheduleConf":"90"`, schedule.Spec{Kind: schedule.KindEvery, Every: 90 * time.Second, Calendars: []string{"work"}}, ""},
		{every, `"scheduleConf":"1.5"`, every, dialect.TextScheduleWrong},
		{every, `"scheduleConf":""`, every, dialect.TextNoSchedule},
		{schedule.Spec{Kind: schedule.KindManual}, `"scheduleType":"NONE","scheduleConf":"any"`, schedule.Spec{Kind: schedule.KindManual}, ""},
	} {
		room := newJobRoom()
		j := room.jobs[1]
		j.Schedule = c.present
		room.jobs[1] = j
		_, got := ask(t, jobHandler(room), "orthg_a", "", "/api/updateJob", `{"id":1,`+c.fields+`}`)
		if diff := cmp.Diff(c.want, room.jobs[1].Schedule); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.fields, diff)
		}
		if c.refused == "" && got != jobDone || !strings.Contains(got, c.refused) {
			t.Errorf("%s: %s", c.fields, got)
		}
	}
}

// TestTriggerJobParams covers A29, otherwise than there: what is absent is the job's
// own, and what is empty is empty.
func TestTriggerJobParams(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("http://10.0.0.1:9999/,", job.MaxAddresses+1)
	for fields, want := range map[string]string{
		``:                                   `with its own on []`,
		`,"executorParam":null`:              `with its own on []`,
		`,"executorParam":""`:                `with "" on []`,
		`,"executorParam":"x"`:               `with "x" on []`,
		`,"addressList":null`:                `with its own on []`,
		`,"addressList":""`:                  `with its own on []`,
		`,"addressList":" , http://b/,,c, "`: `with its own on ["http://b/" "c"]`,
		`,"addressList":"` + many + `"`:      ``,
	} {
		room := newJobRoom()
		_, got := ask(t, jobHandler(room), "orthg_a", "", "/api/triggerJob", `{"id":1`+fields+`}`)
		did := room.take()
		if want == "" && (did != "" || !strings.Contains(got, "addressList: has more than 64 addresses")) ||
			want != "" && (did != "trigger 1 "+want || got != jobDone) {
			t.Errorf("%.60s: %s; did %s", fields, got, did)
		}
	}
}

// TestStartJobThatNeverFires covers A32.
func TestStartJobThatNeverFires(t *testing.T) {
	t.Parallel()
	room := newJobRoom()
	j := room.jobs[1]
	j.Schedule = schedule.Spec{Kind: schedule.KindManual}
	room.jobs[1] = j
	want := `{"code":500,"msg":"` + textNoStart + `","data":null,"success":false}`
	if _, got := ask(t, jobHandler(room), "orthg_a", "", "/api/startJob", `{"id":1}`); got != want || room.take() != "" {
		t.Error(got)
	}
}

// TestJobCallsAtPresent: a call that cannot be carried out now has an HTTP status of its
// own, hidden texts stay in the log, and what went well is in the log.
func TestJobCallsAtPresent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err    error
		status int
		want   string
	}{
		{job.Errorf(job.Unavailable, "the database is away"), http.StatusServiceUnavailable, "the database is away"},
		{job.Errorf(job.Full, "there are too many jobs"), http.StatusServiceUnavailable, "there are too many jobs"},
		{fmt.Errorf("open /secret/path"), http.StatusServiceUnavailable, dialect.TextInternal},
		{&job.Error{Kind: job.Invalid, Field: "param", Message: "is too long", Hint: "shorten it"}, http.StatusOK, "param: is too long: shorten it"},
		{nil, http.StatusOK, dialect.TextSuccess},
	} {
		var log lockedText
		room := newJobRoom()
		room.away = c.err
		h := jobHandler(room)
		h.config.Logger = slog.New(slog.NewTextHandler(&log, nil))
		for _, call := range []struct{ name, body string }{{callAddJob, fmt.Sprintf(newForm, "")}, {callUpdateJob, `{"id":1}`}, {callTriggerJob, `{"id":1}`}} {
			status, got := ask(t, h, "orthg_a", "", "/api/"+call.name, call.body)
			if status != c.status || !strings.Contains(got, `"msg":"`+c.want+`"`) {
				t.Errorf("%s, %v: status %d: %s", call.name, c.err, status, got)
			}
		}
		if c.err == nil && !strings.Contains(log.String(), `call=updateJob author="executor group a" job_id=1`) {
			t.Errorf("log: %s", &log.text)
		}
	}
}

// TestJobCallsNotServed: a server without them knows no such path.
func TestJobCallsNotServed(t *testing.T) {
	t.Parallel()
	h := NewAdminHandler(AdminConfig{Leases: new(serverRoom), Outcomes: new(serverRoom)})
	if _, got := ask(t, h, "", "a", "/api/addJob", `{}`); !strings.Contains(got, "uri-mapping(addJob) not found.") {
		t.Error(got)
	}
}

// TestJobCallRate covers A31: a hundred at once, the next ones wait up to a second, the
// rest is asked to come later; other groups do not notice.
func TestJobCallRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := jobHandler(newJobRoom())
		began := time.Now()
		var mu sync.Mutex
		took := map[time.Duration]int{}
		busy := 0
		var group sync.WaitGroup
		for range 110 {
			group.Go(func() {
				status, got := ask(t, h, "orthg_a", "", "/api/stopJob", `{"id":99}`)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case status != http.StatusOK:
					t.Errorf("status %d", status)
				case got == `{"code":502,"msg":"Too many requests, please try again later.","data":null,"success":false}`:
					busy++
				case strings.Contains(got, textNoJob):
					took[time.Since(began)]++
				default:
					t.Error(got)
				}
			})
		}
		synctest.Wait()
		if _, got := ask(t, h, "orthg_b", "", "/api/stopJob", `{"id":99}`); !strings.Contains(got, textNoJob) || time.Since(began) != 0 {
			t.Errorf("another group: %s", got)
		}
		group.Wait()
		want := map[time.Duration]int{0: 100, 300 * time.Millisecond: 1, 600 * time.Millisecond: 1, 900 * time.Millisecond: 1}
		if diff := cmp.Diff(want, took); diff != "" || busy != 7 {
			t.Errorf("%d refused; waits (-want +got):\n%s", busy, diff)
		}
	})
}

// TestJobCallRatesAreBounded: so many groups and no more are counted; one that has
// been silent for long makes room.
func TestJobCallRatesAreBounded(t *testing.T) {
	t.Parallel()
	var r callRate
	now := time.Now()
	for i := range maxCallRates {
		if wait, ok := r.take(fmt.Sprint(i), now); !ok || wait != 0 {
			t.Fatalf("group %d: %s, %v", i, wait, ok)
		}
	}
	if _, ok := r.take("more", now); ok {
		t.Error("one more is counted")
	}
	if _, ok := r.take("0", now); !ok {
		t.Error("a known one is not")
	}
	if _, ok := r.take("more", now.Add(callEvery)); !ok || len(r.busy) != 2 {
		t.Errorf("%d are counted later", len(r.busy))
	}
}

// FuzzDecodeJobForm: whatever is decoded can be looked at, and makes a key that is
// one, labels of its own, and no job of another group.
func FuzzDecodeJobForm(f *testing.F) {
	for _, seed := range []string{
		fmt.Sprintf(newForm, ""), `{"id":1,"executorParam":null}`, `{"id":"7","executorTimeout":1e3,"addressList":",,a,"}`, `{}`, `[]`, `null`,
		`{"name":{"a":[1]},"author":"\ud800","scheduleType":"FIX_RATE","scheduleConf":9223372036854775808}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		form, err := dialect.DecodeJobForm(body)
		if err != nil {
			if !job.Is(err, job.Invalid) {
				t.Fatalf("%v is no error of the text", err)
			}
			return
		}
		for _, fresh := range []bool{true, false} {
			was, j := storedJob("a"), storedJob("a")
			err := form.Apply(&j, fresh, "")
			switch {
			case err != nil && !job.Is(err, job.Invalid):
				t.Fatal(err)
			case j.Group != "a" || job.CheckKey("key", dialect.JobKey(&j, false)) != nil || j.Timeout < 0:
				t.Fatalf("it makes %+v", j)
			case !cmp.Equal(was.Children, j.Children) || !cmp.Equal(was.Labels["team"], j.Labels["team"]):
				t.Fatal("it changes what it does not say")
			}
		}
		addresses, err := form.Addresses()
		if len(addresses) > job.MaxAddresses || err != nil && !job.Is(err, job.Invalid) {
			t.Fatalf("%d addresses, %v", len(addresses), err)
		}
	})
}
