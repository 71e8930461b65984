package backup

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/orthd/orth/internal/machine"
	"github.com/orthd/orth/job"
)

// Format is the version of archives that this program writes. It cannot read newer ones.
const Format = 1

// The entries of an archive. Logs are below LogFolder.
const (
	Database  = "orth.db"
	Account   = "backup.json"
	LogFolder = "logs"
)

// Keys returns the names of the key and token files in an archive: the key that seals
// secrets, the executors' key, and the token of the command line.
func Keys() []string { return []string{"secrets.key", "executor.token", "api.token"} }

// Limits of an archive.
const (
	MaxEntries = 500_000
	maxName    = 512       // bytes
	maxKey     = 64 << 10  // bytes of a key file
	maxAccount = 128 << 20 // bytes of the manifest
	maxLine    = 4 << 10   // bytes of the manifest for each entry
	maxPadding = 64 << 10  // zero bytes after the end of the tar
	maxWindow  = 128 << 20 // decompression window, in bytes
	// DefaultMaxSize is the default limit of an archive's content, in bytes.
	DefaultMaxSize int64 = 1 << 40
)

// Contents counts the content of a database.
type Contents struct {
	Jobs int64 `json:"jobs"`
	Runs int64 `json:"runs"`
	// Open counts the unfinished runs.
	Open int64 `json:"open_runs"`
}

// Entry is a file of an archive.
type Entry struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"` // in bytes
	SHA256 string `json:"sha256"`
}

// Meta is the manifest of an archive: its last entry.
type Meta struct {
	Format int `json:"format"`
	// Taken is when the copy of the database started. The copy has everything from before,
	// and may have some later changes.
	Taken  time.Time `json:"taken_at"`
	Schema int64     `json:"schema_version"`
	Orth   string    `json:"orth_version"`
	Contents
	Entries []Entry `json:"entries"`
}

// Has reports whether the archive has the entry.
func (m *Meta) Has(name string) bool {
	return slices.ContainsFunc(m.Entries, func(e Entry) bool { return e.Name == name })
}

// Size returns the bytes of all entries.
func (m *Meta) Size() (n int64) {
	for _, e := range m.Entries {
		n += e.Size
	}
	return n
}

// Writer writes an archive. Close it with the manifest at the end; without that it is not a
// valid archive. It must be used by one goroutine.
type Writer struct {
	packed  *zstd.Encoder
	tar     *tar.Writer
	entries []Entry
	tell    func(bytes int64)
}

// NewWriter returns a writer to out. tell is called with the number of bytes just packed;
// nil to ignore them.
func NewWriter(out io.Writer, tell func(bytes int64)) (*Writer, error) {
	packed, err := zstd.NewWriter(out, zstd.WithEncoderCRC(true))
	if err != nil {
		return nil, fmt.Errorf("pack the archive: %w", err)
	}
	if tell == nil {
		tell = func(int64) {}
	}
	return &Writer{packed: packed, tar: tar.NewWriter(packed), tell: tell}, nil
}

// Add packs a file under a name. If the file grows during that, only its original length is
// packed. If it shrinks, Add fails. The end of ctx stops it. Kinds: Full when the archive
// has too many entries already.
func (w *Writer) Add(ctx context.Context, name, file string) error {
	if len(w.entries) >= MaxEntries {
		return job.Errorf(job.Full, "there are more than %d files: copy the logs by other means", MaxEntries)
	}
	from, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("pack %s: %w", name, err)
	}
	defer from.Close()
	info, err := from.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no file")
	}
	if err != nil {
		return fmt.Errorf("pack %s: %w", name, err)
	}
	sum := sha256.New()
	err = w.tar.WriteHeader(&tar.Header{
		Typeflag: tar.TypeReg, Name: name, Size: info.Size(), Mode: 0o600, ModTime: info.ModTime(), Format: tar.FormatPAX,
	})
	if err == nil {
		_, err = io.CopyN(io.MultiWriter(w.tar, sum, told(w.tell)), within{ctx, from}, info.Size())
	}
	if err != nil {
		return fmt.Errorf("pack %s: %w", name, err)
	}
	w.entries = append(w.entries, Entry{name, info.Size(), hex.EncodeToString(sum.Sum(nil))})
	return nil
}

// AddFolder packs the files of a folder below [LogFolder]. It omits files that are deleted
// during that, and those whose name starts with a dot.
func (w *Writer) AddFolder(ctx context.Context, folder string) error {
	return filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return fmt.Errorf("pack the logs: %w", err)
		case file != folder && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !entry.Type().IsRegular():
			return nil
		}
		name, err := filepath.Rel(folder, file)
		if err != nil {
			return fmt.Errorf("pack the logs: %w", err)
		}
		err = w.Add(ctx, path.Join(LogFolder, filepath.ToSlash(name)), file)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}

// Close writes the manifest, fills in its entries, and returns it.
func (w *Writer) Close(m Meta) (Meta, error) {
	m.Format, m.Entries = Format, w.entries
	text, err := json.MarshalIndent(m, "", "  ")
	if err == nil {
		err = w.tar.WriteHeader(&tar.Header{
			Typeflag: tar.TypeReg, Name: Account, Size: int64(len(text)), Mode: 0o600, ModTime: m.Taken, Format: tar.FormatPAX,
		})
	}
	if err == nil {
		_, err = w.tar.Write(text)
	}
	if err == nil {
		err = w.tar.Close()
	}
	if err == nil {
		err = w.packed.Close()
	}
	if err != nil {
		return m, fmt.Errorf("pack the archive: %w", err)
	}
	return m, nil
}

// Abandon releases a writer whose archive is not needed.
func (w *Writer) Abandon() { w.packed.Reset(nil) }

// Unpack extracts an archive into an empty folder, and compares each entry with the
// manifest. It writes nothing outside the folder, whatever the names are. It writes up to
// most bytes; 0 means [DefaultMaxSize]. tell is as in [NewWriter]. Kinds: Invalid when in
// is not a valid archive, is damaged, incomplete or too large, or has data after its
// manifest; Full when the disk has no room for an entry. Entries that are too large are
// refused before they are read.
func Unpack(ctx context.Context, in io.Reader, folder string, most int64, tell func(bytes int64)) (Meta, error) {
	if most <= 0 {
		most = DefaultMaxSize
	}
	if tell == nil {
		tell = func(int64) {}
	}
	unpacked, err := zstd.NewReader(within{ctx, in}, zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(2*maxWindow), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return Meta{}, job.Errorf(job.Invalid, "it is no archive: %w", err)
	}
	defer unpacked.Close()
	root, err := os.OpenRoot(folder)
	if err != nil {
		return Meta{}, fmt.Errorf("open the folder: %w", err)
	}
	defer root.Close()
	u := unpacker{ctx: ctx, root: root, left: most, tell: tell}
	entries := tar.NewReader(unpacked)
	m, err := u.unpackAll(entries)
	if err != nil {
		return Meta{}, err
	}
	return m, u.checkEnd(entries, unpacked)
}

// unpacker is the state of one Unpack.
type unpacker struct {
	ctx  context.Context //nolint:containedctx // It lives as long as one call.
	root *os.Root
	left int64 // bytes that may still be read
	tell func(int64)
	got  []Entry
}

func (u *unpacker) unpackAll(in *tar.Reader) (Meta, error) {
	for {
		header, err := in.Next()
		switch {
		case u.ctx.Err() != nil:
			return Meta{}, context.Cause(u.ctx)
		case errors.Is(err, io.EOF):
			return Meta{}, job.Errorf(job.Invalid, "the archive is not complete: its account, %s, is missing", Account)
		case err != nil:
			return Meta{}, job.Errorf(job.Invalid, "it is no archive, or damaged: %w", err)
		case header.Typeflag != tar.TypeReg:
			return Meta{}, job.Errorf(job.Invalid, "the entry %.80q is no file", header.Name)
		case header.Name == Account:
			return u.account(in, header)
		}
		if err := u.entry(in, header); err != nil {
			return Meta{}, err
		}
	}
}

// checkEnd refuses entries after the manifest without reading them: an appended entry does not
// belong to the backup.
func (u *unpacker) checkEnd(entries *tar.Reader, unpacked io.Reader) error {
	header, err := entries.Next()
	switch {
	case u.ctx.Err() != nil:
		return context.Cause(u.ctx)
	case err == nil:
		return job.Errorf(job.Invalid, "the archive is not whole: the entry %.80q stands behind its account, %s", header.Name, Account)
	case !errors.Is(err, io.EOF):
		return job.Errorf(job.Invalid, "the archive is damaged behind its account: %w", err)
	}
	rest, err := io.ReadAll(io.LimitReader(unpacked, maxPadding+1))
	switch {
	case u.ctx.Err() != nil:
		return context.Cause(u.ctx)
	case err != nil:
		return job.Errorf(job.Invalid, "the archive is damaged at its end: %w", err)
	case len(rest) > maxPadding || bytes.ContainsFunc(rest, func(r rune) bool { return r != 0 }):
		return job.Errorf(job.Invalid, "the archive is not whole: there is more behind its end")
	}
	return nil
}

// entry extracts one file.
func (u *unpacker) entry(in io.Reader, header *tar.Header) error {
	name, most := header.Name, u.left
	switch {
	case !known(name):
		return job.Errorf(job.Invalid, "the entry %.80q is none of a backup: is it an archive that 'orth backup' made?", name)
	case len(u.got) >= MaxEntries:
		return job.Errorf(job.Invalid, "the archive has more than %d entries", MaxEntries)
	case slices.Contains(Keys(), name):
		most = min(most, maxKey)
	}
	if header.Size > most {
		wrong := job.Errorf(job.Invalid, "the archive is larger than allowed: %.80q has %d bytes, and %d are left", name, header.Size, most)
		wrong.Hint = "if it is yours, allow more with --max-size"
		return wrong
	}
	if free, total, err := machine.DiskSpace(u.root.Name()); err == nil && total > 0 && uint64(header.Size) > free {
		wrong := job.Errorf(job.Full, "there is no room for the entry %.80q: it has %d bytes, and %d are free", name, header.Size, free)
		wrong.Hint = "make room, or unpack it into a folder on another disk"
		return wrong
	}
	if dir := path.Dir(name); dir != "." {
		if err := u.root.MkdirAll(filepath.FromSlash(dir), 0o700); err != nil {
			return fmt.Errorf("unpack %s: %w", name, err)
		}
	}
	file, err := u.root.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return job.Errorf(job.Invalid, "the entry %.80q stands twice in the archive", name)
	}
	if err != nil {
		return fmt.Errorf("unpack %s: %w", name, err)
	}
	from, sum := &remembering{in: in}, sha256.New()
	n, err := io.Copy(io.MultiWriter(file, sum, told(u.tell)), from)
	if err == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	switch {
	case u.ctx.Err() != nil:
		return context.Cause(u.ctx)
	case from.err != nil:
		return job.Errorf(job.Invalid, "the archive is damaged at %s: %w", name, from.err)
	case err != nil:
		return fmt.Errorf("unpack %s: %w", name, err)
	}
	u.left -= n
	u.got = append(u.got, Entry{name, n, hex.EncodeToString(sum.Sum(nil))})
	return nil
}

// account reads the manifest and compares it with the entries before it.
func (u *unpacker) account(in io.Reader, header *tar.Header) (m Meta, err error) {
	if most := min(maxAccount, maxKey+maxLine*int64(len(u.got))); header.Size > most {
		return Meta{}, job.Errorf(job.Invalid, "the account of the archive is too large: it has %d bytes, and one of %d entries has at most %d",
			header.Size, len(u.got), most)
	}
	text, err := io.ReadAll(in)
	if err == nil {
		err = json.NewDecoder(bytes.NewReader(text)).Decode(&m)
	}
	switch {
	case err != nil:
		return Meta{}, job.Errorf(job.Invalid, "the account of the archive cannot be read: %w", err)
	case m.Format > Format:
		return Meta{}, job.Errorf(job.Invalid, "the archive has format %d, and this Orth knows formats up to %d: use a newer Orth", m.Format, Format)
	case m.Format < 1 || m.Taken.IsZero():
		return Meta{}, job.Errorf(job.Invalid, "the account of the archive is none of a backup")
	case !m.Has(Database):
		return Meta{}, job.Errorf(job.Invalid, "there is no database in the archive")
	case len(m.Entries) != len(u.got):
		return Meta{}, job.Errorf(job.Invalid, "the archive has %d entries and its account tells of %d", len(u.got), len(m.Entries))
	}
	for i, want := range m.Entries {
		if u.got[i] != want {
			return Meta{}, job.Errorf(job.Invalid, "the archive is damaged: the entry %.80q is not what its account says", u.got[i].Name)
		}
	}
	return m, nil
}

// known reports whether an archive may contain an entry of this name.
func known(name string) bool {
	if name == Database || slices.Contains(Keys(), name) {
		return true
	}
	return strings.HasPrefix(name, LogFolder+"/") && len(name) <= maxName && fs.ValidPath(name) &&
		filepath.IsLocal(filepath.FromSlash(name)) && !strings.ContainsAny(name, "\\:\x00")
}

// told calls a function with the number of bytes written.
type told func(bytes int64)

// Write implements io.Writer.
func (t told) Write(p []byte) (int, error) {
	t(int64(len(p)))
	return len(p), nil
}

// within reads until a context ends.
type within struct {
	ctx context.Context //nolint:containedctx // It is the reader's life.
	in  io.Reader
}

// Read implements io.Reader.
func (w within) Read(p []byte) (int, error) {
	if w.ctx.Err() != nil {
		return 0, context.Cause(w.ctx)
	}
	return w.in.Read(p)
}

// remembering keeps the error of a reader, to distinguish it from the writer's.
type remembering struct {
	in  io.Reader
	err error
}

// Read implements io.Reader.
func (r *remembering) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}
