package app

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/orthd/orth/internal/audit"
	"github.com/orthd/orth/internal/rest/overview"
	"github.com/orthd/orth/job"
)

// maxAuditBatches bounds the transactions whose lines wait to be written to the file.
const maxAuditBatches = 1024

// auditFile appends the lines of the audit to a file, as JSON, one a line. Changes
// never wait for it: what there is no room for, or cannot be written, is counted, and
// is in the database all the same.
type auditFile struct {
	path    string
	batches chan []audit.Line
	lost    func(lines int)
	logger  *slog.Logger

	// Used by Run only.
	file    *os.File
	failing bool
}

// newAuditFile opens the file, so that one that cannot be written is found before the
// server starts. Kinds: Invalid.
func newAuditFile(path string, lost func(lines int), logger *slog.Logger) (*auditFile, error) {
	f := &auditFile{path: path, batches: make(chan []audit.Line, maxAuditBatches), lost: lost, logger: logger}
	if err := f.open(); err != nil {
		return nil, job.FieldErrorf("audit-file", "cannot be written to: %w", err)
	}
	return f, nil
}

// take takes lines to be written, and keeps them. It never waits. A nil file takes
// none.
func (f *auditFile) take(lines []audit.Line) {
	if f == nil {
		return
	}
	select {
	case f.batches <- lines:
	default:
		f.lost(len(lines))
	}
}

// Run writes until ctx ends and what was taken by then is written.
func (f *auditFile) Run(ctx context.Context) error {
	defer f.close()
	for {
		select {
		case lines := <-f.batches:
			f.write(lines)
		case <-ctx.Done():
			for {
				select {
				case lines := <-f.batches:
					f.write(lines)
				default:
					return nil
				}
			}
		}
	}
}

// write appends lines. It logs once when writing begins to fail, and once when it works
// again.
func (f *auditFile) write(lines []audit.Line) {
	err := f.append(lines)
	if err != nil {
		f.lost(len(lines))
		f.close() // the next lines try again
	}
	switch {
	case err != nil && !f.failing:
		f.logger.Warn("lines of the audit are not in the file, only in the database", "file", f.path, "error", err)
	case err == nil && f.failing:
		f.logger.Info("lines of the audit are written to the file again", "file", f.path)
	}
	f.failing = err != nil
}

func (f *auditFile) append(lines []audit.Line) error {
	if err := f.follow(); err != nil {
		return err
	}
	out := bufio.NewWriter(f.file)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for i := range lines {
		if err := encoder.Encode(overview.AuditLine(&lines[i])); err != nil {
			return err
		}
	}
	return out.Flush()
}

// follow reopens the file after it was moved away.
func (f *auditFile) follow() error {
	if f.file != nil {
		has, err := f.file.Stat()
		if err != nil {
			return err
		}
		if is, err := os.Stat(f.path); err == nil && os.SameFile(has, is) {
			return nil
		}
		f.close()
	}
	return f.open()
}

func (f *auditFile) open() error {
	file, err := os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if about, err := file.Stat(); err != nil || about.IsDir() {
		return errors.Join(fmt.Errorf("%s is no file", f.path), err, file.Close())
	}
	f.file = file
	return nil
}

// close closes the file, when it is open. A nil file has nothing to close.
func (f *auditFile) close() {
	if f != nil && f.file != nil {
		_ = f.file.Close() // what was written is with the system
		f.file = nil
	}
}
