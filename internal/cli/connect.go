package cli

import (
	"context"
	"crypto/tls"
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
	"github.com/orthd/orth/internal/certs"
	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

// defaultData is the data folder when none is named.
const defaultData = "orth-data"

// maxNote bounds the note of a server, in bytes.
const maxNote = 64 << 10

// origin is a setting and where it comes from, in words.
type origin struct{ value, from string }

// target is the server that a command talks to, and where each part of that was
// found.
type target struct {
	context                origin
	address, namespace, ca origin
	token                  redacted.Text
	tokenFrom              string // empty when there is no token
	certFile               string // its certificate; empty when that is not known
}

// connect returns a client of the server that the flags, the environment, a context
// or the note in the data folder name.
func (t *tool) connect() (*client.Client, error) {
	found, err := t.find()
	if err != nil {
		return nil, err
	}
	return t.dial(found)
}

// byDefault is where a namespace comes from that nobody has named.
const byDefault = "the default"

// dial returns a client of a server that was found.
func (t *tool) dial(found target) (*client.Client, error) {
	trust, err := t.trust(found)
	if err != nil {
		return nil, err
	}
	if found.namespace.value == everySpace && !t.everywhere {
		return nil, usagef("%s: * stands for all namespaces, and this command works in one: name it", found.namespace.from)
	}
	wanted := client.Config{Address: found.address.value, Token: found.token.Reveal(), TLS: trust, Namespace: found.namespace.value}
	if found.namespace.from == byDefault || t.everywhere { // it is the client's default too, but for groups, which are found anywhere
		wanted.Namespace = ""
	}
	c, err := client.New(wanted)
	return c, found.misnamed(err)
}

// misnamed returns an error of a client's making, which is one of the command line where
// the address that was named is none.
func (found target) misnamed(err error) error {
	if wrong, ok := errors.AsType[*job.Error](err); ok && (wrong.Field == "address" || wrong.Field == "server") {
		return usagef("%s: %s", found.address.from, wrong.Message)
	}
	return err
}

// find says which server is meant. For each part a flag counts before the
// environment, the environment before the context, that before the note of the data
// folder. The token of a context or of a data folder is sent only to its own server.
func (t *tool) find() (target, error) {
	if t.token != "" && t.tokenFile != "" {
		return target{}, usagef("--token and --token-file exclude each other")
	}
	found, chosen, noteFile, err := t.locate()
	if err != nil {
		return target{}, err
	}
	found.token, found.tokenFrom, err = t.findToken(&chosen, noteFile)
	return found, err
}

// locate finds all but the token, and where that may be: in the context, or in the file
// that the note names.
func (t *tool) locate() (found target, chosen chosenContext, noteFile string, err error) {
	if t.data != "" && t.context != "" {
		return found, chosen, "", usagef("--data and --context exclude each other")
	}
	if chosen, err = t.chosenContext(); err != nil {
		return found, chosen, "", err
	}
	found.context = chosen.origin
	note, err := t.findAddress(&found, chosen.Server)
	if err != nil {
		return found, chosen, "", err
	}
	found.namespace = firstFrom(
		origin{t.namespace, "--namespace"}, t.variable("ORTH_NAMESPACE"), origin{chosen.Namespace, chosen.from}, origin{job.DefaultNamespace, byDefault})
	if strings.TrimRight(found.address.value, "/") == note.Address {
		found.certFile = note.CertFile
	} else {
		note.TokenFile = ""
	}
	if !sameServer(found.address.value, chosen.Server) {
		chosen.Token, chosen.TokenFile, chosen.TokenCommand, chosen.CA = "", "", nil, ""
	}
	found.ca = firstFrom(origin{t.ca, "--ca"}, t.variable("ORTH_CA"), origin{chosen.CA, chosen.from})
	return found, chosen, note.TokenFile, nil
}

// findAddress finds the server's address, and returns the note of the data folder if
// there is one.
func (t *tool) findAddress(found *target, ofContext string) (app.Note, error) {
	found.address = firstFrom(origin{t.server, "--server"}, t.variable("ORTH_SERVER"))
	if found.address.value == "" && ofContext != "" {
		found.address = origin{ofContext, found.context.from}
	}
	data := firstFrom(origin{t.data, "--data"}, t.variable("ORTH_DATA"), origin{defaultData, "the folder " + defaultData + " here"})
	note, err := readNote(data.value)
	switch {
	case found.address.value != "" && err != nil:
		return app.Note{}, nil //nolint:nilerr // It is not needed.
	case found.address.value != "":
		return note, nil
	case t.data == "" && t.Getenv("ORTH_DATA") == "" && errors.Is(err, fs.ErrNotExist):
		return app.Note{}, &job.Error{
			Kind: job.Unreachable, Message: "no server is named, and none runs in this folder",
			Hint: "start one with 'orth dev' or 'orth server', or name it with --server, ORTH_SERVER or 'orth context set'",
		}
	case err != nil:
		return app.Note{}, err
	}
	found.address = origin{note.Address, "the server that runs on " + data.from}
	return note, nil
}

// variable returns a setting of the environment.
func (t *tool) variable(name string) origin { return origin{strings.TrimSpace(t.Getenv(name)), name} }

// firstFrom returns the first setting that has a value.
func firstFrom(settings ...origin) origin {
	for _, s := range settings {
		if s.value != "" {
			return s
		}
	}
	return origin{}
}

// sameServer reports whether two addresses are written alike.
func sameServer(a, b string) bool { return strings.TrimRight(a, "/") == strings.TrimRight(b, "/") }

// trust says whose certificate is believed; nil leaves it to the machine. What the
// server of this machine shows is known from its note.
func (t *tool) trust(found target) (*tls.Config, error) {
	if found.ca.value != "" {
		authorities, err := certs.OpenAuthorities("ca", found.ca.value, nil)
		if err != nil {
			return nil, err
		}
		return certs.Calling(nil, authorities), nil
	}
	if found.certFile != "" {
		return certs.CallingKnown(found.certFile)
	}
	return nil, nil //nolint:nilnil // The machine's own is a choice too.
}

// findToken returns the token and where it comes from: that of the flags, of the
// environment, of the context, or in the file that the note names; an empty one when
// there is none.
func (t *tool) findToken(chosen *chosenContext, noteFile string) (redacted.Text, string, error) {
	environment := t.variable("ORTH_TOKEN")
	load := func(path, from string) (redacted.Text, string, error) {
		text, err := credential.Load(path)
		return text, from + " (" + path + ")", err
	}
	switch {
	case t.token != "":
		return redacted.New(t.token), "--token", nil
	case t.tokenFile != "":
		return load(t.tokenFile, "--token-file")
	case environment.value != "":
		return redacted.New(environment.value), environment.from, nil
	case chosen.Token != "":
		return redacted.New(chosen.Token), chosen.from, nil
	case chosen.TokenFile != "":
		return load(chosen.TokenFile, "the file of "+chosen.from)
	case len(chosen.TokenCommand) > 0:
		text, err := askCommand(context.Background(), chosen.TokenCommand)
		return text, "the command of " + chosen.from, err
	case noteFile != "":
		return load(noteFile, "the server's own file")
	}
	return redacted.Text{}, "", nil
}

// space returns the namespace that flags, the environment or the context name, "" when
// none does or all are meant.
func (t *tool) space() string {
	if t.everywhere {
		return ""
	}
	named := firstFrom(origin{t.namespace, ""}, t.variable("ORTH_NAMESPACE"))
	if named.value != "" {
		return named.value
	}
	chosen, err := t.chosenContext()
	if err != nil {
		return "" // Whoever connects says so.
	}
	return chosen.Namespace
}

// readNote reads the note of the server that runs on a data folder;
// fs.ErrNotExist when none runs.
func readNote(data string) (app.Note, error) {
	path := filepath.Join(data, app.NoteFile)
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return app.Note{}, &job.Error{
			Kind: job.Unreachable, Message: fmt.Sprintf("no server runs on the data folder %s", data),
			Hint: "start one with " + inQuotes(shellLine("server", "--data", data)) + ", or name one with --server", Err: err,
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
