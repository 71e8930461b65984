package xxladmin

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/orthd/orth/job"
)

// FuzzForm reads forms as each route does: whatever they hold, an error is Invalid, a
// list is a part of bounded size, and a job that they make is of its group and its
// namespace.
func FuzzForm(f *testing.F) {
	for _, seed := range []string{
		"jobGroup=3&jobId=7&logStatus=1&filterTime=2026-03-01+00:00:00+-+2026-03-01+23:59:59&offset=1&pagesize=2",
		"jobId=%00&start=-1;length", "id=7&ids[]=8&ids[]=9", "childJobId=5,,x&addressType=1&addressList=http://[::1]:99999/,,",
		"jobGroup=3&jobDesc=%E8%AE%A2&author=ada&scheduleType=CRON&scheduleConf=0+0+*+*+*+?&misfireStrategy=DO_NOTHING&executorRouteStrategy=FIRST&glueType=BEAN" +
			"&executorHandler=x&executorBlockStrategy=SERIAL_EXECUTION&executorTimeout=&executorFailRetryCount=2&triggerStatus=1",
		"executorTimeout=9223372036854775808&executorFailRetryCount=-2147483649", "scheduleType=FIX_RATE&scheduleConf=1e9", strings.Repeat("a=b&", 300),
	} {
		f.Add(seed, "jobCron=x")
	}
	f.Fuzz(func(t *testing.T, body, query string) {
		r := httptest.NewRequest(http.MethodPost, "/jobinfo/add", strings.NewReader(body))
		r.URL.RawQuery = query
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		form, err := readForm(httptest.NewRecorder(), r, maxCodeForm)
		invalid := func(err error) bool {
			if err != nil && !job.Is(err, job.Invalid) {
				t.Fatal(err)
			}
			return err != nil
		}
		if invalid(err) {
			return
		}
		for name, values := range form.values {
			for _, value := range values {
				if !utf8.ValidString(name) || !utf8.ValidString(value) {
					t.Fatalf("%q is %q", name, value)
				}
			}
		}
		if part, err := form.readRows(maxJobRows); !invalid(err) && (part.offset < 0 || part.offset > maxOffset || part.shown() < 1 || part.shown() > maxJobRows) {
			t.Fatalf("%+v", part)
		}
		if q, err := logQuery(&form, time.UTC); !invalid(err) && (q.JobID <= 0 && q.Group <= 0) {
			t.Fatalf("%+v", q)
		}
		if q, err := jobQuery(&form); !invalid(err) {
			for _, j := range someJobs() {
				q.Match(&j)
			}
		}
		if id, err := form.objectID(); !invalid(err) && id <= 0 {
			t.Fatalf("the id is %d", id)
		}
		byHand, _, err := addressesIn(&form)
		if invalid(err); len(byHand) > maxByHand {
			t.Fatalf("%d addresses", len(byHand))
		}
		wish, err := jobForm(&form)
		if invalid(err) {
			return
		}
		for _, fresh := range []bool{true, false} {
			j := someJobs()[0]
			if invalid(wish.Apply(&j, fresh, "Asia/Shanghai")) {
				continue
			}
			if j.Group != "reports" || j.Namespace != "default" || j.ID != 7 || j.Enabled != true || j.Timeout < 0 || len(j.Children) != 1 {
				t.Fatalf("it makes %+v", j)
			}
			if _, err := fieldsOf(&j); err != nil {
				t.Fatal(err)
			}
		}
	})
}
