package service

import (
	"context"
	"time"

	"github.com/orthd/orth/solana/rpc"
)

// stopSending sends nothing for anybody until the executor can pay again.
func (s *Service) stopSending(ctx context.Context, words string) {
	s.mu.Lock()
	first := !s.trouble.IsTrouble()
	if first {
		s.trouble = Trouble{Since: time.Now(), Reason: words, Needed: s.config.Floor}
	}
	now := s.trouble
	s.mu.Unlock()
	if !first {
		return
	}
	s.config.Logger.Error("executor_is_dry", "reason", words, "needed", s.config.Floor, "hint", "fund "+s.config.Signer.Public().String())
	s.alarm(now)
	s.executions.Go(func() { s.waitForFunds(ctx) })
}

// waitForFunds asks for the executor's balance until it is enough.
func (s *Service) waitForFunds(ctx context.Context) {
	tick := time.NewTicker(s.config.Balance)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.stopping:
			return
		case <-tick.C:
		}
		balance, err := s.config.Chain.Balance(ctx, rpc.Confirmed, s.config.Signer.Public())
		if err != nil {
			continue
		}
		s.mu.Lock()
		s.trouble.Balance = balance
		over := balance >= s.trouble.Needed
		if over {
			s.trouble = Trouble{Balance: balance}
		}
		s.mu.Unlock()
		if over {
			s.config.Logger.Info("executor_can_pay_again", "balance", balance)
			s.alarm(Trouble{Balance: balance})
			s.wakeDispatcher()
			return
		}
	}
}

func (s *Service) alarm(t Trouble) {
	if s.config.Hooks.Trouble != nil {
		s.hooks.Lock()
		defer s.hooks.Unlock()
		s.config.Hooks.Trouble(t)
	}
}
