package report

import (
	"cmp"
	"context"
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/solana/ledger"
	"github.com/orthd/orth/solana/observe"
	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/service"
	"github.com/orthd/orth/solana/thread"
)

// collect gathers the facts as they stand.
func (r *Report) collect(ctx context.Context, now time.Time) (Facts, error) {
	c := &r.config
	f := Facts{
		Version: 1, Program: c.Profile.Program.String(), Profile: c.Profile.Name, Mode: c.Mode, Executor: c.Key.String(), Forgo: c.Forgo,
		Floor: c.Floor, Started: r.startedAt.UnixMilli(), Observed: c.Threads != nil, Nodes: nodes(c.Nodes(now)),
	}
	f.Balance = r.balance(ctx, now)
	stats, err := c.Work.Stats(ctx)
	if err != nil {
		return Facts{}, err
	}
	f.addStats(&stats, now)
	profit, err := c.Work.Profit(ctx, thread.Key{}, 0)
	if err != nil {
		return Facts{}, err
	}
	f.Profit = account(profit.Total)
	if f.Dead, err = r.letters(ctx, deadMark{stats.Ledger.Dead, stats.Outcomes[service.Buried], now.Truncate(time.Minute)}); err != nil {
		return Facts{}, err
	}
	if f.Threads, f.All, err = r.threads(ctx); err != nil {
		return Facts{}, err
	}
	f.Reports = r.reports(stats.Ledger)
	return f, nil
}

// addStats fills in the service's figures.
func (f *Facts) addStats(s *service.Stats, now time.Time) {
	if s.Trouble.IsTrouble() {
		f.Trouble = &Trouble{s.Trouble.Since.UnixMilli(), job.Clean(s.Trouble.Reason, mostReason), s.Trouble.Needed}
	}
	f.Clock = Clock{Slot: s.Clock.Slot, Epoch: s.Clock.Epoch, Unix: s.Clock.Unix}
	if s.Clock.Unix > 0 {
		f.Clock.Lag = now.UnixMilli() - s.Clock.Unix*1000
	}
	f.Queue = Queue{
		Scheduled: s.Ledger.Scheduled, Processing: s.Ledger.Processing, Dead: s.Ledger.Dead, Ready: s.Ready, Working: s.Working,
		InFlight: s.InFlight, Waiting: s.Waiting,
	}
	f.Totals = Totals{
		Offered: s.Offered, Executed: s.Outcomes[service.Executed], Superseded: s.Outcomes[service.Superseded], Gone: s.Outcomes[service.Gone],
		Dead: s.Outcomes[service.Buried], Retries: s.Retries, Sent: s.Sent, Resent: s.Resent, Expired: s.Expired,
		Failures: make(map[string]uint64, len(s.Failures)),
	}
	for class, n := range s.Failures {
		f.Totals.Failures[string(class)] = n
	}
	f.ToWire, f.ToConfirm, f.ToSettle = latency(s.ToWire), latency(s.ToConfirm), latency(s.ToSettle)
}

func latency(q service.Quantiles) Latency {
	return Latency{q.Count, millis(q.P50), millis(q.P99), millis(q.Max)}
}

// millis is the duration in milliseconds, with two digits behind the point.
func millis(d time.Duration) float64 {
	return math.Round(float64(d)/float64(10*time.Microsecond)) / 100
}

func account(a ledger.Account) Account {
	return Account{a.Executions, a.Failures, a.Earned, a.Spent}
}

func nodes(all []rpc.Status) []Node {
	told := make([]Node, 0, len(all))
	for _, s := range all {
		role := "both"
		switch s.Role {
		case rpc.Everything:
		case rpc.Reading:
			role = "reading"
		case rpc.Submitting:
			role = "submitting"
		}
		told = append(told, Node{
			Host: s.Name, Role: role, State: string(s.Breaker.State), Latency: millis(s.Latency), Failures: s.Breaker.Failures,
			Reason: job.Clean(s.Breaker.Reason, mostReason),
		})
	}
	return told
}

// balanceFor is for how long a balance is good enough.
const balanceFor = 30 * time.Second

// balance is the executor's balance, read a short while ago; the last known one while no
// node answers.
func (r *Report) balance(ctx context.Context, now time.Time) uint64 {
	r.mu.Lock()
	known, at := r.lamports, r.lamportsAt
	r.mu.Unlock()
	if now.Sub(at) < balanceFor && !at.IsZero() {
		return known
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	got, err := r.config.Balance(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lamportsAt = now; err == nil { // one that fails is not asked for at once again either
		r.lamports = got
	}
	return r.lamports
}

// deadMark detects when dead letters may have changed: by their number, by the total ever
// given up, and each minute.
type deadMark struct {
	count  int
	buried uint64
	minute time.Time
}

// letters returns the dead letters, read again when they may have changed. One goroutine
// collects.
func (r *Report) letters(ctx context.Context, mark deadMark) ([]Dead, error) {
	if r.deads != nil && r.deadMark == mark {
		return r.deads, nil
	}
	deads, err := r.deadLetters(ctx)
	if err != nil {
		return nil, err
	}
	r.deads, r.deadMark = deads, mark
	return deads, nil
}

// deadLetters lists dead letters, the newest first. Of very many it does not look further than the first thousands.
func (r *Report) deadLetters(ctx context.Context) ([]Dead, error) {
	var all []ledger.Task
	for after := uint64(0); len(all) < 10_000; {
		tasks, err := r.config.Work.Tasks(ctx, ledger.Dead, after, 1000)
		if err != nil {
			return nil, err
		}
		if len(tasks) == 0 {
			break
		}
		all, after = append(all, tasks...), tasks[len(tasks)-1].Seq
	}
	slices.SortStableFunc(all, func(a, b ledger.Task) int { return b.DueAt.Compare(a.DueAt) })
	told := []Dead{}
	for i := range all[:min(len(all), mostDead)] {
		t := &all[i]
		told = append(told, Dead{
			ID: t.ID.String(), Thread: t.Thread.String(), Exec: t.ExecCount, Tries: t.Tries, Class: string(t.Failed.Class),
			Reason: job.Clean(t.Failed.Reason, mostReason), Since: job.Millis(t.DueAt),
		})
	}
	return told, nil
}

// threads lists the most pressing threads, and counts all.
func (r *Report) threads(ctx context.Context) ([]Thread, int, error) {
	if r.config.Threads == nil {
		return []Thread{}, 0, nil
	}
	all := r.config.Threads()
	shown := r.pressing(all, mostThreads)
	told := make([]Thread, len(shown))
	r.mu.Lock()
	for i := range shown {
		told[i] = r.threadFacts(&shown[i])
	}
	r.mu.Unlock()
	for i := range told {
		a, err := r.config.Account(ctx, shown[i].Thread)
		if err != nil {
			return nil, 0, err
		}
		told[i].Earned, told[i].Spent = a.Earned, a.Spent
	}
	return told, len(all), nil
}

// pressing returns the most pressing of the threads, so many at most. It notes which are there: of what is gone nothing is
// remembered.
func (r *Report) pressing(all []observe.Tracked, most int) []observe.Tracked {
	type ranked struct {
		at      int
		trouble bool
		wait    int64
	}
	clock, ranks := r.clock(), make([]ranked, len(all))
	r.mu.Lock() // settling executions waits for it: sort nothing under the lock
	for i := range all {
		l, known := r.lasts[all[i].Thread]
		if ranks[i] = (ranked{i, l.outcome == service.Buried, waitOf(&all[i], clock)}); known {
			l.seen = r.round
			r.lasts[all[i].Thread] = l
		}
	}
	for key, l := range r.lasts {
		if l.seen < r.round-1 {
			delete(r.lasts, key)
		}
	}
	r.round++
	r.mu.Unlock()
	slices.SortFunc(ranks, func(a, b ranked) int {
		switch {
		case a.trouble && !b.trouble:
			return -1
		case b.trouble && !a.trouble:
			return 1
		}
		return cmp.Or(cmp.Compare(a.wait, b.wait), slices.Compare(all[a.at].Thread[:], all[b.at].Thread[:]))
	})
	shown := make([]observe.Tracked, min(len(all), most))
	for i := range shown {
		shown[i] = all[ranks[i].at]
	}
	return shown
}

// clock is the chain's, as the threads' observer knows it.
func (r *Report) clock() thread.Clock {
	if r.config.Clock == nil {
		return thread.Clock{}
	}
	return r.config.Clock()
}

// never is the wait of what nothing makes due.
const never = math.MaxInt64

// waitOf is about how many milliseconds a thread waits.
func waitOf(t *observe.Tracked, c thread.Clock) int64 {
	left := func(at, now, each int64) int64 {
		return max(at-now, 0) * each // far away, not exact
	}
	switch {
	case t.Ready:
		return -1
	case !t.Waits:
		return never
	case t.Due.Unit == thread.Seconds:
		return left(min(t.Due.At, math.MaxInt64/1000), c.Unix, 1000)
	case t.Due.Unit == thread.Slots:
		return left(min(t.Due.At, math.MaxInt64/400), int64(min(c.Slot, math.MaxInt64/400)), 400)
	case t.Due.Unit == thread.Epochs:
		return never - 2
	case t.Due.Unit == thread.Change:
		return never - 1
	}
	return 0
}

// threadFacts is a thread in the form that facts show. The caller holds mu.
func (r *Report) threadFacts(t *observe.Tracked) Thread {
	s := t.State
	kind, value := triggerOf(&s.Trigger)
	shown := Thread{
		Key: t.Thread.String(), ID: idText(s.ID), Name: job.Clean(s.Name, 64), Owner: s.Authority.String(), Trigger: kind, Value: value,
		Ready: t.Ready, Count: s.ExecCount, Fiber: -1, Paused: s.Paused,
	}
	if t.Waits {
		shown.Unit, shown.Due = unitOf(t.Due.Unit), t.Due.At
	}
	if index, found := s.Fiber(r.config.Profile); found {
		shown.Fiber = int(index)
	}
	if s.LastExecutor != (thread.Key{}) {
		shown.By = s.LastExecutor.String()
	}
	if l, known := r.lasts[t.Thread]; known {
		shown.Outcome, shown.Reason, shown.At = string(l.outcome), l.reason, l.at.UnixMilli()
	}
	return shown
}

func unitOf(u thread.Unit) string {
	names := [...]string{"now", "seconds", "slots", "epochs", "change"}
	if int(u) < len(names) {
		return names[u]
	}
	return ""
}

// triggerOf is a trigger in a word and what it counts.
func triggerOf(t *thread.Trigger) (kind, value string) {
	switch t.Kind {
	case thread.OnAccount:
		value = t.Address.String()
	case thread.OnTimestamp:
		value = strconv.FormatInt(t.At, 10)
	case thread.OnInterval:
		value = strconv.FormatInt(t.Every, 10)
	case thread.OnCron:
		value = job.Clean(t.Cron, 100)
	case thread.OnSlot, thread.OnEpoch:
		value = strconv.FormatUint(t.Number, 10)
	case thread.Immediate:
	}
	return t.Kind.String(), value
}

// idText is a thread's id as text, when it is one.
func idText(id []byte) string {
	text := string(id)
	if utf8.Valid(id) && !strings.ContainsFunc(text, func(c rune) bool { return !unicode.IsPrint(c) }) {
		return text
	}
	return "0x" + hex.EncodeToString(id)
}
