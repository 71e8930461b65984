package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"time"
)

// jobs are what fires in the window. Each has something of its own that can break.
func (t *trial) jobs() []definition {
	from, to := t.plan.From, t.plan.To
	every := func(d time.Duration) schedule {
		return schedule{Kind: "every", Every: d.String(), Anchor: &from, Start: &from, End: &to}
	}
	cron := func(text, zone string) schedule {
		return schedule{Kind: "cron", Cron: text, Zone: zone, Start: &from, End: &to}
	}
	at := from.Add(to.Sub(from) / 2).Truncate(time.Second).Add(250 * time.Millisecond)
	kathmandu, _ := time.LoadLocation("Asia/Kathmandu")
	local := from.In(kathmandu)
	daily := fmt.Sprintf("%s-%s every 5s", local.Add(-7*time.Minute).Format("15:04"), to.In(kathmandu).Add(-20*time.Second).Format("15:04"))
	// Half of the time is over when the hour of the zone changes, or all of it is.
	hours := fmt.Sprintf("*/4 * %d-%d * * ?", local.Hour(), local.Hour())
	tries := func(n int) retry { return retry{Tries: n, Initial: "200ms"} }
	all := []definition{
		{Key: "steady", Schedule: cron("* * * * * ?", ""), Param: "20 0", Overlap: "concurrent", Concurrency: 16, Retry: tries(9)},
		{Key: "zone", Schedule: cron(hours, "Asia/Kathmandu"), Param: "20 0", Overlap: "concurrent", Concurrency: 8, Retry: tries(9)},
		{Key: "unix", Schedule: cron("* * * * *", "America/New_York"), Param: "20 0", Overlap: "concurrent", Concurrency: 8},
		{Key: "daily", Schedule: schedule{Kind: "daily", Daily: daily, Zone: "Asia/Kathmandu", Start: &from, End: &to}, Param: "20 0", Overlap: "concurrent", Concurrency: 8, Retry: tries(9)},
		{Key: "rate", Schedule: every(1300 * time.Millisecond), Param: "10 20", Overlap: "concurrent", Concurrency: 8, Retry: tries(9)},
		{Key: "once", Schedule: schedule{Kind: "once", At: &at}, Param: "10 0", Overlap: "concurrent", Concurrency: 1, Retry: tries(9)},
		{Key: "several", Schedule: schedule{Kind: "several", Of: []schedule{{Kind: "cron", Cron: "0/6 * * * * ?"}, {Kind: "cron", Cron: "0/4 * * ? * MON-SUN"}}, Start: &from, End: &to},
			Param: "20 0", Overlap: "concurrent", Concurrency: 8},
		{Key: "serial", Schedule: cron("0/2 * * * * ?", ""), Param: "900 0", Overlap: "serial"},
		{Key: "serial-tries", Schedule: every(3 * time.Second), Param: "1500 20", Overlap: "serial", Retry: tries(5)},
		{Key: "rerun", Schedule: every(2500 * time.Millisecond), Param: "1200 0", Overlap: "concurrent", Concurrency: 4, OnCrash: "rerun", Retry: tries(5)},
		{Key: "discard", Schedule: every(2 * time.Second), Param: "3000 0", Overlap: "discard"},
		{Key: "cover", Schedule: every(4 * time.Second), Param: "5000 0", Overlap: "cover"},
		{Key: "skips", Schedule: cron("1/2 * * * * ?", ""), Param: "20 0", Overlap: "concurrent", Concurrency: 8, Misfire: "skip"},
		{Key: "newest", Schedule: cron("0/3 * * * * ?", ""), Param: "20 0", Overlap: "concurrent", Concurrency: 8, Misfire: "fire_once"},
		{Key: "parent", Schedule: every(5 * time.Second), Param: "20 20", Overlap: "concurrent", Concurrency: 8, Retry: tries(2), Children: []child{{Key: "child", On: "success"}}},
		{Key: "child", Schedule: schedule{Kind: "manual"}, Param: "20 0", Overlap: "concurrent", Concurrency: 8, Retry: tries(9)},
		{Key: "asked", Schedule: schedule{Kind: "manual"}, Param: "50 0", Overlap: "concurrent", Concurrency: 8},
		{Key: "cancelled", Schedule: schedule{Kind: "manual"}, Param: "4000 0", Overlap: "concurrent", Concurrency: 8},
		{Key: "toggled", Schedule: every(200 * time.Millisecond), Param: "5 0", Overlap: "concurrent", Concurrency: 16},
		{Key: "toggled-cron", Schedule: cron("* * * * * ?", "Europe/Berlin"), Param: "5 0", Overlap: "concurrent", Concurrency: 16},
		{Key: "edited", Schedule: every(500 * time.Millisecond), Param: "5 0", Overlap: "concurrent", Concurrency: 16},
		{Key: "clocks", Schedule: schedule{Kind: "cron", Cron: "0 30 1,2 * * ?", Zone: "America/New_York", DST: &dst{Gap: "fire_after", Overlap: "first"}}, Param: "5 0", Overlap: "concurrent", Concurrency: 4},
		{Key: "clocks-quartz", Schedule: schedule{Kind: "cron", Cron: "0 30 1,2 * * ?", Zone: "America/New_York", DST: &dst{Gap: "skip", Overlap: "second"}}, Param: "5 0", Overlap: "concurrent", Concurrency: 4},
	}
	for i := range all {
		d := &all[i]
		d.Group, d.Param = group, d.Key+" "+d.Param
		d.Handler = map[string]string{"kind": "shell", "source": script}
		d.Enabled = d.Schedule.Kind != "manual" && d.Schedule.DST == nil
		if d.Misfire == "" {
			d.Misfire, d.Limits.Max = "fire_all", 10000
		}
	}
	// A schedule that never fires is refused.
	return slices.DeleteFunc(all, func(d definition) bool {
		named, err := slots(d.Schedule, from, to)
		return d.Enabled && err == nil && len(named) == 0
	})
}

func (t *trial) createJobs(random *rand.Rand) error {
	t.plan = plan{Config: t.config.name, Seed: t.seed, Namespaces: t.net.own, From: time.Now().UTC().Truncate(time.Second).Add(4 * time.Second)}
	t.plan.To = t.plan.From.Add(t.config.window)
	t.plan.Jobs = t.jobs()
	if err := writeJSON(filepath.Join(t.dir, planFile), t.plan); err != nil {
		return err
	}
	// A job is due from its creation on. Children come before their parents.
	for i := range t.plan.Jobs {
		d := &t.plan.Jobs[len(t.plan.Jobs)-1-i]
		a := action{What: "change", At: time.Now(), Fate: done, Job: d.Key, Enabled: d.Enabled, Schedule: &d.Schedule, Text: "made"}
		if err := t.rest.insist("POST", "/jobs", key(random), d, nil); err != nil {
			return err
		}
		a.Ack = time.Now()
		t.note(a)
	}
	// Slots of times when clocks change, of some days around.
	for _, job := range []string{"clocks", "clocks-quartz"} {
		for _, day := range []string{"2026-03-08", "2025-11-02"} {
			middle, err := time.Parse(time.DateOnly, day)
			if err != nil {
				return err
			}
			a := action{What: "backfill", At: time.Now(), Fate: done, Job: job, From: middle.AddDate(0, 0, -2), To: middle.AddDate(0, 0, 3)}
			body := map[string]any{"from": a.From, "to": a.To, "parallel": 2}
			if err := t.rest.insist("POST", "/jobs/"+job+"/backfills", key(random), body, nil); err != nil {
				return err
			}
			a.Ack = time.Now()
			t.note(a)
		}
	}
	return nil
}

// toggle stops and starts jobs, ten times a second for some seconds and then not for a while.
func (t *trial) toggle(random *rand.Rand, window <-chan struct{}) {
	on := map[string]bool{"toggled": true, "toggled-cron": true}
	for t.waitFor(window, time.Duration(2000+random.IntN(3000))*time.Millisecond) {
		job := []string{"toggled", "toggled-cron"}[random.IntN(2)]
		for range 10 + random.IntN(40) {
			on[job] = t.change(random, window, job, !on[job], nil)
			if !t.waitFor(window, 100*time.Millisecond) {
				return
			}
		}
	}
}

// edit gives a job other schedules.
func (t *trial) edit(random *rand.Rand, window <-chan struct{}) {
	from, to := t.plan.From, t.plan.To
	// Not after the last firing of a schedule: then the job is over, and stays so.
	for t.waitFor(window, time.Duration(100+random.IntN(3000))*time.Millisecond) && time.Until(to) > 5*time.Second {
		s := schedule{Kind: "every", Every: "500ms", Anchor: &from, Start: &from, End: &to}
		switch random.IntN(3) {
		case 0:
			s = schedule{Kind: "cron", Cron: "* * * * * ?", Start: &from, End: &to}
		case 1:
			s = schedule{Kind: "cron", Cron: "0/2,7,11 * * * * ?", Start: &from, End: &to}
		}
		t.change(random, window, "edited", true, &s)
	}
}

// change starts, stops or edits a job, writes down what is known of that, and returns how the
// job stands. After a change of unknown fate it waits until no server can have it any more.
func (t *trial) change(random *rand.Rand, window <-chan struct{}, job string, enabled bool, s *schedule) bool {
	a := action{What: "change", Job: job, Enabled: enabled, Schedule: s, At: time.Now()}
	var err error
	switch {
	case s != nil:
		// A merge patch leaves fields of the schedule before where they are not null.
		body := map[string]any{"kind": s.Kind, "cron": nil, "every": nil, "anchor": nil, "start": s.Start, "end": s.End}
		if s.Kind == "cron" {
			body["cron"] = s.Cron
		} else {
			body["every"], body["anchor"] = s.Every, s.Anchor
		}
		a.Fate, err = t.rest.call("PATCH", "/jobs/"+job, "", map[string]any{"schedule": body}, nil)
	case enabled:
		a.Fate, err = t.rest.call("POST", "/jobs/"+job+"/start", key(random), nil, nil)
	default:
		a.Fate, err = t.rest.call("POST", "/jobs/"+job+"/stop", key(random), nil, nil)
	}
	a.Ack = time.Now()
	if s == nil {
		a.Schedule = t.scheduleOf(job)
	}
	if err != nil {
		a.Text = err.Error()
	}
	t.note(a)
	for a.Fate == unknown {
		// A paused server may do it when it goes on; nothing else holds it for longer.
		if !t.calm(window) {
			return enabled
		}
		var now struct {
			Enabled    bool
			StopReason string `json:"stop_reason"` // of a job that ended, which no user stopped
			Schedule   schedule
		}
		b := action{What: "change", Job: job, At: time.Now()}
		if b.Fate, err = t.rest.call("GET", "/jobs/"+job, "", nil, &now); b.Fate != done || err != nil {
			continue
		}
		b.At, b.Ack, b.Enabled, b.Schedule, b.Text = a.At, time.Now(), now.Enabled || now.StopReason != "", &now.Schedule, "read"
		t.note(b)
		return b.Enabled
	}
	if a.Fate == refused {
		return !enabled
	}
	return enabled
}

// scheduleOf is the schedule that a job was made with.
func (t *trial) scheduleOf(job string) *schedule {
	for i := range t.plan.Jobs {
		if t.plan.Jobs[i].Key == job {
			return &t.plan.Jobs[i].Schedule
		}
	}
	return nil
}

// calm waits until all servers have answered for longer than a request takes.
func (t *trial) calm(window <-chan struct{}) bool {
	for since := time.Now(); time.Since(since) < 6*time.Second; {
		for _, s := range t.servers {
			if !t.rest.ready("http://" + s.address) {
				since = time.Now()
			}
		}
		if !t.waitFor(window, 200*time.Millisecond) {
			return false
		}
	}
	return true
}

// trigger asks for runs, and asks again with the same key until there is an answer.
func (t *trial) trigger(random *rand.Rand, window <-chan struct{}) {
	for t.waitFor(window, time.Duration(random.IntN(2000))*time.Millisecond) {
		t.promised("asked", key(random))
	}
}

// promised triggers a job and returns the run that was promised.
func (t *trial) promised(job, key string) string {
	var r run
	a := action{What: "trigger", Job: job, At: time.Now(), Fate: unknown}
	var err error
	for end := a.At.Add(30 * time.Second); a.Fate == unknown && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		a.Fate, err = t.rest.call("POST", "/jobs/"+job+"/trigger", key, map[string]any{}, &r)
	}
	if err != nil {
		a.Text = err.Error()
	}
	a.Ack, a.Run = time.Now(), r.ID
	t.note(a)
	return r.ID
}

// cancel ends runs that it has asked for.
func (t *trial) cancel(random *rand.Rand, window <-chan struct{}) {
	for t.waitFor(window, time.Duration(2000+random.IntN(4000))*time.Millisecond) {
		id := t.promised("cancelled", key(random))
		if id == "" || !t.waitFor(window, time.Duration(random.IntN(5000))*time.Millisecond) {
			continue
		}
		a := action{What: "cancel", Job: "cancelled", Run: id, At: time.Now()}
		var err error
		if a.Fate, err = t.rest.call("POST", "/runs/"+id+"/cancel", "", map[string]string{"reason": "the trial"}, nil); err != nil {
			a.Text = err.Error()
		}
		a.Ack = time.Now()
		t.note(a)
	}
}

// look writes down ends of runs as they are read meanwhile: they have to stay.
func (t *trial) look(_ *rand.Rand, window <-chan struct{}) {
	for t.waitFor(window, 3*time.Second) {
		var page struct{ Runs []run }
		if _, err := t.rest.call("GET", "/runs?limit=50&state=succeeded,failed,timed_out,cancelled,lost,skipped", "", nil, &page); err != nil {
			continue
		}
		for _, r := range page.Runs {
			if err := appendLine(filepath.Join(t.dir, seenFile), r); err != nil {
				panic(err) // without it there is nothing to judge
			}
		}
	}
}

// waitFor waits, and reports whether the window is still open.
func (t *trial) waitFor(window <-chan struct{}, d time.Duration) bool { return pause(window, d) }
