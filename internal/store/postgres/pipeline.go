package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/orthd/orth/internal/store/sqlstore"
)

// What is queued is sent when it exceeds these bounds.
const (
	maxRequests = 256
	maxBytes    = 1 << 20
)

// queue is what a connection sends next, together.
type queue struct {
	requests []request
	values   [][]byte // arguments of the requests; nil is NULL
	bytes    []byte   // where the last ones of them lie
}

// errSilent is the reason for giving up a connection.
var errSilent = errors.New("the server does not answer")

// request is a message to the server that it answers.
type request struct {
	statement *statement
	first     int // the first argument among the values
	prepares  bool
	closes    bool
	reads     bool // its rows are wanted
	begins    bool // the transaction has not begun while it has not succeeded
}

// answer is what a request has brought.
type answer struct {
	description *pgconn.StatementDescription
	rows        *rows
	tag         pgconn.CommandTag
}

func (q *queue) add(r request) { q.requests = append(q.requests, r) }

func (q *queue) full() bool { return len(q.requests) >= maxRequests || len(q.bytes) >= maxBytes }

// put adds an argument for a placeholder of a type.
func (q *queue) put(oid uint32, arg any) error {
	if q.bytes == nil {
		q.bytes = make([]byte, 0, 4096) // what is empty is not NULL
	}
	from := len(q.bytes)
	all, null, err := appendArgument(q.bytes, oid, arg)
	switch {
	case err != nil:
		return err
	case null:
		q.values = append(q.values, nil)
	default:
		q.bytes = all
		q.values = append(q.values, all[from:len(all):len(all)])
	}
	return nil
}

// clear forgets what is queued.
func (q *queue) clear() {
	clear(q.requests)
	clear(q.values)
	q.requests, q.values, q.bytes = q.requests[:0], q.values[:0], q.bytes[:0]
	if cap(q.bytes) > 2*maxBytes {
		q.bytes = nil
	}
}

// ask sends what is queued and returns the answer to the last request.
func (c *connection) ask() (answer, error) { return c.send(len(c.requests) - 1) }

// send sends what is queued, waits for all answers, and returns that to the request with a
// number. The first error ends the transaction, and requests behind it were not carried out.
func (c *connection) send(asked int) (answer, error) {
	defer c.clear()
	c.owner.trips.Add(1)
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	limit := time.AfterFunc(c.owner.silent, func() { cancel(errSilent) })
	defer limit.Stop()
	pipe := c.conn.StartPipeline(ctx)
	for i := range c.requests {
		c.requests[i].send(pipe, c.values)
	}
	wanted, err := c.receive(pipe, asked, func() { limit.Reset(c.owner.silent) })
	if errors.As(err, new(*lostError)) {
		if why := context.Cause(ctx); why != nil {
			err = &lostError{why}
		}
		return wanted, err // pgconn closes the connection
	}
	_ = pipe.Close() // its errors have been returned
	return wanted, err
}

// receive waits for the answers to all requests. Each is a sign of life.
func (c *connection) receive(pipe *pgconn.Pipeline, asked int, alive func()) (wanted answer, err error) {
	if err := pipe.Sync(); err != nil {
		return answer{}, &lostError{err}
	}
	for i := range c.requests {
		r := &c.requests[i]
		got, err := r.receive(pipe)
		if said, ok := errors.AsType[*pgconn.PgError](err); ok {
			_ = drain(pipe) // the connection ends with the error that this one explains
			if i == asked {
				return answer{}, said
			}
			return answer{}, &sqlstore.PostedError{Text: r.statement.text, Begins: r.begins, Err: said}
		}
		if err != nil {
			return answer{}, &lostError{err}
		}
		if alive(); i == asked {
			wanted = got
		}
	}
	if err := drain(pipe); err != nil && wanted.tag.String() != commitCommand {
		return answer{}, err
	}
	return wanted, nil // the commit holds, whatever happens to the connection
}

// drain waits until the server is ready for more.
func drain(pipe *pgconn.Pipeline) error {
	for {
		got, err := pipe.GetResults()
		if _, said := errors.AsType[*pgconn.PgError](err); err != nil && !said {
			return &lostError{err}
		}
		if _, ready := got.(*pgconn.PipelineSync); ready {
			return nil
		}
		if got == nil && err == nil {
			return &lostError{errors.New("the server has sent no end of its answers")}
		}
	}
}

func (r *request) send(pipe *pgconn.Pipeline, values [][]byte) {
	s := r.statement
	switch {
	case r.prepares:
		pipe.SendPrepare(s.name, s.text, nil)
	case r.closes:
		pipe.SendDeallocate(s.name)
	default:
		pipe.SendQueryStatement(s.description, values[r.first:r.first+len(s.formats)], s.formats, s.results)
	}
}

// receive waits for the answer.
func (r *request) receive(pipe *pgconn.Pipeline) (answer, error) {
	got, err := pipe.GetResults()
	if err != nil {
		return answer{}, err
	}
	switch got := got.(type) {
	case *pgconn.StatementDescription:
		return answer{description: got}, nil
	case *pgconn.CloseComplete:
		return answer{}, nil
	case *pgconn.ResultReader:
		var all *rows
		if r.reads {
			all = &rows{fields: r.statement.description.Fields}
		}
		for got.NextRow() {
			if all != nil {
				all.add(got.Values())
			}
		}
		tag, err := got.Close()
		return answer{rows: all, tag: tag}, err
	}
	return answer{}, fmt.Errorf("the server has answered with a %T", got)
}
