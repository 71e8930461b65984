package runlog

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"unicode/utf8"
)

// splitMark ends a piece of a line that was too long.
const splitMark = "… [split]\n"

// writer appends to one log. Every Write goes to the operating system at once:
// a viewer sees it, and a crash of the process loses nothing.
type writer struct {
	logs *Logs
	path string

	mu     sync.Mutex
	file   *os.File // everything below is guarded by mu
	ix     index
	full   bool  // the limit is reached and marked
	lost   int64 // bytes that could not be written since the last good write
	cause  error // why they could not
	closed bool
}

// open is called with mu held.
func (w *writer) open() error {
	file, err := w.logs.openAppend(w.path)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err == nil && info.Size() > 0 {
		w.ix, err = w.logs.index(w.path, file, info.Size())
	}
	if err != nil {
		file.Close()
		return err
	}
	w.file = file
	w.full = w.ix.size >= w.logs.config.MaxFile
	if w.ix.partial() > 0 && !w.full {
		_ = w.append([]byte("\n")) // a crash left half a line; a loss is told later
	}
	return nil
}

// Write appends p. It returns an error when the log is closed or the disk does
// not take it; what was lost is then told in the log by the next Write.
func (w *writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return 0, fmt.Errorf("write the run log: %w", fs.ErrClosed)
	}
	if err := w.tellLost(); err != nil {
		w.lost += int64(len(p))
		return 0, fmt.Errorf("write the run log: %w", err)
	}
	for done := 0; done < len(p) && !w.full; {
		piece, split := w.piece(p[done:])
		err := w.append(piece)
		if err == nil && split && !w.full {
			err = w.append([]byte(splitMark))
		}
		if err != nil {
			w.lost += int64(len(p) - done - len(piece))
			return done, fmt.Errorf("write the run log: %w", err)
		}
		done += len(piece)
	}
	return len(p), nil
}

// Close ends the log: its last line is readable even without a newline. A
// second Close does nothing.
func (w *writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	_ = w.tellLost() // the disk may be full still
	w.closed = true
	w.logs.save(w.path, &w.ix)
	w.logs.release(w.path)
	if err := w.file.Close(); err != nil {
		return fmt.Errorf("close the run log: %w", err)
	}
	return nil
}

// piece returns the start of p that can be appended as it is, and whether the
// current line must be split behind it.
func (w *writer) piece(p []byte) (piece []byte, split bool) {
	limit := w.logs.config.MaxLine
	current := int(w.ix.partial())
	if current+len(p) <= limit {
		return p, false
	}
	for start := 0; start < len(p); {
		end := len(p)
		if i := bytes.IndexByte(p[start:], '\n'); i >= 0 {
			end = start + i
		}
		cut := start + max(limit-current, 0)
		for cut < end && !utf8.RuneStart(p[cut]) && cut-start < limit-current+utf8.UTFMax {
			cut++
		}
		if cut < end {
			return p[:cut], true
		}
		start, current = end+1, 0
	}
	return p, false
}

// append writes b, as far as the log's limit allows.
func (w *writer) append(b []byte) error {
	room := w.logs.config.MaxFile - w.ix.size
	if int64(len(b)) <= room {
		return w.write(b)
	}
	w.full = true
	b = b[:max(room, 0)]
	b = b[:bytes.LastIndexByte(b, '\n')+1] // whole lines only
	if err := w.write(b); err != nil {
		return err
	}
	return w.note("the log is full at %d bytes, what follows is not kept", w.logs.config.MaxFile)
}

// note writes a line about the log itself.
func (w *writer) note(format string, args ...any) error {
	line := fmt.Sprintf("----------- "+format+" -----------\n", args...)
	if w.ix.partial() > 0 {
		line = "\n" + line
	}
	return w.write([]byte(line))
}

func (w *writer) tellLost() error {
	if w.lost == 0 || w.full {
		return nil
	}
	lost := w.lost
	if err := w.note("%d bytes are missing here: %v", lost, w.cause); err != nil {
		w.lost = lost // the note itself is no loss
		return err
	}
	w.lost = 0
	return nil
}

func (w *writer) write(b []byte) error {
	n, err := w.file.Write(b)
	w.ix.add(b[:n])
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	if err != nil {
		w.lost += int64(len(b) - n)
		w.cause = err
	}
	return err
}

// view returns where the line numbered line may be found, and how far the log
// may be read.
func (w *writer) view(line int) view {
	w.mu.Lock()
	defer w.mu.Unlock()
	v := view{start: w.ix.seek(line), limit: w.ix.end}
	if w.closed {
		v.limit = w.ix.size
	}
	return v
}
