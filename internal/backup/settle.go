package backup

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
	"github.com/orthd/orth/schedule/calendar"
)

// Missed is the policy for slots and runs that the copy cannot know about.
type Missed string

// The policies.
const (
	// MissedSkip skips the slots since the copy, and ends the runs that were waiting in it.
	// Whether they ran is unknown, so nothing runs twice.
	MissedSkip Missed = "skip"
	// MissedPolicy treats the time since the copy as a time without servers. Waiting runs
	// are sent, and each job's misfire policy decides about its slots.
	MissedPolicy Missed = "policy"
)

// MinJump is the minimum by which the numbers of runs and attempts advance.
const MinJump = 1_000_000

const (
	// smallJump is how far the numbers of definitions advance.
	smallJump = 10_000
	// maxJump bounds a jump, so that numbers do not run out.
	maxJump = int64(1) << 40
	// listed bounds each list of a report.
	listed = 1_000
	// page is the number of rows in a read.
	page = 500
	// single is the number of jobs that get a record for each slot. The slots of further
	// jobs share one record.
	single = 1_000
)

// Late is an enabled job with a firing that may have happened after the copy.
type Late struct {
	JobID, Version int64
	Namespace, Key string
	GroupID        int64
	Next, Last     time.Time
	Schedule       schedule.Spec
	Misfire        schedule.Misfire
	Fired          int
	HeldBy         string // the key of the pause that held the job; empty for none
	Priority       job.Priority
}

// Move advances a late job past its slots, to Next. A zero Next stops it with StopReason.
// Runs are records of the skipped slots, with ids.
type Move struct {
	JobID, Version int64
	From, Next     time.Time
	Last           time.Time
	Fired          int
	StopReason     string
	Runs           []job.Run
}

// Given is how many numbers were assigned in some time before the copy.
type Given struct {
	// Next is the next number.
	Next int64
	// Count is the count for the time Over, which is at most the requested time; zero when
	// there are none.
	Count int64
	Over  time.Duration
}

// Numbers are the sequences of a store.
type Numbers interface {
	// Given returns how many numbers of runs and of attempts were assigned in the time span
	// before taken.
	Given(ctx context.Context, taken time.Time, span time.Duration) (Given, error)
	// Advance advances the sequences: those of runs and of log files by far, the others by
	// near. It must be called before any number is drawn.
	Advance(ctx context.Context, far, near int64) error
	// NextRunID returns an unused id.
	NextRunID(ctx context.Context) (int64, error)
}

// Slots are the firings of a store's jobs.
type Slots interface {
	// UnsettledJobs returns up to limit enabled jobs with ids above after whose next firing
	// is not after now, by id.
	UnsettledJobs(ctx context.Context, now time.Time, after int64, limit int) ([]Late, error)
	// PassSlots applies moves.
	PassSlots(ctx context.Context, moves []Move) error
	// CalendarRules returns all calendars.
	CalendarRules(ctx context.Context) ([]job.Calendar, error)
}

// Open reads and ends unfinished work in a store.
type Open interface {
	// WaitingRuns returns the ids of at most limit waiting runs that were due by now.
	WaitingRuns(ctx context.Context, now time.Time, limit int) ([]int64, error)
	// CancelRun ends a waiting run.
	CancelRun(ctx context.Context, id int64, reason string, now time.Time) (job.Run, error)
	// OpenAttempts returns at most limit unfinished attempts.
	OpenAttempts(ctx context.Context, limit int) ([]job.Attempt, error)
}

// Beside covers backfills, workflows and sessions in a store.
type Beside interface {
	// UnderWay returns the ids of unfinished backfills and workflow runs.
	UnderWay(ctx context.Context) (backfills, workflows []int64, err error)
	// CancelBackfill ends a backfill.
	CancelBackfill(ctx context.Context, id int64, reason string, now time.Time) (job.Backfill, error)
	// CountSessions returns the number of browser sessions.
	CountSessions(ctx context.Context) (int64, error)
	// EndSessions ends all browser sessions and returns their number.
	EndSessions(ctx context.Context) (int64, error)
}

// Config configures Settle.
type Config struct {
	Numbers Numbers
	Slots   Slots
	Open    Open
	Beside  Beside
	// CancelWorkflow stops a workflow run from starting further nodes.
	CancelWorkflow func(ctx context.Context, id int64, reason string) error
	Missed         Missed
	// Dry reports what Settle would do, and writes nothing.
	Dry        bool
	Taken, Now time.Time
}

// JobSlots is the part of a report about one job.
type JobSlots struct {
	Namespace string `json:"namespace"`
	Job       string `json:"job"`
	// Slots are those after the copy, at least; More means that there are further ones.
	Slots int       `json:"slots"`
	More  bool      `json:"more,omitempty"`
	First time.Time `json:"first_at"`
	Last  time.Time `json:"last_at"`
	// Next is the next firing. It is zero when there is none, or when the job's policy
	// decides.
	Next time.Time `json:"next_at,omitzero"`
	// Policy is the job's misfire policy, if that decides.
	Policy  schedule.Misfire `json:"policy,omitempty"`
	HeldBy  string           `json:"held_by,omitempty"`
	Problem string           `json:"problem,omitempty"`
}

// OpenAttempt is an unfinished attempt. The server will ask its executor about it.
type OpenAttempt struct {
	Attempt int64  `json:"attempt"`
	Run     int64  `json:"run"`
	Job     int64  `json:"job"`
	Address string `json:"address,omitempty"`
}

// Report is the result of Settle. Lists have at most 1,000 entries; the counts cover all,
// up to 500,000.
type Report struct {
	Taken    time.Time `json:"taken_at"`
	Restored time.Time `json:"restored_at"`
	Missed   Missed    `json:"missed"`
	// Jobs have slots between the copy and now.
	Jobs     []JobSlots `json:"jobs"`
	LateJobs int        `json:"late_jobs"`
	Slots    int        `json:"slots"`
	// Waiting are runs that were waiting in the copy. They were ended or sent, according to
	// Missed.
	Waiting []int64 `json:"waiting_runs"`
	Waited  int     `json:"waiting"`
	// Attempts are unfinished in the copy. The server will ask their executors.
	Attempts  []OpenAttempt `json:"open_attempts"`
	Asked     int           `json:"open"`
	Backfills []int64       `json:"backfills"`
	Workflows []int64       `json:"workflow_runs"`
	Sessions  int64         `json:"sessions_ended"`
	// NumbersFrom is the first number for new runs and attempts.
	NumbersFrom int64 `json:"numbers_from"`
}

// Settle prepares a restored copy for use, and reports what it did. It skips numbers that
// the lost server may have assigned, treats slots and runs of unknown outcome according to
// Missed, and ends all sessions. No other process may use the store. Settle stops at the
// first error; then the store must not be used.
func Settle(ctx context.Context, c Config) (Report, error) {
	now := c.Now.Truncate(time.Millisecond)
	s := settling{Config: c, now: now, reason: "the server was restored at " + stamp(now) + " from a copy of " + stamp(c.Taken) +
		": it is not known whether "}
	s.report = Report{
		Taken: c.Taken, Restored: now, Missed: c.Missed, Jobs: []JobSlots{}, Waiting: []int64{}, Attempts: []OpenAttempt{},
		Backfills: []int64{}, Workflows: []int64{},
	}
	for _, step := range []func(context.Context) error{s.numbers, s.beside, s.waiting, s.attempts, s.slots, s.sessions} {
		if err := step(ctx); err != nil {
			return s.report, err
		}
	}
	return s.report, nil
}

// settling is the state of one Settle.
type settling struct {
	Config

	now       time.Time
	reason    string
	report    Report
	calendars map[calendarKey]*calendar.Calendar
	moved     int
}

type calendarKey struct{ namespace, key string }

func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }

func (s *settling) numbers(ctx context.Context) error {
	lost := max(s.now.Sub(s.Taken), 0)
	given, err := s.Numbers.Given(ctx, s.Taken, lost)
	if err != nil {
		return fmt.Errorf("look at the numbers: %w", err)
	}
	far := sequenceJump(given, lost)
	if s.Dry {
		// A dry run leaves the numbers unchanged.
	} else if err := s.Numbers.Advance(ctx, far, smallJump); err != nil {
		return fmt.Errorf("take the numbers ahead: %w", err)
	}
	s.report.NumbersFrom = given.Next + far
	return nil
}

// sequenceJump is how far a sequence advances: ten times the numbers that would have been assigned
// in the lost time, at the rate before the copy.
func sequenceJump(g Given, lost time.Duration) int64 {
	far := 10 * float64(g.Count)
	if g.Over > 0 && g.Over < lost {
		far *= float64(lost) / float64(g.Over)
	}
	return max(MinJump, int64(min(far, float64(maxJump))))
}

func (s *settling) beside(ctx context.Context) error {
	backfills, workflows, err := s.Beside.UnderWay(ctx)
	if err != nil {
		return fmt.Errorf("look for what is under way: %w", err)
	}
	s.report.Backfills = append(s.report.Backfills, backfills...)
	s.report.Workflows = append(s.report.Workflows, workflows...)
	if s.Missed == MissedPolicy || s.Dry {
		return nil
	}
	for _, id := range backfills {
		if _, err := s.Beside.CancelBackfill(ctx, id, s.reason+"further slots of it ran", s.now); err != nil {
			return fmt.Errorf("end backfill %d: %w", id, err)
		}
	}
	for _, id := range workflows {
		if err := s.CancelWorkflow(ctx, id, s.reason+"further nodes of it ran"); err != nil {
			return fmt.Errorf("end workflow run %d: %w", id, err)
		}
	}
	return nil
}

func (s *settling) waiting(ctx context.Context) error {
	limit := page
	counts := s.Missed == MissedPolicy || s.Dry
	if counts {
		limit = MaxEntries
	}
	for {
		ids, err := s.Open.WaitingRuns(ctx, s.now, limit)
		if err != nil {
			return fmt.Errorf("look for runs that wait: %w", err)
		}
		for _, id := range ids {
			s.report.Waited++
			if len(s.report.Waiting) < listed {
				s.report.Waiting = append(s.report.Waiting, id)
			}
		}
		if counts || len(ids) == 0 {
			return nil
		}
		if err := s.cancel(ctx, ids); err != nil {
			return err
		}
	}
}

// cancel ends waiting runs concurrently, so that they share transactions.
func (s *settling) cancel(ctx context.Context, ids []int64) error {
	wrong := make(chan error, len(ids))
	for _, id := range ids {
		go func() {
			r, err := s.Open.CancelRun(ctx, id, s.reason+"this run went on", s.now)
			if err == nil && !r.State.Final() {
				err = job.Errorf(job.Internal, "it is still %s", r.State)
			}
			if err != nil {
				err = fmt.Errorf("end run %d: %w", id, err)
			}
			wrong <- err
		}()
	}
	var first error
	for range ids {
		if err := <-wrong; err != nil && first == nil {
			first = err
		}
	}
	return first
}

func (s *settling) attempts(ctx context.Context) error {
	open, err := s.Open.OpenAttempts(ctx, MaxEntries)
	if err != nil {
		return fmt.Errorf("look for open attempts: %w", err)
	}
	s.report.Asked = len(open)
	for i := range open[:min(len(open), listed)] {
		a := &open[i]
		s.report.Attempts = append(s.report.Attempts, OpenAttempt{a.ID, a.RunID, a.JobID, a.Address})
	}
	return nil
}

func (s *settling) sessions(ctx context.Context) (err error) {
	end := s.Beside.EndSessions
	if s.Dry {
		end = s.Beside.CountSessions
	}
	if s.report.Sessions, err = end(ctx); err != nil {
		err = fmt.Errorf("end sign-ins: %w", err)
	}
	return err
}
