package cli_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/internal/control"
	"github.com/orthd/orth/internal/lifecycle"
	"github.com/orthd/orth/internal/queue"
)

const firstKey = 1152921504606846976

// executorFolder is the data folder of an executor with items in every place.
type executorFolder struct {
	t   *testing.T
	dir string
}

func newExecutorFolder(t *testing.T) *executorFolder {
	t.Helper()
	dir, err := os.MkdirTemp("", "q") //nolint:usetesting // The path of T.TempDir has the test's name and may be too long for a socket.
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	f := &executorFolder{t, dir}
	f.with(func(store *queue.Store, queues map[string]*queue.Queue) {
		at := time.Date(2030, 1, 31, 1, 30, 0, 0, time.UTC)
		err := store.Update(t.Context(), func(tx *queue.Tx) error {
			push := func(name string, key int64, place queue.Place, body string) error {
				q := queues[name]
				it := queue.Item{Key: key, AddedAt: at, Due: at.Add(time.Minute), Body: []byte(body)}
				if place == queue.Scheduled {
					return q.Push(tx, it)
				}
				if err := q.PushStarted(tx, it); err != nil {
					return err
				}
				switch place {
				case queue.Dead:
					return q.Bury(tx, key, "run again too often: it may be what kills the executor\n\x1b[31mred")
				case queue.Remembered:
					return q.Ack(tx, key, at)
				default:
					return nil
				}
			}
			script := "#!/bin/sh\\n" + strings.Repeat("echo <&>\\n", 40)
			for i, item := range []struct {
				place queue.Place
				body  string
			}{
				{queue.Dead, `{"v":1,"attempt":1,"job":7,"kind":"named","name":"report","param":"all","triggered_at":1896053400000}`},
				{queue.Dead, `{"v":1,"job":8,"kind":"shell","source":"` + script + `"}`},
				{queue.Dead, "\xff\x00 no JSON"},
				{queue.Processing, `{"v":1,"job":7,"kind":"named","name":"report"}`},
				{queue.Scheduled, `{"v":1,"job":9,"kind":"named","name":"clean"}`},
				{queue.Remembered, `{}`},
			} {
				if err := push("tasks", firstKey+int64(i), item.place, item.body); err != nil {
					return err
				}
			}
			return push("outbox", firstKey, queue.Scheduled, `{"state":"failed","message":"boom","triggered_at":1,"ended_at":2}`)
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	return f
}

// with opens the folder as an executor does.
func (f *executorFolder) with(fn func(store *queue.Store, queues map[string]*queue.Queue)) {
	f.t.Helper()
	store, err := queue.Open(queue.Folder(filepath.Join(f.dir, "queue")), queue.Config{})
	if err != nil {
		f.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- store.Run(ctx) }()
	fn(store, map[string]*queue.Queue{
		"tasks": store.Queue("tasks", queue.QueueConfig{}), "outbox": store.Queue("outbox", queue.QueueConfig{}),
	})
	cancel()
	if err := <-ended; err != nil {
		f.t.Error(err)
	}
	if err := store.Close(); err != nil {
		f.t.Error(err)
	}
}

// serving runs fn while the folder's executor runs.
func (f *executorFolder) serving(fn func()) {
	f.t.Helper()
	f.with(func(store *queue.Store, queues map[string]*queue.Queue) {
		operations, err := control.NewQueues(control.Config{Store: store, Queues: queues})
		if err != nil {
			f.t.Fatal(err)
		}
		listener, err := control.Listen(f.dir)
		if err != nil {
			f.t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- lifecycle.Serve(control.NewServer(operations, nil), listener, time.Second)(ctx) }()
		fn()
		cancel()
		if err := <-ended; err != nil {
			f.t.Error(err)
		}
	})
}

// run runs a command about the folder.
func (f *executorFolder) run(args ...string) result {
	r := orth(f.t.Context(), map[string]string{"ORTH_DATA": f.dir}, append([]string{"queue"}, args...)...)
	r.stdout, r.stderr = strings.ReplaceAll(r.stdout, f.dir, "DIR"), strings.ReplaceAll(r.stderr, f.dir, "DIR")
	return r
}

// TestQueueCommands compares what the commands print with golden files, which
// are the same for an executor that runs and for one that is stopped.
func TestQueueCommands(t *testing.T) {
	t.Parallel()
	for name, args := range map[string]string{
		"queue-list":              "list",
		"queue-list-dead":         "list --state dead",
		"queue-list-json":         "list --state dead --json",
		"queue-list-limit":        "list --limit 2",
		"queue-list-outbox":       "list --queue outbox",
		"queue-list-empty":        "list --queue outbox --state dead",
		"queue-list-empty-json":   "list --queue outbox --state dead -o json",
		"queue-show":              fmt.Sprint("show ", firstKey),
		"queue-show-script":       fmt.Sprint("show ", firstKey+1),
		"queue-show-script-body":  fmt.Sprint("show --body ", firstKey+1),
		"queue-show-unreadable":   fmt.Sprint("show --body ", firstKey+2),
		"queue-show-finished":     fmt.Sprint("show ", firstKey+5),
		"queue-show-json":         fmt.Sprint("show --body --json ", firstKey),
		"queue-show-missing":      "show 5",
		"queue-stats":             "stats",
		"queue-stats-json":        "stats --json",
		"queue-retry":             fmt.Sprint("retry ", firstKey, " ", firstKey+1),
		"queue-retry-all-json":    "retry --all --json",
		"queue-retry-not-dead":    fmt.Sprint("retry ", firstKey, " ", firstKey+3),
		"queue-purge":             fmt.Sprint("purge ", firstKey),
		"queue-purge-all":         "purge --all --yes",
		"queue-purge-none":        "purge --all --yes --queue outbox",
		"queue-backup-taken":      "backup " + os.Args[0],
		"queue-backup-odd-folder": "backup missing/copy.db",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			words := strings.Split(args, " ")
			check := func(r result) {
				text := fmt.Sprintf("$ orth queue %s\n== exit code %d\n== standard output\n%s== standard error\n%s",
					args, r.code, r.stdout, r.stderr)
				compare(t, name, strings.ReplaceAll(text, os.Args[0], "FILE"))
			}
			stopped := newExecutorFolder(t)
			check(stopped.run(words...))
			running := newExecutorFolder(t)
			running.serving(func() { check(running.run(words...)) })
		})
	}
}

func TestQueueHelp(t *testing.T) {
	t.Parallel()
	for _, args := range []string{
		"queue", "queue list", "queue show", "queue redrive", "queue purge", "queue stats", "queue backup",
	} {
		r := orth(t.Context(), nil, append(strings.Split(args, " "), "--help")...)
		if r.code != 0 || r.stderr != "" {
			t.Errorf("exit code %d, standard error %s", r.code, r.stderr)
		}
		compare(t, strings.ReplaceAll(args, " ", "-")+"-help", r.stdout)
	}
}

// TestQueueRedriveOfAStoppedExecutor: the item is there for the next start.
func TestQueueRedriveOfAStoppedExecutor(t *testing.T) {
	t.Parallel()
	f := newExecutorFolder(t)
	if r := f.run("retry", "--all"); r.code != 0 {
		t.Fatal(r.stderr)
	}
	f.with(func(store *queue.Store, queues map[string]*queue.Queue) {
		var found []int64
		err := store.View(t.Context(), func(tx *queue.Tx) error {
			items, err := queues["tasks"].List(tx, queue.Scheduled, 0, 10)
			for _, it := range items {
				found = append(found, it.Key-firstKey)
			}
			return err
		})
		if err != nil || !slices.Equal(found, []int64{0, 1, 2, 4}) {
			t.Errorf("scheduled are %v, %v", found, err)
		}
	})
}

func TestQueueBackup(t *testing.T) {
	t.Parallel()
	f := newExecutorFolder(t)
	copied := filepath.Join(t.TempDir(), "copy", "queue.tar")
	if err := os.Mkdir(filepath.Dir(copied), 0o700); err != nil {
		t.Fatal(err)
	}
	f.serving(func() {
		if r := f.run("backup", copied); r.code != 0 || !strings.Contains(r.stdout, "queues of DIR backed up to "+copied) {
			t.Fatalf("exit code %d, %s%s", r.code, r.stdout, r.stderr)
		}
	})
	if r := f.run("backup", copied); r.code != 5 || !strings.Contains(r.stderr, "already exists") {
		t.Errorf("exit code %d, %s", r.code, r.stderr)
	}
	left, err := os.ReadDir(filepath.Dir(copied))
	if err != nil || len(left) != 1 {
		t.Errorf("the folder has %v, %v", left, err)
	}
	info, err := os.Stat(copied)
	if err != nil || (runtime.GOOS != "windows" && info.Mode() != 0o600) {
		t.Errorf("the copy has the mode %v, %v", info.Mode(), err)
	}
	want := f.run("list").stdout
	folder := filepath.Join(filepath.Dir(copied), "queue")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "tar", "-xf", copied, "-C", folder).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	r := orth(t.Context(), nil, "queue", "list", "--data", filepath.Dir(copied))
	if r.stdout != want || r.code != 0 {
		t.Errorf("the copy has %s%s", r.stdout, r.stderr)
	}
}

// TestQueueDataFolders: which folder is meant, and what is said when there is
// none.
func TestQueueDataFolders(t *testing.T) {
	t.Parallel()
	f := newExecutorFolder(t)
	dev := t.TempDir()
	if err := os.Rename(f.dir, filepath.Join(dev, "executor")); err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	for name, c := range map[string]struct {
		env  string
		args string
		code int
		want string
	}{
		"dev":         {"", "--data " + dev, 0, "tasks"},
		"environment": {dev, "", 0, "tasks"},
		"flag first":  {empty, "--data " + filepath.Join(dev, "executor"), 0, "tasks"},
		"empty":       {dev, "--data " + empty, 3, "no executor data found in " + empty + "\n      set the data folder"},
		"none here":   {"", "", 3, "in orth-executor or " + filepath.Join("orth-data", "executor") + "\n      set the data folder"},
	} {
		args := append([]string{"queue", "stats"}, strings.Fields(c.args)...)
		r := orth(t.Context(), map[string]string{"ORTH_DATA": c.env}, args...)
		if r.code != c.code || !strings.Contains(r.stdout+r.stderr, c.want) {
			t.Errorf("%s: exit code %d, %s%s", name, r.code, r.stdout, r.stderr)
		}
	}
	if left, err := os.ReadDir(empty); err != nil || len(left) > 0 {
		t.Errorf("the empty folder has %v now, %v", left, err)
	}
}

// TestQueueOfASilentExecutor: the folder is locked and nobody answers.
func TestQueueOfASilentExecutor(t *testing.T) {
	t.Parallel()
	f := newExecutorFolder(t)
	f.with(func(*queue.Store, map[string]*queue.Queue) {
		r := f.run("stats")
		want := "orth: an executor runs on DIR, but its control socket does not respond\n      it may be starting"
		if r.code != 5 || !strings.Contains(r.stderr, want) {
			t.Errorf("exit code %d, %s", r.code, r.stderr)
		}
	})
}

func TestWrongQueueCommandLines(t *testing.T) {
	t.Parallel()
	f := newExecutorFolder(t)
	for args, want := range map[string]string{
		"list --limit 0":        "--limit: must be at least 1, got 0",
		"list --state finished": "must be one of scheduled, processing, dead",
		"list --queue jobs":     "must be one of tasks, outbox",
		"list 5":                "orth queue list takes no arguments",
		"show":                  "KEY is required: orth queue show KEY",
		"show last":             `KEY: "last" is not a key of an item`,
		"show 0":                `KEY: "0" is not a key of an item`,
		"retry":                 "give the KEY of each item, or use --all",
		"retry 5 --all":         "KEY and --all are mutually exclusive",
		"purge":                 "give the KEY of each item, or use --all",
		"purge --all":           "add --yes to purge all dead items",
		"backup":                "FILE is required: orth queue backup FILE",
	} {
		r := f.run(strings.Split(args, " ")...)
		if r.code != 2 || r.stdout != "" || !strings.Contains(r.stderr, want) || !strings.Contains(r.stderr, "--help'") {
			t.Errorf("%s: exit code %d, %s%s", args, r.code, r.stdout, r.stderr)
		}
	}
}
