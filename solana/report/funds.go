package report

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/solana/service"
)

// purse is whether the executor can pay, as far as is known, and what the server has been
// sent about it.
type purse struct {
	trouble service.Trouble
	since   time.Time // when the last trouble began; zero: there was none
	proved  bool      // it has executed something since the process started: it could pay
	told    string    // the key of the last report
}

// fundsParam is what a run about the executor's funds is handed.
type fundsParam struct {
	Executor string `json:"executor"`
	Dry      bool   `json:"dry"`
	Since    int64  `json:"since,omitempty"` // unix ms
	Reason   string `json:"reason,omitempty"`
	Needed   uint64 `json:"needed,omitempty"` // lamports
}

// Trouble takes that the executor cannot pay, or can again; it is the hook of a service. It returns at once.
func (r *Report) Trouble(t service.Trouble) {
	r.mu.Lock()
	if r.purse.trouble = t; t.IsTrouble() {
		r.purse.since = t.Since
	}
	r.mu.Unlock()
	r.wakeSender()
}

// fundsNews returns what the server has not yet received about the executor's funds, under a key
// of its own; empty: nothing. It reports that the executor can pay when it could not
// before. Each process reports it once too, since the end of its predecessor is unknown.
func (r *Report) fundsNews() (key string, p fundsParam) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := &r.purse
	p = fundsParam{Executor: r.config.Key.String()}
	switch {
	case w.trouble.IsTrouble():
		p.Dry, p.Since, p.Reason, p.Needed = true, w.trouble.Since.UnixMilli(), job.Clean(w.trouble.Reason, mostReason), w.trouble.Needed
		key = fmt.Sprintf("solana-dry-%.24s-%d", p.Executor, p.Since)
	case !w.since.IsZero():
		key = fmt.Sprintf("solana-well-%.24s-%d", p.Executor, w.since.UnixMilli())
	case w.proved:
		key = fmt.Sprintf("solana-well-%.24s-%d", p.Executor, r.startedAt.UnixMilli())
	}
	if key == w.told {
		return "", fundsParam{}
	}
	return key, p
}

// sendFunds turns a change of the executor's funds into a run. The run fails while the
// executor cannot pay, so that alert rules on failed runs fire. It succeeds when the
// executor can pay again, which resolves the alert.
func (r *Report) sendFunds(ctx context.Context, at string) error {
	key, p := r.fundsNews()
	if key == "" {
		return nil
	}
	text, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("write what funds there are: %w", err)
	}
	err = r.triggerOnce(ctx, key, r.config.Funds, string(text), at)
	switch {
	case job.Is(err, job.Invalid) || job.Is(err, job.Conflict):
		r.config.Logger.Error("whether the executor can pay does not become a run: the server refuses it", "dry", p.Dry, "error", err)
	case err != nil:
		return err
	}
	r.mu.Lock()
	r.purse.told = key
	r.mu.Unlock()
	return nil
}

// funds is the handler solana.funds. Without a parameter it is about this executor, as it stands.
func (r *Report) funds(ctx context.Context, t *handler.Task) error {
	var p fundsParam
	if text := strings.TrimSpace(t.Param); text == "" {
		stats, err := r.config.Work.Stats(ctx)
		if err != nil {
			return err
		}
		p.Executor = r.config.Key.String()
		if s := stats.Trouble; s.IsTrouble() {
			p.Dry, p.Since, p.Reason, p.Needed = true, s.Since.UnixMilli(), job.Clean(s.Reason, mostReason), s.Needed
		}
	} else if err := json.Unmarshal([]byte(text), &p); err != nil {
		return job.Errorf(job.Invalid, "the parameter is not an executor's report: omit it to get this executor's funds: %w", err)
	}
	if p.Dry {
		return fmt.Errorf("executor %s cannot pay since %s and sends nothing: %s. Send it lamports: it needs %d",
			p.Executor, time.UnixMilli(p.Since).UTC().Format(time.RFC3339), p.Reason, p.Needed)
	}
	t.Result(fmt.Sprintf("executor %s can pay", p.Executor))
	return nil
}
