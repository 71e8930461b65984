package app

import (
	"context"
	"fmt"

	"github.com/orthd/orth/internal/secrets"
)

// openVault opens the book of named secrets, and hides their values in logs before
// anything is shown.
func (s *Server) openVault() (err error) {
	s.vault, err = secrets.New(secrets.Config{
		Store: s.store, Sealer: s.sealer, Hide: s.masks.named.SetLiterals, Logger: s.config.Logger.With("room", "vault"),
	})
	if err != nil {
		return err
	}
	if err := s.vault.Load(context.Background()); err != nil {
		return fmt.Errorf("open the named secrets: %w", err)
	}
	return nil
}
