package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/secret"
	"github.com/orthd/orth/job"
)

// Files that a running node keeps in its data folder.
const (
	// TokenFile holds the token of control, unless the operator has named another file.
	TokenFile = "control.token"
	// NoteFile says where the node listens, and where its token is.
	NoteFile = "control.json"
)

// maxNote bounds the note, maxAnswer an answer of the node, both in bytes.
const (
	maxNote   = 4 << 10
	maxAnswer = 16 << 20
	callFor   = 30 * time.Second
	knockFor  = 2 * time.Second
)

// Note is what a running node says of itself to commands on its machine.
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
type Client struct {
	where string // for errors
	base  string
	token secret.Text
	http  *http.Client
}

// Dial finds the node that runs on a data folder. It is job.NotFound when none answers there, and job.Forbidden when the folder is
// another user's.
func Dial(ctx context.Context, folder string) (*Client, error) {
	note, err := readNote(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, job.Errorf(job.NotFound, "no node runs on %s", folder)
	case errors.Is(err, fs.ErrPermission):
		return nil, &job.Error{
			Kind: job.Forbidden, Message: fmt.Sprintf("the data folder %s belongs to another user", folder), Hint: "run the command as the user who runs the node", Err: err,
		}
	case err != nil:
		return nil, job.Errorf(job.NotFound, "no node runs on %s: its note cannot be read: %w", folder, err)
	}
	ctx, cancel := context.WithTimeout(ctx, knockFor)
	defer cancel()
	connection, err := new(net.Dialer).DialContext(ctx, "tcp", note.Address)
	if slow, ok := errors.AsType[net.Error](err); ok && slow.Timeout() {
		return nil, unanswered(folder, err)
	}
	if err != nil { // The note of a node that was killed.
		return nil, job.Errorf(job.NotFound, "no node runs on %s: %w", folder, err)
	}
	_ = connection.Close()
	token, err := secret.Load(note.Token)
	if err != nil {
		return nil, fmt.Errorf("read the token of the node on %s: %w", folder, err)
	}
	return &Client{where: folder, base: "http://" + note.Address, token: token, http: &http.Client{
		Transport:     &http.Transport{DisableCompression: true, MaxIdleConns: 1, IdleConnTimeout: time.Minute, ResponseHeaderTimeout: callFor},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
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
	return &Client{where: folder, base: "http://node", token: c.Token, http: &http.Client{Transport: inside{NewHandler(c)}}}
}

// Close releases the connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Stats returns how the node stands.
func (c *Client) Stats(ctx context.Context) (Stats, error) {
	return ask[Stats](ctx, c, http.MethodGet, statsPath, nil)
}

// Tasks returns a page of tasks of a place, in words, that arrived after one; 0: from the first. The limit is [MaxPage] at most.
func (c *Client) Tasks(ctx context.Context, place string, after uint64, limit int) (Page, error) {
	query := url.Values{"place": {place}, "after": {strconv.FormatUint(after, 10)}, "limit": {strconv.Itoa(limit)}}
	return ask[Page](ctx, c, http.MethodGet, tasksPath+"?"+query.Encode(), nil)
}

// Task returns a task; job.NotFound when it is nowhere.
func (c *Client) Task(ctx context.Context, id string) (Task, error) {
	return ask[Task](ctx, c, http.MethodGet, tasksPath+"/"+url.PathEscape(id), nil)
}

// Redrive has dead letters tried again, and returns how many. A key that is none is job.NotFound, and nothing is changed then.
func (c *Client) Redrive(ctx context.Context, s Selection) (int, error) {
	n, err := ask[Changed](ctx, c, http.MethodPost, redrivePath, s)
	return n.Tasks, err
}

// Purge removes dead letters for good, and returns how many. Errors are those of Redrive.
func (c *Client) Purge(ctx context.Context, s Selection) (int, error) {
	n, err := ask[Changed](ctx, c, http.MethodPost, purgePath, s)
	return n.Tasks, err
}

// Retry returns how what failed is tried again.
func (c *Client) Retry(ctx context.Context) (Retry, error) {
	return ask[Retry](ctx, c, http.MethodGet, retryPath, nil)
}

// SetRetry changes that, for all that fails from then on.
func (c *Client) SetRetry(ctx context.Context, r Retry) (Retry, error) {
	return ask[Retry](ctx, c, http.MethodPut, retryPath, r)
}

// Threads returns a page of the threads that the node watches, behind a key; "": from the first. A stopped node is
// job.Unavailable.
func (c *Client) Threads(ctx context.Context, after string, limit int) (Threads, error) {
	query := url.Values{"after": {after}, "limit": {strconv.Itoa(limit)}}
	return ask[Threads](ctx, c, http.MethodGet, threadsPath+"?"+query.Encode(), nil)
}

// Profit returns what all executions have brought, and a page of threads behind a key.
func (c *Client) Profit(ctx context.Context, after string, limit int) (Profit, error) {
	query := url.Values{"after": {after}, "limit": {strconv.Itoa(limit)}}
	return ask[Profit](ctx, c, http.MethodGet, profitPath+"?"+query.Encode(), nil)
}

// Backup writes a copy of the ledger's file. What was written before an error is of no use.
func (c *Client) Backup(ctx context.Context, w io.Writer) error {
	response, err := c.send(ctx, http.MethodGet, backupPath, nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	media, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if media != copyType {
		return c.understand(response, nil)
	}
	if _, err := io.Copy(w, response.Body); err != nil {
		return &job.Error{
			Kind: job.Unavailable, Message: "the copy of the ledger broke off: " + err.Error(), Hint: "try again; the log of the node may tell more", Err: err,
		}
	}
	return nil
}

// ask sends in, when it is not nil, and returns the answer.
func ask[T any](ctx context.Context, c *Client, method, path string, in any) (answer T, err error) {
	ctx, cancel := context.WithTimeout(ctx, callFor)
	defer cancel()
	response, err := c.send(ctx, method, path, in)
	if err != nil {
		return answer, err
	}
	defer response.Body.Close()
	err = c.understand(response, &answer)
	return answer, err
}

func (c *Client) send(ctx context.Context, method, path string, in any) (*http.Response, error) {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, job.Errorf(job.Invalid, "the request cannot be sent: %w", err)
	}
	if in != nil {
		request.Header.Set("Content-Type", jsonType)
	}
	if !c.token.IsZero() {
		request.Header.Set("Authorization", "Bearer "+c.token.Reveal())
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, c.silence(ctx, method, err)
	}
	return response, nil
}

// silence says what it means that no whole answer came.
func (c *Client) silence(ctx context.Context, method string, err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // Its text repeats the path.
	}
	op, ok := errors.AsType[*net.OpError](err)
	dialing := ok && op.Op == "dial"
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return fmt.Errorf("call the node of %s: %w", c.where, ctx.Err())
	case method != http.MethodGet && !dialing:
		return &job.Error{
			Kind: job.Ambiguous, Message: fmt.Sprintf("the node of %s took the change and did not answer", c.where),
			Hint: "list the tasks to see whether it was made", Err: err,
		}
	}
	return unanswered(c.where, err)
}

func unanswered(folder string, err error) error {
	return &job.Error{
		Kind: job.Unavailable, Message: fmt.Sprintf("a node runs on %s and does not answer", folder),
		Hint: "it may be starting or stopping: try again; when it stays so, its log tells more", Err: err,
	}
}

// understand reads an answer.
func (c *Client) understand(response *http.Response, out any) error {
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return c.silence(response.Request.Context(), response.Request.Method, err)
	}
	media, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch {
	case len(text) > maxAnswer:
		return job.Errorf(job.Refused, "the answer of the node is larger than %d MiB", maxAnswer>>20)
	case media == api.ProblemType:
		var p api.Problem
		if err := json.Unmarshal(text, &p); err != nil {
			return c.stranger()
		}
		p.Status = response.StatusCode
		return p.Err()
	case response.StatusCode != http.StatusOK || media != jsonType || out == nil || json.Unmarshal(text, out) != nil:
		return c.stranger()
	}
	return nil
}

// stranger says that what answers is no node of this version.
func (c *Client) stranger() error {
	return &job.Error{
		Kind: job.Refused, Message: fmt.Sprintf("what answers for %s does not speak as this version does", c.where),
		Hint: "use the orth-solana command of the node's own version",
	}
}
