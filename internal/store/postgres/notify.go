package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// tellFor bounds a call to others, farewellFor the end of a connection.
	tellFor     = 2 * time.Second
	farewellFor = time.Second
	// again is the time until the next try to listen after a failure, at first and at
	// most.
	again     = 100 * time.Millisecond
	againMost = 2 * time.Second
	// stillThere is how often a silent connection is looked at.
	stillThere = 30 * time.Second
)

// channel is a query for the name under which servers of a schema hear each other.
const channel = `SELECT 'orth_' || current_schema()`

// Tell notifies the other servers that listen. A lost notification is no harm: servers also
// look. Kinds: Unavailable.
func (s *Store) Tell(ctx context.Context, words string) error {
	ctx, cancel := context.WithTimeout(ctx, tellFor)
	defer cancel()
	if _, err := s.size.ExecContext(ctx, "SELECT pg_notify('orth_' || current_schema(), $1)", words); err != nil {
		return explain(s.name, err)
	}
	return nil
}

// Listen calls heard with what servers call out, this one too, until ctx ends. When its
// connection is lost it makes another one, at least 100 ms and at most 2 s later, and
// calls heard with nothing: something may have been missed.
func (s *Store) Listen(ctx context.Context, heard func(words string)) error {
	wait := again
	for {
		began := time.Now()
		err := s.listen(ctx, heard)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // it has ended as it was to
		}
		if time.Since(began) > againMost {
			wait = again
		}
		s.logger.Warn("other servers are not heard: what they do is found by looking, until they are", "error", err, "again_in", wait)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil
		}
		wait = min(2*wait, againMost)
	}
}

// listen hears others by one connection until that is lost.
func (s *Store) listen(ctx context.Context, heard func(words string)) error {
	conn, err := pgx.ConnectConfig(ctx, s.config.Copy())
	if err != nil {
		return err
	}
	defer func() {
		farewell, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewellFor)
		defer cancel()
		_ = conn.Close(farewell) // it may be gone
	}()
	var name string
	if err := conn.QueryRow(ctx, channel).Scan(&name); err != nil {
		return fmt.Errorf("ask for the name of the schema: %w", err)
	}
	if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{name}.Sanitize()); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	heard("")
	for {
		waiting, cancel := context.WithTimeout(ctx, stillThere)
		said, err := conn.WaitForNotification(waiting)
		over := waiting.Err() != nil
		cancel()
		switch {
		case err == nil:
			heard(said.Payload)
		case ctx.Err() != nil:
			return ctx.Err()
		case !over || conn.IsClosed():
			return fmt.Errorf("hear others: %w", err)
		}
		if over {
			asking, cancel := context.WithTimeout(ctx, tellFor)
			err = conn.Ping(asking)
			cancel()
			if err != nil {
				return fmt.Errorf("the connection is lost: %w", err)
			}
		}
	}
}
