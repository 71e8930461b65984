package service

import (
	"context"
	"sync"
	"time"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/solana/ledger"
	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/submit"
)

// loadLedger puts everything on the board that the ledger has. What was on its way is asked for by its signature before anything is done
// for its thread.
func (s *Service) loadLedger(ctx, work context.Context) error {
	var found []*recovered
	for _, place := range []ledger.Place{ledger.Processing, ledger.Scheduled} {
		for after := uint64(0); ; {
			tasks, err := s.ledger.Tasks(work, place, after, 1000)
			if err != nil {
				return err
			}
			now := time.Now()
			s.mu.Lock()
			for _, t := range tasks {
				after = t.Seq
				switch {
				case t.Unknown:
				case t.Flight != nil:
					e := entryOf(&t, t.ID)
					e.phase = flying
					s.board.addEntry(e, nil, now)
					s.flights[e.id] = t.Flight.SentAt
					found = append(found, &recovered{entry: e, flight: t.Flight})
				default:
					s.putOnBoard(&t, now)
				}
			}
			s.mu.Unlock()
			if len(tasks) == 0 || ctx.Err() != nil {
				break
			}
		}
	}
	if len(found) > 0 {
		s.config.Logger.Info("executions_on_their_way_when_an_earlier_process_ended", "count", len(found))
		s.executions.Go(func() { s.reconcile(work, found) })
	}
	return nil
}

// recovered is what was found on its way.
type recovered struct {
	entry  *taskEntry
	flight *ledger.Flight
	seen   bool
	landed *rpc.Landed // for sure
}

// mostResending is how many found transactions are sent again at the same time.
const mostResending = 16

// reconcile reads the fate of transactions, of old ones too, and resends at once the same
// bytes of those that no node has seen.
func (s *Service) reconcile(ctx context.Context, all []*recovered) {
	for len(all) > 0 {
		part := all[:min(len(all), rpc.MostSignatures)]
		all = all[len(part):]
		signatures := make([]solana.Signature, len(part))
		for i, r := range part {
			signatures[i] = r.flight.Signature()
		}
		if statuses, _, err := s.config.Chain.Statuses(ctx, true, signatures...); err == nil {
			for i, landed := range statuses {
				if part[i].seen = landed != nil; part[i].seen && landed.IsSure() {
					part[i].landed = landed
				}
			}
		} else if ctx.Err() == nil {
			s.config.Logger.Warn("fate_of_transactions_unknown", "count", len(part), "error", err)
		}
		s.resume(ctx, part)
	}
}

// resume goes on with what was found.
func (s *Service) resume(ctx context.Context, part []*recovered) {
	room := make(chan struct{}, mostResending)
	var sending sync.WaitGroup
	for _, r := range part {
		if r.seen {
			continue
		}
		room <- struct{}{}
		sending.Go(func() {
			defer func() { <-room }()
			if _, err := s.again(ctx, r.flight.Transaction.Wire); err != nil && ctx.Err() == nil {
				s.config.Logger.Debug("transaction_not_taken", "task", r.entry.id.String(), "error", err)
			}
		})
	}
	sending.Wait()
	for _, r := range part {
		s.executions.Go(func() {
			if r.landed != nil {
				s.landed(ctx, r.entry, r.flight, r.landed, submit.Sent{}, nil)
				return
			}
			s.watch(ctx, r.entry, r.flight, submit.Sent{}, nil)
		})
	}
}
