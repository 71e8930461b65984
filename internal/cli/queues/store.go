package queues

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/control"
	"github.com/orthd/orth/internal/outbox"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
)

const (
	// defaultExecutorData is the default data folder of an executor.
	defaultExecutorData = "orth-executor"
	// devExecutor is the folder of the executor in the data folder of 'orth dev'.
	devExecutor = "executor"
	// folder is the folder of the queues in the data folder.
	folder = "queue"
)

// The queues of an executor.
const (
	tasksQueue  = "tasks"
	outboxQueue = "outbox"
)

// operate calls fn with the queues of an executor's data folder: through the running
// executor, or directly; then the folder is locked until fn returns.
func operate(ctx context.Context, t *kit.Tool, fn func(o control.Operations, dir string) error) (err error) {
	dir, err := executorData(t)
	if err != nil {
		return err
	}
	client, err := control.Dial(ctx, dir)
	if err == nil {
		defer client.Close()
		return fn(client, dir)
	}
	if !job.Is(err, job.NotFound) {
		return err
	}
	store, closing, err := open(dir, slog.New(slog.NewTextHandler(t.Stderr, nil)))
	switch {
	case job.Is(err, job.Conflict):
		return &job.Error{
			Kind: job.Conflict, Message: fmt.Sprintf("an executor runs on %s, but its control socket does not respond", dir),
			Hint: "it may be starting or stopping: try again, or restart the executor", Err: err,
		}
	case errors.Is(err, fs.ErrPermission):
		return &job.Error{
			Kind: job.Forbidden, Message: fmt.Sprintf("the data folder %s belongs to another user", dir),
			Hint: "run the command as the user of the executor", Err: err,
		}
	case err != nil:
		return err
	}
	defer func() { err = errors.Join(err, closing()) }()
	queues, err := control.NewQueues(control.Config{Store: store, Queues: map[string]*queue.Queue{
		tasksQueue:  store.Queue(tasksQueue, queue.QueueConfig{}),
		outboxQueue: store.Queue(outboxQueue, queue.QueueConfig{Capacity: outbox.DefaultCapacity}),
	}})
	if err != nil {
		return err
	}
	return fn(queues, dir)
}

// executorData returns the selected data folder: the named one, or that of an executor or
// of 'orth dev' in this folder.
func executorData(t *kit.Tool) (string, error) {
	named := kit.FirstOf(t.Data, t.Getenv("ORTH_DATA"))
	folders := []string{kit.FirstOf(named, defaultExecutorData), filepath.Join(kit.FirstOf(named, kit.DefaultData), devExecutor)}
	for _, dir := range folders {
		// A folder without read permission belongs to an executor too: the next step
		// reports its owner.
		for _, name := range []string{folder, folder + ".db"} { // the second one is rejected with an explanation
			if _, err := os.Lstat(filepath.Join(dir, name)); err == nil || errors.Is(err, fs.ErrPermission) {
				return dir, nil
			}
		}
	}
	missing := &job.Error{
		Kind: job.NotFound, Message: "no executor data found in " + folders[0],
		Hint: "set the data folder of an executor with --data; it contains the folder " + folder,
	}
	if named == "" {
		missing.Message += " or " + folders[1]
	}
	return "", missing
}

// open opens the queues of a stopped executor and starts the writer. A running executor
// is job.Conflict. closing stops the writer and unlocks the folder.
func open(dir string, logger *slog.Logger) (store *queue.Store, closing func() error, err error) {
	store, err = queue.Open(queue.Folder(filepath.Join(dir, folder)), queue.Config{Logger: logger})
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- store.Run(ctx) }()
	return store, func() error {
		cancel()
		return errors.Join(<-ended, store.Close())
	}, nil
}
