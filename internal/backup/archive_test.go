package backup

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/orthd/orth/job"
)

var taken = time.Date(2030, 3, 1, 12, 0, 0, 0, time.UTC)

// made returns an archive with a database, a key and a log.
func made(t *testing.T) []byte {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"orth.db": strings.Repeat("database ", 1000), "secrets.key": "key", "logs/2030/a.pack": "lines", "logs/.new/x": "half"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	w, err := NewWriter(&out, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{Database, "secrets.key"} {
		if err := w.Add(t.Context(), name, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.AddFolder(t.Context(), filepath.Join(dir, "logs")); err != nil {
		t.Fatal(err)
	}
	m, err := w.Close(Meta{Taken: taken, Schema: 33, Orth: "1.2.3", Contents: Contents{Jobs: 1}})
	if err != nil || len(m.Entries) != 3 || m.Size() != 9008 {
		t.Fatalf("%+v, %v", m, err)
	}
	return out.Bytes()
}

func TestArchive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m, err := Unpack(t.Context(), bytes.NewReader(made(t)), dir, 0, nil)
	if err != nil || m.Schema != 33 || !m.Taken.Equal(taken) || !m.Has("logs/2030/a.pack") || m.Has("logs/.new/x") {
		t.Fatalf("%+v, %v", m, err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "logs", "2030", "a.pack")); err != nil || string(text) != "lines" {
		t.Errorf("%q, %v", text, err)
	}
	if info, err := os.Stat(filepath.Join(dir, "secrets.key")); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read the key: %v, %v", info, err)
	}
}

// forged returns an archive with the entries, written without care.
func forged(t *testing.T, entries ...tar.Header) []byte {
	t.Helper()
	var out bytes.Buffer
	packed, err := zstd.NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(packed)
	for i := range entries {
		h := &entries[i]
		text := h.PAXRecords["text"]
		h.PAXRecords = nil
		if h.Typeflag == 0 {
			h.Typeflag = tar.TypeReg
		}
		if h.Typeflag == tar.TypeReg {
			h.Size = max(h.Size, int64(len(text)))
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			if _, err := w.Write(append([]byte(text), make([]byte, int(h.Size)-len(text))...)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := packed.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func with(name, text string) tar.Header {
	return tar.Header{Name: name, PAXRecords: map[string]string{"text": text}}
}

// What is no archive, or not all of one, is refused with words, and nothing leaves the folder.
func TestUnpackRefuses(t *testing.T) {
	t.Parallel()
	account := func(change func(*Meta)) tar.Header {
		m := Meta{Format: Format, Taken: taken, Entries: []Entry{{Database, 1, "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"}}}
		change(&m)
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return with(Account, string(text))
	}
	db := with(Database, "x")
	if _, err := Unpack(t.Context(), bytes.NewReader(forged(t, db, account(func(*Meta) {}))), t.TempDir(), 0, nil); err != nil {
		t.Fatalf("the pattern of the others is refused: %v", err)
	}
	good := made(t)
	damaged := bytes.Clone(good)
	damaged[len(damaged)/2] ^= 0x40
	for name, c := range map[string]struct {
		text []byte
		most int64
		want string
	}{
		"nothing":            {nil, 0, "not complete"},
		"another file":       {[]byte("hello, this is no archive at all"), 0, "no archive"},
		"cut":                {good[:len(good)-20], 0, "damaged"},
		"damaged":            {damaged, 0, ""},
		"no account":         {forged(t, db), 0, "not complete"},
		"climbs":             {forged(t, with("../orth.db", "x")), 0, "none of a backup"},
		"climbs out of logs": {forged(t, with("logs/../../x", "x")), 0, "none of a backup"},
		"from the root":      {forged(t, with("/etc/passwd", "x")), 0, "none of a backup"},
		"a drive":            {forged(t, with("logs/c:/x", "x")), 0, "none of a backup"},
		"a link":             {forged(t, tar.Header{Name: "logs/x", Typeflag: tar.TypeSymlink, Linkname: "/etc"}), 0, "no file"},
		"twice":              {forged(t, db, db), 0, "twice"},
		"a bomb":             {forged(t, tar.Header{Name: Database, Size: 4 << 20}), 1 << 20, "larger than allowed"},
		"a large key":        {forged(t, tar.Header{Name: "secrets.key", Size: 1 << 20}), 0, "larger than allowed"},
		"an empty account":   {forged(t, db, with(Account, "{}")), 0, "none of a backup"},
		"no JSON":            {forged(t, db, with(Account, "{")), 0, "cannot be read"},
		"a newer format":     {forged(t, db, account(func(m *Meta) { m.Format = 2 })), 0, "use a newer Orth"},
		"no database":        {forged(t, account(func(m *Meta) { m.Entries = nil })), 0, "no database"},
		"another sum":        {forged(t, with(Database, "y"), account(func(*Meta) {})), 0, "not what its account says"},
		"behind the account": {forged(t, db, account(func(*Meta) {}), with("logs/x", "x")), 0, `the entry "logs/x" stands behind its account`},
		"two accounts":       {forged(t, db, account(func(*Meta) {}), account(func(*Meta) {})), 0, "stands behind its account"},
		"behind the tar":     {append(bytes.Clone(good), good...), 0, "more behind its end"},
		"behind the archive": {append(bytes.Clone(good), "hello"...), 0, "damaged at its end"},
		"a large account":    {forged(t, db, tar.Header{Name: Account, Size: 1 << 20}), 0, "one of 1 entries has at most 69632"},
		"one too many":       {forged(t, db, with("logs/x", "x"), account(func(*Meta) {})), 0, "2 entries"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parent := t.TempDir()
			dir := filepath.Join(parent, "data")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			_, err := Unpack(t.Context(), bytes.NewReader(c.text), dir, c.most, nil)
			if !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if beside, err := os.ReadDir(parent); err != nil || len(beside) != 1 {
				t.Errorf("beside the folder there is %v, %v", beside, err)
			}
		})
	}
}

// What is too large is refused by its header: none of its bytes is there to be read.
func TestUnpackRefusesBeforeItReads(t *testing.T) {
	t.Parallel()
	const large = 600 << 20
	header := func(name string, size int64) []byte {
		var out bytes.Buffer
		packed, err := zstd.NewWriter(&out)
		if err != nil {
			t.Fatal(err)
		}
		w := tar.NewWriter(packed)
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Format: tar.FormatPAX}); err != nil {
			t.Fatal(err)
		}
		if err := packed.Flush(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	for _, test := range []struct {
		name       string
		size, most int64
		kind       job.Kind
		want       string
	}{
		{Account, large, 0, job.Invalid, "the account of the archive is too large"},
		{"secrets.key", large, 0, job.Invalid, "larger than allowed"},
		{"logs/x", large, large - 1, job.Invalid, "larger than allowed"},
		{"other", large, 0, job.Invalid, "none of a backup"},
		{Database, 1 << 58, 1 << 60, job.Full, "there is no room"},
	} {
		in := bytes.NewReader(header(test.name, test.size))
		_, err := Unpack(t.Context(), in, t.TempDir(), test.most, nil)
		if !job.Is(err, test.kind) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s of %d bytes: %v, want %q", test.name, test.size, err, test.want)
		}
	}
}

// The end of a context ends both directions.
func TestArchiveGivenUp(t *testing.T) {
	t.Parallel()
	good := made(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Unpack(ctx, bytes.NewReader(good), t.TempDir(), 0, nil); err == nil {
		t.Error("it was unpacked nevertheless")
	}
	w, err := NewWriter(&bytes.Buffer{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := w.Add(ctx, Database, file); err == nil {
		t.Error("it was packed nevertheless")
	}
	w.Abandon()
}

func FuzzUnpack(f *testing.F) {
	f.Add([]byte("no archive"))
	f.Fuzz(func(t *testing.T, text []byte) {
		parent := t.TempDir()
		dir := filepath.Join(parent, "data")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if _, err := Unpack(t.Context(), bytes.NewReader(text), dir, 1<<20, nil); err != nil && !job.Is(err, job.Invalid) {
			t.Errorf("%v is no mistake of the archive", err)
		}
		if beside, err := os.ReadDir(parent); err != nil || len(beside) != 1 {
			t.Errorf("beside the folder there is %v, %v", beside, err)
		}
	})
}
