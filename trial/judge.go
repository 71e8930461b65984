package main

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// slack is how far the times of two processes on this machine may be apart.
	slack = 100 * time.Millisecond
	// leastSilence is how long an executor must have been cut off before its attempts may be
	// lost: its lease without the beats that may have been due at once.
	leastSilence = 15 * time.Second
	// lead is how long before a slot its task may be on its way: a stop or another schedule
	// that is acknowledged later comes too late for it.
	lead = 105 * time.Millisecond
	// defaultThreshold is how late a firing may come without being missed.
	defaultThreshold = 5 * time.Second
)

// judgement compares what was due, what handlers wrote and what servers recorded. It has no
// list of known faults: where two of the three contradict each other it says so.
type judgement struct {
	*book
	found    []string
	jobs     map[string]*definition
	byJob    map[string][]*run
	byID     map[string]*run
	attempts map[string]*attempt
	notes    map[string][]entry // of an attempt, in the order of time
	place    map[string]string  // an address and the executor that had it
	lateness []lateness
	due      int
}

// lateness is how late a firing began, and whether a fault was near.
type lateness struct {
	late time.Duration
	calm bool
}

// judge returns every contradiction, and a summary for people.
func judge(b *book) (found, summary []string) {
	j := &judgement{
		book: b, jobs: make(map[string]*definition), byJob: make(map[string][]*run), byID: make(map[string]*run),
		attempts: make(map[string]*attempt), notes: make(map[string][]entry), place: make(map[string]string),
	}
	j.sort()
	for i := range b.plan.Jobs {
		d := &b.plan.Jobs[i]
		j.judgeSlots(d)
		j.judgeBackfills(d)
		j.judgePromised(d)
		j.judgeChildren(d)
		j.judgeOverlap(d)
		for _, r := range j.byJob[d.Key] {
			j.judgeRun(d, r)
		}
	}
	j.judgeSeen()
	return j.found, j.summary()
}

func (j *judgement) fault(format string, args ...any) {
	j.found = append(j.found, fmt.Sprintf(format, args...))
}

// sort puts everything where it is found, and checks that the lists know each other.
func (j *judgement) sort() {
	for i := range j.plan.Jobs {
		j.jobs[j.plan.Jobs[i].Key] = &j.plan.Jobs[i]
	}
	for i := range j.runs {
		r := &j.runs[i]
		if j.byID[r.ID] != nil {
			j.fault("run %s is listed twice", r.ID)
		}
		if j.jobs[r.JobKey] == nil {
			j.fault("run %s is of the job %q, which was never made", r.ID, r.JobKey)
		}
		j.byID[r.ID] = r
		j.byJob[r.JobKey] = append(j.byJob[r.JobKey], r)
		for k := range r.Attempts {
			a := &r.Attempts[k]
			if j.attempts[a.ID] != nil {
				j.fault("attempt %s belongs to the runs %s and %s", a.ID, j.attempts[a.ID].RunID, r.ID)
			}
			j.attempts[a.ID] = a
		}
	}
	for _, a := range j.actions {
		if a.What == "address" {
			j.place[strings.TrimRight(a.Text, "/")] = a.Target
		}
	}
	slices.SortStableFunc(j.evidence, func(a, b entry) int { return cmp.Compare(a.At, b.At) })
	for _, e := range j.evidence {
		j.notes[e.Attempt] = append(j.notes[e.Attempt], e)
		a := j.attempts[e.Attempt]
		if a == nil {
			j.fault("attempt %s of run %s (%s, slot %s) wrote %q on %s, and no server knows the attempt", e.Attempt, e.Run, e.Job, e.Planned, e.What, e.Executor)
			continue
		}
		r := j.byID[a.RunID]
		planned, _ := time.Parse(time.RFC3339, e.Planned)
		switch {
		case e.Run != "" && e.Run != a.RunID || e.Job != r.JobKey || !planned.Equal(r.Planned):
			j.fault("attempt %s ran for run %s of %s and the slot %q, and the servers have it for run %s of %s and %s",
				e.Attempt, e.Run, e.Job, e.Planned, a.RunID, r.JobKey, stamp(r.Planned))
		case j.executor(a) != e.Executor:
			j.fault("attempt %s wrote on %s, and the servers sent it to %s (%s)", e.Attempt, e.Executor, j.executor(a), a.Address)
		}
	}
}

// executor is the one that an attempt was sent to.
func (j *judgement) executor(a *attempt) string {
	return j.place[strings.TrimRight(a.Address, "/")]
}

// standing is how a job stands: its schedule, and whether it is enabled.
type standing struct {
	enabled bool
	slots   map[int64]bool // milliseconds
}

// standings returns how a job may stand at an instant: one standing between changes, two or
// more while a change was on its way, or one of unknown fate may still have come.
func (j *judgement) standings(d *definition) (at func(time.Time) []*standing, all []*standing) {
	stands := func(enabled bool, s schedule) *standing {
		st := &standing{enabled: enabled, slots: make(map[int64]bool)}
		if !enabled {
			return st
		}
		named, err := slots(s, j.plan.From.Add(-time.Hour), j.plan.To.Add(time.Hour))
		if err != nil {
			j.fault("%s: its schedule cannot be computed: %v", d.Key, err)
		}
		for _, slot := range named {
			st.slots[slot.UnixMilli()] = true
		}
		return st
	}
	all = []*standing{stands(false, d.Schedule)} // before it was made
	var changes []action
	for _, a := range j.actions {
		if a.What == "change" && a.Job == d.Key && a.Fate != refused {
			changes = append(changes, a)
			all = append(all, stands(a.Enabled, *a.Schedule))
		}
	}
	return func(t time.Time) (may []*standing) {
		may = all[:1]
		for i, c := range changes {
			switch {
			case t.Before(c.At):
				return may
			case c.Fate == done && !t.Before(c.Ack):
				may = []*standing{all[i+1]}
			default:
				may = append(slices.Clone(may), all[i+1])
			}
		}
		return may
	}, all
}

// judgeSlots checks that each slot has exactly one run, or a record that says truly why not,
// and that nothing else fired.
func (j *judgement) judgeSlots(d *definition) {
	at, all := j.standings(d)
	slots := make(map[int64]int) // how many runs and records each has
	for _, st := range all {
		for slot := range st.slots {
			slots[slot] = 0
		}
	}
	named := func(slot int64) (must, may bool) {
		must = true
		for _, st := range at(time.UnixMilli(slot)) {
			must, may = must && st.slots[slot], may || st.slots[slot]
		}
		for _, st := range at(time.UnixMilli(slot).Add(-lead)) {
			may = may || st.slots[slot]
		}
		return must, may
	}
	var letGo []*run
	for _, r := range j.byJob[d.Key] {
		if r.Cause != "schedule" && r.Cause != "misfire" {
			continue
		}
		if strings.Contains(r.Reason, "misfire policy") && r.State == "skipped" {
			letGo = append(letGo, r)
			continue
		}
		slot := r.Planned.UnixMilli()
		must, may := named(slot)
		switch {
		case r.State == "cancelled" && strings.HasPrefix(r.Reason, "the job was stopped"):
			off := slices.ContainsFunc(at(r.Ended), func(st *standing) bool { return !st.enabled })
			late := off && j.troubled(r.Planned, r.Ended) // the stop came before the late firing
			if must && !late {
				j.fault("%s: run %s for the slot %s is cancelled (%s), and the job was enabled then", d.Key, r.ID, stamp(r.Planned), r.Reason)
			}
		case !may:
			j.fault("%s: run %s (%s) is for %s, which is no slot of the job as it stood then", d.Key, r.ID, r.State, stamp(r.Planned))
			continue
		case r.Cause == "misfire" && r.Created.Sub(r.Planned) < d.threshold():
			j.fault("%s: run %s says %q, and was made %s after its slot", d.Key, r.ID, r.Reason, r.Created.Sub(r.Planned))
		}
		slots[slot]++
	}
	for _, r := range letGo {
		j.judgeLetGo(d, r, slots, named)
	}
	for _, slot := range slices.Sorted(maps.Keys(slots)) {
		must, _ := named(slot)
		when := stamp(time.UnixMilli(slot))
		switch n := slots[slot]; {
		case n > 1:
			j.fault("%s: the slot %s is doubled: it has %d runs", d.Key, when, n)
		case n == 0 && must:
			j.fault("%s: the slot %s is lost: it has no run and no record", d.Key, when)
		case must:
			j.due++
		}
	}
}

// letGoOne and letGoMany are the words of records of missed firings.
var (
	letGoOne  = regexp.MustCompile(`^the firing of (\S+) was missed; misfire policy (\w+) let it go`)
	letGoMany = regexp.MustCompile(`^(\d+) firings from (\S+) to (\S+) were missed; misfire policy (\w+) let them go`)
)

// judgeLetGo checks a record of firings that were let go, and counts it for their slots.
func (j *judgement) judgeLetGo(d *definition, r *run, slots map[int64]int, named func(int64) (must, may bool)) {
	from, to, count, policy := r.Planned, r.Planned, 1, ""
	if m := letGoOne.FindStringSubmatch(r.Reason); m != nil {
		policy = m[2]
	} else if m := letGoMany.FindStringSubmatch(r.Reason); m != nil {
		count, _ = strconv.Atoi(m[1])
		policy = m[4]
		var err error
		if to, err = time.Parse(time.RFC3339, m[3]); err != nil {
			j.fault("%s: run %s: %q: %v", d.Key, r.ID, r.Reason, err)
		}
		to = to.Add(time.Second - time.Millisecond) // the record has whole seconds
	} else {
		j.fault("%s: the reason of run %s is not understood: %q", d.Key, r.ID, r.Reason)
		return
	}
	must, may := 0, 0
	for slot, n := range slots {
		if slot < from.UnixMilli() || slot > to.UnixMilli() || n > 0 && count > 1 {
			continue
		}
		certain, possible := named(slot)
		if possible {
			may++
		}
		if certain {
			must++
		}
		slots[slot]++
	}
	late := r.Created.Sub(to)
	switch {
	case count < must || count > may:
		j.fault("%s: run %s says %q, and %d to %d slots of that time have no run", d.Key, r.ID, r.Reason, must, may)
	case policy != d.Misfire || policy == "fire_all":
		j.fault("%s: run %s says %q, and the policy of the job is %s", d.Key, r.ID, r.Reason, d.Misfire)
	case late < d.threshold()-time.Second:
		j.fault("%s: run %s says %q, %s after the last of them; missed is what comes %s late", d.Key, r.ID, r.Reason, late, d.threshold())
	case !j.troubled(from.Add(-leastSilence), r.Created):
		j.fault("%s: run %s says %q, and there was no fault at that time", d.Key, r.ID, r.Reason)
	}
}

func (d *definition) threshold() time.Duration {
	if t, err := time.ParseDuration(d.Limits.Threshold); err == nil && t > 0 {
		return t
	}
	return defaultThreshold
}

// troubled reports whether a fault was under way between two instants.
func (j *judgement) troubled(from, to time.Time) bool {
	return slices.ContainsFunc(j.actions, func(a action) bool {
		return a.What == "fault" && a.At.Before(to) && a.Ack.After(from)
	})
}

// hit reports whether an executor had a fault of one of the kinds between two instants.
func (j *judgement) hit(executor string, from, to time.Time, kinds ...string) bool {
	return slices.ContainsFunc(j.actions, func(a action) bool {
		return a.What == "fault" && a.Target == executor && slices.Contains(kinds, a.Kind) && a.At.Before(to) && a.Ack.After(from)
	})
}

// silent returns how long an executor was cut off at most without a break, in a time that
// reaches into the one between two instants. Cuts with less than two beats between are one.
func (j *judgement) silent(executor string, from, to time.Time) (most time.Duration) {
	var since, until time.Time
	for _, a := range slices.SortedFunc(slices.Values(j.actions), func(a, b action) int { return a.At.Compare(b.At) }) {
		if a.What != "fault" || a.Cut != executor && a.Cut != allOfThem {
			continue
		}
		if a.At.After(until.Add(20 * time.Second)) {
			since = a.At
		}
		if a.Ack.After(until) {
			until = a.Ack
		}
		if since.Before(to) && until.After(from) {
			most = max(most, until.Sub(since))
		}
	}
	return most
}

// judgeBackfills checks that each slot of a backfill has one run of it, and the backfill no
// other.
func (j *judgement) judgeBackfills(d *definition) {
	for _, a := range j.actions {
		if a.What != "backfill" || a.Job != d.Key || a.Fate != done {
			continue
		}
		named, err := slots(d.Schedule, a.From, a.To)
		if err != nil {
			j.fault("%s: its schedule cannot be computed: %v", d.Key, err)
		}
		runs := make(map[int64]int)
		for _, r := range j.byJob[d.Key] {
			if r.Cause == "backfill" && !r.Planned.Before(a.From) && r.Planned.Before(a.To) {
				runs[r.Planned.UnixMilli()]++
			}
		}
		for _, slot := range named {
			if n := runs[slot.UnixMilli()]; n != 1 {
				j.fault("%s: the slot %s of the backfill has %d runs", d.Key, stamp(slot), n)
			}
			delete(runs, slot.UnixMilli())
		}
		for slot := range runs {
			j.fault("%s: the backfill has a run for %s, which is no slot", d.Key, stamp(time.UnixMilli(slot)))
		}
		j.due += len(named)
	}
}

// judgePromised checks that a trigger that was answered has its run, and that no run was
// triggered twice.
func (j *judgement) judgePromised(d *definition) {
	promised, open := make(map[string]bool), 0
	for _, a := range j.actions {
		if a.What != "trigger" || a.Job != d.Key || a.Fate == refused {
			continue
		}
		if a.Fate != done {
			open++
			continue
		}
		if promised[a.Run] {
			j.fault("%s: two triggers with keys of their own were answered with run %s", d.Key, a.Run)
		}
		promised[a.Run] = true
		if j.byID[a.Run] == nil {
			j.fault("%s: run %s was promised at %s and is not there", d.Key, a.Run, stamp(a.Ack))
		}
	}
	for _, r := range j.byJob[d.Key] {
		if (r.Cause != "api" && r.Cause != "manual") || promised[r.ID] {
			continue
		}
		if open--; open < 0 {
			j.fault("%s: run %s was triggered by nobody: %d triggers were answered, each with a run", d.Key, r.ID, len(promised))
		}
	}
}

// judgeChildren checks that each end of a run has started its children once.
func (j *judgement) judgeChildren(d *definition) {
	for _, c := range d.Children {
		of := make(map[string]int)
		for _, r := range j.byJob[c.Key] {
			if p := j.byID[r.CauseID]; r.Cause == "parent" && p != nil && p.JobKey == d.Key {
				of[p.ID]++
			}
		}
		for _, r := range j.byJob[d.Key] {
			want := 0
			if r.State == "succeeded" && c.On == "success" {
				want = 1
			}
			if of[r.ID] != want && r.Final {
				j.fault("%s: run %s is %s and started its child %s %d times, not %d", d.Key, r.ID, r.State, c.Key, of[r.ID], want)
			}
		}
	}
}

// judgeOverlap checks by evidence alone that no more attempts of a job ran at once than may.
// An attempt that was recorded as lost may go on: that is not promised.
func (j *judgement) judgeOverlap(d *definition) {
	width := max(d.Concurrency, 1)
	if d.Overlap != "concurrent" {
		width = 1
	}
	under := make(map[string]entry)
	for _, e := range j.evidence {
		if e.Job != d.Key {
			continue
		}
		if e.What == "end" {
			delete(under, e.Attempt)
			continue
		}
		began := time.Unix(0, e.At)
		for id, other := range under {
			end, ends := j.endOf(&other)
			if a := j.attempts[id]; a == nil || a.State == "lost" && a.Ended.Before(began) || !ends {
				delete(under, id)
				continue
			}
			if len(under) >= width {
				j.fault("%s (%s, at most %d): attempt %s began on %s at %s while attempt %s ran on %s, from %s to %s", d.Key, d.Overlap, width,
					e.Attempt, e.Executor, stamp(began), id, other.Executor, stamp(time.Unix(0, other.At)), stamp(end))
			}
		}
		under[e.Attempt] = e
	}
}

// endOf returns when what began then ended, and false when it was killed with its executor:
// nothing follows, or the attempt began again.
func (j *judgement) endOf(begin *entry) (time.Time, bool) {
	for _, n := range j.notes[begin.Attempt] {
		if n.At > begin.At {
			return time.Unix(0, n.At), n.What == "end"
		}
	}
	return time.Time{}, false
}

// judgeSeen checks that an end, once recorded, has stayed.
func (j *judgement) judgeSeen() {
	told := make(map[string]bool)
	for i := range j.seen {
		s := &j.seen[i]
		switch r := j.byID[s.ID]; {
		case told[s.ID]:
		case r == nil:
			j.fault("%s: run %s was %s at %s, and is not there any more", s.JobKey, s.ID, s.State, stamp(s.Ended))
		case r.State != s.State || r.AttemptID != s.AttemptID || !r.Ended.Equal(s.Ended):
			j.fault("%s: the end of run %s was recorded twice: %s at %s by attempt %s, and later %s at %s by attempt %s", s.JobKey, s.ID,
				s.State, stamp(s.Ended), s.AttemptID, r.State, stamp(r.Ended), r.AttemptID)
		default:
			continue
		}
		told[s.ID] = true
	}
}

// summary tells what there was.
func (j *judgement) summary() []string {
	states, kinds := make(map[string]int), make(map[string]int)
	for _, r := range j.byID {
		states[r.State]++
		j.late(r)
	}
	for _, a := range j.actions {
		if a.What == "fault" {
			kinds[a.Kind]++
		} else if a.What != "address" {
			kinds[a.What+" "+string(a.Fate)]++
		}
	}
	return []string{
		fmt.Sprintf("%s, seed %d: %d slots were due; %d runs, %d attempts, %d lines of evidence", j.plan.Config, j.plan.Seed, j.due, len(j.runs), len(j.attempts), len(j.evidence)),
		"runs: " + counts(states),
		"done to it: " + counts(kinds),
		"lateness of firings without faults near: " + spread(j.lateness, true),
		"lateness of all firings: " + spread(j.lateness, false),
	}
}

// late takes the lateness of a run of a schedule: from its slot to the first evidence. What
// waits for another run of its job is late by right.
func (j *judgement) late(r *run) {
	d := j.jobs[r.JobKey]
	if r.Cause != "schedule" || d == nil || d.Overlap != "concurrent" || len(r.Attempts) == 0 {
		return
	}
	notes := j.notes[r.Attempts[0].ID]
	if len(notes) == 0 {
		return
	}
	began := time.Unix(0, notes[0].At)
	j.lateness = append(j.lateness, lateness{late: began.Sub(r.Planned), calm: !j.troubled(r.Planned.Add(-leastSilence), began)})
}

func spread(all []lateness, calm bool) string {
	var some []time.Duration
	for _, l := range all {
		if l.calm || !calm {
			some = append(some, l.late.Round(time.Millisecond))
		}
	}
	if len(some) == 0 {
		return "none"
	}
	slices.Sort(some)
	at := func(share float64) time.Duration { return some[int(share*float64(len(some)-1))] }
	return fmt.Sprintf("%d, p50 %s, p90 %s, p99 %s, most %s", len(some), at(0.5), at(0.9), at(0.99), at(1))
}

func counts(of map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		parts = append(parts, fmt.Sprintf("%d %s", of[name], name))
	}
	return strings.Join(parts, ", ")
}

func stamp(at time.Time) string { return at.UTC().Format("15:04:05.000") }
