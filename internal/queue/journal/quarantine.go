package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
)

const (
	quarantineName = "damaged"
	// quarantineBytes bounds the file of damaged bytes.
	quarantineBytes = 16 << 20
)

// damaged reports damage and copies its bytes into the quarantine.
func (s *scan) damaged(name, what string, content []byte) {
	s.journal.damage++
	s.lost = true
	s.journal.Quarantine(name, what, content)
}

// Quarantine reports damage and keeps its bytes, as far as there is room.
func (j *Journal) Quarantine(name, what string, content []byte) {
	content = bytes.TrimRight(content, "\x00")
	kept, err := j.keepSegments(fmt.Appendf(nil, "\n--- %s: %s, %d bytes\n", name, what, len(content)), content)
	if err != nil {
		j.config.Logger.Error("queue_quarantine_failed", "file", quarantineName, "error", err)
	}
	j.config.Logger.Error("queue_damage_set_aside", "file", name, "damage", what, "bytes", len(content), "kept_in_"+quarantineName, kept)
}

func (j *Journal) keepSegments(title, content []byte) (kept int, err error) {
	f, err := j.disk.Open(quarantineName, false)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = j.disk.Open(quarantineName, true)
	}
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	size, err := f.Size()
	if err != nil {
		return 0, err
	}
	room := quarantineBytes - size - int64(len(title))
	if room < 0 {
		return 0, nil
	}
	content = content[:min(int64(len(content)), room)]
	if _, err := f.WriteAt(append(title, content...), size); err != nil {
		return 0, err
	}
	return len(content), f.Sync()
}
