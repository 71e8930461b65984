package runlog

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/orthd/orth/job"
)

// splitMark ends a piece of a line that was too long.
const splitMark = "… [split]\n"

// fileBuffer is how many bytes of a log wait in memory for the next write to
// its file. Beyond that the writer waits for the disk.
const fileBuffer = 64 << 10

// youngBuffer is the first room for a log in memory.
const youngBuffer = 224

// writer appends to one log, which is in memory as long as it is young and
// small.
type writer struct {
	logs    *Logs
	path    string
	attempt int64
	at      time.Time
	young   atomic.Bool // in memory only; written with mu held

	mu      sync.Mutex
	file    *os.File      // everything below is guarded by mu; nil while young
	buffer  []byte        // what is not in the file; all of it while young
	dirty   bool          // the sweeper knows of the buffer
	ix      index         // of all that was written, the buffer included
	changed chan struct{} // closed by the next change; nil without a waiting reader
	told    bool          // Config.Changed has been called since the last read
	full    bool          // the limit is reached and marked
	whole   string        // the text of a closed log that fits in an outcome
	lost    int64         // bytes that could not be written since the last good write
	cause   error         // why they could not
	closed  bool
}

// openLog is called with mu held.
func (w *writer) openLog() error {
	file, text, err := w.logs.packs.earlier(dayOf(w.path), w.attempt)
	if err != nil {
		return err
	}
	if w.logs.config.Small < 0 || file && w.hasFile() {
		if err := w.openFile(); err != nil {
			return err
		}
	} else {
		w.young.Store(true)
		w.buffer = text // it goes on in memory; the record with more text counts
		w.ix.addBytes(text)
		w.logs.sweeper.spillLater(w)
	}
	w.full = w.ix.size >= w.logs.config.MaxFile
	if w.ix.partial() > 0 && !w.full {
		_ = w.append([]byte("\n")) // a crash left half a line; a loss is reported later
	}
	return nil
}

func (w *writer) hasFile() bool {
	_, err := w.logs.root.Lstat(w.path)
	return !errors.Is(err, fs.ErrNotExist)
}

func (w *writer) openFile() error {
	file, err := openIn(w.logs.root, w.path, os.O_CREATE|os.O_RDWR|os.O_APPEND)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err == nil && info.Size() > 0 {
		w.ix, err = w.logs.index(w.path, file, info.Size())
	}
	if err == nil {
		err = w.logs.packs.spilled(dayOf(w.path), w.attempt)
	}
	if err != nil {
		file.Close()
		return err
	}
	w.file = file
	return nil
}

// spill gives a young log its own file, which appears with all its text: until
// then an earlier record of the attempt counts. It is called with mu held.
func (w *writer) spill() error {
	if err := w.logs.packs.spilled(dayOf(w.path), w.attempt); err != nil {
		return err
	}
	const flags = os.O_CREATE | os.O_TRUNC | os.O_WRONLY
	temporary := w.path + ".tmp"
	file, err := openIn(w.logs.root, temporary, flags)
	if err != nil {
		return err
	}
	_, err = file.Write(w.buffer)
	if err = errors.Join(err, file.Close()); err == nil {
		err = w.logs.root.Rename(temporary, w.path)
	}
	if err == nil {
		file, err = w.logs.root.OpenFile(w.path, os.O_RDWR|os.O_APPEND, fileMode)
	}
	if err != nil {
		_ = w.logs.root.Remove(temporary)
		return err
	}
	w.logs.packs.written.Add(int64(len(w.buffer)))
	w.file = file
	w.buffer = w.buffer[:0]
	w.young.Store(false)
	return nil
}

// spillOld is called by the sweeper.
func (w *writer) spillOld() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || !w.young.Load() {
		return nil
	}
	return w.spill()
}

// flushIdle is called by the sweeper.
func (w *writer) flushIdle() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dirty = false
	if w.closed {
		return nil
	}
	err := w.flush()
	w.dirty = err != nil // the sweeper tries again
	return err
}

// settle puts everything into the file, for the sweeper has ended.
func (w *writer) settle() error {
	if err := w.spillOld(); err != nil {
		return err
	}
	return w.flushIdle()
}

// flush writes the buffer to the file. What the disk does not take stays in the
// buffer. It is called with mu held.
func (w *writer) flush() error {
	if w.file == nil || len(w.buffer) == 0 {
		return nil
	}
	n, err := w.file.Write(w.buffer)
	w.logs.packs.written.Add(int64(n))
	w.buffer = w.buffer[:copy(w.buffer, w.buffer[n:])]
	return err
}

// Write appends p. It returns an error when the log is closed or the disk does not accept
// it; the next Write then reports the loss in the log.
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
	var err error
	if w.young.Load() {
		if w.lost == 0 {
			w.whole = outcomeText(w.buffer)
		}
		err = w.logs.packs.appendLog(dayOf(w.path), w.attempt, w.at.UnixMilli(), w.buffer)
		w.young.Store(false)
		w.logs.sweeper.flushSoon(nil)
	} else {
		err = w.flush()
		w.logs.saveIndex(w.path, &w.ix)
		err = errors.Join(err, w.file.Close())
	}
	w.closed = true
	w.buffer = nil
	w.logs.release(w.path)
	w.wakeReaders()
	if err != nil {
		return fmt.Errorf("close the run log: %w", err)
	}
	return nil
}

// Whole implements [Log].
func (w *writer) Whole() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.whole
}

// outcomeText returns the text of a log as an outcome carries it: valid UTF-8 in whole
// lines. It is empty when the text is too long for that.
func outcomeText(text []byte) string {
	if len(text) == 0 || len(text) >= job.MaxOutcomeLog {
		return ""
	}
	whole := validText(text)
	if whole[len(whole)-1] != '\n' {
		whole += "\n"
	}
	if len(whole) > job.MaxOutcomeLog {
		return ""
	}
	return whole
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
	return w.writeNote("the log is full at %d bytes, what follows is not kept", w.logs.config.MaxFile)
}

// writeNote writes a line about the log itself.
func (w *writer) writeNote(format string, args ...any) error {
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
	if err := w.writeNote("%d bytes are missing here: %v", lost, w.cause); err != nil {
		w.lost = lost // the note itself is no loss
		return err
	}
	w.lost = 0
	return nil
}

func (w *writer) write(b []byte) error {
	n, err := w.writeBytes(b)
	w.ix.addBytes(b[:n])
	if err != nil {
		w.lost += int64(len(b) - n)
		w.cause = err
	}
	w.wakeReaders()
	if !w.told {
		w.told = true
		w.logs.config.Changed(w.attempt)
	}
	return err
}

// writeBytes puts b into the buffer, or into the file when it is large.
func (w *writer) writeBytes(b []byte) (int, error) {
	if w.young.Load() {
		if len(w.buffer)+len(b) <= w.logs.config.Small {
			if w.buffer == nil { // two short lines: most logs have no more
				w.buffer = make([]byte, 0, max(youngBuffer, len(b)))
			}
			w.buffer = append(w.buffer, b...)
			return len(b), nil
		}
		if err := w.spill(); err != nil {
			return 0, err
		}
	}
	if len(w.buffer)+len(b) > fileBuffer {
		if err := w.flush(); err != nil {
			return 0, err
		}
		if len(b) >= fileBuffer {
			n, err := w.file.Write(b)
			w.logs.packs.written.Add(int64(n))
			return n, err
		}
	}
	w.buffer = append(w.buffer, b...)
	if !w.dirty {
		w.dirty = true
		w.logs.sweeper.flushSoon(w)
	}
	return len(b), nil
}

// wakeReaders wakes the readers that wait for a change.
func (w *writer) wakeReaders() {
	if w.changed != nil {
		close(w.changed)
		w.changed = nil
	}
}

// source returns the log as it is now, and nil when it is closed.
func (w *writer) source() (*source, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, nil //nolint:nilnil // the reader looks again
	}
	w.told = false
	s := &source{path: w.path, writer: w, size: w.ix.size, limit: w.ix.end, lines: w.ix.lines}
	if w.young.Load() {
		s.ReaderAt = bytes.NewReader(bytes.Clone(w.buffer))
		return s, nil
	}
	if err := w.flush(); err != nil {
		kept := int64(len(w.buffer)) // the disk did not take it: it is read later
		s.size -= kept
		s.limit = min(s.limit, s.size)
	}
	file, err := w.logs.root.Open(w.path)
	if err != nil {
		return nil, err
	}
	s.ReaderAt, s.file = file, file
	return s, nil
}

// seekLine returns a line start at or before the line.
func (w *writer) seekLine(line int) mark {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ix.seekLine(line)
}

// awaitChange returns a channel that is closed by the next change of the log, and nil
// when it is closed.
func (w *writer) awaitChange() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	if w.changed == nil {
		w.changed = make(chan struct{})
	}
	return w.changed
}
