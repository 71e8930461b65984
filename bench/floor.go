package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"
)

// The floor is the least program that keeps the promises of a run's path, as two processes on
// loopback. No program with these promises, these files and these two processes can cost much
// less, so what Orth costs is compared with it.
//
//	server    wakes at the run's instant, writes a mark and syncs it, sends the task
//	executor  writes the task and syncs it, answers, writes the end without a sync, sends the outcome
//	server    writes the outcome and syncs it, answers
//
// It knows no jobs, no tables, no HTTP and no retries. At a fixed rate it handles one run at a
// time; as fast as it goes it handles floorGroup runs in each message and each write.

// Sizes in bytes.
const (
	floorMark  = 8 << 10 // two pages of a database: the run is sent, and the run has ended
	floorRow   = 600     // a run's share of them when a group fills them
	floorTask  = 600     // a task, on the wire and in the executor's file
	floorEnd   = 400     // an end, on the wire and in the executor's file
	floorFile  = 16 << 20
	floorGroup = 64
)

// floorAnswer is the answer to a message of either direction.
const floorAnswer = "ok\n"

// groupOf returns how many runs the floor handles at a time.
func groupOf(o options) int {
	if o.Every == 0 {
		return floorGroup
	}
	return 1
}

// markOf returns the size of the server's writes: whole pages for the rows of a group.
func markOf(group int) int {
	const page = 4 << 10
	return max(floorMark, (group*floorRow+page-1)/page*page)
}

// slate is a preallocated file that is written round and round.
type slate struct {
	file *os.File
	at   int64
}

func newSlate(path string) (*slate, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	// Page by page: the kernel caches one large write in large units, and each small write into such
	// a unit later costs as if all of it were written.
	page := make([]byte, 4<<10)
	for range floorFile / len(page) {
		if _, err := f.Write(page); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	return &slate{file: f}, f.Sync()
}

func (s *slate) write(b []byte) error {
	if s.at+int64(len(b)) > floorFile {
		s.at = 0
	}
	_, err := s.file.WriteAt(b, s.at)
	s.at += int64(len(b))
	return err
}

func (s *slate) writeDurably(b []byte) error {
	if err := s.write(b); err != nil {
		return err
	}
	return syncData(s.file)
}

// floorServer is the floor's server. It prints "started" when it listens.
func floorServer(ctx context.Context, o options) error {
	obey(o, "floor-server")
	l, err := net.Listen("tcp", o.Server)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = l.Close() })()
	fmt.Println("started")
	outcomes, err := l.Accept()
	if err != nil {
		return err
	}
	tasks, err := (&net.Dialer{}).DialContext(ctx, "tcp", o.Executor)
	if err != nil {
		return err
	}
	marks, err := newSlate(filepath.Join(o.Dir, "marks"))
	if err != nil {
		return err
	}
	ends, err := newSlate(filepath.Join(o.Dir, "ends"))
	if err != nil {
		return err
	}
	group := groupOf(o)
	sender := floorSender{tasks: tasks, marks: marks, mark: make([]byte, markOf(group)), message: make([]byte, group*floorTask)}
	failed := make(chan error, 2)
	go func() { failed <- floorRecord(outcomes, ends, group) }()
	go func() { failed <- sender.run(o) }()
	return ended(ctx, failed)
}

// ended waits for a failure. One that comes as the floor is stopped is none: the other process
// may have ended first.
func ended(ctx context.Context, failed <-chan error) error {
	select {
	case <-ctx.Done():
		return nil
	case err := <-failed:
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Second):
			return err
		}
	}
}

// floorSender marks and sends runs.
type floorSender struct {
	tasks         net.Conn
	marks         *slate
	mark, message []byte
	number        int64 // of the next run
}

// run sends runs: each at its instant, or groups as fast as they are answered.
func (s *floorSender) run(o options) error {
	if groupOf(o) > 1 {
		for {
			if err := s.send(time.Now()); err != nil {
				return err
			}
		}
	}
	gap := o.Every / time.Duration(o.Jobs)
	next := time.Now().Truncate(gap).Add(gap)
	timer, err := newMetronome(next, gap)
	if err != nil {
		return err
	}
	for {
		due, err := timer.wait()
		if err != nil {
			return err
		}
		for range due {
			if err := s.send(next); err != nil {
				return err
			}
			next = next.Add(gap)
		}
	}
}

// send marks as many runs as a message has, sends them and waits for the answer.
func (s *floorSender) send(planned time.Time) error {
	if err := s.marks.writeDurably(s.mark); err != nil {
		return err
	}
	for task := s.message; len(task) > 0; task = task[floorTask:] {
		binary.BigEndian.PutUint64(task, uint64(s.number))
		binary.BigEndian.PutUint64(task[8:], uint64(planned.UnixMicro()))
		s.number++
	}
	if _, err := s.tasks.Write(s.message); err != nil {
		return err
	}
	return floorAnswered(s.tasks)
}

// floorAnswered waits for the answer to a message.
func floorAnswered(c net.Conn) error {
	var answer [len(floorAnswer)]byte
	_, err := io.ReadFull(c, answer[:])
	return err
}

// floorRecord takes outcomes and records them.
func floorRecord(outcomes net.Conn, ends *slate, group int) error {
	message := make([]byte, group*floorEnd)
	mark := make([]byte, markOf(group))
	for {
		if _, err := io.ReadFull(outcomes, message); err != nil {
			return err
		}
		copy(mark, message)
		if err := ends.writeDurably(mark); err != nil {
			return err
		}
		if _, err := io.WriteString(outcomes, floorAnswer); err != nil {
			return err
		}
	}
}

// floorExecutor is the floor's executor. Like [executorRole] it prints where it tells its notes.
func floorExecutor(ctx context.Context, o options) error {
	obey(o, "floor-executor")
	l, err := net.Listen("tcp", o.Executor)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = l.Close() })()
	outcomes, err := (&net.Dialer{}).DialContext(ctx, "tcp", o.Server)
	if err != nil {
		return err
	}
	accepts, err := newSlate(filepath.Join(o.Dir, "accepts"))
	if err != nil {
		return err
	}
	var book notebook
	side, err := book.serve()
	if err != nil {
		return err
	}
	defer func() { _ = side.Close() }()
	tasks, err := l.Accept()
	if err != nil {
		return err
	}
	failed := make(chan error, 1)
	go func() { failed <- floorExecute(tasks, outcomes, accepts, &book, groupOf(o)) }()
	return ended(ctx, failed)
}

// floorExecute takes tasks, runs nothing and sends outcomes. It reads the answer to an outcome when
// it sends the next one: it has nothing to do for it before.
func floorExecute(tasks, outcomes net.Conn, file *slate, book *notebook, group int) error {
	message := make([]byte, group*floorTask)
	end := make([]byte, group*floorEnd)
	for first := true; ; first = false {
		if _, err := io.ReadFull(tasks, message); err != nil {
			return err
		}
		if err := file.writeDurably(message); err != nil {
			return err
		}
		if _, err := io.WriteString(tasks, floorAnswer); err != nil {
			return err
		}
		for task := message; len(task) > 0; task = task[floorTask:] {
			number, planned := int64(binary.BigEndian.Uint64(task)), int64(binary.BigEndian.Uint64(task[8:]))
			book.add(note{number, planned / 1e3, time.Now().UnixMicro()})
		}
		if err := file.write(end); err != nil {
			return err
		}
		if !first {
			if err := floorAnswered(outcomes); err != nil {
				return err
			}
		}
		if _, err := outcomes.Write(end); err != nil {
			return err
		}
	}
}
