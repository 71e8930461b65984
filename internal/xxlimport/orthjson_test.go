package xxlimport_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/orthd/orth/internal/manifest"
	"github.com/orthd/orth/internal/xxlimport"
	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// whole is a job with every field that an export has.
const whole = `{"jobGroup":1,"jobDesc":"Nightly Report!","author":"ada","alarmEmail":"a@example.com, b@example.com","scheduleType":"CRON",` +
	`"scheduleConf":"0 30 2 * * ?","misfireStrategy":"FIRE_ONCE_NOW","executorRouteStrategy":"SHARDING_BROADCAST","executorHandler":"report",` +
	`"executorParam":"all","executorBlockStrategy":"COVER_EARLY","executorTimeout":30,"executorFailRetryCount":"2","glueType":"BEAN",` +
	`"glueSource":"","glueRemark":"first","childJobId":"","superTaskId":0}`

func TestOrthJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		options    xxlimport.OrthOptions
		documents  string
		notes      []string
	}{
		{"whole", whole, xxlimport.OrthOptions{Namespace: "default", Groups: map[int64]string{1: "reports"}, Zone: "Asia/Shanghai"}, `apiVersion: orth/v1
kind: Job
metadata:
  key: nightly-report
  namespace: default
spec:
  title: Nightly Report!
  group: reports
  schedule:
    kind: cron
    cron: 0 30 2 * * ?
    zone: Asia/Shanghai
    dst:
      gap: skip
      overlap: second
  misfire: fire_once
  handler:
    kind: named
    name: report
  param: all
  route: broadcast
  overlap: cover
  labels:
    author: ada
    glue_remark: first
  timeout: 30s
  retry:
    tries: 2
  alarm_emails:
    - a@example.com
    - b@example.com
`, nil},
		{
			"ids", `{"code":200,"data":{"data":[` +
				`{"id":5,"jobGroup":1,"jobDesc":"同步","executorHandler":"x","childJobId":"6, 99","triggerStatus":1},` +
				`{"id":6,"jobGroup":1,"jobDesc":"同步","executorHandler":"x","superTaskId":5},` +
				`{"id":7,"jobGroup":1,"name":"x","glueType":"GLUE_SHELL","glueSource":"echo\n","scheduleType":"FIX_RATE","scheduleConf":"60","superTaskId":99,` +
				`"executorBlockStrategy":"CONCURRENT","executorConcurrency":3}]}}`,
			xxlimport.OrthOptions{Namespace: "default", Group: "ops"},
			`apiVersion: orth/v1
kind: Job
metadata:
  key: x-2
  namespace: default
spec:
  title: 同步
  group: ops
  template: x
---
apiVersion: orth/v1
kind: Job
metadata:
  key: x-3
  namespace: default
spec:
  title: x
  group: ops
  schedule:
    kind: every
    every: 1m0s
  handler:
    kind: shell
    source: |
      echo
  overlap: concurrent
  concurrency: 3
---
apiVersion: orth/v1
kind: Job
metadata:
  key: x
  namespace: default
spec:
  title: 同步
  group: ops
  handler:
    kind: named
    name: x
  children:
    - key: x-2
`,
			[]string{
				`x: its child "99" is a number of the old server, and no job of the export has it: add the child by key`,
				"x: it was started there, and is stopped here: start it when executors are there",
				"x-3: it runs the code of the job with the number 99, which is not in the export: it has the code that the export shows",
			},
		},
		{
			"long title", `{"jobGroup":1,"jobDesc":"` + strings.Repeat("ä", job.MaxTitle) + ` end","executorHandler":"x"}`,
			xxlimport.OrthOptions{Namespace: "default", Group: "ops"},
			`apiVersion: orth/v1
kind: Job
metadata:
  key: end
  namespace: default
spec:
  title: ` + strings.Repeat("ä", job.MaxTitle) + `
  description: ` + strings.Repeat("ä", job.MaxTitle) + ` end
  group: ops
  handler:
    kind: named
    name: x
`,
			[]string{"end: its title was cut to 200 characters"},
		},
		{
			"what cannot be", "\ufeff[" + strings.Join([]string{
				`{"jobGroup":9,"jobDesc":"no group"}`, `{"jobGroup":1,"jobDesc":"bad cron","scheduleType":"CRON","scheduleConf":"61 * * * * ?"}`,
				`{"jobGroup":1,"jobDesc":"bad pace","scheduleType":"FIX_RATE","scheduleConf":"soon"}`, `{"jobGroup":1,"jobDesc":"bad route","executorRouteStrategy":"NEAREST"}`,
				`{"jobGroup":1,"jobDesc":"bad code","glueType":"GLUE_RUBY"}`, `{"jobGroup":1,"jobDesc":"no code"}`, `{"jobGroup":1,"jobDesc":"no script","glueType":"GLUE_PHP"}`,
				`{"jobGroup":1,"jobDesc":"bad misfire","misfireStrategy":"X"}`, `{"jobGroup":1,"jobDesc":"bad overlap","executorBlockStrategy":"X"}`,
				`{"jobGroup":"x"}`, `{"jobGroup":1,"scheduleType":"FIX_DELAY","scheduleConf":"5","executorHandler":"!","executorBlockStrategy":"CONCURRENT","author":"` + strings.Repeat("x", 101) + `"}`,
			}, ",") + "]",
			xxlimport.OrthOptions{Namespace: "default", Groups: map[int64]string{1: "ops"}},
			`apiVersion: orth/v1
kind: Job
metadata:
  key: job-10
  namespace: default
spec:
  group: ops
  schedule:
    kind: after
    after: 5s
  handler:
    kind: named
    name: '!'
  overlap: concurrent
`,
			[]string{
				`job 10 is left out: "x" is no whole number`,
				"no-group: it is left out: nothing says which group has the number 9: name it with --group-key 9=KEY, or all with --group",
				`bad-cron: it is left out: its expression "61 * * * * ?": second (column 1): 61 is out of range; allowed are 0-59, *, lists, ranges and steps`,
				`bad-pace: it is left out: its pace "soon" is no number of seconds`, `bad-route: it is left out: its route, "NEAREST", is unknown`,
				`bad-code: it is left out: its code of the kind "GLUE_RUBY" is unknown`, "no-code: it is left out: it names no handler", "no-script: it is left out: its script is empty",
				`bad-misfire: it is left out: its rule for missed firings, "X", is unknown`, `bad-overlap: it is left out: its overlap, "X", is unknown`,
				"job-10: the export does not say how many runs may be worked on at once: it is 1", "job-10: author has more than 100 bytes, and is no label",
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			objects, notes, err := xxlimport.OrthJSON([]byte(c.text), c.options)
			if err != nil {
				t.Fatal(err)
			}
			files, err := manifest.Files(objects, false)
			if err != nil {
				t.Fatal(err)
			}
			var documents []string
			for _, file := range files {
				documents = append(documents, string(file.Text))
			}
			if diff := cmp.Diff(c.documents, strings.Join(documents, "---\n")); diff != "" {
				t.Error(diff)
			}
			var told []string
			for _, n := range notes {
				told = append(told, n.String())
			}
			if diff := cmp.Diff(c.notes, told); diff != "" {
				t.Error(diff)
			}
			if _, mistakes := manifest.Read("a.yaml", []byte(strings.Join(documents, "---\n")), "default", nil); len(mistakes) > 0 {
				t.Error(mistakes)
			}
		})
	}
}

func TestNoExport(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "x", "[", `"text"`, "{}", `{"data":{"data":{"data":{"data":[]}}}}`, `{"data":"x"}`} {
		if objects, _, err := xxlimport.OrthJSON([]byte(text), xxlimport.OrthOptions{}); !job.Is(err, job.Invalid) {
			t.Errorf("%q: %v, %v", text, objects, err)
		}
	}
}

func FuzzOrthJSON(f *testing.F) {
	f.Add(whole)
	f.Add(`{"data":"[` + strings.ReplaceAll(whole, `"`, `\"`) + `]"}`)
	f.Fuzz(func(t *testing.T, text string) {
		objects, _, err := xxlimport.OrthJSON([]byte(text), xxlimport.OrthOptions{Namespace: "default", Group: "ops"})
		if err != nil && !job.Is(err, job.Invalid) {
			t.Error(err)
		}
		for i := range objects {
			if err := job.CheckKey("key", objects[i].Key); err != nil {
				t.Error(err)
			}
		}
		if _, err := manifest.Files(objects, true); err != nil {
			t.Error(err)
		}
	})
}
