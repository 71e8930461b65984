package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/orthd/orth/internal/control"
	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/job"
)

// Files that a running node keeps in its data folder.
const (
	// TokenFile holds the token of control, unless the operator has named another file.
	TokenFile = "control.token"
	// NoteFile holds the node's address, and the path of its token.
	NoteFile = "control.json"
)

const (
	program  = "node"  // what errors call the process
	maxNote  = 4 << 10 // bytes of the note
	knockFor = 2 * time.Second
)

// Note is what a running node publishes about itself to commands on its machine.
type Note struct {
	Address string `json:"address"` // host:port
	Token   string `json:"token_file"`
}

// Write puts the note into a data folder, for its owner only.
func (n Note) Write(folder string) error {
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, NoteFile), append(text, '\n'), 0o600)
}

// RemoveNote takes the note away when a node ends.
func RemoveNote(folder string) error {
	err := os.Remove(filepath.Join(folder, NoteFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Client asks a node. It is safe for concurrent use.
type Client struct{ to control.Caller }

// newPeer names the node in errors.
func newPeer(folder string) control.Peer {
	return control.Peer{Program: program, Folder: folder, Things: "tasks", Command: "orth-solana"}
}

// Dial finds the node that runs on a data folder. It is job.NotFound when none answers there, and job.Forbidden when the folder is
// another user's.
func Dial(ctx context.Context, folder string) (*Client, error) {
	note, err := readNote(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, job.Errorf(job.NotFound, "no node runs on %s", folder)
	case errors.Is(err, fs.ErrPermission):
		return nil, newPeer(folder).Foreign(err)
	case err != nil:
		return nil, job.Errorf(job.NotFound, "no node runs on %s: its note cannot be read: %w", folder, err)
	}
	ctx, cancel := context.WithTimeout(ctx, knockFor)
	defer cancel()
	connection, err := new(net.Dialer).DialContext(ctx, "tcp", note.Address)
	if slow, ok := errors.AsType[net.Error](err); ok && slow.Timeout() {
		return nil, newPeer(folder).Unanswered(err)
	}
	if err != nil { // The note of a node that was killed.
		return nil, job.Errorf(job.NotFound, "no node runs on %s: %w", folder, err)
	}
	_ = connection.Close()
	token, err := credential.Load(note.Token)
	if err != nil {
		return nil, fmt.Errorf("read the token of the node on %s: %w", folder, err)
	}
	return &Client{control.Caller{Peer: newPeer(folder), Base: "http://" + note.Address, Token: token, HTTP: control.NewHTTP(nil)}}, nil
}

func readNote(folder string) (n Note, err error) {
	file, err := os.Open(filepath.Join(folder, NoteFile))
	if err != nil {
		return n, err
	}
	defer file.Close()
	if err := json.NewDecoder(io.LimitReader(file, maxNote)).Decode(&n); err != nil {
		return n, err
	}
	if _, _, err := net.SplitHostPort(n.Address); err != nil || n.Token == "" {
		return n, errors.New("it names no address and no token")
	}
	return n, nil
}

// Local returns a client of a server in this process, as of a node that is stopped.
func Local(c Config, folder string) *Client {
	return &Client{control.Caller{Peer: newPeer(folder), Base: "http://" + program, Token: c.Token, HTTP: &http.Client{Transport: inside{NewHandler(c)}}}}
}

// Close releases the connections.
func (c *Client) Close() { c.to.Close() }

// Stats returns how the node stands.
func (c *Client) Stats(ctx context.Context) (Stats, error) {
	return callPeer[Stats](ctx, c, http.MethodGet, statsPath, nil)
}

// Tasks returns a page of tasks of a place, in words, that arrived after one; 0: from the first. The limit is [MaxPage] at most.
func (c *Client) Tasks(ctx context.Context, place string, after uint64, limit int) (Page, error) {
	query := url.Values{"place": {place}, "after": {strconv.FormatUint(after, 10)}, "limit": {strconv.Itoa(limit)}}
	return callPeer[Page](ctx, c, http.MethodGet, tasksPath+"?"+query.Encode(), nil)
}

// Task returns a task; job.NotFound when it is nowhere.
func (c *Client) Task(ctx context.Context, id string) (Task, error) {
	return callPeer[Task](ctx, c, http.MethodGet, tasksPath+"/"+url.PathEscape(id), nil)
}

// Redrive has dead letters tried again, and returns how many. A key that is none is job.NotFound, and nothing is changed then.
func (c *Client) Redrive(ctx context.Context, s Selection) (int, error) {
	n, err := callPeer[Changed](ctx, c, http.MethodPost, redrivePath, s)
	return n.Tasks, err
}

// Purge removes dead letters for good, and returns how many. Errors are those of Redrive.
func (c *Client) Purge(ctx context.Context, s Selection) (int, error) {
	n, err := callPeer[Changed](ctx, c, http.MethodPost, purgePath, s)
	return n.Tasks, err
}

// Retry returns how what failed is tried again.
func (c *Client) Retry(ctx context.Context) (Retry, error) {
	return callPeer[Retry](ctx, c, http.MethodGet, retryPath, nil)
}

// SetRetry changes that, for all that fails from then on.
func (c *Client) SetRetry(ctx context.Context, r Retry) (Retry, error) {
	return callPeer[Retry](ctx, c, http.MethodPut, retryPath, r)
}

// Threads returns a page of the threads that the node watches, behind a key; "": from the first. A stopped node is
// job.Unavailable.
func (c *Client) Threads(ctx context.Context, after string, limit int) (Threads, error) {
	query := url.Values{"after": {after}, "limit": {strconv.Itoa(limit)}}
	return callPeer[Threads](ctx, c, http.MethodGet, threadsPath+"?"+query.Encode(), nil)
}

// Profit returns what all executions have brought, and a page of threads behind a key.
func (c *Client) Profit(ctx context.Context, after string, limit int) (Profit, error) {
	query := url.Values{"after": {after}, "limit": {strconv.Itoa(limit)}}
	return callPeer[Profit](ctx, c, http.MethodGet, profitPath+"?"+query.Encode(), nil)
}

// Backup writes a copy of the ledger's file. What was written before an error is of no use.
func (c *Client) Backup(ctx context.Context, w io.Writer) error { return c.to.Copy(ctx, backupPath, w) }

// callPeer sends in, when it is not nil, and returns the answer.
func callPeer[T any](ctx context.Context, c *Client, method, path string, in any) (answer T, err error) {
	err = c.to.Call(ctx, method, path, in, &answer)
	return answer, err
}
