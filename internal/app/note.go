package app

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// NoteFile is the file in the data folder by which the command line finds the running
// server.
const NoteFile = "orth.json"

// Note is what NoteFile holds. It has no secret in it: TokenFile names the file
// that has. CertFile is the certificate that the server shows, empty without TLS:
// who reads the note need not ask an authority.
type Note struct {
	Address   string `json:"address"`
	TokenFile string `json:"token_file"`
	CertFile  string `json:"cert_file,omitempty"`
	PID       int    `json:"pid"`
}

func (s *Server) note() error {
	tokenFile, err := filepath.Abs(s.config.APITokenFile)
	if err != nil {
		return fmt.Errorf("find the token's file: %w", err)
	}
	certFile, err := s.certFile()
	if err != nil {
		return fmt.Errorf("find the certificate's file: %w", err)
	}
	text, err := json.MarshalIndent(Note{Address: s.URL(), TokenFile: tokenFile, CertFile: certFile, PID: os.Getpid()}, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(s.config.Data, NoteFile)
	if err := os.WriteFile(path, append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

func (s *Server) unnote() { _ = os.Remove(filepath.Join(s.config.Data, NoteFile)) }
