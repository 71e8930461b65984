package job

import (
	"fmt"
	"strconv"
	"time"
)

// MaxDeadMessage bounds the characters of a run's message in its dead letter; the run has
// the rest.
const MaxDeadMessage = 1000

// LetterStatus is the resolution of a DeadLetter. The values are stored and served as they
// are.
type LetterStatus string

// The resolutions of a DeadLetter.
const (
	// LetterOpen: none yet.
	LetterOpen LetterStatus = "open"
	// LetterRedriven: a new run was made in the place of the dead one.
	LetterRedriven LetterStatus = "redriven"
	// LetterClosed: a user has closed it without a new run.
	LetterClosed LetterStatus = "closed"
)

// LetterStatuses returns every status, open first.
func LetterStatuses() []LetterStatus {
	return []LetterStatus{LetterOpen, LetterRedriven, LetterClosed}
}

// Known reports whether s is one of the statuses above.
func (s LetterStatus) Known() bool {
	return s == LetterOpen || s == LetterRedriven || s == LetterClosed
}

// DeadLetter is a Run that ended badly for good: after its last attempt it had
// failed, timed out or was lost. It is kept as long as its run is.
type DeadLetter struct {
	RunID     int64
	JobID     int64
	JobKey    string
	Namespace string
	Group     string    // the key of the group that the run was for
	State     State     // the run's: Failed, TimedOut or Lost
	Cause     Cause     // the run's
	PlannedAt time.Time // the run's; zero when it served no slot
	Tries     int       // the run's
	EndedAt   time.Time
	// Message is the beginning of the last attempt's message, at most [MaxDeadMessage]
	// characters; Reason is the run's.
	Message string
	Reason  string

	Status LetterStatus
	// RedrivenRun is the run that was made in its place; zero for none.
	RedrivenRun int64
	// ClosedAt is when it was closed, ClosedReason why. A letter that was
	// redriven later keeps them.
	ClosedAt     time.Time
	ClosedReason string
	// JobDeleted is set when its job was deleted: it cannot be redriven.
	JobDeleted bool
}

// CheckRedrive reports why no run can be made in the place of the dead one: Conflict when
// there is one already, NotFound when the job was deleted. A letter that was closed may be
// redriven.
func (d *DeadLetter) CheckRedrive() error {
	if err := d.CheckClose(); err != nil || !d.JobDeleted {
		return err
	}
	wrong := Errorf(NotFound, "run %d cannot be redriven: its job %s was deleted", d.RunID, d.JobKey)
	wrong.Hint = "close the dead letter; to do its work again, make the job anew and trigger it"
	return wrong
}

// CheckClose reports why the letter cannot be closed: Conflict when it was
// redriven.
func (d *DeadLetter) CheckClose() error {
	if d.RedrivenRun == 0 {
		return nil
	}
	wrong := Errorf(Conflict, "run %d was redriven already, as run %d", d.RunID, d.RedrivenRun)
	wrong.Hint = fmt.Sprintf("look at run %d: if it ended badly too, it is a dead letter itself", d.RedrivenRun)
	return wrong
}

// NoDeadLetter returns the NotFound error of a run that has no dead letter.
func NoDeadLetter(run int64) error {
	wrong := Errorf(NotFound, "run %d is no dead letter", run)
	wrong.Hint = "a run is one when it failed, timed out or was lost after its last attempt; " +
		"'orth dead-letter list --status all' lists them, and 'orth run show' tells how a run stands"
	return wrong
}

// Dies reports whether a run of the cause that ends for good in the state becomes a dead
// letter. Cancelled and skipped runs ended as intended, and a shard is accounted for by its
// parent run.
func Dies(cause Cause, end State) bool {
	switch end {
	case Failed, TimedOut, Lost:
		return cause != CauseShard && cause != CauseTrial
	default:
		return false
	}
}

// RedriveOf returns the run that replaces a dead one: of the same job, for the same slot,
// and with the same parameter unless param is set. It may be sent from the instant ready
// on, to any executor of its job. A second one of the same dead run is the same firing,
// which cannot be written.
func RedriveOf(dead *Run, id int64, param *string, ready, now time.Time) Run {
	if param == nil {
		param = dead.Param
	}
	return Run{
		ID: id, JobID: dead.JobID, JobKey: dead.JobKey, JobVersion: dead.JobVersion, GroupID: dead.GroupID,
		PlannedAt: dead.PlannedAt, Cause: CauseRedrive, CauseID: dead.ID, State: Planned, Param: param,
		Reason:  "in the place of run " + strconv.FormatInt(dead.ID, 10) + ", which " + diedAs(dead.State),
		ReadyAt: ready, DueAt: ready, CreatedAt: now,
	}
}

// diedAs describes the end of a run, as it follows its name.
func diedAs(end State) string {
	switch end {
	case TimedOut:
		return "timed out"
	case Lost:
		return "was lost"
	default:
		return string(end)
	}
}
