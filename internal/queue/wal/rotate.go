package wal

// Rotate wipes what is over out of the log files: rows that were deleted, and old
// values, may hold secrets. What lives goes on in the other file, as one record. So
// nothing that is deleted is in a log file for longer than the time between two
// calls. It does nothing when nothing was committed since the last one.
//
// The back end inside learns that the record is all there is behind it, before the old
// file is wiped: until then that has the same rows.
func (l *Log) Rotate() error {
	l.writer.Lock()
	defer l.writer.Unlock()
	if l.closed {
		return errClosed()
	}
	if err := l.clearDoubt(); err != nil {
		return err
	}
	l.wait()
	s := l.state.Load()
	if l.number == l.rotated && s.frozen == nil {
		return nil
	}
	l.record.reset()
	s.active.carry(&l.record)
	old, next := l.files[l.current], l.files[1-l.current]
	if s.frozen != nil || s.active.empty() || !next.ready || len(l.record.bytes) > l.config.LogBytes {
		if err := l.direct(s.active, s.gaps); err != nil {
			return err
		}
		l.rotated = l.number
		return nil
	}
	if err := next.append(l.record.seal(l.seed, next.generation, l.number+1)); err != nil {
		l.appending.fails(l.config.Logger, err)
		return l.direct(s.active, s.gaps)
	}
	l.number++
	l.current = 1 - l.current
	old.ready = false // until it is wiped
	l.mu.Lock()
	now := *l.state.Load()
	active := *now.active
	active.last = l.number
	now.active = &active
	l.state.Store(&now)
	l.mu.Unlock()
	if err := l.checkpoint(l.number - 1); err != nil { // the mark alone
		return err
	}
	l.restart(old, l.nextHeader())
	l.rotated = l.number
	return nil
}

// carry puts all of a layer into a record.
func (l *layer) carry(r *record) {
	for name, tr := range l.trees {
		tr.Scan(func(e item) bool {
			if e.value == nil {
				r.delete(name, e.key)
			} else {
				r.put(name, e.key, e.value)
			}
			return true
		})
	}
}
