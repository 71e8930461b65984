package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

// stored puts a blob where the server keeps logs, once it runs.
func stored(t *testing.T, c Config) *Server {
	t.Helper()
	c.Listen = "127.0.0.1:0"
	s := beginWith(t, c)
	kept, err := s.blobs()
	if err != nil {
		t.Fatal(err)
	}
	if c, opened := kept.(interface{ Close() error }); opened {
		t.Cleanup(func() { _ = c.Close() }) // the server has another one
	}
	until(t, "a blob is stored", func() bool { return kept.Put(t.Context(), "test/blob", []byte("text")) == nil })
	return s
}

func TestLogStores(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		store LogStore
		dir   string
		file  string // where the blob is, empty when it is not a file
	}{
		"by default":         {"", "", "data/logs/test/blob"},
		"a folder":           {LogsInFolder, "elsewhere", "elsewhere/test/blob"},
		"the database":       {LogsInDatabase, "", ""},
		"the usual, by name": {LogsInFolder, "", "data/logs/test/blob"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			config := Config{Data: filepath.Join(root, "data"), LogStore: c.store}
			if c.dir != "" {
				config.LogFolder = filepath.Join(root, c.dir)
			}
			stored(t, config)
			_, err := os.Stat(filepath.Join(root, "data", "logs"))
			if made := err == nil; made != (c.file == "data/logs/test/blob") {
				t.Errorf("the folder for logs is there: %t", made)
			}
			if c.file == "" {
				return
			}
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(c.file))); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestLogStoreIsChecked(t *testing.T) {
	t.Parallel()
	place := LogS3{URL: "https://127.0.0.1:1/bucket"}
	for name, c := range map[string]struct {
		config Config
		says   string
	}{
		"unknown":         {Config{LogStore: "tape"}, `"tape" is unknown; use folder, database or s3`},
		"no bucket":       {Config{LogStore: LogsInS3}, "log-s3-url: is needed"},
		"not s3":          {Config{LogStore: LogsInDatabase, LogS3: place}, "there are settings for s3"},
		"not even a key":  {Config{LogS3: LogS3{SecretKey: redacted.New("hunter2hunter2")}}, "there are settings for s3"},
		"no folder":       {Config{LogStore: LogsInS3, LogS3: place, LogFolder: "x"}, "log-folder: is for logs in a folder"},
		"a wrong place":   {Config{LogStore: LogsInS3, LogS3: LogS3{URL: "https://host"}}, "names no bucket"},
		"half a key":      {Config{LogStore: LogsInS3, LogS3: LogS3{URL: place.URL, AccessKey: "x"}}, "belong together"},
		"no authorities":  {Config{LogStore: LogsInS3, LogS3: LogS3{URL: place.URL, CA: "/no/such"}}, "log-s3-ca: cannot be read"},
		"a wrong pattern": {Config{LogMasks: []string{"("}}, "is no regular expression"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.config.Data, c.config.Listen = t.TempDir(), "127.0.0.1:0"
			_, err := New(c.config)
			if !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v; want it invalid, for %q", err, c.says)
			}
		})
	}
}

// A store that does not answer is no reason not to start: jobs run meanwhile.
func TestLogStoreIsAway(t *testing.T) {
	t.Parallel()
	begin := Config{Data: t.TempDir(), Listen: "127.0.0.1:0", LogStore: LogsInS3, LogS3: LogS3{
		URL: "http://127.0.0.1:1/bucket/logs", Region: "us-east-1", AccessKey: "key", SecretKey: redacted.New("hunter2hunter2"),
	}}
	beginWith(t, begin)
}
