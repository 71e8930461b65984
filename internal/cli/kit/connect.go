package kit

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

// DefaultData is the default data folder.
const DefaultData = "orth-data"

// maxNote is the maximum size of a server's note in bytes.
const maxNote = 64 << 10

// Origin is the value of a setting and its source, for people.
type Origin struct{ Value, From string }

// Target is the server of a command and the source of each of its settings.
type Target struct {
	Context                Origin
	Address, Namespace, CA Origin
	Token                  redacted.Text
	TokenFrom              string // empty without a token
	CertFile               string // certificate of the server; empty when unknown
}

// Connect returns a client of the server that flags, environment, context or the note in
// the data folder select.
func (t *Tool) Connect() (*client.Client, error) {
	found, err := t.FindServer()
	if err != nil {
		return nil, err
	}
	return t.Dial(found)
}

// byDefault is the source of a namespace that was not set.
const byDefault = "the default"

// Dial returns a client of a resolved server.
func (t *Tool) Dial(found Target) (*client.Client, error) {
	trust, err := t.TrustOf(found)
	if err != nil {
		return nil, err
	}
	if found.Namespace.Value == EverySpace && !t.Everywhere {
		return nil, output.Usagef("%s: * selects all namespaces, but this command needs one", found.Namespace.From)
	}
	wanted := client.Config{Address: found.Address.Value, Token: found.Token.Reveal(), TLS: trust, Namespace: found.Namespace.Value}
	if found.Namespace.From == byDefault || t.Everywhere { // also the client's default, except for groups, which are found in all namespaces
		wanted.Namespace = ""
	}
	c, err := client.New(wanted)
	return c, found.Misnamed(err)
}

// Misnamed turns an invalid address, which the client reports, into a usage error.
func (found Target) Misnamed(err error) error {
	if wrong, ok := errors.AsType[*job.Error](err); ok && (wrong.Field == "address" || wrong.Field == "server") {
		return output.Usagef("%s: %s", found.Address.From, wrong.Message)
	}
	return err
}

// FindServer resolves the server. Each setting comes from the flags, else the environment,
// else the context, else the note of the data folder. The token of a context or of a
// data folder is sent only to its own server.
func (t *Tool) FindServer() (Target, error) {
	if t.Token != "" && t.TokenFile != "" {
		return Target{}, output.Usagef("--token and --token-file are mutually exclusive")
	}
	found, chosen, noteFile, err := t.LocateServer()
	if err != nil {
		return Target{}, err
	}
	found.Token, found.TokenFrom, err = t.findToken(&chosen, noteFile)
	return found, err
}

// LocateServer resolves everything except the token, and returns its possible sources: the
// context, or the file that the note names.
func (t *Tool) LocateServer() (found Target, chosen ChosenContext, noteFile string, err error) {
	if t.Data != "" && t.Context != "" {
		return found, chosen, "", output.Usagef("--data and --context are mutually exclusive")
	}
	if chosen, err = t.chosenContext(); err != nil {
		return found, chosen, "", err
	}
	found.Context = chosen.Origin
	note, err := t.findAddress(&found, chosen.Server)
	if err != nil {
		return found, chosen, "", err
	}
	found.Namespace = firstFrom(
		Origin{t.Namespace, "--namespace"}, t.variable("ORTH_NAMESPACE"), Origin{chosen.Namespace, chosen.From}, Origin{job.DefaultNamespace, byDefault})
	if strings.TrimRight(found.Address.Value, "/") == note.Address {
		found.CertFile = note.CertFile
	} else {
		note.TokenFile = ""
	}
	if !sameServer(found.Address.Value, chosen.Server) {
		chosen.Token, chosen.TokenFile, chosen.TokenCommand, chosen.CA = "", "", nil, ""
	}
	found.CA = firstFrom(Origin{t.CA, "--ca"}, t.variable("ORTH_CA"), Origin{chosen.CA, chosen.From})
	return found, chosen, note.TokenFile, nil
}

// findAddress resolves the address of the server, and returns the note of the data
// folder if there is one.
func (t *Tool) findAddress(found *Target, ofContext string) (servernote.Note, error) {
	found.Address = firstFrom(Origin{t.Server, "--server"}, t.variable("ORTH_SERVER"))
	if found.Address.Value == "" && ofContext != "" {
		found.Address = Origin{ofContext, found.Context.From}
	}
	data := firstFrom(Origin{t.Data, "--data"}, t.variable("ORTH_DATA"), Origin{DefaultData, "the folder " + DefaultData + " here"})
	note, err := readNote(data.Value)
	switch {
	case found.Address.Value != "" && err != nil:
		return servernote.Note{}, nil //nolint:nilerr // the note is optional here
	case found.Address.Value != "":
		return note, nil
	case t.Data == "" && t.Getenv("ORTH_DATA") == "" && errors.Is(err, fs.ErrNotExist):
		return servernote.Note{}, &job.Error{
			Kind: job.Unreachable, Message: "no server is set, and no server runs in this folder",
			Hint: "start one with 'orth dev' or 'orth server', or set it with --server, ORTH_SERVER or 'orth context set'",
		}
	case err != nil:
		return servernote.Note{}, err
	}
	found.Address = Origin{note.Address, "the server of " + data.From}
	return note, nil
}

// variable returns a setting from the environment.
func (t *Tool) variable(name string) Origin { return Origin{strings.TrimSpace(t.Getenv(name)), name} }

// firstFrom returns the first setting that has a value.
func firstFrom(settings ...Origin) Origin {
	for _, s := range settings {
		if s.Value != "" {
			return s
		}
	}
	return Origin{}
}

// sameServer reports whether two addresses are equal apart from their spelling.
func sameServer(a, b string) bool { return strings.TrimRight(a, "/") == strings.TrimRight(b, "/") }

// TrustOf returns the CA certificates to verify the server with; nil selects those of the
// system. The note of a local server contains its certificate.
func (t *Tool) TrustOf(found Target) (*tls.Config, error) {
	if found.CA.Value != "" {
		authorities, err := certs.OpenAuthorities("ca", found.CA.Value, nil)
		if err != nil {
			return nil, err
		}
		return certs.Calling(nil, authorities), nil
	}
	if found.CertFile != "" {
		return certs.CallingKnown(found.CertFile)
	}
	return nil, nil //nolint:nilnil // nil selects the system's certificates
}

// findToken returns the token and its source: flags, environment, context, or the file
// that the note names. The token is empty when there is none.
func (t *Tool) findToken(chosen *ChosenContext, noteFile string) (redacted.Text, string, error) {
	environment := t.variable("ORTH_TOKEN")
	load := func(path, from string) (redacted.Text, string, error) {
		text, err := credential.Load(path)
		return text, from + " (" + path + ")", err
	}
	switch {
	case t.Token != "":
		return redacted.New(t.Token), "--token", nil
	case t.TokenFile != "":
		return load(t.TokenFile, "--token-file")
	case environment.Value != "":
		return redacted.New(environment.Value), environment.From, nil
	case chosen.Token != "":
		return redacted.New(chosen.Token), chosen.From, nil
	case chosen.TokenFile != "":
		return load(chosen.TokenFile, "the file of "+chosen.From)
	case len(chosen.TokenCommand) > 0:
		text, err := askCommand(context.Background(), chosen.TokenCommand)
		return text, "the token command of " + chosen.From, err
	case noteFile != "":
		return load(noteFile, "the token file of the server")
	}
	return redacted.Text{}, "", nil
}

// SelectedNamespace returns the namespace from flags, environment or context; "" when none is set or
// all are selected.
func (t *Tool) SelectedNamespace() string {
	if t.Everywhere {
		return ""
	}
	named := firstFrom(Origin{t.Namespace, ""}, t.variable("ORTH_NAMESPACE"))
	if named.Value != "" {
		return named.Value
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
			Hint: "start one with " + Quote(ShellLine("server", "--data", data)) + ", or set one with --server", Err: err,
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

// FirstOf returns the first non-empty text.
func FirstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}
