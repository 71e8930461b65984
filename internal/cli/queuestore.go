package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/orthd/orth/internal/control"
	"github.com/orthd/orth/internal/outbox"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
)

const (
	// defaultExecutorData is the data folder of an executor when none is named.
	defaultExecutorData = "orth-executor"
	// devExecutor is the folder of the executor inside that of 'orth dev'.
	devExecutor = "executor"
	// queueFolder is the queue's folder inside of it.
	queueFolder = "queue"
)

// The queues of an executor, as operators name them.
const (
	tasksQueue  = "tasks"
	outboxQueue = "outbox"
)

// operate calls fn with the queues of the executor's data folder: of the
// executor that runs there, or else of the folder itself, which stays locked
// until fn returns.
func (t *tool) operate(ctx context.Context, fn func(o control.Operations, dir string) error) (err error) {
	dir, err := t.executorData()
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
			Kind: job.Conflict, Message: fmt.Sprintf("an executor runs on %s, and its control socket does not answer", dir),
			Hint: "it may be starting or stopping: try again; when it stays so, restart the executor", Err: err,
		}
	case errors.Is(err, fs.ErrPermission):
		return &job.Error{
			Kind: job.Forbidden, Message: fmt.Sprintf("the data folder %s belongs to another user", dir),
			Hint: "run the command as the user who runs the executor", Err: err,
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

// executorData returns the data folder that is meant: the one that is named, or
// of an executor in this folder, or in either case of the executor of 'orth dev'.
func (t *tool) executorData() (string, error) {
	named := firstOf(t.data, t.Getenv("ORTH_DATA"))
	folders := []string{firstOf(named, defaultExecutorData), filepath.Join(firstOf(named, defaultData), devExecutor)}
	for _, dir := range folders {
		// A folder that must not be looked into is an executor's too: what comes
		// next says whose.
		for _, name := range []string{queueFolder, queueFolder + ".db"} { // the second one is refused in words
			if _, err := os.Lstat(filepath.Join(dir, name)); err == nil || errors.Is(err, fs.ErrPermission) {
				return dir, nil
			}
		}
	}
	missing := &job.Error{
		Kind: job.NotFound, Message: "no executor has worked in " + folders[0],
		Hint: "name the data folder of an executor with --data: it is the one with the folder " + queueFolder,
	}
	if named == "" {
		missing.Message += " or " + folders[1]
	}
	return "", missing
}

// open opens the queue of a stopped executor and starts its writer. A running
// executor is job.Conflict. closing ends the writer and lets go of the folder.
func open(dir string, logger *slog.Logger) (store *queue.Store, closing func() error, err error) {
	store, err = queue.Open(queue.Folder(filepath.Join(dir, queueFolder)), queue.Config{Logger: logger})
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
