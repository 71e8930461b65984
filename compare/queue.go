package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// address is the variable of the environment that says where a queue works: a database
// of its own that is empty.
const address = "ORTH_BENCH_DB"

// Settings of River that its own benchmark has.
const (
	riverWorkers  = 2000
	riverCooldown = 2 * time.Millisecond
	riverPoll     = 20 * time.Millisecond
	riverBatch    = 5000 // jobs in one insertion
)

// burned is what working off jobs took. Processor times are µs for each job.
type burned struct {
	Jobs     int     `json:"jobs"`
	Seconds  float64 `json:"seconds"`
	Process  float64 `json:"process"`
	Database float64 `json:"database"`
}

// nothing is the arguments of a job that does nothing.
type nothing struct {
	Number int `json:"number"`
}

// Kind implements river.JobArgs.
func (nothing) Kind() string { return "nothing" }

type worker struct {
	river.WorkerDefaults[nothing]
	done *atomic.Int64
}

// Work implements river.Worker.
func (w *worker) Work(context.Context, *river.Job[nothing]) error {
	w.done.Add(1)
	return nil
}

// queue inserts jobs into River's tables and has River work them off in this process,
// on one PostgreSQL. It prints what that took, the insertion left out, as a line of JSON.
func queue(ctx context.Context, jobs int, out io.Writer) error {
	if os.Getenv(address) == "" {
		return fmt.Errorf("%s is not set: it is the address of an empty PostgreSQL database", address)
	}
	pool, err := pgxpool.New(ctx, os.Getenv(address))
	if err != nil {
		return errors.New(address + " cannot be read as the address of a PostgreSQL database")
	}
	defer pool.Close()
	driver := riverpgxv5.New(pool)
	migrator, err := rivermigrate.New(driver, nil)
	if err != nil {
		return err
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("make River's tables: %w", err)
	}
	var done atomic.Int64
	workers := river.NewWorkers()
	river.AddWorker(workers, &worker{done: &done})
	client, err := river.NewClient(driver, &river.Config{
		FetchCooldown: riverCooldown, FetchPollInterval: riverPoll, Workers: workers,
		Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: riverWorkers}},
	})
	if err != nil {
		return err
	}
	for from := 0; from < jobs; from += riverBatch {
		batch := make([]river.InsertManyParams, min(riverBatch, jobs-from))
		for i := range batch {
			batch[i].Args = nothing{from + i}
		}
		if _, err := client.InsertManyFast(ctx, batch); err != nil {
			return fmt.Errorf("insert jobs: %w", err)
		}
	}
	took, err := burn(ctx, pool, client, jobs, &done)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(took)
}

// burn works the jobs off, until the database has the end of the last of them.
func burn(ctx context.Context, pool *pgxpool.Pool, client *river.Client[pgx.Tx], jobs int, done *atomic.Int64) (burned, error) {
	own, theirs, began := ownCPU(), databaseCPU(ctx, pool), time.Now()
	if err := client.Start(ctx); err != nil {
		return burned{}, err
	}
	for done.Load() < int64(jobs) {
		if err := pause(ctx); err != nil {
			return burned{}, err
		}
	}
	for left := 1; left > 0; { // their ends are written by batches
		if err := pool.QueryRow(ctx, "SELECT count(*) FROM (SELECT 1 FROM river_job WHERE state = 'running' LIMIT 1) r").Scan(&left); err != nil {
			return burned{}, err
		}
		if err := pause(ctx); err != nil {
			return burned{}, err
		}
	}
	took := burned{Jobs: jobs, Seconds: time.Since(began).Seconds()}
	took.Process = float64((ownCPU() - own).Microseconds()) / float64(jobs)
	took.Database = float64((databaseCPU(ctx, pool) - theirs).Microseconds()) / float64(jobs)
	return took, client.Stop(ctx)
}

func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(10 * time.Millisecond):
		return nil
	}
}

// ownCPU is the processor time that this process has used so far.
func ownCPU() time.Duration {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// databaseCPU is that of the processes of the database server that are there, 0 when
// they are on another machine.
func databaseCPU(ctx context.Context, pool *pgxpool.Pool) (spent time.Duration) {
	rows, err := pool.Query(ctx, "SELECT pid FROM pg_stat_activity WHERE datname IS NULL OR datname = current_database()")
	if err != nil {
		return 0
	}
	defer rows.Close()
	for rows.Next() {
		var pid int
		if rows.Scan(&pid) == nil {
			spent += cpuOf(pid)
		}
	}
	return spent
}

// cpuOf reads the processor time of a process from /proc, whose clock ticks a hundred
// times a second.
func cpuOf(pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(string(fields[11]), 10, 64)
	system, _ := strconv.ParseInt(string(fields[12]), 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond
}
