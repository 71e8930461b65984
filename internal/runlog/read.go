package runlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/orthd/orth/job"
)

// notExists is the text of an answer about a log that is not there. Consoles of
// other servers show it and users search for it, so it is fixed.
const notExists = "readLog fail, logFile not exists"

// cutMark ends a line that does not fit an answer.
const cutMark = "… [cut]\n"

// logView is the part of a log that a reader may see.
type logView struct {
	start mark  // a line start at or before the line asked for
	limit int64 // where reading ends
}

// Read returns lines of an attempt's log, from line number fromLine on (1 is the first,
// less means 1). To is the last line returned, and 0 when there is none yet: ask again from
// the same line. A page is bounded: ask again from To+1 for what follows. End is true only
// when the log does not exist; Text reports that.
//
// A last line that is still being written is returned once it is whole. Invalid UTF-8
// becomes U+FFFD, and \r\n becomes \n.
func (l *Logs) Read(attempt int64, at time.Time, fromLine int) (job.LogPage, error) {
	page, s, _, err := l.readPage(attempt, at, fromLine)
	if errors.Is(err, fs.ErrNotExist) {
		page.Text, page.End = notExists, true
		return page, nil
	}
	if err != nil {
		return page, err
	}
	s.close()
	return page, nil
}

// ReadOn is Read for who reads a log while it is written: more reports whether
// the page ends before the lines do that are there by now. It returns a
// [job.NotFound] error when there is no such log.
func (l *Logs) ReadOn(attempt int64, at time.Time, fromLine int) (page job.LogPage, more bool, err error) {
	page, s, whole, err := l.readPage(attempt, at, fromLine)
	if err != nil {
		return page, false, found(err, attempt)
	}
	s.close()
	return page, !whole, nil
}

// readPage returns a page with the source it came from, which the caller closes, and
// whether it has all lines that the source has behind its first.
func (l *Logs) readPage(attempt int64, at time.Time, fromLine int) (_ job.LogPage, _ *source, whole bool, err error) {
	page := job.LogPage{From: fromLine}
	s, err := l.openSource(attempt, at)
	if err != nil {
		return page, nil, false, fmt.Errorf("open the run log of attempt %d: %w", attempt, err)
	}
	line := max(fromLine, 1)
	v, err := l.viewFrom(s, line)
	if err == nil {
		page.Text, whole, err = l.readText(s, v, line)
	}
	if err != nil {
		s.close()
		return page, nil, false, fmt.Errorf("read the run log of attempt %d: %w", attempt, err)
	}
	if page.Text != "" {
		page.To = line - 1 + strings.Count(page.Text, "\n")
	}
	return page, s, whole, nil
}

// openSource opens the log for reading. Some servers keep the trigger time in whole
// seconds, rounded: just after midnight the log may be on the day before.
func (l *Logs) openSource(attempt int64, at time.Time) (*source, error) {
	path := l.pathOf(attempt, at)
	s, err := l.source(attempt, path)
	if errors.Is(err, fs.ErrNotExist) {
		if before := l.pathOf(attempt, at.Add(-time.Second)); before != path {
			return l.source(attempt, before)
		}
	}
	return s, err
}

func (l *Logs) viewFrom(s *source, line int) (logView, error) {
	v := logView{limit: s.limit}
	switch {
	case s.writer != nil:
		v.start = s.writer.seekLine(line)
		if v.start.offset > v.limit {
			v.start = mark{} // that part came later, or the disk is full
		}
	case s.file != nil && v.limit > stride && line > 1:
		x, err := l.index(s.path, s.file, v.limit)
		if err != nil {
			return logView{}, err
		}
		v.start = x.seekLine(line)
	}
	return v, nil
}

// readText returns the lines from number line on that fit one answer, and whether
// these are all.
func (l *Logs) readText(file io.ReaderAt, v logView, line int) (_ string, whole bool, _ error) {
	offset, err := skipLines(file, v, int64(line-1)-v.start.lines)
	if err != nil || offset >= v.limit {
		return "", true, err
	}
	buffer := l.buffers.Get().(*bytes.Buffer) //nolint:forcetypeassert // its New makes no other
	defer l.buffers.Put(buffer)
	buffer.Reset()
	buffer.Grow(int(min(v.limit-offset, int64(l.config.MaxPage))))
	raw := buffer.AvailableBuffer()[:min(v.limit-offset, int64(l.config.MaxPage))]
	if _, err := io.ReadFull(io.NewSectionReader(file, offset, int64(len(raw))), raw); err != nil {
		return "", false, err
	}
	text := validText(raw)
	if i := strings.LastIndexByte(text, '\n'); offset+int64(len(raw)) == v.limit {
		text, whole = strings.TrimSuffix(text, "\n")+"\n", true
	} else if i >= 0 {
		text = text[:i+1]
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	fitted := fitLines(text, l.config.MaxPage)
	return fitted, whole && len(fitted) == len(text), nil
}

// validText returns b as valid text. Most is valid, and a quick check confirms that.
func validText(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}

// skipLines returns the offset behind the next lines lines, or the limit when there
// are not so many.
func skipLines(file io.ReaderAt, v logView, lines int64) (int64, error) {
	offset := v.start.offset
	if lines <= 0 {
		return offset, nil
	}
	buffer := make([]byte, min(stride, v.limit-offset))
	in := io.NewSectionReader(file, offset, v.limit-offset)
	for {
		n, err := in.Read(buffer)
		for p := buffer[:n]; ; {
			i := bytes.IndexByte(p, '\n')
			if i < 0 {
				offset += int64(len(p))
				break
			}
			offset += int64(i + 1)
			p = p[i+1:]
			if lines--; lines == 0 {
				return offset, nil
			}
		}
		if err == io.EOF {
			return v.limit, nil
		}
		if err != nil {
			return 0, err
		}
	}
}

// fitLines keeps the whole lines of text that fit limit bytes, and the start of the
// first line when not even that fits.
func fitLines(text string, limit int) string {
	if len(text) <= limit && strings.HasSuffix(text, "\n") {
		return text
	}
	if i := strings.LastIndexByte(text[:min(limit, len(text))], '\n'); i >= 0 {
		return text[:i+1]
	}
	cut := min(limit-len(cutMark), len(text))
	for cut > 0 && cut < len(text) && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + cutMark
}
