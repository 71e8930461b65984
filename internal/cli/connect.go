package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/app"
	"github.com/orthd/orth/internal/secret"
	"github.com/orthd/orth/job"
)

// defaultData is the data folder when none is named.
const defaultData = "orth-data"

// maxNote bounds the note of a server, in bytes.
const maxNote = 64 << 10

// target is the server that a command talks to.
type target struct {
	address string
	token   secret.Text
}

// connect returns a client of the server that the flags, the environment or the
// note in the data folder name.
func (t *tool) connect() (*client.Client, error) {
	found, err := t.find()
	if err != nil {
		return nil, err
	}
	c, err := client.New(client.Config{
		Address: found.address, Token: found.token.Reveal(),
		Namespace: firstOf(t.namespace, t.Getenv("ORTH_NAMESPACE")),
	})
	if wrong, ok := errors.AsType[*job.Error](err); ok && wrong.Field == "address" {
		wrong.Field = "server"
	}
	return c, err
}

// find says which server is meant. The token of a data folder is sent only to
// the server of that folder.
func (t *tool) find() (target, error) {
	if t.token != "" && t.tokenFile != "" {
		return target{}, usagef("--token and --token-file exclude each other")
	}
	address := firstOf(t.server, t.Getenv("ORTH_SERVER"))
	data := firstOf(t.data, t.Getenv("ORTH_DATA"))
	note, err := readNote(firstOf(data, defaultData))
	switch {
	case address != "" && err != nil:
		note = app.Note{} // Not needed.
	case data == "" && errors.Is(err, fs.ErrNotExist):
		return target{}, &job.Error{
			Kind: job.Invalid, Message: "no server is named, and none runs in this folder",
			Hint: "start one with 'orth dev' or 'orth server', or name it with --server or ORTH_SERVER",
		}
	case err != nil:
		return target{}, err
	}
	found := target{address: firstOf(address, note.Address)}
	if strings.TrimRight(found.address, "/") != note.Address {
		note.TokenFile = ""
	}
	found.token, err = t.findToken(note.TokenFile)
	return found, err
}

// findToken returns the token: that of the flags, of the environment, or in the
// file that the note names; an empty one when there is none.
func (t *tool) findToken(noteFile string) (secret.Text, error) {
	environment := strings.TrimSpace(t.Getenv("ORTH_TOKEN"))
	switch {
	case t.token != "":
		return secret.New(t.token), nil
	case t.tokenFile != "":
		return secret.Load(t.tokenFile)
	case environment != "":
		return secret.New(environment), nil
	case noteFile != "":
		return secret.Load(noteFile)
	}
	return secret.Text{}, nil
}

// readNote reads the note of the server that runs on a data folder;
// fs.ErrNotExist when none runs.
func readNote(data string) (app.Note, error) {
	path := filepath.Join(data, app.NoteFile)
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return app.Note{}, &job.Error{
			Kind: job.NotFound, Message: fmt.Sprintf("no server runs on the data folder %s", data),
			Hint: "start one with 'orth server --data " + data + "', or name one with --server", Err: err,
		}
	}
	if err != nil {
		return app.Note{}, fmt.Errorf("find the server of the data folder: %w", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxNote))
	if err != nil {
		return app.Note{}, fmt.Errorf("find the server of the data folder: %w", err)
	}
	var note app.Note
	if err := json.Unmarshal(text, &note); err != nil || note.Address == "" {
		return app.Note{}, &job.Error{
			Kind: job.Invalid, Message: path + " does not say where a server answers",
			Hint: "start the server of this folder again, or name one with --server", Err: err,
		}
	}
	note.Address = strings.TrimRight(note.Address, "/")
	if note.TokenFile != "" && !filepath.IsAbs(note.TokenFile) {
		note.TokenFile = filepath.Join(data, note.TokenFile)
	}
	return note, nil
}

// firstOf returns the first text that is not empty.
func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}
