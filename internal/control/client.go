package control

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"path/filepath"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// Client calls the executor that runs on a data folder. It is safe for
// concurrent use. Beside the errors of [Queues] its methods return
// job.Unavailable when the executor does not answer, and job.Ambiguous when it
// took a change and did not answer.
type Client struct{ to Caller }

// Dial finds the executor that runs on a data folder. It is job.NotFound when
// none answers there, and job.Forbidden when the executor is another user's.
func Dial(ctx context.Context, dir string) (*Client, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	path, err := locate(dir)
	if err == nil {
		var first net.Conn
		if first, err = knock(ctx, path); err == nil {
			first.Close()
		}
	}
	peer := Peer{Program: program, Folder: dir, Things: "items", Command: "orth"}
	slow, ok := errors.AsType[net.Error](err)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return nil, fmt.Errorf("call the executor of %s: %w", dir, context.Cause(ctx))
	case errors.Is(err, fs.ErrPermission):
		return nil, peer.Foreign(err)
	case ok && slow.Timeout():
		return nil, peer.Unanswered(err)
	case job.Is(err, job.Conflict):
		return nil, err
	default:
		return nil, job.Errorf(job.NotFound, "no executor answers in %s: %w", dir, err)
	}
	return &Client{Caller{Peer: peer, Base: "http://" + program, HTTP: NewHTTP(
		func(ctx context.Context, _, _ string) (net.Conn, error) { return knock(ctx, path) },
	)}}, nil
}

// Close releases the connections.
func (c *Client) Close() { c.to.Close() }

// List is that of [Queues].
func (c *Client) List(ctx context.Context, query Query) (Page, error) {
	if err := query.check(); err != nil {
		return Page{}, err
	}
	var page Page
	err := c.to.Call(ctx, http.MethodGet, fmt.Sprintf(itemsPath, url.PathEscape(query.Queue))+"?"+encodeQuery(query).Encode(), nil, &page)
	return page, err
}

// Show is that of [Queues].
func (c *Client) Show(ctx context.Context, queue string, key api.ID, body bool) (Item, error) {
	path := fmt.Sprintf(itemPath, url.PathEscape(queue), key)
	if body {
		path += "?body=true"
	}
	var item Item
	err := c.to.Call(ctx, http.MethodGet, path, nil, &item)
	return item, err
}

// Redrive is that of [Queues].
func (c *Client) Redrive(ctx context.Context, queue string, s Selection) (int, error) {
	return c.change(ctx, queue, redriveVerb, s)
}

// Purge is that of [Queues].
func (c *Client) Purge(ctx context.Context, queue string, s Selection) (int, error) {
	return c.change(ctx, queue, purgeVerb, s)
}

func (c *Client) change(ctx context.Context, queue, verb string, s Selection) (int, error) {
	if err := s.check(); err != nil {
		return 0, err
	}
	var done changed
	err := c.to.Call(ctx, http.MethodPost, fmt.Sprintf(changePath, url.PathEscape(queue), verb), s, &done)
	return done.Changed, err
}

// Stats is that of [Queues].
func (c *Client) Stats(ctx context.Context) ([]Counts, error) {
	var counts []Counts
	err := c.to.Call(ctx, http.MethodGet, statsPath, nil, &counts)
	return counts, err
}

// Backup is that of [Queues].
func (c *Client) Backup(ctx context.Context, w io.Writer) error { return c.to.Copy(ctx, backupPath, w) }
