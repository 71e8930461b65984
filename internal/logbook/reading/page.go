package reading

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/internal/logformat"
	"github.com/orthd/orth/job"
)

// Limits of a page. A line that is larger is a page of its own.
const (
	maxPageBytes = 256 << 10
	maxPageLines = 1000
	// chunksAtOnce is how many chunks are looked up together.
	chunksAtOnce = 8
	// pollWait is how long a page behind the last line of a log that grows waits for
	// one: who asks again and again needs no other pause.
	pollWait = 250 * time.Millisecond
)

// Page returns lines of an attempt's log from line from on, the first line being 1: at most
// limit, 1,000 and 256 KiB; a limit of 0 means as many as may be. In a page without lines,
// End reports whether no more will follow. A line of its own replaces lines that are lost.
// Kinds: those of executors when only the executor has the lines and cannot be asked,
// Unavailable when what is stored cannot be read.
func (r *Reader) Page(ctx context.Context, a job.Attempt, group int64, from, limit int) (job.LogPage, error) {
	from = max(from, 1)
	v, err := r.look(ctx, a)
	if err != nil {
		return job.LogPage{}, err
	}
	page, err := r.read(ctx, &v, from, limit)
	if err != nil || page.To >= from || page.End || !v.held || v.live.Changed == nil || a.State.Final() {
		return page, err
	}
	release := r.config.Memory.Watch(a, group)
	defer release()
	if err := pause(ctx, v.live.Changed, pollWait); err != nil {
		return page, err
	}
	if v, err = r.look(ctx, a); err != nil {
		return page, err
	}
	return r.read(ctx, &v, from, limit)
}

// pause waits for a change, or for a time, whichever comes first.
func pause(ctx context.Context, changed <-chan struct{}, atMost time.Duration) error {
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	select {
	case <-changed:
	case <-timer.C:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// read returns a page of what is known, and the executor's answer for the rest.
func (r *Reader) read(ctx context.Context, v *view, from, limit int) (job.LogPage, error) {
	if limit <= 0 || limit > maxPageLines {
		limit = maxPageLines
	}
	s := sheet{from: from, limit: limit}
	if from <= v.log.Lines {
		if err := r.stored(ctx, &v.log, &s); err != nil {
			return job.LogPage{}, err
		}
	}
	if v.held {
		s.takeLive(v.live)
	}
	page := job.LogPage{From: from, To: s.next() - 1, Text: s.text(), Kept: string(v.log.State), Note: v.log.Note}
	switch {
	case s.lines > 0:
	case s.gap > 0:
		return r.fill(ctx, v, page, s.gap, limit), nil
	case v.askable():
		asked, err := r.ask(ctx, v.attempt, from, limit)
		switch {
		case err == nil:
			asked.Kept, asked.Note = page.Kept, page.Note
			asked.End = asked.To < from && v.attempt.State.Final()
			return asked, nil
		case v.last() == 0 && !v.known || !absent(err):
			return page, err
		}
		page.FromMemory = true
	}
	page.End = v.settled() && page.To >= v.last()
	return page, nil
}

// absent reports whether an error means that an executor cannot be asked.
func absent(err error) bool {
	return job.Is(err, job.Unreachable) || job.Is(err, job.Ambiguous) || job.Is(err, job.Unavailable)
}

// stored takes the lines that are stored.
func (r *Reader) stored(ctx context.Context, l *logbook.Log, s *sheet) error {
	if l.Text != "" {
		s.take(logformat.Behind(l.Text, s.from-1))
		return nil
	}
	attempt := l.Attempt
	for !s.full {
		chunks, err := r.config.Index.Chunks(ctx, attempt, s.next(), chunksAtOnce)
		if err != nil {
			return fmt.Errorf("find line %d of the log of attempt %d: %w", s.next(), attempt, err)
		}
		for i := range chunks {
			c := &chunks[i]
			if c.Last() < s.next() {
				continue
			}
			if c.FirstLine > s.next() {
				s.miss(c.FirstLine - 1)
				return nil
			}
			text, err := r.config.Memory.Text(ctx, *c)
			if err != nil {
				if s.lines > 0 {
					return nil // what was found is shown first
				}
				return unreadable(c, err)
			}
			s.take(logformat.Behind(text, s.next()-c.FirstLine))
			if s.full {
				return nil
			}
			if s.next() <= c.Last() {
				return unreadable(c, job.Errorf(job.Unavailable, "lines are missing in what is stored"))
			}
		}
		if len(chunks) < chunksAtOnce {
			return nil
		}
	}
	return nil
}

// unreadable names the lines that cannot be read, and the line where it goes on.
func unreadable(c *logbook.Chunk, err error) error {
	damage := job.Errorf(job.Unavailable, "lines %d to %d of the log cannot be read: %w", c.FirstLine, c.Last(), err)
	damage.Hint = fmt.Sprintf("read on behind them, from line %d", c.Last()+1)
	return damage
}

// fill returns a page for lines up to one that are neither stored nor in memory: those that
// the executor has, or a line that reports their loss.
func (r *Reader) fill(ctx context.Context, v *view, page job.LogPage, to, limit int) job.LogPage {
	if !v.kept {
		asked, err := r.ask(ctx, v.attempt, page.From, min(limit, to-page.From+1))
		if err == nil && asked.To >= page.From && asked.To <= to {
			asked.Kept, asked.Note = page.Kept, page.Note
			return asked
		}
	}
	page.To, page.FromMemory = to, true
	page.Text = fmt.Sprintf("[lines %d to %d are missing here: only the executor had them]\n", page.From, to)
	if page.From == to {
		page.Text = fmt.Sprintf("[line %d is missing here: only the executor had it]\n", to)
	}
	return page
}

// ask returns lines from the executor, masked; To is below from when it has none.
func (r *Reader) ask(ctx context.Context, a job.Attempt, from, limit int) (job.LogPage, error) {
	came, err := r.config.Origin.ReadLog(ctx, a.Address, a.ID, a.TriggeredAt, from)
	if err != nil {
		return job.LogPage{}, err
	}
	page := job.LogPage{From: from, To: from - 1}
	if came.To < from || came.Text == "" {
		return page, nil
	}
	text := came.Text
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	text = r.config.Mask(text)
	page.To = came.To
	if logformat.Count(text) == came.To-from+1 {
		head, lines := logformat.Head(text, limit, maxPageBytes)
		text, page.To = head, from+lines-1
	}
	page.Text = text
	return page, nil
}

// sheet gathers the lines of a page.
type sheet struct {
	from, limit int

	parts []string
	lines int
	bytes int
	full  bool
	gap   int // the last line that is missing behind those gathered; 0 when none is
}

// next is the number of the line that is wanted next.
func (s *sheet) next() int { return s.from + s.lines }

// miss notes that the next lines are not there, up to one.
func (s *sheet) miss(to int) { s.gap, s.full = to, true }

// take adds whole lines, as many as the page has room for.
func (s *sheet) take(text string) {
	for text != "" && !s.full {
		room := maxPageBytes - s.bytes
		if s.lines > 0 && strings.IndexByte(text, '\n') >= room {
			s.full = true
			return
		}
		head, lines := logformat.Head(text, s.limit-s.lines, room)
		s.parts = append(s.parts, head)
		s.lines += lines
		s.bytes += len(head)
		s.full = s.lines >= s.limit || len(head) < len(text)
		text = text[len(head):]
	}
}

// takeLive adds lines that are in memory.
func (s *sheet) takeLive(l logbook.Live) {
	if l.Text == "" || s.gap == 0 && s.full || l.Last() < s.next() {
		return
	}
	if l.First > s.next() {
		if s.gap == 0 || s.gap >= l.First {
			s.miss(l.First - 1)
		}
		return
	}
	s.gap, s.full = 0, false
	s.take(logformat.Behind(l.Text, s.next()-l.First))
}

// text returns the lines.
func (s *sheet) text() string { return strings.Join(s.parts, "") }
