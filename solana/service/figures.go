package service

import (
	"context"
	"slices"
	"time"

	"github.com/orthd/orth/solana/failure"
	"github.com/orthd/orth/solana/thread"
)

// rolling is the last durations of something.
type rolling struct {
	last [1024]time.Duration
	n    int // ever
	sum  time.Duration
}

func (r *rolling) addSample(d time.Duration) {
	d = max(d, 0)
	r.last[r.n%len(r.last)] = d
	r.n++
	r.sum += d
}

// quantiles are those of the last ones; Count is of all.
func (r *rolling) quantiles() Quantiles {
	some := slices.Clone(r.last[:min(r.n, len(r.last))])
	if len(some) == 0 {
		return Quantiles{}
	}
	slices.Sort(some)
	at := func(part int) time.Duration { return some[(len(some)-1)*part/100] }
	return Quantiles{Count: r.n, P50: at(50), P90: at(90), P99: at(99), Max: some[len(some)-1], Sum: r.sum}
}

// tally counts since the service was made.
type tally struct {
	offered, retries, sent, resent, expired, fibers uint64

	outcomes map[Outcome]uint64
	failures map[failure.Class]uint64

	toSettle, toWire, toConfirm *rolling
}

func newTally() tally {
	return tally{
		outcomes: make(map[Outcome]uint64), failures: make(map[failure.Class]uint64),
		toSettle: new(rolling), toWire: new(rolling), toConfirm: new(rolling),
	}
}

// Stats returns how the service stands.
func (s *Service) Stats(ctx context.Context) (Stats, error) {
	kept, err := s.ledger.Stats(ctx)
	if err != nil {
		return Stats{}, err
	}
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &s.tally
	st := Stats{
		Ledger: kept, Waiting: make(map[string]int), Ready: s.board.depth(), Working: s.board.working, InFlight: s.board.flying,
		Trouble: s.trouble, Offered: t.offered, Outcomes: make(map[Outcome]uint64), Failures: make(map[failure.Class]uint64),
		Retries: t.retries, Sent: t.sent, Resent: t.resent, Expired: t.expired, Fibers: t.fibers,
		ToSettle: t.toSettle.quantiles(), ToWire: t.toWire.quantiles(), ToConfirm: t.toConfirm.quantiles(), Clock: s.board.clock,
	}
	for _, r := range reasons() {
		st.Waiting[string(r)] = s.board.waits[r]
	}
	for _, o := range Outcomes() {
		st.Outcomes[o] = t.outcomes[o]
	}
	for _, c := range failure.Classes() {
		st.Failures[c] = t.failures[c]
	}
	for _, since := range s.flights {
		st.Oldest = max(st.Oldest, now.Sub(since))
	}
	return st, nil
}

// Samples returns Stats as figures for metrics.
func (s *Service) Samples(ctx context.Context) ([]Sample, error) {
	st, err := s.Stats(ctx)
	if err != nil {
		return nil, err
	}
	p, err := s.ledger.Profit(ctx, thread.Key{}, 0)
	if err != nil {
		return nil, err
	}
	var all []Sample
	put := func(kind, name, help string, value float64, labels ...string) {
		one := Sample{Name: name, Help: help, Kind: kind, Value: value}
		for i := 0; i+1 < len(labels); i += 2 {
			one.Labels = map[string]string{labels[i]: labels[i+1]}
		}
		all = append(all, one)
	}
	for _, o := range Outcomes() {
		put(counter, "executions_total", "Executions that ended, by outcome.", float64(st.Outcomes[o]), "outcome", string(o))
	}
	put(counter, "fibers_executed_total", "Fibers that were executed.", float64(st.Fibers))
	put(counter, "tasks_offered_total", "Threads that were due and became tasks.", float64(st.Offered))
	for _, c := range failure.Classes() {
		put(counter, "failures_total", "Tries that failed, by class.", float64(st.Failures[c]), "class", string(c))
	}
	put(counter, "retries_total", "Tries that were used up.", float64(st.Retries))
	put(counter, "transactions_sent_total", "Transactions that were sent, without those sent again.", float64(st.Sent))
	put(counter, "transactions_resent_total", "Times that the same bytes were sent again.", float64(st.Resent))
	put(counter, "transactions_expired_total", "Transactions that never landed.", float64(st.Expired))
	for _, place := range []struct {
		name string
		n    int
	}{{"scheduled", st.Ledger.Scheduled}, {"processing", st.Ledger.Processing}, {"dead", st.Ledger.Dead}, {"remembered", st.Ledger.Remembered}} {
		put(gauge, "tasks", "Tasks in the ledger, by place.", float64(place.n), "place", place.name)
	}
	for _, r := range reasons() {
		put(gauge, "tasks_waiting", "Tasks that wait, by what for.", float64(st.Waiting[string(r)]), "reason", string(r))
	}
	put(gauge, "tasks_ready", "Tasks that wait for a worker.", float64(st.Ready))
	put(gauge, "workers_busy", "Workers that build or send.", float64(st.Working))
	put(gauge, "transactions_in_flight", "Transactions on their way.", float64(st.InFlight))
	put(gauge, "oldest_in_flight_seconds", "For how long the oldest transaction is on its way.", st.Oldest.Seconds())
	trouble := 0.0
	if st.Trouble.IsTrouble() {
		trouble = 1
	}
	put(gauge, "trouble", "1 while nothing is sent because the executor cannot pay.", trouble)
	for _, l := range []struct {
		name, help string
		q          Quantiles
	}{
		{"settle_seconds", "From a task's creation to its settlement.", st.ToSettle},
		{"wire_seconds", "From the moment a task was due and known to the first byte sent.", st.ToWire},
		{"confirm_seconds", "From there to the confirmation.", st.ToConfirm},
	} {
		put(counter, l.name+"_count", l.help, float64(l.q.Count))
		put(counter, l.name+"_sum", l.help, l.q.Sum.Seconds())
		for _, x := range []struct {
			quantile string
			d        time.Duration
		}{{"0.5", l.q.P50}, {"0.9", l.q.P90}, {"0.99", l.q.P99}, {"1", l.q.Max}} {
			put(gauge, l.name, l.help+" Of the last 1,024.", x.d.Seconds(), "quantile", x.quantile)
		}
	}
	put(counter, "lamports_spent_total", "Lamports that executions have cost, ever.", float64(p.Total.Spent))
	put(counter, "lamports_earned_total", "Lamports that executions have brought, ever.", float64(p.Total.Earned))
	put(counter, "ledger_damaged_total", "Records of the ledger that were set aside.", float64(st.Ledger.Damaged))
	put(counter, "dead_letters_evicted_total", "Dead letters that made room for others.", float64(st.Ledger.Evicted))
	put(gauge, "chain_slot", "The slot of the newest tick.", float64(st.Clock.Slot))
	return all, nil
}

const (
	counter = "counter"
	gauge   = "gauge"
)

// Outcomes returns all.
func Outcomes() []Outcome { return []Outcome{Executed, Superseded, Gone, Buried} }
