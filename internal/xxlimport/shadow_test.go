package xxlimport

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

var noon = time.Date(2030, 1, 31, 12, 0, 0, 0, time.UTC)

func compiledCron(t *testing.T, cron string) schedule.Schedule {
	t.Helper()
	s, err := schedule.Spec{Kind: schedule.KindCron, Cron: cron}.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sentAt returns rows at seconds after noon: "20", "20r" a further try, "20p" a part of a
// broadcast, "25=20" one that says its slot.
func sentAt(text string) (rows []Sent) {
	for i, field := range strings.Fields(text) {
		r := Sent{ID: int64(i + 1), Left: 2}
		if cut, ok := strings.CutSuffix(field, "r"); ok {
			field, r.Left = cut, 1
		}
		if cut, ok := strings.CutSuffix(field, "p"); ok {
			field, r.Part = cut, true
		}
		var at, slot int
		if n, _ := fmt.Sscanf(field, "%d=%d", &at, &slot); n == 2 {
			r.Slot = noon.Add(time.Duration(slot) * time.Second)
		}
		r.At = noon.Add(time.Duration(at) * time.Second)
		rows = append(rows, r)
	}
	return rows
}

func TestJudge(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, cron, rows string
		until            int // seconds
		want             Verdict
	}{
		{"all there", "*/20 * * * * ?", "0 20 41 60 80", 150, Verdict{Slots: 5, Matching: 5, Latest: 1}},
		{"one lost", "*/20 * * * * ?", "0 40 60 80", 150, Verdict{Slots: 5, Matching: 4, Missing: 1}},
		{"late, and nothing lost", "0 * * * * ?", "7 60", 150, Verdict{Slots: 2, Matching: 2, Late: 1, Latest: 7}},
		{"twice", "*/20 * * * * ?", "0 0 20 41 43 60 80", 150, Verdict{Slots: 5, Matching: 5, Doubled: 2, Latest: 1}},
		{"by hand, late in the window", "0 0 * * * ?", "0 100", 200, Verdict{Slots: 1, Matching: 1, Extra: 1}},
		{"tried again, and parts", "*/20 * * * * ?", "0 8r 0p 20 28r 40 60 80", 150, Verdict{Slots: 5, Matching: 5, Retries: 2}},
		{"each second, one rounded up", "* * * * * ?", "0 1 3 3 4", 64, Verdict{Slots: 5, Matching: 5, Latest: 1}},
		{"slots that are written down", "*/20 * * * * ?", "0=0 55=20 56=40 60=60 80=80", 150, Verdict{Slots: 5, Matching: 5, Late: 2, Latest: 35}},
		{"of a slot before", "0 * * * * ?", "30=-60 60", 130, Verdict{Slots: 2, Matching: 1, Missing: 1}},
		{"too late", "0 0 * * * ?", "61", 300, Verdict{Slots: 1, Missing: 1, Extra: 1}},
		{"not over yet", "0 * * * * ?", "0", 119, Verdict{Slots: 1, Matching: 1}},
		{"no schedule", "", "0 80", 200, Verdict{Extra: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, step := range []int{1, 7, c.until} {
				j := NewJudge(noon)
				if c.cron != "" {
					j.Follow(compiledCron(t, c.cron), 2)
				}
				rows := sentAt(c.rows)
				for at := 0; at < c.until; at += step {
					now := noon.Add(time.Duration(at) * time.Second)
					for len(rows) > 0 && !rows[0].At.After(now) {
						j.Sent(rows[0])
						rows = rows[1:]
					}
					j.Settle(now)
				}
				for _, r := range rows {
					j.Sent(r)
				}
				got := j.Finish(noon.Add(time.Duration(c.until) * time.Second))
				if told := len(got.Differences); told != got.Missing+got.Late+got.Doubled+got.Extra {
					t.Errorf("step %d: %d differences of %+v", step, told, got)
				}
				got.Differences = nil
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("step %d: %s", step, diff)
				}
			}
		})
	}
}

// Whatever is lost of a log whose firings are on time is found, and nothing else.
func TestJudgeFindsWhatIsLost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		every := rapid.IntRange(1, 90).Draw(r, "every")
		slots := rapid.IntRange(1, 200).Draw(r, "slots")
		s, err := schedule.Spec{Kind: schedule.KindEvery, Every: time.Duration(every) * time.Second, Anchor: noon}.Compile()
		if err != nil {
			r.Fatal(err)
		}
		j, lost, missing := NewJudge(noon), map[time.Time]bool{}, 0
		j.Follow(s, 0)
		for i := range slots {
			at := noon.Add(time.Duration(i*every) * time.Second)
			if rapid.IntRange(0, 9).Draw(r, "fate") == 0 {
				lost[at] = true
				missing++
			} else {
				j.Sent(Sent{ID: int64(i), At: at})
			}
			if rapid.Bool().Draw(r, "settle") {
				j.Settle(at)
			}
		}
		got := j.Finish(noon.Add(time.Duration((slots-1)*every)*time.Second + DefaultTolerance))
		if got.Missing != missing || got.Doubled+got.Extra+got.Late != 0 || got.Matching < slots-missing {
			r.Fatalf("%d lost of %d: %+v", missing, slots, got)
		}
		for _, d := range got.Differences {
			if !lost[d.Slot] {
				r.Fatalf("%v is no slot that was lost", d)
			}
		}
	})
}

func TestPlanOf(t *testing.T) {
	t.Parallel()
	shanghai, err := time.LoadLocation("Asia/Shanghai")
	if err != nil {
		t.Fatal(err)
	}
	next := time.Date(2030, 1, 31, 18, 30, 0, 0, time.UTC) // 02:30 there
	row := func(pairs ...string) Row {
		r := Row{"id": "7", "job_group": "2", "job_desc": " Nightly\nReport ", "trigger_status": "1", "trigger_next_time": fmt.Sprint(next.UnixMilli())}
		for i := 0; i < len(pairs); i += 2 {
			r[pairs[i]] = pairs[i+1]
		}
		return r
	}
	for _, c := range []struct {
		name    string
		row     Row
		zone    string
		on      bool
		problem string
	}{
		{"cron", row("schedule_type", "CRON", "schedule_conf", "0 30 2 * * ?"), "Asia/Shanghai", true, ""},
		{"another zone", row("schedule_type", "CRON", "schedule_conf", "0 30 2 * * ?"), "Europe/Berlin", false, ""},
		{"of 2.2", row("job_cron", "0 30 2 * * ?"), "Asia/Shanghai", true, ""},
		{"a fixed rate", row("schedule_type", "FIX_RATE", "schedule_conf", "7"), "UTC", true, ""},
		{"nonsense", row("schedule_type", "CRON", "schedule_conf", "nightly"), "UTC", false, "expression"},
		{"an unknown kind", row("schedule_type", "MOON"), "UTC", false, "unknown here"},
	} {
		p := PlanOf(c.row, c.zone, shanghai)
		if p.ID != 7 || p.Group != 2 || p.Name != "Nightly Report" || !p.Started || !p.Next.Equal(next) || !strings.Contains(p.Problem, c.problem) || (c.problem == "") != (p.Problem == "") {
			t.Errorf("%s: %+v", c.name, p)
		}
		if on, err := p.OnSlot(); p.Problem == "" && (err != nil || on != c.on) {
			t.Errorf("%s: on a slot %t, %v", c.name, on, err)
		}
	}
	p := PlanOf(row("update_time", "2030-01-31 08:00:00"), "UTC", shanghai)
	if p.Spec.Kind != schedule.KindManual || !p.Changed.Equal(time.Date(2030, 1, 31, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("%+v", p)
	}
}

func TestPastOf(t *testing.T) {
	t.Parallel()
	row := func(trigger, handle, ended, message string) Row {
		return Row{
			"id": "9", "job_id": "7", "trigger_time": "2030-01-31 12:00:00", "trigger_code": trigger, "handle_code": handle, "handle_time": ended,
			"handle_msg": message, "trigger_msg": "no<br>executor", "executor_address": "http://10.0.0.5:9999/", "executor_param": "x",
		}
	}
	for _, c := range []struct {
		name    string
		row     Row
		state   job.State
		took    time.Duration
		message string
	}{
		{"good", row("200", "200", "2030-01-31 12:01:00", `<span style="color:#00c0ef;" > >>>Trigger child job<<< </span><br>1/1 &lt;ok&gt;`), job.Succeeded, time.Minute, ">>>Trigger child job<<< \n1/1 <ok>"},
		{"bad", row("200", "500", "2030-01-31 12:00:05", "boom"), job.Failed, 5 * time.Second, "boom"},
		{"late", row("200", "502", "2030-01-31 12:00:05", ""), job.TimedOut, 5 * time.Second, ""},
		{"not sent", row("500", "0", "", ""), job.Failed, 0, "no\nexecutor"},
		{"an end before its begin", row("200", "200", "2030-01-31 11:00:00", ""), job.Succeeded, 0, ""},
		{"under way", row("200", "0", "", ""), "", 0, ""},
		{"not sent yet", row("0", "0", "", ""), "", 0, ""},
	} {
		run, jobID, over := PastOf(c.row, time.UTC)
		if over != (c.state != "") || jobID != 7 {
			t.Errorf("%s: over %t, job %d", c.name, over, jobID)
			continue
		}
		if !over {
			continue
		}
		if run.State != c.state || run.EndedAt.Sub(run.StartedAt.Time) != c.took || run.Message != c.message || run.Number != 9 || *run.Param != "x" {
			t.Errorf("%s: %+v", c.name, run)
		}
	}
	shard := row("200", "200", "", "done")
	shard["executor_sharding_param"] = "1/3"
	if run, _, _ := PastOf(shard, time.UTC); run.Message != "shard 1 of 3\ndone" {
		t.Errorf("%+v", run)
	}
	if _, _, over := PastOf(Row{"id": "9"}, time.UTC); over {
		t.Error("a row without a time is taken")
	}
}

func TestSentOf(t *testing.T) {
	t.Parallel()
	s, ok := SentOf(Row{
		"id": "9", "job_id": "7", "trigger_time": "2030-01-31 12:00:01", "schedule_time": "2030-01-31 12:00:00", "trigger_code": "200",
		"executor_sharding_param": "1/3", "executor_fail_retry_count": "2",
	}, time.UTC)
	want := Sent{ID: 9, JobID: 7, At: noon.Add(time.Second), Slot: noon, Part: true, Left: 2}
	if !ok || s != want {
		t.Errorf("%+v, want %+v", s, want)
	}
	if s, ok := SentOf(Row{"id": "9", "trigger_time": "2030-01-31 12:00:01", "trigger_code": "0", "executor_sharding_param": "0/3"}, time.UTC); !ok || s.Part || s.Left != -1 {
		t.Errorf("%+v", s)
	}
	if _, ok := SentOf(Row{"id": "9"}, time.UTC); ok {
		t.Error("a row without a time is taken")
	}
}
