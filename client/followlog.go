package client

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/orthd/orth/api"
)

// maxProblems is how often in a row a server may report a read error before the follower
// gives up.
const maxProblems = 5

// LogFollow selects the log to follow. The zero value is the last attempt of a run from its
// first line on, and all further ones.
type LogFollow struct {
	Attempt int  // the number of the one to begin with; 0 is the last one
	From    int  // its first line that is wanted; less than 1 means 1
	Only    bool // end with that attempt
	Raw     bool // see [LogQuery]
}

// LogViewer receives a followed log, from one goroutine. Nil funcs are skipped; an error of
// one ends the following.
type LogViewer struct {
	// Begin receives the attempt of the lines that follow.
	Begin func(api.LogAttempt) error
	// Lines brings lines, each once and in order.
	Lines func(api.LogLines) error
	// End receives the final state of the run after the last line.
	End func(api.LogEnd) error
}

// FollowLog shows the log of a run as it is written, until its end. A connection that
// breaks, or a server that is away for a while, does not end it: it goes on behind the
// last line. A server that cannot stream logs is job.NotFound, as is a run that does
// not exist.
func (c *Client) FollowLog(ctx context.Context, run api.ID, f LogFollow, v LogViewer) error {
	s := logStream{client: c, run: run, follow: f, viewer: v}
	delay := time.Duration(0)
	for {
		was := s.news
		err := s.readStream(ctx)
		switch {
		case s.over, s.enough:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, errBroken):
		case s.seen == 0, s.problems > maxProblems, !passing(err):
			return err
		}
		if s.news > was {
			delay = 0
		}
		if err := waitToReopen(ctx, delay); err != nil {
			return err
		}
		delay = longer(delay)
	}
}

// logStream is a log that is followed, over any number of connections.
type logStream struct {
	client *Client
	run    api.ID
	follow LogFollow
	viewer LogViewer

	attempt  int  // the one whose lines come; 0 before the first
	last     int  // the last line of it that was shown
	seen     int  // events
	news     int  // events with new information
	problems int  // since the last line
	over     bool // the end was shown
	enough   bool // the viewer has failed
}

// readStream opens the stream and shows what comes, until it breaks or ends.
func (s *logStream) readStream(ctx context.Context) error {
	query, last := url.Values{}, ""
	setNumber(query, "attempt", s.follow.Attempt)
	setNumber(query, "from", max(s.follow.From, 0))
	setTrue(query, "only", s.follow.Only)
	setTrue(query, "raw", s.follow.Raw)
	if s.attempt > 0 {
		last = fmt.Sprintf("%d:%d", s.attempt, s.last)
	}
	return s.client.events(ctx, runPath(s.run)+"/log/stream", query, last, func(e *serverEvent) (bool, error) {
		err := s.handleEvent(e)
		return s.over, err
	})
}

// handleEvent shows one event. Events that it does not know are left out.
func (s *logStream) handleEvent(e *serverEvent) error {
	s.seen++
	switch e.name {
	case "attempt":
		var a api.LogAttempt
		if err := s.client.decode(e, &a); err != nil || a.Number == s.attempt {
			return err
		}
		if s.attempt > 0 || a.Number != s.follow.Attempt && s.follow.Attempt > 0 {
			s.last = 0
		} else {
			s.last = max(s.follow.From, 1) - 1
		}
		s.attempt = a.Number
		s.news++
		return callViewer(s, s.viewer.Begin, a)
	case "lines":
		var l api.LogLines
		if err := s.client.decode(e, &l); err != nil {
			return err
		}
		s.attempt, s.last, s.problems = l.Attempt, l.To, 0
		s.news++
		return callViewer(s, s.viewer.Lines, l)
	case "end":
		var end api.LogEnd
		if err := s.client.decode(e, &end); err != nil {
			return err
		}
		s.over = true
		return callViewer(s, s.viewer.End, end)
	case "problem":
		var p api.Problem
		if err := s.client.decode(e, &p); err != nil {
			return err
		}
		s.problems++
		return p.Err()
	}
	return nil
}

// callViewer calls a func of the viewer unless it is nil.
func callViewer[T any](s *logStream, see func(T) error, what T) error {
	if see == nil {
		return nil
	}
	err := see(what)
	s.enough = err != nil
	return err
}
