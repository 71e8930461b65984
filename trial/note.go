package main

import (
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Variables that an executor hands to its scripts.
const (
	programVar  = "TRIAL_PROGRAM"  // this program
	evidenceVar = "TRIAL_EVIDENCE" // the executor's file of evidence
)

// script is what jobs run: this program, with the job's parameter.
const script = `exec "$` + programVar + `" note "$1"`

// madeToFail is what an attempt says that was made to fail.
const madeToFail = "made to fail"

// note is the handler. Its parameter is the job's key, how many milliseconds it takes, and
// how many of a hundred attempts fail. It writes a line when it begins and one when it
// ends; each is on disk before it goes on.
func note(param string) error {
	var key string
	var pause, fails uint32
	if _, err := fmt.Sscan(param, &key, &pause, &fails); err != nil {
		return fmt.Errorf("the parameter %q is no key and two numbers: %w", param, err)
	}
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM, syscall.SIGINT)
	e := entry{
		What: "begin", Attempt: os.Getenv("ORTH_JOB_LOG_ID"), Run: os.Getenv("ORTH_JOB_RUN_ID"), Job: key,
		Planned: os.Getenv("ORTH_JOB_SCHEDULE_TIME"), At: time.Now().UnixNano(),
	}
	file := os.Getenv(evidenceVar)
	if err := appendLine(file, e); err != nil {
		return err
	}
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(e.Attempt))
	err := error(nil)
	e.What, e.End = "end", "ok"
	select {
	case <-time.After(time.Duration(pause) * time.Millisecond):
		if hash.Sum32()%100 < fails {
			e.End, err = "failed", errors.New(madeToFail)
		}
	case <-told:
		e.End, err = "cut", errors.New("told to end")
	}
	e.At = time.Now().UnixNano()
	return errors.Join(err, appendLine(file, e))
}
