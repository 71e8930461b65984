package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/orthd/orth/job"
)

const (
	manifestName  = "manifest"
	manifestMagic = "ORTHMNFT"
	manifestBytes = 8 + 4 + 8 + 8 + 8 + 4 // magic, version, turn, oldest, newest, checksum
)

// manifest is which segments there are. Its file has two slots in two blocks,
// which are written in turn.
type manifest struct {
	file           File
	turn           uint64 // of the last record that was written
	oldest, newest uint64 // newest is oldest-1 when there is none
}

func (m *manifest) encode() []byte {
	b := make([]byte, 0, manifestBytes)
	b = append(b, manifestMagic...)
	b = binary.LittleEndian.AppendUint32(b, version)
	b = binary.LittleEndian.AppendUint64(b, m.turn)
	b = binary.LittleEndian.AppendUint64(b, m.oldest)
	b = binary.LittleEndian.AppendUint64(b, m.newest)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// decode reads the newer of the slots; found is false when there is none.
func (m *manifest) decode(content []byte) (found bool, err error) {
	for at := 0; at+manifestBytes <= len(content); at += blockBytes {
		b := content[at : at+manifestBytes]
		turn := binary.LittleEndian.Uint64(b[12:])
		if string(b[:8]) != manifestMagic || binary.LittleEndian.Uint32(b[36:]) != crc32.Checksum(b[:36], castagnoli) || turn < m.turn {
			continue
		}
		if v := binary.LittleEndian.Uint32(b[8:]); v > version {
			return false, newer(manifestName, v)
		}
		found = true
		m.turn, m.oldest, m.newest = turn, binary.LittleEndian.Uint64(b[20:]), binary.LittleEndian.Uint64(b[28:])
	}
	return found, nil
}

func newer(name string, v uint32) error {
	return &job.Error{
		Kind:    job.Conflict,
		Message: fmt.Sprintf("%s of the queue has format %d, this version knows up to %d", name, v, version),
		Hint:    "start the newer version that wrote it, or give this one another folder",
	}
}

// write makes which segments there are durable. What is in m is changed only
// then.
func (m *manifest) write(oldest, newest uint64) error {
	next := manifest{turn: m.turn + 1, oldest: oldest, newest: newest}
	if _, err := m.file.WriteAt(next.encode(), int64(next.turn%2)*blockBytes); err != nil {
		return fmt.Errorf("write the manifest: %w", err)
	}
	if err := m.file.Sync(); err != nil {
		return fmt.Errorf("sync the manifest: %w", err)
	}
	m.turn, m.oldest, m.newest = next.turn, oldest, newest
	return nil
}

// createManifest makes the file of a new journal, or of one whose manifest is
// lost.
func createManifest(d Disk, oldest, newest uint64) (*manifest, error) {
	m := &manifest{turn: 1, oldest: oldest, newest: newest}
	f, err := d.Open(freshName, true)
	if err != nil {
		return nil, err
	}
	m.file = f
	block := make([]byte, 2*blockBytes)
	copy(block[blockBytes:], m.encode())
	if _, err = f.WriteAt(block, 0); err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = d.Rename(freshName, manifestName)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return m, nil
}

// openManifest reads the manifest; nil when it cannot be read.
func openManifest(d Disk) (*manifest, error) {
	f, err := d.Open(manifestName, false)
	if err != nil {
		return nil, err
	}
	m := &manifest{file: f}
	content := make([]byte, 2*blockBytes)
	if n, err := f.ReadAt(content, 0); err != nil && !errors.Is(err, io.EOF) && n == 0 {
		content = nil // as a damaged one
	}
	found, err := m.decode(content)
	if err != nil || !found {
		return nil, errors.Join(err, f.Close())
	}
	return m, nil
}
