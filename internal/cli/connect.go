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
	"github.com/orthd/orth/internal/certs"
	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/servernote"
	"github.com/orthd/orth/job"
)

// defaultData is the default data folder.
const defaultData = "orth-data"

// maxNote is the maximum size of a server's note in bytes.
const maxNote = 64 << 10

// origin is the value of a setting and its source, for people.
type origin struct{ value, from string }

// target is the server of a command and the source of each of its settings.
type target struct {
	context                origin
	address, namespace, ca origin
	token                  redacted.Text
	tokenFrom              string // empty without a token
	certFile               string // certificate of the server; empty when unknown
}

// connect returns a client of the server that flags, environment, context or the note in
// the data folder select.
func (t *tool) connect() (*client.Client, error) {
	found, err := t.find()
	if err != nil {
		return nil, err
	}
	return t.dial(found)
}

// byDefault is the source of a namespace that was not set.
const byDefault = "the default"

// dial returns a client of a resolved server.
func (t *tool) dial(found target) (*client.Client, error) {
	trust, err := t.trust(found)
	if err != nil {
		return nil, err
	}
	if found.namespace.value == everySpace && !t.everywhere {
		return nil, output.Usagef("%s: * selects all namespaces, but this command needs one", found.namespace.from)
	}
	wanted := client.Config{Address: found.address.value, Token: found.token.Reveal(), TLS: trust, Namespace: found.namespace.value}
	if found.namespace.from == byDefault || t.everywhere { // also the client's default, except for groups, which are found in all namespaces
		wanted.Namespace = ""
	}
	c, err := client.New(wanted)
	return c, found.misnamed(err)
}

// misnamed turns an invalid address, which the client reports, into a usage error.
func (found target) misnamed(err error) error {
	if wrong, ok := errors.AsType[*job.Error](err); ok && (wrong.Field == "address" || wrong.Field == "server") {
		return output.Usagef("%s: %s", found.address.from, wrong.Message)
	}
	return err
}

// find resolves the server. Each setting comes from the flags, else the environment,
// else the context, else the note of the data folder. The token of a context or of a
// data folder is sent only to its own server.
func (t *tool) find() (target, error) {
	if t.token != "" && t.tokenFile != "" {
		return target{}, output.Usagef("--token and --token-file are mutually exclusive")
	}
	found, chosen, noteFile, err := t.locate()
	if err != nil {
		return target{}, err
	}
	found.token, found.tokenFrom, err = t.findToken(&chosen, noteFile)
	return found, err
}

// locate resolves everything except the token, and returns its possible sources: the
// context, or the file that the note names.
func (t *tool) locate() (found target, chosen chosenContext, noteFile string, err error) {
	if t.data != "" && t.context != "" {
		return found, chosen, "", output.Usagef("--data and --context are mutually exclusive")
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

// findAddress resolves the address of the server, and returns the note of the data
// folder if there is one.
func (t *tool) findAddress(found *target, ofContext string) (servernote.Note, error) {
	found.address = firstFrom(origin{t.server, "--server"}, t.variable("ORTH_SERVER"))
	if found.address.value == "" && ofContext != "" {
		found.address = origin{ofContext, found.context.from}
	}
	data := firstFrom(origin{t.data, "--data"}, t.variable("ORTH_DATA"), origin{defaultData, "the folder " + defaultData + " here"})
	note, err := readNote(data.value)
	switch {
	case found.address.value != "" && err != nil:
		return servernote.Note{}, nil //nolint:nilerr // the note is optional here
	case found.address.value != "":
		return note, nil
	case t.data == "" && t.Getenv("ORTH_DATA") == "" && errors.Is(err, fs.ErrNotExist):
		return servernote.Note{}, &job.Error{
			Kind: job.Unreachable, Message: "no server is set, and no server runs in this folder",
			Hint: "start one with 'orth dev' or 'orth server', or set it with --server, ORTH_SERVER or 'orth context set'",
		}
	case err != nil:
		return servernote.Note{}, err
	}
	found.address = origin{note.Address, "the server of " + data.from}
	return note, nil
}

// variable returns a setting from the environment.
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

// sameServer reports whether two addresses are equal apart from their spelling.
func sameServer(a, b string) bool { return strings.TrimRight(a, "/") == strings.TrimRight(b, "/") }

// trust returns the CA certificates to verify the server with; nil selects those of the
// system. The note of a local server contains its certificate.
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
	return nil, nil //nolint:nilnil // nil selects the system's certificates
}

// findToken returns the token and its source: flags, environment, context, or the file
// that the note names. The token is empty when there is none.
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
		return text, "the token command of " + chosen.from, err
	case noteFile != "":
		return load(noteFile, "the token file of the server")
	}
	return redacted.Text{}, "", nil
}

// space returns the namespace from flags, environment or context; "" when none is set or
// all are selected.
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
		return "" // connect reports the error
	}
	return chosen.Namespace
}

// readNote reads the note of the server of a data folder; fs.ErrNotExist when no server
// runs.
func readNote(data string) (servernote.Note, error) {
	path := filepath.Join(data, servernote.File)
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return servernote.Note{}, &job.Error{
			Kind: job.Unreachable, Message: fmt.Sprintf("no server runs on the data folder %s", data),
			Hint: "start one with " + inQuotes(shellLine("server", "--data", data)) + ", or set one with --server", Err: err,
		}
	}
	if err != nil {
		return servernote.Note{}, fmt.Errorf("read the server note of the data folder: %w", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxNote))
	if err != nil {
		return servernote.Note{}, fmt.Errorf("read the server note of the data folder: %w", err)
	}
	var note servernote.Note
	if err := json.Unmarshal(text, &note); err != nil || note.Address == "" {
		return servernote.Note{}, &job.Error{
			Kind: job.Invalid, Message: path + " contains no server address",
			Hint: "restart the server of this folder, or set one with --server", Err: err,
		}
	}
	note.Address = strings.TrimRight(note.Address, "/")
	if note.TokenFile != "" && !filepath.IsAbs(note.TokenFile) {
		note.TokenFile = filepath.Join(data, note.TokenFile)
	}
	return note, nil
}

// firstOf returns the first non-empty text.
func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}
