package app

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/orthd/orth/internal/servernote"
)

func (s *Server) note() error {
	tokenFile, err := filepath.Abs(s.config.APITokenFile)
	if err != nil {
		return fmt.Errorf("find the token's file: %w", err)
	}
	certFile, err := s.certFile()
	if err != nil {
		return fmt.Errorf("find the certificate's file: %w", err)
	}
	text, err := json.MarshalIndent(servernote.Note{Address: s.URL(), TokenFile: tokenFile, CertFile: certFile, PID: os.Getpid()}, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(s.config.Data, servernote.File)
	if err := os.WriteFile(path, append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

func (s *Server) unnote() { _ = os.Remove(filepath.Join(s.config.Data, servernote.File)) }
