package sim

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"time"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
	"github.com/orthd/orth/schedule"
)

// deed is what a handler does: it takes a while, and fails in so many of a hundred
// tries.
type deed struct {
	takes time.Duration
	fail  int
}

// String returns the deed as the param of a job.
func (d deed) String() string { return fmt.Sprintf("%d %d", d.takes.Milliseconds(), d.fail) }

// deedOf is the reverse of String.
func deedOf(param string) deed {
	var ms int64
	var d deed
	_, _ = fmt.Sscan(param, &ms, &d.fail)
	d.takes = time.Duration(ms) * time.Millisecond
	return d
}

// fails reports whether this attempt is one that fails: the seed, the run and the
// try say so.
func (d deed) fails(seed uint64, t *handler.Task) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(strconv.FormatUint(seed, 10) + "/" + strconv.FormatInt(t.RunID, 10) + "/" + strconv.Itoa(t.Try)))
	return int(h.Sum32()%100) < d.fail
}

// The groups of the executors.
const (
	alpha = "alpha"
	beta  = "beta"
)

// draft is a job before it has an id.
type draft struct {
	job.Job
	children []child
}

// child names a job that comes before its parent in the workload.
type child struct {
	key string
	on  job.ChildOn
}

// task returns the param of a handler that takes so many milliseconds and fails in
// so many of a hundred tries.
func task(ms, fail int) string { return deed{time.Duration(ms) * time.Millisecond, fail}.String() }

// every returns a schedule of a fixed rate, in seconds; the others are of their
// kinds.
func every(seconds int) schedule.Spec {
	return schedule.Spec{Kind: schedule.KindEvery, Every: time.Duration(seconds) * time.Second}
}

func after(seconds int) schedule.Spec {
	return schedule.Spec{Kind: schedule.KindAfter, After: time.Duration(seconds) * time.Second}
}

func cron(expression string) schedule.Spec {
	return schedule.Spec{Kind: schedule.KindCron, Cron: expression}
}

func manual() schedule.Spec { return schedule.Spec{Kind: schedule.KindManual} }

// again returns a quick policy of so many retries.
func again(tries int) retry.Policy {
	return retry.Policy{Tries: tries, Initial: 500 * time.Millisecond, Multiplier: 2, Max: 4 * time.Second, Jitter: 0.3}
}

// workload returns the jobs of a world that begins at an instant and whose
// schedules end at another: a part of all kinds, which the dice choose, or one of
// every kind. The dice also move periods and times. Platforms that differ find more
// than one that has everything, and cost less.
func workload(d *dice, now, end time.Time, all bool) []draft {
	var jobs []draft
	for _, together := range [][]draft{linked(), steps()} {
		if all || d.chance(0.5) {
			jobs = append(jobs, together...)
		}
	}
	once := now.Add(d.between(5*time.Second, end.Sub(now)*2/3))
	for _, j := range slices.Concat(schedules(once), misfires(), busy(), changing(), switching()) {
		if all || d.chance(0.4) {
			jobs = append(jobs, draft{Job: j})
		}
	}
	for i := range jobs {
		j := &jobs[i].Job
		j.Handler = job.Handler{Kind: job.HandlerNamed, Name: "deed"}
		j.Enabled = j.Schedule.Kind != schedule.KindManual
		switch j.Schedule.Kind {
		case schedule.KindManual, schedule.KindOnce:
		case schedule.KindEvery:
			j.Schedule.Anchor = now.Add(d.between(0, min(j.Schedule.Every, 10*time.Second)))
			j.Schedule.End = end
		default:
			j.Schedule.End = end
		}
	}
	return jobs
}

// byHand is the job that users run by hand, backfilled the one whose past they ask
// for.
const (
	byHand     = "by-hand"
	backfilled = "backfilled"
)

// linked returns jobs that start others.
func linked() []draft {
	return []draft{
		{Job: job.Job{Key: "leaf", Schedule: manual(), Group: beta, Param: task(100, 0)}},
		{Job: job.Job{Key: "mourner", Schedule: manual(), Group: alpha, Param: task(100, 0), Route: job.RouteLeastRecent}},
		{
			Job:      job.Job{Key: "branch", Schedule: manual(), Group: alpha, Param: task(200, 40), Retry: again(1)},
			children: []child{{"leaf", job.ChildOnSuccess}, {"mourner", job.ChildOnFailure}},
		},
		{
			Job:      job.Job{Key: "root", Schedule: every(4), Group: alpha, Param: task(300, 10)},
			children: []child{{"leaf", job.ChildOnAlways}, {"branch", job.ChildOnSuccess}},
		},
	}
}

// schedules returns jobs of all kinds of schedule; once is for the one that fires
// once.
func schedules(once time.Time) []job.Job {
	at := schedule.Spec{Kind: schedule.KindOnce, At: once}
	several := schedule.Spec{Kind: schedule.KindSeveral, Of: []schedule.Spec{every(6), cron("*/9 * * * * ?")}}
	return []job.Job{
		{Key: "cron", Schedule: cron("*/10 * * * * ?"), Group: alpha, Param: task(2000, 0)},
		{Key: "cron-list", Schedule: cron("7,13,19,37,47 * * * * ?"), Group: beta, Param: task(1000, 50), Retry: again(5)},
		{Key: "after", Schedule: after(2), Group: alpha, Param: task(500, 0)},
		{Key: "after-failing", Schedule: after(3), Group: beta, Param: task(200, 60), Retry: again(2)},
		{Key: "once", Schedule: at, Group: alpha, Param: task(1000, 0), Misfire: schedule.MisfireFireOnce, Retry: again(4)},
		{Key: "several", Schedule: several, Group: beta, Param: task(400, 0)},
		{Key: byHand, Schedule: manual(), Group: alpha, Param: task(700, 20), Retry: again(3)},
		{Key: backfilled, Schedule: cron("0/10 * * * * ?"), Group: alpha, Param: task(300, 20), Retry: again(2)},
		{Key: "stops", Schedule: every(6), Group: beta, Param: task(100, 100), StopAfter: 3},
	}
}

// misfires returns jobs that do different things about what was missed, or has
// waited for too long.
func misfires() []job.Job {
	patient := schedule.MisfireLimits{Threshold: time.Second}
	few := schedule.MisfireLimits{Threshold: time.Second, Max: 3}
	return []job.Job{
		{Key: "each-second", Schedule: every(1), Group: alpha, Param: task(100, 0), Misfire: schedule.MisfireFireAll},
		{Key: "skips", Schedule: every(2), Group: beta, Param: task(50, 0), MisfireLimits: patient},
		{Key: "fires-once", Schedule: every(3), Group: alpha, Param: task(50, 0), Misfire: schedule.MisfireFireOnce, MisfireLimits: patient},
		{Key: "fires-all", Schedule: every(5), Group: beta, Param: task(50, 0), Misfire: schedule.MisfireFireAll, MisfireLimits: few},
		{
			Key: "expires", Schedule: every(4), Group: beta, Param: task(50, 0), Route: job.RouteLeastFrequent,
			Delivery: job.Delivery{Priority: job.PriorityHigh, ExpireAfter: 3 * time.Second},
		},
	}
}

// busy returns jobs that meet themselves, or their limits.
func busy() []job.Job {
	return []job.Job{
		{Key: "serial", Schedule: every(4), Group: beta, Param: task(3000, 10), Route: job.RouteFirst, Retry: again(1)},
		{Key: "discards", Schedule: every(3), Group: beta, Param: task(4000, 0), Route: job.RouteLast, Overlap: job.OverlapDiscard},
		{
			Key: "concurrent", Schedule: every(3), Group: alpha, Param: task(1500, 10), Route: job.RouteConsistentHash,
			Overlap: job.OverlapConcurrent, Concurrency: 2, Retry: again(2),
		},
		{Key: "covers", Schedule: every(5), Group: alpha, Param: task(6000, 0), Route: job.RouteFirst, Overlap: job.OverlapCover},
		{Key: "reruns", Schedule: every(12), Group: alpha, Param: task(5000, 0), Route: job.RouteRandom, OnCrash: job.CrashRerun},
		{Key: "times-out", Schedule: every(20), Group: beta, Param: task(3000, 0), Timeout: time.Second, Retry: again(1)},
		{
			Key: "too-long", Schedule: every(15), Group: alpha, Param: task(9000, 0), Route: job.RouteLeastLoaded,
			Delivery: job.Delivery{Priority: job.PriorityLow, Deadline: 4 * time.Second},
		},
		{Key: "probes", Schedule: every(8), Group: alpha, Param: task(300, 30), Route: job.RouteFailover, Retry: again(6)},
		{Key: everywhere, Schedule: every(9), Group: alpha, Param: task(600, 20), Route: job.RouteBroadcast, Retry: again(2)},
		{Key: "looks-for-idle", Schedule: every(7), Group: alpha, Param: task(2000, 0), Route: job.RouteBusyover},
	}
}

// changing returns jobs that users change, and jobs that forget their past.
func changing() []job.Job {
	short := job.Delivery{KeepFor: time.Second}
	few := job.Delivery{KeepRuns: 2}
	return []job.Job{
		{Key: edited, Schedule: every(3), Group: alpha, Param: task(200, 10), Retry: again(2)},
		{Key: stops, Schedule: every(2), Group: beta, Param: task(300, 20), Retry: again(2), Misfire: schedule.MisfireFireAll},
		{Key: deletes, Schedule: every(2), Group: alpha, Param: task(300, 20), Retry: again(2), Misfire: schedule.MisfireFireAll},
		{Key: "forgets", Schedule: every(2), Group: beta, Param: task(100, 20), Retry: again(1), Delivery: short},
		{Key: "forgets-some", Schedule: after(1), Group: alpha, Param: task(100, 20), Retry: again(1), Delivery: few},
	}
}
