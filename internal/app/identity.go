package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/users"
	"github.com/orthd/orth/job"
)

// FirstUser is the administrator that the first start makes. Its password is in the
// file until it is changed, and nowhere else.
type FirstUser struct {
	Name     string
	Password redacted.Text
	File     string
}

// firstPasswordFile holds the password of the first user, in the data folder.
const firstPasswordFile = "admin.password"

// newUsers returns the room of users.
func (s *Server) newUsers() *users.Users {
	logger := s.config.Logger.With("room", "identity")
	return users.NewUsers(users.Config{Store: s.store, Book: s.store, Caller: intent.Caller, Logger: logger, Changed: func(name string) {
		if name != users.FirstName {
			return
		}
		if err := os.Remove(s.firstPassword()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			logger.Warn("the file with the password of the first user could not be removed; the password in it is good no more", "file", s.firstPassword(), "error", err)
		}
	}})
}

func (s *Server) firstPassword() string { return filepath.Join(s.config.Data, firstPasswordFile) }

// firstRun makes the first user, and ends.
func (s *Server) firstRun(book *users.Users) func(context.Context) error {
	return func(ctx context.Context) error {
		if s.config.NoFirstUser {
			return nil
		}
		var password redacted.Text
		made, err := book.First(ctx, func(p redacted.Text) error {
			password = p
			return credential.Replace(s.firstPassword(), p)
		})
		switch {
		case ctx.Err() != nil, job.Is(err, job.Unavailable):
			return nil //nolint:nilerr // The next start makes it; the server is stopping, or logs itself that the database is away.
		case err != nil:
			return err
		case made && s.config.FirstUser != nil:
			s.config.FirstUser(FirstUser{Name: users.FirstName, Password: password, File: s.firstPassword()})
		}
		return nil
	}
}
