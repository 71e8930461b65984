package xxladmin

import (
	"encoding/json"
	"maps"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
)

// TestUpdatesChangeWhatTheySay: what a list shows, sent back, changes nothing of any job,
// and one field changes that field.
func TestUpdatesChangeWhatTheySay(t *testing.T) {
	t.Parallel()
	for _, j := range someJobs() {
		row, err := json.Marshal(rowOf(&j, tables))
		if err != nil {
			t.Fatal(err)
		}
		var shown map[string]any
		if err := json.Unmarshal(row, &shown); err != nil {
			t.Fatal(err)
		}
		same := url.Values{}
		for name, value := range shown {
			switch v := value.(type) {
			case string:
				same.Set(name, v)
			case float64:
				text, _ := json.Marshal(v)
				same.Set(name, string(text))
			}
		}
		w := newWorld()
		h := w.handler(t)
		if _, got := post(t, h, "jobinfo/update", same.Encode()); !strings.Contains(got, `"code":200`) {
			if strings.Contains(got, "gone, or that you may not see") && j.Key == "ours" {
				t.Errorf("%s, the children as they are: %s", j.Key, got)
			}
			t.Errorf("%s: %s", j.Key, got)
		}
		patch := w.take()
		if _, body, _ := strings.Cut(patch, "{"); strings.Count(body, ":") != 1 || !strings.Contains(body, `"version":`) {
			t.Errorf("%s, as it is, changes %s", j.Key, patch)
		}
		same.Set("executorParam", "another")
		if _, got := post(t, h, "jobinfo/update", same.Encode()); !strings.Contains(got, `"code":200`) || !strings.Contains(w.take(), `{"param":"another","version":`) {
			t.Errorf("%s: %s, %q", j.Key, got, w.requests)
		}
	}
}

// TestUpdateFields covers each field of an update by itself.
func TestUpdateFields(t *testing.T) {
	t.Parallel()
	for form, want := range map[string]string{
		"":                                    `{"version":2}`,
		"jobDesc=Weekly":                      `{"title":"Weekly","version":2}`,
		"name=Weekly":                         `{"title":"Weekly","version":2}`,
		"jobDesc=A&name=B":                    `{"title":"A","version":2}`,
		"author=bob":                          `{"labels":{"author":"bob"},"version":2}`,
		"glueRemark=":                         `{"labels":{"glue_remark":null},"version":2}`,
		"alarmEmail=":                         `{"alarm_emails":null,"version":2}`,
		"alarmEmail=c@example.com":            `{"alarm_emails":["c@example.com"],"version":2}`,
		"scheduleConf=0+0+9+*+*+?":            `{"schedule":{"cron":"0 0 9 * * ?"},"version":2}`,
		"jobCron=0+0+9+*+*+?":                 `{"schedule":{"cron":"0 0 9 * * ?"},"version":2}`,
		"scheduleType=NONE":                   `{"schedule":{"cron":null,"dst":null,"kind":"manual","zone":null},"version":2}`,
		"executorTimeout=":                    `{"version":2}`,
		"executorTimeout=-1":                  `{"timeout":null,"version":2}`,
		"executorFailRetryCount=9":            `{"retry":{"tries":9},"version":2}`,
		"triggerStatus=0&glueType=GLUE_SHELL": `{"version":2}`,
		"glueSource=rm+-rf+/":                 `{"version":2}`,
		"jobGroup=":                           `{"version":2}`,
		"jobGroup=4":                          `{"group":"billing","version":2}`,
		"childJobId=6":                        `{"children":[{"key":"ours"}],"version":2}`,
		"childJobId=5,+6,":                    `{"children":[{"key":"after-it","on":"always","param":"{{result}}"},{"key":"ours"}],"version":2}`,
		"childJobId=":                         `{"children":[],"version":2}`,
	} {
		w := newWorld()
		if _, got := post(t, w.handler(t), "jobinfo/update", "id=7&"+form); !strings.Contains(got, `"code":200`) || w.take() != "a token: PATCH /api/v1/jobs/nightly-report?namespace=default "+want {
			t.Errorf("%s: %s, %q", form, got, w.requests)
		}
	}
	for form, want := range map[string]string{
		"id=7&jobDesc=+":                     "please input Job name",
		"id=7&author=":                       "please input Author",
		"id=7&scheduleType=FIX_DELAY":        "Schedule Typeillegal",
		"id=7&scheduleConf=x":                "Cronillegal",
		"id=7&misfireStrategy=x":             "Misfire strategyillegal",
		"id=7&executorRouteStrategy=x":       "Route Strategyillegal",
		"id=7&executorBlockStrategy=x":       "Block Strategyillegal",
		"id=7&executorTimeout=1.5":           "executorTimeout: ",
		"id=7&jobGroup=9":                    textNoGroup,
		"id=7&childJobId=x":                  "Child Job ID(x)illegal",
		"id=7&childJobId=99":                 "Child Job ID(99)not exist",
		"id=6&childJobId=5":                  "children that are gone, or that you may not see",
		"id=8&jobDesc=x":                     textNoJob,
		"id=7&childJobId=" + seq(1, 40):      "Child Job ID(1)not exist",
		"id=7&jobDesc=x&jobGroup=9999999999": "jobGroup: ",
	} {
		w := newWorld()
		if _, got := post(t, w.handler(t), "jobinfo/update", form); !strings.Contains(got, want) || w.take() != "" {
			t.Errorf("%s: %s, %q", form, got, w.requests)
		}
	}
}

func seq(from, to int) string {
	var text []string
	for i := from; i <= to; i++ {
		number, _ := json.Marshal(i)
		text = append(text, string(number))
	}
	return strings.Join(text, ",")
}

// TestConflicts: a change that meets another one is made again on the new state, and a key
// that is taken is tried with another end, a few times.
func TestConflicts(t *testing.T) {
	t.Parallel()
	conflict := problem{409, `{"status":409,"code":"conflict","detail":"it changed meanwhile"}`, ""}
	w := newWorld()
	w.refuse["PATCH "] = conflict
	if _, got := post(t, w.handler(t), "jobinfo/update", "id=7&jobDesc=x"); !strings.Contains(got, "it changed meanwhile") || len(w.requests) != changeTries {
		t.Errorf("%s, %q", got, w.requests)
	}
	const form = "jobGroup=3&jobDesc=Report&author=ada&scheduleType=NONE&misfireStrategy=DO_NOTHING&executorRouteStrategy=FIRST&glueType=BEAN&executorHandler=x&executorBlockStrategy=SERIAL_EXECUTION"
	w = newWorld()
	w.refuse["POST /api/v1/jobs "] = conflict
	_, got := post(t, w.handler(t), "jobinfo/add", form)
	if !strings.Contains(got, "it changed meanwhile") || len(w.requests) != keyTries || !strings.Contains(w.requests[0], `"key":"report"`) || !strings.Contains(w.requests[1], `"key":"report-`) {
		t.Errorf("%s, %q", got, w.requests)
	}
	for missing, want := range map[string]string{
		"jobDesc": "please input Job name", "author": "please input Author", "jobGroup": textNoGroup, "scheduleType": "Schedule Typeillegal", "glueType": "GLUE Typeillegal",
		"executorHandler": "please input JobHandler", "executorRouteStrategy": "Route Strategyillegal", "misfireStrategy": "Misfire strategyillegal", "executorBlockStrategy": "Block Strategyillegal",
	} {
		fields, err := url.ParseQuery(form)
		if err != nil {
			t.Fatal(err)
		}
		fields.Del(missing)
		w := newWorld()
		if _, got := post(t, w.handler(t), "jobinfo/add", fields.Encode()); !strings.Contains(got, want) || w.requests != nil {
			t.Errorf("without %s: %s, %q", missing, got, w.requests)
		}
	}
}

// TestStamps: rows show instants in the form of the generation that is answered, whatever
// the zone of the server and the fraction of the second.
func TestStamps(t *testing.T) {
	t.Parallel()
	shanghai := time.FixedZone("", 8*3600)
	for _, c := range []struct {
		at           time.Time
		table, paged string
	}{
		{time.Date(2026, 11, 21, 2, 9, 47, 671e6, time.UTC), "2026-11-21T02:09:47.000+00:00", "2026-11-21T02:09:47.000Z"},
		{time.Date(2026, 11, 21, 7, 59, 59, 999999999, shanghai), "2026-11-20T23:59:59.000+00:00", "2026-11-20T23:59:59.000Z"},
		{time.Date(2026, 1, 1, 0, 0, 0, 0, shanghai), "2025-12-31T16:00:00.000+00:00", "2025-12-31T16:00:00.000Z"},
	} {
		for g, want := range map[generation]string{unknown: c.table, tables: c.table, pages: c.paged} {
			if got := g.stamp(c.at); *got != want {
				t.Errorf("%s for %d: %s, want %s", c.at, g, *got, want)
			}
		}
	}
	if got := pages.stamp(time.Time{}); got != nil {
		t.Errorf("no instant is %q", *got)
	}
}

// TestLists: a list returns the requested part, and one that would be cut reports it.
func TestLists(t *testing.T) {
	t.Parallel()
	w := newWorld()
	h := w.handler(t)
	for form, want := range map[string]string{
		"start=1&length=1":                        "6",
		"offset=2&pagesize=9":                     "5",
		"start=9":                                 "",
		"length=1000000000":                       "7,6,5",
		"jobGroup=-1&triggerStatus=1":             "7",
		"triggerStatus=0&jobDesc=AFTER":           "5",
		"triggerStatus=7&executorHandler=rep":     "7,6",
		"author=TEAM":                             "6",
		"jobGroup=3&jobDesc=nightly&author=ada":   "7",
		"jobGroup=99":                             "",
		"jobDesc=%25&executorHandler=%27+OR+1%3D": "",

		"": "7,6,5",
	} {
		_, got := post(t, h, "jobinfo/pageList", form)
		var list struct {
			Data any
			Rows []struct{ ID int64 } `json:"-"`
		}
		if err := json.Unmarshal([]byte(got), &list); err != nil {
			t.Fatal(err)
		}
		rows, err := json.Marshal(list.Data)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(form, "offset") {
			var paged struct{ Data json.RawMessage }
			if err := json.Unmarshal(rows, &paged); err != nil {
				t.Fatal(err)
			}
			rows = paged.Data
		}
		if err := json.Unmarshal(rows, &list.Rows); err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, r := range list.Rows {
			id, _ := json.Marshal(r.ID)
			ids = append(ids, string(id))
		}
		if found := strings.Join(ids, ","); found != want {
			t.Errorf("%s: %s, want %s", form, found, want)
		}
	}
	for form, want := range map[string]string{
		"length=0": "length: 0 is not between 1 and", "length=-1": "length: -1", "start=-1": "start: -1", "start=20001": "start: 20001",
		"pagesize=x": "pagesize: ", "offset=1e3": "offset: ", "triggerStatus=on": "triggerStatus: ", "jobGroup=x": "jobGroup: ",
	} {
		for _, path := range []string{"jobinfo/pageList", "jobgroup/pageList"} {
			if path == "jobgroup/pageList" && !strings.Contains(form, "length") && !strings.Contains(form, "start=") {
				continue
			}
			if _, got := post(t, h, path, form); !strings.HasPrefix(got, `{"code":500`) || !strings.Contains(got, want) {
				t.Errorf("%s %s: %s", path, form, got)
			}
		}
	}
	if _, err := (rows{0, 10_000, 1000}).answerPage(nil, 1001); !job.Is(err, job.Invalid) {
		t.Errorf("a list that is cut: %v", err)
	}
	for _, fits := range []rows{{0, 10_000, 1000}, {1, 1001, 1000}, {0, 10, 1000}} {
		if _, err := fits.answerPage(nil, 1000); err != nil {
			t.Errorf("%+v: %v", fits, err)
		}
	}
}

// merged applies a JSON merge patch (RFC 7396).
func merged(target, patch map[string]any) map[string]any {
	result := map[string]any{}
	maps.Copy(result, target)
	for name, value := range patch {
		inner, isObject := value.(map[string]any)
		switch was, _ := result[name].(map[string]any); {
		case value == nil:
			delete(result, name)
		case isObject:
			result[name] = merged(was, inner)
		default:
			result[name] = value
		}
	}
	return result
}

// The patch from one object to another makes that other one, and none is empty.
func TestDifference(t *testing.T) {
	t.Parallel()
	leaf := rapid.OneOf(rapid.Just[any](true), rapid.Just[any]("x"), rapid.Just[any](1.0), rapid.Just[any]([]any{"a"}), rapid.Just[any]([]any{"b", "c"}))
	name := rapid.SampledFrom([]string{"a", "b", "c"})
	inner := rapid.Map(rapid.MapOfN(name, leaf, 1, 3), func(m map[string]any) any { return m })
	object := rapid.MapOf(name, rapid.OneOf(leaf, inner))
	rapid.Check(t, func(r *rapid.T) {
		before, after := object.Draw(r, "before"), object.Draw(r, "after")
		patch := difference(before, after)
		if got := merged(before, patch); !cmp.Equal(got, after) {
			r.Fatalf("the patch %v makes %v", patch, got)
		}
		if reflect.DeepEqual(before, after) != (len(patch) == 0) {
			r.Fatalf("the patch is %v", patch)
		}
	})
}
