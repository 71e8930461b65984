package control

import (
	"fmt"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/solana/ledger"
	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/service"
	"github.com/orthd/orth/solana/thread"
)

// taskOf is a task as it is shown.
func taskOf(t *ledger.Task) Task {
	shown := Task{ID: t.ID.String(), Place: t.Place.String(), Seq: t.Seq, Unknown: t.Unknown}
	if t.Unknown {
		return shown
	}
	shown.Thread = t.Thread.String()
	if t.State != nil {
		shown.ThreadID, shown.Trigger = NameOf(t.State), Words(t.State.Trigger)
	}
	if !t.ByTime {
		shown.Exec = t.ExecCount + 1
	}
	shown.DueAt, shown.CreatedAt, shown.NextAt = chainTime(t.TriggerTime), api.At(t.CreatedAt), api.At(t.DueAt)
	shown.Tries = t.Tries
	if f := t.Failed; f.Class != "" || f.Reason != "" {
		shown.Failure = &Failure{Class: string(f.Class), Reason: f.Reason, At: api.At(f.At), Logs: f.Logs}
	}
	if f := t.Flight; f != nil {
		shown.Flight = &Flight{
			Signature: f.Signature().String(), LastValid: f.Transaction.LastValid, SentAt: api.At(f.SentAt), Fibers: f.Fibers,
			Units: f.Units, Price: f.Price, Fee: f.Fee, Before: f.Before, After: f.After,
		}
	}
	return shown
}

// chainTime is a time of the chain; zero is none.
func chainTime(seconds int64) api.Time {
	if seconds == 0 {
		return api.Time{}
	}
	return api.At(time.Unix(seconds, 0))
}

// NameOf is what the authority of a thread calls it, empty when that is no text.
func NameOf(t *thread.Thread) string {
	name := string(t.ID)
	if !utf8.ValidString(name) {
		return t.Name
	}
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return t.Name
		}
	}
	return name
}

// Words describes when a trigger fires.
func Words(t thread.Trigger) string {
	var words string
	switch t.Kind {
	case thread.OnAccount:
		words = fmt.Sprintf("when %d bytes at %d of %s change", t.Size, t.Offset, t.Address)
	case thread.Immediate:
		words = "at once"
	case thread.OnTimestamp:
		words = "at " + time.Unix(t.At, 0).UTC().Format(time.RFC3339)
	case thread.OnInterval:
		words = "every " + (time.Duration(min(t.Every, 1<<32)) * time.Second).String()
	case thread.OnCron:
		words = "cron " + t.Cron
	case thread.OnSlot:
		words = fmt.Sprintf("in slot %d", t.Number)
	case thread.OnEpoch:
		words = fmt.Sprintf("in epoch %d", t.Number)
	default:
		return t.Kind.String()
	}
	if t.Jitter > 0 {
		words += fmt.Sprintf(", up to %ds later", t.Jitter)
	}
	if t.Skippable && (t.Kind == thread.OnInterval || t.Kind == thread.OnCron) {
		words += ", skippable"
	}
	return words
}

// ThreadOf is a thread as it is shown, by the chain's clock.
func ThreadOf(p thread.Profile, key thread.Key, state *thread.Thread, slot uint64) Thread {
	shown := Thread{
		Key: key.String(), Authority: state.Authority.String(), ID: NameOf(state), Trigger: Words(state.Trigger), Fibers: len(state.Fibers),
		Exec: state.ExecCount, Paused: state.Paused, Slot: slot,
	}
	if !state.LastExecutor.IsZero() {
		shown.LastExecutor = state.LastExecutor.String()
	}
	if index, found := state.Fiber(p); found {
		shown.Fiber = &index
	}
	due, ready := state.Due(p, key)
	switch {
	case state.Paused:
		shown.Next = "paused"
	case !ready:
		shown.Next = "never"
	case due.Unit == thread.Now:
		shown.Next = "now"
	case due.Unit == thread.Seconds:
		shown.Next, shown.NextAt = time.Unix(due.At, 0).UTC().Format(time.RFC3339), chainTime(due.At)
	case due.Unit == thread.Slots:
		shown.Next = fmt.Sprintf("slot %d", due.At)
	case due.Unit == thread.Epochs:
		shown.Next = fmt.Sprintf("epoch %d", due.At)
	default:
		shown.Next = "when the account changes"
	}
	return shown
}

// accountOf is an account as it is shown.
func accountOf(a ledger.Account) Account {
	shown := Account{Executions: a.Executions, Failures: a.Failures, Spent: a.Spent, Earned: a.Earned, Net: a.Net()}
	if !a.Thread.IsZero() {
		shown.Thread = a.Thread.String()
	}
	return shown
}

// countsOf is what a ledger holds, as it is shown.
func countsOf(s ledger.Stats) Counts {
	return Counts{
		Scheduled: s.Scheduled, Processing: s.Processing, Dead: s.Dead, Finished: s.Remembered, Evicted: s.Evicted, Damaged: s.Damaged,
		Unknown: s.Unknown, Accounts: s.Accounts,
	}
}

// workOf is what a service does, as it is shown.
func workOf(s *service.Stats) *Work {
	w := &Work{
		Waiting: s.Waiting, Ready: s.Ready, Working: s.Working, InFlight: s.InFlight, Offered: s.Offered,
		Outcomes: make(map[string]uint64), Failures: make(map[string]uint64), Retries: s.Retries, Sent: s.Sent, Resent: s.Resent,
		Expired: s.Expired, ToSettle: timesOf(s.ToSettle), ToWire: timesOf(s.ToWire), ToConfirm: timesOf(s.ToConfirm),
		Slot: s.Clock.Slot, Epoch: s.Clock.Epoch, ChainTime: chainTime(s.Clock.Unix),
	}
	for outcome, n := range s.Outcomes {
		w.Outcomes[string(outcome)] = n
	}
	for class, n := range s.Failures {
		w.Failures[string(class)] = n
	}
	if t := s.Trouble; t.IsTrouble() {
		w.Trouble = &Trouble{Since: api.At(t.Since), Reason: t.Reason, Balance: t.Balance, Needed: t.Needed}
	}
	return w
}

func timesOf(q service.Quantiles) Times {
	return Times{Count: q.Count, P50: api.Duration(q.P50), P90: api.Duration(q.P90), P99: api.Duration(q.P99), Max: api.Duration(q.Max)}
}

// NodesOf is how the nodes of a pool are, as it is shown.
func NodesOf(all []rpc.Status) []Node {
	nodes := make([]Node, len(all))
	for i, s := range all {
		nodes[i] = Node{Name: s.Name, Role: RoleWord(s.Role), State: string(s.Breaker.State), Latency: api.Duration(s.Latency.Round(10 * time.Microsecond))}
	}
	return nodes
}

// RoleWord is the role of a node in a word.
func RoleWord(r rpc.Role) string {
	switch r {
	case rpc.Reading:
		return "reading"
	case rpc.Submitting:
		return "submitting"
	case rpc.Everything:
		return "everything"
	}
	return "none"
}
