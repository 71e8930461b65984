package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// The folder of a trial. The judge reads these files and nothing else, so a folder can be
// judged again later.
const (
	planFile     = "plan.json"        // a plan
	actionsFile  = "actions.jsonl"    // actions, in the order of their ends
	seenFile     = "seen.jsonl"       // ends of runs as they were read during the trial
	accountsFile = "accounts.json"    // what the servers recorded, read by REST at the end
	evidenceGlob = "evidence-*.jsonl" // entries of handlers, a file for each executor
)

// plan is what a trial set out to do.
type plan struct {
	Config     string       `json:"config"`
	Seed       uint64       `json:"seed"`
	Namespaces bool         `json:"namespaces"` // whether each process had a network of its own
	From       time.Time    `json:"from"`       // of the window in which jobs fire
	To         time.Time    `json:"to"`
	Jobs       []definition `json:"jobs"`
}

// definition is a job as the trial sends it to a server. The judge computes slots from it.
type definition struct {
	Key         string            `json:"key"`
	Group       string            `json:"group"`
	Enabled     bool              `json:"enabled"`
	Schedule    schedule          `json:"schedule"`
	Misfire     string            `json:"misfire,omitempty"`
	Limits      limits            `json:"misfire_limits"`
	Handler     map[string]string `json:"handler"`
	Param       string            `json:"param"`
	Overlap     string            `json:"overlap"`
	Concurrency int               `json:"concurrency,omitempty"`
	Retry       retry             `json:"retry"`
	OnCrash     string            `json:"on_crash,omitempty"`
	Children    []child           `json:"children,omitempty"`
}

type limits struct {
	Threshold string `json:"threshold,omitempty"`
	Max       int    `json:"max,omitempty"`
}

type retry struct {
	Tries   int    `json:"tries"`
	Initial string `json:"initial,omitempty"`
}

type child struct {
	Key string `json:"key"`
	On  string `json:"on"`
}

// schedule is when a job fires.
type schedule struct {
	Kind   string     `json:"kind"`
	Cron   string     `json:"cron,omitempty"`
	Every  string     `json:"every,omitempty"`
	Anchor *time.Time `json:"anchor,omitempty"`
	Daily  string     `json:"daily,omitempty"`
	At     *time.Time `json:"at,omitempty"`
	Of     []schedule `json:"of,omitempty"`
	Zone   string     `json:"zone,omitempty"`
	DST    *dst       `json:"dst,omitempty"`
	Start  *time.Time `json:"start,omitempty"`
	End    *time.Time `json:"end,omitempty"`
}

type dst struct {
	Gap     string `json:"gap"`
	Overlap string `json:"overlap"`
}

// fate is what is known of a request.
type fate string

const (
	done    fate = "done"
	refused fate = "refused" // certainly not done
	unknown fate = "unknown"
	// unheard is done, by an earlier try with the same key whose answer was lost.
	unheard fate = "done without an answer"
)

// allOfThem are all executors, in the Cut of a fault.
const allOfThem = "all executors"

// action is something that the trial did between two instants.
type action struct {
	What   string    `json:"what"` // fault, change, trigger, cancel, backfill, address
	At     time.Time `json:"at"`
	Ack    time.Time `json:"ack"`
	Fate   fate      `json:"fate,omitempty"`
	Kind   string    `json:"kind,omitempty"`   // of a fault
	Target string    `json:"target,omitempty"` // of a fault or an address: a process
	Cut    string    `json:"cut,omitempty"`    // of a fault: an executor that servers could not reach, or that could not reach them; or all of them
	Text   string    `json:"text,omitempty"`   // for people; of an address: the address
	Job    string    `json:"job,omitempty"`
	Run    string    `json:"run,omitempty"` // of a trigger that was answered, of a cancel
	// Enabled and Schedule are how the job stands after a change.
	Enabled  bool      `json:"enabled,omitempty"`
	Schedule *schedule `json:"schedule,omitempty"`
	// From and To are the time of a backfill.
	From time.Time `json:"from,omitzero"`
	To   time.Time `json:"to,omitzero"`
}

// entry is a line that a handler wrote: begin when it began, end when it ended.
type entry struct {
	What     string `json:"what"`
	Attempt  string `json:"attempt"`
	Run      string `json:"run"`
	Job      string `json:"job"`           // its key
	Planned  string `json:"planned"`       // RFC 3339, empty for a run without a slot
	At       int64  `json:"at"`            // Unix nanoseconds
	End      string `json:"end,omitempty"` // ok, failed or cut
	Executor string `json:"-"`             // from the file's name
}

// run and attempt are a server's own account, the fields that the judge needs.
type run struct {
	ID        string    `json:"id"`
	JobKey    string    `json:"job_key"`
	Planned   time.Time `json:"planned_at"`
	Cause     string    `json:"cause"`
	CauseID   string    `json:"cause_id"`
	State     string    `json:"state"`
	Final     bool      `json:"final"`
	Reason    string    `json:"reason"`
	Message   string    `json:"message"`
	Tries     int       `json:"tries"`
	AttemptID string    `json:"attempt_id"`
	Created   time.Time `json:"created_at"`
	Started   time.Time `json:"started_at"`
	Ended     time.Time `json:"ended_at"`
	Attempts  []attempt `json:"attempts,omitempty"`
}

type attempt struct {
	ID        string    `json:"id"`
	RunID     string    `json:"run_id"`
	Number    int       `json:"number"`
	Address   string    `json:"address"`
	State     string    `json:"state"`
	Triggered time.Time `json:"triggered_at"`
	Accepted  time.Time `json:"accepted_at"`
	Ended     time.Time `json:"ended_at"`
	Message   string    `json:"message"`
}

// book is everything that is known of a trial.
type book struct {
	plan     plan
	actions  []action
	seen     []run
	runs     []run
	evidence []entry
}

// readBook reads the folder of a trial.
func readBook(dir string) (*book, error) {
	b := &book{}
	if err := readJSON(filepath.Join(dir, planFile), &b.plan); err != nil {
		return nil, err
	}
	if err := readJSON(filepath.Join(dir, accountsFile), &b.runs); err != nil {
		return nil, err
	}
	var err error
	if b.actions, err = readLines[action](filepath.Join(dir, actionsFile)); err != nil {
		return nil, err
	}
	if b.seen, err = readLines[run](filepath.Join(dir, seenFile)); err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, evidenceGlob))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		entries, err := readLines[entry](file)
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "evidence-"), ".jsonl")
		for i := range entries {
			entries[i].Executor = name
		}
		b.evidence = append(b.evidence, entries...)
	}
	return b, nil
}

func readJSON(path string, v any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func writeJSON(path string, v any) error {
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o600)
}

// readLines reads a file of JSON lines; one that is not there has none.
func readLines[T any](path string) (all []T, err error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", path, n, err)
		}
		all = append(all, v)
	}
	return all, lines.Err()
}

// appendLine writes one line with one write, and syncs the file.
func appendLine(path string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(append(text, '\n')); err != nil {
		return err
	}
	return f.Sync()
}
