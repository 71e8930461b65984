package sqlite

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/lifecycle/lifecycletest"
	"github.com/orthd/orth/internal/store/sqlstore"
	"github.com/orthd/orth/job"
)

// file returns the path of a database in a folder that does not exist yet.
func file(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "deep", "data", "orth.db")
}

func mustOpen(t *testing.T, path string, c Config) *Store {
	t.Helper()
	s, err := Open(path, c)
	if err != nil {
		t.Fatalf("open %s: %v", path, err)
	}
	return s
}

func mustClose(t *testing.T, s *Store) {
	t.Helper()
	closing(t, s)
}

// closing closes what a test has opened.
func closing(t *testing.T, c io.Closer) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// alter changes the database with nobody else in it.
func alter(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer closing(t, db)
	for _, statement := range statements {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// start runs the store until the test ends and closes it then.
func start(t *testing.T, s *Store) {
	t.Helper()
	t.Cleanup(func() {
		mustClose(t, s)
	})
	lifecycletest.Start(t, s.Run)
}

// refused checks an error that keeps a server from starting.
func refused(t *testing.T, err error, kind job.Kind, texts ...string) {
	t.Helper()
	wrong, ok := err.(*job.Error) //nolint:errorlint // Callers print this very error.
	if !ok || wrong.Kind != kind || wrong.Hint == "" {
		t.Fatalf("got %#v, want kind %s and a hint", err, kind)
	}
	for _, text := range texts {
		if !strings.Contains(wrong.Error(), text) {
			t.Errorf("%q does not say %q", wrong.Error(), text)
		}
	}
}

func TestOpenMakesFilesForTheOwnerAlone(t *testing.T) {
	t.Parallel()
	path := file(t)
	s := mustOpen(t, path, Config{})
	start(t, s)
	if _, err := s.NextRunID(t.Context()); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "windows" {
		return // it has no such modes
	}
	for name, want := range map[string]os.FileMode{
		"": 0o700, "orth.db": 0o600, "orth.db-wal": 0o600, "orth.db-shm": 0o600, "orth.db.lock": 0o600,
	} {
		info, err := os.Stat(filepath.Join(filepath.Dir(path), name))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%q has mode %o, want %o", name, got, want)
		}
	}
}

func TestOpenNarrowsTheModeOfAnOldFile(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("files have no such modes here")
	}
	path := file(t)
	mustClose(t, mustOpen(t, path, Config{}))
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	mustClose(t, mustOpen(t, path, Config{}))
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o600 {
		t.Errorf("mode %o", got)
	}
}

func TestOpenTakesOddPaths(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "50% of #1 & größe;x", "a b.db")
	mustClose(t, mustOpen(t, path, Config{}))
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
	mustClose(t, mustOpen(t, path, Config{}))
}

func TestSettings(t *testing.T) {
	t.Parallel()
	path := file(t)
	mustClose(t, mustOpen(t, path, Config{}))
	write, err := openPool(path, 1, writeSettings(&Config{MaxPages: 299}))
	if err != nil {
		t.Fatal(err)
	}
	defer closing(t, write)
	read, err := openPool(path, 2, readSettings())
	if err != nil {
		t.Fatal(err)
	}
	defer closing(t, read)
	for _, c := range []struct {
		db            *sql.DB
		setting, want string
	}{
		{write, "journal_mode", "wal"},
		{write, "synchronous", "2"}, // FULL
		{write, "foreign_keys", "1"},
		{write, "busy_timeout", "5000"},
		{write, "cache_size", "-16384"},
		{write, "wal_autocheckpoint", "8192"},
		{write, "max_page_count", "299"},
		{write, "query_only", "0"},
		{read, "busy_timeout", "5000"},
		{read, "query_only", "1"},
		{read, "journal_mode", "wal"},
	} {
		var got string
		if err := c.db.QueryRowContext(t.Context(), "PRAGMA "+c.setting).Scan(&got); err != nil || got != c.want {
			t.Errorf("%s is %q, want %q (%v)", c.setting, got, c.want, err)
		}
	}
	if _, err := read.ExecContext(t.Context(), "DELETE FROM runs"); err == nil {
		t.Error("a reader may write")
	}
}

func TestOpenRefusesASecondServer(t *testing.T) {
	t.Parallel()
	path := file(t)
	s := mustOpen(t, path, Config{})
	for range 2 { // the refusal must not break the lock
		_, err := Open(path, Config{})
		refused(t, err, job.Conflict, "another orth server (pid ", filepath.Dir(path))
	}
	mustClose(t, s)
	mustClose(t, mustOpen(t, path, Config{}))
}

func TestOpenRefusesWhatIsNoDatabase(t *testing.T) {
	t.Parallel()
	path := file(t)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	text := []byte(strings.Repeat("this is a diary\n", 1000))
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_, err := Open(path, Config{})
		refused(t, err, job.Invalid, path, "is not a database")
	}
	after, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(after, text) {
		t.Errorf("the file was changed (%v)", err)
	}
}

func TestOpenRefusesAnotherProgramsDatabase(t *testing.T) {
	t.Parallel()
	for name, statement := range map[string]string{
		"with tables": "CREATE TABLE bookmarks (url TEXT)",
		"with a mark": "PRAGMA application_id = 42",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "orth.db")
			alter(t, path, statement)
			_, err := Open(path, Config{})
			refused(t, err, job.Invalid, path, "another program")
		})
	}
}

func TestOpenRefusesANewerSchema(t *testing.T) {
	t.Parallel()
	path := file(t)
	mustClose(t, mustOpen(t, path, Config{}))
	alter(t, path, "INSERT INTO schema_versions (version_id, is_applied) VALUES (4711, 1)")
	_, err := Open(path, Config{})
	known, globbing := filepath.Glob("migrations/*.sql")
	if globbing != nil {
		t.Fatal(globbing)
	}
	newest := strings.TrimLeft(filepath.Base(known[len(known)-1])[:4], "0")
	refused(t, err, job.Invalid, path, "schema version 4711", "up to "+newest)
}

func TestOpenRefusesADamagedFile(t *testing.T) {
	t.Parallel()
	path := file(t)
	mustClose(t, mustOpen(t, path, Config{}))
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte(strings.Repeat("\xff", 3000)), 100); err != nil { // behind the header
		t.Fatal(err)
	}
	f.Close()
	_, err = Open(path, Config{})
	refused(t, err, job.Internal, path, "damaged")
}

func TestOpenRefusesAFolderItCannotUse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(filepath.Join(plain, "orth.db"), Config{})
	refused(t, err, job.Unavailable, plain, "cannot be used")

	folder := filepath.Join(dir, "folder", "orth.db")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	_, err = Open(folder, Config{})
	refused(t, err, job.Unavailable, filepath.Dir(folder), "cannot be used")

	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		return // every folder is writable
	}
	locked := filepath.Join(dir, "locked")
	if err := os.Mkdir(locked, 0o500); err != nil {
		t.Fatal(err)
	}
	_, err = Open(filepath.Join(locked, "orth.db"), Config{})
	refused(t, err, job.Unavailable, locked, "cannot be used", "permission denied")
}

// A start that ended between the mark and the tables goes on at the next one.
func TestOpenGoesOnAfterAnInterruptedStart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "orth.db")
	alter(t, path, "PRAGMA application_id = 0x4F727468")
	mustClose(t, mustOpen(t, path, Config{}))
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	path := file(t)
	s := mustOpen(t, path, Config{MaxPages: 240})
	start(t, s)
	create := func(param string) (job.Job, error) {
		id, err := s.NextRunID(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s.CreateJob(t.Context(), job.Job{
			Namespace: job.DefaultNamespace, Key: "job-" + string(rune('a'+id)), Group: "demo", Param: param,
		})
	}
	var acknowledged []job.Job
	for {
		j, err := create(strings.Repeat("x", 40_000))
		if err != nil {
			if !job.Is(err, job.Unavailable) || !strings.Contains(err.Error(), "full") {
				t.Fatalf("got %v", err)
			}
			break
		}
		acknowledged = append(acknowledged, j)
		if len(acknowledged) > 20 {
			t.Fatal("the file has no bound")
		}
	}
	small, err := create("") // what fits is written
	if err != nil {
		t.Fatalf("a small write after a full disk: %v", err)
	}
	for _, want := range append(acknowledged, small) {
		got, err := s.Job(t.Context(), want.Namespace, want.Key)
		if err != nil || got.ID != want.ID || got.Param != want.Param {
			t.Errorf("job %s: %v", want.Key, err)
		}
	}
	jobs, err := s.JobsByID(t.Context(), []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
	if err != nil || len(jobs) != len(acknowledged)+1 {
		t.Errorf("%d jobs, %d were acknowledged (%v)", len(jobs), len(acknowledged)+1, err)
	}
}

func TestGroupsAndExecutorsAreBounded(t *testing.T) {
	t.Parallel()
	const keep = 24 * 60 * 60 * 1000 // ms that the rows of the dead stay
	s := mustOpen(t, file(t), Config{Limits: sqlstore.Limits{Groups: 3, Executors: 20}})
	start(t, s)
	beat := func(group, address string, ms int64) error {
		_, err := s.PutLease(t.Context(), job.Executor{
			Group: group, Address: address, SeenAt: job.FromMillis(ms), LeaseUntil: job.FromMillis(ms + 90_000),
		})
		return err
	}
	for i := range 20 { // one by one, the first lease ends at 90 s, the last at 109 s
		if err := beat(fmt.Sprintf("g%d", i%3), fmt.Sprintf("http://%d", i), int64(i)*1000); err != nil {
			t.Fatal(err)
		}
	}
	if err := beat("new", "http://1", 1); !job.Is(err, job.Full) {
		t.Errorf("one group too many: %v", err)
	}
	if _, err := s.CreateJob(t.Context(), job.Job{Namespace: "default", Key: "a", Group: "new"}); !job.Is(err, job.Full) {
		t.Errorf("a job with one group too many: %v", err)
	}
	if err := beat("g1", "http://new", 20_000); !job.Is(err, job.Full) {
		t.Errorf("one executor too many: %v", err)
	}
	if err := beat("g0", "http://0", 20_000); err != nil {
		t.Errorf("one that is known: %v", err)
	}
	if err := beat("g1", "http://new", 94_000); err != nil { // 1, 2, 3 and 4 are dead
		t.Errorf("when others are dead: %v", err)
	}
	if got := rows(t, s); got != 20-4+1 {
		t.Errorf("%d rows are left", got)
	}
	if err := beat("g1", "http://newer", 150_000+keep); err != nil { // those of yesterday go first
		t.Error(err)
	}
	if got := rows(t, s); got != 2 {
		t.Errorf("%d rows are left", got)
	}
}

// rows returns the number of executors with a row, alive or not.
func rows(t *testing.T, s *Store) int {
	t.Helper()
	all, err := s.Leases(t.Context(), job.FromMillis(1))
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// A database that is known and missing, or empty, is not created: all that there was would
// be forgotten without a word.
func TestOpenMissesAKnownDatabase(t *testing.T) {
	t.Parallel()
	path := file(t)
	if _, err := Open(path, Config{Known: true}); !errors.Is(err, ErrGone) || !job.Is(err, job.NotFound) {
		t.Errorf("no file: %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file was made: %v", err)
	}
	mustClose(t, mustOpen(t, path, Config{}))
	mustClose(t, mustOpen(t, path, Config{Known: true}))
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, Config{Known: true}); !errors.Is(err, ErrGone) {
		t.Errorf("an empty file: %v", err)
	}
	mustClose(t, mustOpen(t, path, Config{})) // without that knowledge it is created
}

// A database whose log was removed is told of: SQLite would open it as it was at its last
// checkpoint.
func TestOpenMissesTheLog(t *testing.T) {
	t.Parallel()
	path := file(t)
	s := mustOpen(t, path, Config{})
	stop := lifecycletest.Start(t, s.Run)
	if _, err := s.NextRunID(t.Context()); err != nil {
		t.Fatal(err)
	}
	stop()
	copied := file(t) // as a server leaves it that is killed
	if err := os.MkdirAll(filepath.Dir(copied), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, ending := range []string{"", "-shm", "-wal"} {
		text, err := os.ReadFile(path + ending)
		if err == nil {
			err = os.WriteFile(copied+ending, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	mustClose(t, s)
	log, err := os.ReadFile(copied + "-wal")
	if err == nil {
		err = os.Remove(copied + "-wal")
	}
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open(copied, Config{})
	refused(t, err, job.Internal, copied, "lacks its log", "-wal is not")
	_, err = Copy(t.Context(), copied, copied+".copy")
	refused(t, err, job.Internal, copied, "lacks its log")
	if err := os.WriteFile(copied+"-wal", log, 0o600); err != nil {
		t.Fatal(err)
	}
	again := mustOpen(t, copied, Config{})
	defer mustClose(t, again)
	lifecycletest.Start(t, again.Run)
	if next, err := again.NextRunID(t.Context()); err != nil || next != 1001 {
		t.Errorf("with the log the next run is %d, %v", next, err)
	}
}
