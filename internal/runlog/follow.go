package runlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/orthd/orth/job"
)

// Follow calls take with the lines of an attempt's log from number fromLine on,
// page by page as Read returns them, and as soon as they are written. It
// returns nil when the log is closed and read to its end, the error of take or
// of ctx when one of them ends it, and a [job.NotFound] error when there is no
// such log. A slow take never delays the writer.
func (l *Logs) Follow(ctx context.Context, attempt int64, at time.Time, fromLine int, take func(job.LogPage) error) error {
	for from := max(fromLine, 1); ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		changed := l.changes(attempt, at)
		page, s, _, err := l.readPage(attempt, at, from)
		if err != nil {
			return found(err, attempt)
		}
		s.close()
		if page.To > 0 {
			if err := take(page); err != nil {
				return err
			}
			from = page.To + 1
			continue
		}
		if s.writer == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed: // closed already when the log was closed meanwhile
		}
	}
}

// changes returns what the next change of the log closes.
func (l *Logs) changes(attempt int64, at time.Time) <-chan struct{} {
	for _, at := range []time.Time{at, at.Add(-time.Second)} {
		if w := l.writing(l.pathOf(attempt, at)); w != nil {
			if changed := w.awaitChange(); changed != nil {
				return changed
			}
		}
	}
	ended := make(chan struct{})
	close(ended)
	return ended
}

// Tail returns the last lines of an attempt's log, at most n of them and at
// most as many as fit a page. From and To number them; both are 0 when there is
// none. It returns a [job.NotFound] error when there is no such log.
func (l *Logs) Tail(attempt int64, at time.Time, n int) (job.LogPage, error) {
	if n < 1 {
		return job.LogPage{}, job.FieldErrorf("lines", "is %d, it must be 1 or more", n)
	}
	s, err := l.openSource(attempt, at)
	if err != nil {
		return job.LogPage{}, found(fmt.Errorf("open the run log of attempt %d: %w", attempt, err), attempt)
	}
	defer s.close()
	page, err := l.readTail(s, n)
	if err != nil {
		return job.LogPage{}, fmt.Errorf("read the run log of attempt %d: %w", attempt, err)
	}
	return page, nil
}

func (l *Logs) readTail(s *source, n int) (job.LogPage, error) {
	if s.limit == 0 {
		return job.LogPage{}, nil
	}
	total := s.lines
	if s.writer == nil {
		x, err := l.lookOver(s)
		if err != nil {
			return job.LogPage{}, err
		}
		total = x.lines
		if x.partial() > 0 {
			total++
		}
	}
	start := max(s.limit-int64(l.config.MaxPage), 0)
	raw := make([]byte, s.limit-start)
	if _, err := io.ReadFull(io.NewSectionReader(s, start, int64(len(raw))), raw); err != nil {
		return job.LogPage{}, err
	}
	raw = bytes.TrimSuffix(raw, []byte("\n"))
	if i := bytes.IndexByte(raw, '\n'); start > 0 && i >= 0 {
		raw = raw[i+1:] // the rest of a line
	}
	text := strings.ReplaceAll(validText(raw), "\r\n", "\n") + "\n"
	lines := strings.Count(text, "\n")
	for lines > n || lines > 1 && len(text) > l.config.MaxPage {
		text = text[strings.IndexByte(text, '\n')+1:]
		lines--
	}
	text = fitLines(text, l.config.MaxPage)
	return job.LogPage{From: int(total) - lines + 1, To: int(total), Text: text}, nil
}

// lookOver returns the index of a log without a writer.
func (l *Logs) lookOver(s *source) (index, error) {
	if s.file == nil {
		return scanIndex(s, s.size)
	}
	return l.index(s.path, s.file, s.size)
}

// Page is a piece of a run log, by bytes.
type Page struct {
	Text string // valid UTF-8; line ends are as they were written
	Next int64  // the offset to ask for next
	Size int64  // the bytes of the log so far
	Open bool   // it is still being written
}

// ReadAt returns the piece of an attempt's log that starts at offset, in bytes.
// Text is empty at the end and beyond it: when Open is set there may be more
// later. Unlike Read it returns the start of a line that is still being
// written. It returns a [job.NotFound] error when there is no such log.
func (l *Logs) ReadAt(attempt int64, at time.Time, offset int64) (Page, error) {
	if offset < 0 {
		return Page{}, job.FieldErrorf("offset", "is %d, it must be 0 or more", offset)
	}
	s, err := l.openSource(attempt, at)
	if err != nil {
		return Page{}, found(fmt.Errorf("open the run log of attempt %d: %w", attempt, err), attempt)
	}
	defer s.close()
	page := Page{Next: offset, Size: s.size, Open: s.writer != nil}
	if offset >= s.size {
		return page, nil
	}
	raw := make([]byte, min(s.size-offset, int64(l.config.MaxPage)))
	if _, err := io.ReadFull(io.NewSectionReader(s, offset, int64(len(raw))), raw); err != nil {
		return page, fmt.Errorf("read the run log of attempt %d: %w", attempt, err)
	}
	if offset+int64(len(raw)) < s.size || page.Open {
		raw = raw[:len(raw)-halfRune(raw)]
	}
	page.Next += int64(len(raw))
	page.Text = validText(raw)
	return page, nil
}

// halfRune returns how many bytes at the end of b start a rune that is not
// complete.
func halfRune(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if last := b[len(b)-n:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return n
			}
			return 0
		}
	}
	return 0
}

// found names the kind of the error for a log that is not there.
func found(err error, attempt int64) error {
	if errors.Is(err, fs.ErrNotExist) {
		return job.Errorf(job.NotFound, "run log: there is none of attempt %d on that day: "+
			"it was deleted for its age, or the attempt ran elsewhere", attempt)
	}
	return err
}
