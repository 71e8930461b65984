package backup

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
	"github.com/orthd/orth/schedule/calendar"
)

// Missed says what becomes of what the copy cannot know of.
type Missed string

// What may become of it.
const (
	// MissedSkip leaves out the slots since the copy, and ends what waited in it: it is
	// not known whether they ran, and so nothing runs twice.
	MissedSkip Missed = "skip"
	// MissedPolicy treats the time since the copy as one in which no server ran: what
	// waited is sent, and each job's misfire policy decides about its slots.
	MissedPolicy Missed = "policy"
)

// MinJump is how far the numbers of runs and attempts go ahead at least.
const MinJump = 1_000_000

const (
	// smallJump is how far the numbers go ahead of what people make.
	smallJump = 10_000
	// maxJump bounds a jump, so that numbers do not run out.
	maxJump = int64(1) << 40
	// listed bounds each list of a report.
	listed = 1_000
	// page is how many rows are read at once.
	page = 500
	// single is how many jobs get a record for each slot; the slots of the others are
	// told together.
	single = 1_000
)

// Late is an enabled job with a firing that may have been made after the copy.
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

// Move takes a late job past its slots: to Next, the zero time stopping it with
// StopReason. Runs are records with ids that tell which slots were left out.
type Move struct {
	JobID, Version int64
	From, Next     time.Time
	Last           time.Time
	Fired          int
	StopReason     string
	Runs           []job.Run
}

// Given is how many numbers were given in some time before the copy.
type Given struct {
	// Next is the number that would come next.
	Next int64
	// Count are those that were given in the time Over, which is not longer than was
	// asked for: zero when there are none.
	Count int64
	Over  time.Duration
}

// Numbers are the sequences of a store.
type Numbers interface {
	// Given returns how many numbers, of runs and of attempts, were given in the time before
	// an instant.
	Given(ctx context.Context, taken time.Time, span time.Duration) (Given, error)
	// Advance takes the sequences ahead: those of runs and of files of logs by far, the
	// others by near. It must be the first that draws numbers.
	Advance(ctx context.Context, far, near int64) error
	// NextRunID returns an id never given before.
	NextRunID(ctx context.Context) (int64, error)
}

// Slots are the firings of a store's jobs.
type Slots interface {
	// UnsettledJobs returns up to limit enabled jobs with ids above after whose next firing
	// is not after now, by id.
	UnsettledJobs(ctx context.Context, now time.Time, after int64, limit int) ([]Late, error)
	// PassSlots carries out moves.
	PassSlots(ctx context.Context, moves []Move) error
	// CalendarRules returns all calendars.
	CalendarRules(ctx context.Context) ([]job.Calendar, error)
}

// Open is what a store holds that is not over.
type Open interface {
	// WaitingRuns returns the ids of runs that wait and were due by now, at most limit.
	WaitingRuns(ctx context.Context, now time.Time, limit int) ([]int64, error)
	// CancelRun ends a run that waits.
	CancelRun(ctx context.Context, id int64, reason string, now time.Time) (job.Run, error)
	// OpenAttempts returns the attempts that are not over, at most limit.
	OpenAttempts(ctx context.Context, limit int) ([]job.Attempt, error)
}

// Beside is what a store holds of backfills, workflows and sign-ins.
type Beside interface {
	// UnderWay returns the ids of backfills and workflow runs that are not over.
	UnderWay(ctx context.Context) (backfills, workflows []int64, err error)
	// CancelBackfill ends a backfill.
	CancelBackfill(ctx context.Context, id int64, reason string, now time.Time) (job.Backfill, error)
	// CountSessions returns how many sign-ins of browsers there are.
	CountSessions(ctx context.Context) (int64, error)
	// EndSessions ends all sign-ins of browsers and returns how many there were.
	EndSessions(ctx context.Context) (int64, error)
}

// Config says what is settled, and how.
type Config struct {
	Numbers Numbers
	Slots   Slots
	Open    Open
	Beside  Beside
	// CancelWorkflow lets a workflow run start nothing more.
	CancelWorkflow func(ctx context.Context, id int64, reason string) error
	Missed         Missed
	// Dry only tells what it would come to: nothing is written.
	Dry        bool
	Taken, Now time.Time
}

// JobSlots is what a report says of one job.
type JobSlots struct {
	Namespace string `json:"namespace"`
	Job       string `json:"job"`
	// Slots are those after the copy, at least; More says that there are further ones.
	Slots int       `json:"slots"`
	More  bool      `json:"more,omitempty"`
	First time.Time `json:"first_at"`
	Last  time.Time `json:"last_at"`
	// Next is the next firing; zero when there is none, or the job's policy decides.
	Next time.Time `json:"next_at,omitzero"`
	// Policy is the job's misfire policy when that decides.
	Policy  schedule.Misfire `json:"policy,omitempty"`
	HeldBy  string           `json:"held_by,omitempty"`
	Problem string           `json:"problem,omitempty"`
}

// OpenAttempt is an attempt of the copy whose executor will be asked about it.
type OpenAttempt struct {
	Attempt int64  `json:"attempt"`
	Run     int64  `json:"run"`
	Job     int64  `json:"job"`
	Address string `json:"address,omitempty"`
}

// Report says what a copy that is put back does not know, and what became of it. Lists
// have at most 1,000 entries; the counts are of all, up to 500,000.
type Report struct {
	Taken    time.Time `json:"taken_at"`
	Restored time.Time `json:"restored_at"`
	Missed   Missed    `json:"missed"`
	// Jobs have slots between the two.
	Jobs     []JobSlots `json:"jobs"`
	LateJobs int        `json:"late_jobs"`
	Slots    int        `json:"slots"`
	// Waiting are runs of the copy that waited: ended, or sent, as Missed says.
	Waiting []int64 `json:"waiting_runs"`
	Waited  int     `json:"waiting"`
	// Attempts are those of the copy that are not over: executors are asked.
	Attempts  []OpenAttempt `json:"open_attempts"`
	Asked     int           `json:"open"`
	Backfills []int64       `json:"backfills"`
	Workflows []int64       `json:"workflow_runs"`
	Sessions  int64         `json:"sessions_ended"`
	// NumbersFrom is the first number that is given to a run or an attempt from now on.
	NumbersFrom int64 `json:"numbers_from"`
}

// Settle makes a copy fit for a time after it was made, and says what it did: numbers
// that the lost server may have given are passed over, slots and runs of which nobody
// knows are left to Missed, and sign-ins end. Nobody else may work on the store. It
// stops at the first error; the store is not to be used then.
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

// settling is one call of Settle.
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
	far := jump(given, lost)
	if s.Dry {
		// they stay
	} else if err := s.Numbers.Advance(ctx, far, smallJump); err != nil {
		return fmt.Errorf("take the numbers ahead: %w", err)
	}
	s.report.NumbersFrom = given.Next + far
	return nil
}

// jump is how far a sequence goes ahead: ten times what would have been given in the
// time that was lost, at the pace before the copy.
func jump(g Given, lost time.Duration) int64 {
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

// cancel ends runs that wait, beside each other: they share transactions.
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
