package orth_test

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

// figure is a number that a page promises, and the line of code that has it.
type figure struct {
	page, says string
	file, code string
}

const (
	delivery   = "docs/delivery.md"
	executors  = "docs/executors.md"
	operations = "docs/operations.md"
	schedules  = "docs/schedules.md"
	ownPage    = "docs/executor.md"
	overRuns   = "docs/runs.md"

	breakers    = "internal/breaker/breaker.go"
	dispatching = "internal/dispatcher/dispatcher.go"
	forgotten   = "internal/upkeep/forgotten.go"
	keeping     = "internal/upkeep/upkeep.go"
	leases      = "internal/registry/registry.go"
	missed      = "schedule/misfire.go"
)

// figures are the numbers of the pages about delivery.
var figures = []figure{
	{delivery, "heartbeat (every 10 seconds)", "executor/config.go", "c.Beat = 10 * time.Second"},
	{delivery, "called an executor five times in a row in vain", breakers, "c.Failures = 5"},
	{delivery, "for 2 seconds at first", breakers, "c.Cool = 2 * time.Second"},
	{delivery, "up to 30 seconds", breakers, "cmp.Or(c.MaxCool, 30*time.Second)"},
	{delivery, "unanswered for 0.3 seconds", "internal/dispatcher/lanes.go", "const hush = 300 * time.Millisecond"},
	{delivery, "at most 32 at once", dispatching, "c.PerAddress = orElse(c.PerAddress, 32)"},
	{delivery, "(2, of up to 64 tasks each", "internal/dispatcher/lanes.go", "const fewCalls = 2"},
	{delivery, "(2, of up to 64 tasks each", "internal/dispatcher/lanes.go", "min(together, 2*l.d.config.PerAddress), fewCalls"},
	{delivery, "instead of 1,000; those that come then", "job/overlap.go", "DefaultOverlapQueue = 1_000"},
	{delivery, "up to 100 ms before the firing is due", dispatching, "c.Early = orElse(c.Early, 100*time.Millisecond)"},
	{delivery, "20 ms before when the job is busy", dispatching, "c.Lead = orElse(c.Lead, 20*time.Millisecond)"},
	{delivery, "when it is 0.3 s late", "internal/planner/takeover.go", "const takeover = 300 * time.Millisecond"},
	{delivery, "its lease of 10 s ends", "internal/cluster/cluster.go", "c.Lease = 10 * time.Second"},
	{delivery, "of which 20,000 wait", "internal/planner/planner.go", "c.Backlog = 20_000"},
	{delivery, "claim ends within 17 seconds", dispatching, "c.Ahead = orElse(c.Ahead, 2*time.Second)"},
	{delivery, "claim ends within 17 seconds", dispatching, "c.Claim = orElse(c.Claim, 15*time.Second)"},
	{delivery, "claim ends within 17 seconds", "internal/planner/planner.go", "c.Claim = 15 * time.Second"},
	{delivery, "waits for room, twice; then", "internal/dispatcher/renew.go", "const maxRenewals = 2"},
	{delivery, "has 3 s to answer", "internal/app/config.go", "c.ExecutorTimeout = 3 * time.Second"},
	{delivery, "elsewhere if need be: 12 times, over three minutes", dispatching, "Tries: 12, Initial: time.Second, Multiplier: 2, Max: 30 * time.Second"},
	{delivery, "within 20 seconds of when the task was to begin", dispatching, "c.Check = orElse(c.Check, 15*time.Second)"},
	{delivery, "within 20 seconds of when the task was to begin", keeping, "c.Every = 5 * time.Second"},
	{delivery, "half a minute after its last sign of life", leases, "const leastLease = 25 * time.Second"},
	{delivery, "a minute and a half for executors of other makes", "internal/app/config.go", "c.LeaseTTL = 90 * time.Second"},
	{delivery, "first minute and a half after its own start", "internal/app/app.go", "Grace: c.LeaseTTL"},
	{delivery, "some twenty seconds after it came back", leases, "c.RestartGrace = 18 * time.Second"},
	{delivery, "twice a minute the servers compare", forgotten, "watchEvery = 30 * time.Second"},
	{delivery, "first list that is 10 s younger", "internal/upkeep/moved.go", "const listAfter = 10 * time.Second"},
	{delivery, "lists more than 500 attempts", "job/beat.go", "MaxHolds = 500"},
	{delivery, "without one after 10 minutes: the attempt is `lost`", keeping, "c.Doubt = 10 * time.Minute"},
	{delivery, "or 10 minutes after the later one came", "internal/registry/life.go", "const sharedFor = 10 * time.Minute"},

	{executors, "Orth beat every 10 seconds", "executor/config.go", "c.Beat = 10 * time.Second"},
	{executors, "a lease of 25; those of", leases, "const leastLease = 25 * time.Second"},
	{executors, "have one of 90", "internal/app/config.go", "c.LeaseTTL = 90 * time.Second"},
	{executors, "at once and then every 30 seconds, whether", leases, "c.Probe = 30 * time.Second"},
	{executors, "(32 are asked at a time)", "internal/registry/probe.go", "probesAtOnce = 32"},
	{executors, "the server asks every 10 seconds, and picks", leases, "c.ProbeManual = 10 * time.Second"},
	{executors, "That takes 20 to 25 seconds", leases, "c.RestartGrace = 18 * time.Second"},
	{executors, "with more than 500 attempts", "job/beat.go", "MaxHolds = 500"},
	{executors, "its list is over 3,000 bytes", "internal/wire/xxl/dialect/life.go", "const MaxHoldingText = 3000"},
	{executors, "0.2 seconds after they accepted", "internal/upkeep/conduct.go", "askAfter = 200 * time.Millisecond"},
	{executors, "every 30 seconds about attempts that are older than 10", forgotten, "watchEvery = 30 * time.Second"},
	{executors, "every 30 seconds about attempts that are older than 10", forgotten, "watchAfter = 10 * time.Second"},
	{executors, "at three looks in a row", forgotten, "idleLooks = 3"},
	{executors, "for at least a minute", forgotten, "idleFor = 60 * time.Second"},
	{executors, "time limit has passed, and a minute", forgotten, "overLimit = time.Minute"},
	{executors, "idle for an hour", keeping, "c.Forget = time.Hour"},
	{executors, "it has it may finish, for an hour", keeping, "c.Linger = time.Hour"},
	{executors, "remembered for a quarter of an hour", "internal/store/sqlstore/rivals.go", "keepFormer = 15 * time.Minute"},
	{executors, "the fifty that came last", "internal/store/sqlstore/moved.go", "const maxSuccessors = 50"},

	{operations, "| 15 s, renewed twice |", "internal/dispatcher/renew.go", "const maxRenewals = 2"},
	{operations, "| 15 s from the call, 10 s while a server asks |", dispatching, "c.Check = orElse(c.Check, 15*time.Second)"},
	{operations, "| 15 s from the call, 10 s while a server asks |", keeping, "c.Again = 10 * time.Second"},
	{operations, "under a lease of 10 s", "internal/cluster/cluster.go", "c.Lease = 10 * time.Second"},

	{schedules, "`--misfire-threshold 5s`", missed, "DefaultThreshold = 5 * time.Second"},
	{schedules, "`--misfire-max 100`", missed, "DefaultMissed = 100"},
	{schedules, "up to a hundred in a row", missed, "const MaxSkipped = 100"},
	{schedules, "at most 100 made-up runs a second", "internal/planner/planner.go", "c.CatchUpRate = 100"},
	{schedules, "up to 20,000 of a group", "internal/planner/planner.go", "c.Backlog = 20_000"},

	{ownPage, "three times at most; then the task becomes a dead letter", "internal/runner/recover.go", "maxReruns = 3"},
	{ownPage, "for 24 hours after its end", "internal/queue/config.go", "DefaultRememberFor = 24 * time.Hour"},
	{ownPage, "a million ids at most", "executor/config.go", "c.Remember = 1_000_000"},
	{ownPage, "remembers that for 20 to 40 minutes", "internal/runner/fence/fence.go", "FenceFor = 20 * time.Minute"},
	{ownPage, "(`--max-waiting`, 10,000)", "internal/runner/config.go", "c.LaneQueue = 10_000"},
	{ownPage, "the queue holds 100,000 tasks", "internal/queue/config.go", "DefaultCapacity = 100_000"},
	{delivery, "with a log of up to 4 KiB", "job/job.go", "MaxOutcomeLog = 4 << 10"},
	{delivery, "or up to 50 ms after those before it", "internal/outbox/config.go", "c.Interval = 50 * time.Millisecond"},
	{delivery, "later every half a minute", "internal/dispatcher/waiting/item.go", "longestTry = 30 * time.Second"},

	{overRuns, "which is for 15 s and longer", dispatching, "c.Check = orElse(c.Check, 15*time.Second)"},
	{overRuns, "Deadlines are looked at every five seconds", keeping, "c.Every = 5 * time.Second"},
	{overRuns, "says so again ten seconds later", "job/stop.go", "StopSettle = 10 * time.Second"},
	{overRuns, "reports nothing for a minute", "job/stop.go", "StopWait = time.Minute"},
	{overRuns, "after 5, 10 and then every 15 seconds", "job/stop.go", "stopFirst = 5 * time.Second"},
	{overRuns, "after 5, 10 and then every 15 seconds", "job/stop.go", "stopLongest = 15 * time.Second"},
	{overRuns, "up to 10 of an attempt, each with at most 1,000 characters", "job/evidence.go", "MaxEvidence = 10"},
	{overRuns, "up to 10 of an attempt, each with at most 1,000 characters", "job/evidence.go", "MaxEvidenceMessage = 1000"},
}

// untrue returns what is wrong with figures: a page or a file that has other words by now.
// White space does not count.
func untrue(tree fs.FS, figures []figure) (wrong []string) {
	texts := map[string]string{}
	has := func(name, words string) bool {
		text, known := texts[name]
		if !known {
			raw, _ := fs.ReadFile(tree, name) // one that is not there has no words
			text = strings.Join(strings.Fields(string(raw)), " ")
			texts[name] = text
		}
		return strings.Contains(text, words)
	}
	for _, f := range figures {
		if !has(f.page, f.says) {
			wrong = append(wrong, fmt.Sprintf("%s does not say %q any more: is %q of %s still what it promises?", f.page, f.says, f.code, f.file))
		}
		if !has(f.file, f.code) {
			wrong = append(wrong, fmt.Sprintf("%s has no %q any more: is %q in %s still true?", f.file, f.code, f.says, f.page))
		}
	}
	return wrong
}

// The numbers that pages promise about delivery are those of the code.
func TestFiguresOfPages(t *testing.T) {
	t.Parallel()
	for _, trouble := range untrue(os.DirFS("."), figures) {
		t.Error(trouble)
	}
}

func TestUntrueFiguresAreCaught(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{
		"page.md": {Data: []byte("It waits\nfor 5 s.")},
		"code.go": {Data: []byte("const (\n\twait   = 5 * time.Second // as long as it takes\n)\n")},
	}
	for _, c := range []struct {
		figure figure
		wrong  int
	}{
		{figure{"page.md", "waits for 5 s", "code.go", "wait = 5 * time.Second"}, 0},
		{figure{"page.md", "waits for 6 s", "code.go", "wait = 5 * time.Second"}, 1},
		{figure{"page.md", "waits for 5 s", "code.go", "wait = 6 * time.Second"}, 1},
		{figure{"page.md", "waits for 6 s", "gone.go", "wait = 6 * time.Second"}, 2},
	} {
		if wrong := untrue(tree, []figure{c.figure}); len(wrong) != c.wrong {
			t.Errorf("%+v: %q", c.figure, wrong)
		}
	}
}
