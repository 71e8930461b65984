package job

import (
	"errors"
	"time"
	"unicode/utf8"

	"github.com/orthd/orth/schedule"
)

// Hold is a compiled Pause: it determines when the pause holds jobs back. It is immutable
// and safe for concurrent use.
type Hold struct {
	from, until time.Time      // until is zero when the pause is open
	window      *schedule.Cron // nil when it comes once
	lasts       time.Duration
}

// Compile checks the pause and makes its Hold. Its errors are Invalid with the
// field at fault.
func (p *Pause) Compile() (*Hold, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	h := &Hold{from: p.From, until: p.Until}
	if p.Window == nil {
		return h, nil
	}
	var err error
	if h.window, err = p.Window.compile(); err != nil {
		return nil, err
	}
	h.lasts = p.Window.For
	if _, begins := h.first(); !begins {
		return nil, FieldErrorf("window.cron", "it never begins between the pause's from and until: change one of them")
	}
	return h, nil
}

// check reports errors in the fields other than the window.
func (p *Pause) check() error {
	if err := CheckKey("key", p.Key); err != nil {
		return err
	}
	if n := utf8.RuneCountInString(p.Reason); n > MaxPauseReason {
		return FieldErrorf("reason", "has %d characters, at most %d are allowed", n, MaxPauseReason)
	}
	if p.Namespace != "" {
		if err := CheckKey("namespace", p.Namespace); err != nil {
			return err
		}
	}
	if len(p.Groups) > MaxPauseGroups {
		return FieldErrorf("groups", "are %d, at most %d are allowed", len(p.Groups), MaxPauseGroups)
	}
	for _, group := range p.Groups {
		if err := CheckGroup("groups", group); err != nil {
			return err
		}
	}
	if err := checkYear("from", p.From); err != nil {
		return err
	}
	if p.Until.IsZero() {
		return nil
	}
	if err := checkYear("until", p.Until); err != nil {
		return err
	}
	if !p.Until.After(p.From) {
		return FieldErrorf("until", "%s is not after from, %s: name a later instant, or none for a pause that somebody lifts",
			p.Until.UTC().Format(time.RFC3339), p.From.UTC().Format(time.RFC3339))
	}
	return nil
}

func checkYear(field string, t time.Time) error {
	if year := t.UTC().Year(); year < schedule.MinYear || year > schedule.MaxYear {
		return FieldErrorf(field, "the year %d is out of range, allowed are %d-%d", year, schedule.MinYear, schedule.MaxYear)
	}
	return nil
}

// compile checks the window and returns its starts. The clock of its zone steps for it as
// for people: a start that is skipped comes right after, one that comes twice counts once.
func (w *Window) compile() (*schedule.Cron, error) {
	if w.For < MinWindow || w.For > MaxWindow || w.For%time.Second != 0 {
		return nil, FieldErrorf("window.for", "%s is not a whole number of seconds from 1s to 168h (7 days)", w.For)
	}
	rules := schedule.Wall()
	spec := schedule.Spec{Kind: schedule.KindCron, Cron: w.Cron, Zone: w.Zone, DST: &rules}
	compiled, err := spec.Compile()
	if err == nil {
		err = spec.Validate()
	}
	if err != nil {
		return nil, windowError(err)
	}
	cron, ok := compiled.(*schedule.Cron)
	if !ok { // "@every 90s"
		return nil, FieldErrorf("window.cron", "%q is no time of the clock: write when the window begins, such as \"0 0 2 ? * SUN\"", w.Cron)
	}
	return cron, nil
}

// windowError returns an error of the schedule as one of the pause.
func windowError(err error) error {
	wrong, ok := errors.AsType[*schedule.Error](err)
	if !ok {
		return &Error{Kind: Invalid, Field: "window", Message: err.Error()}
	}
	hint := wrong.Hint
	plain := *wrong
	plain.Hint = ""
	return &Error{Kind: Invalid, Field: "window." + wrong.Input, Message: plain.Error(), Hint: hint}
}

// At reports whether jobs are held at an instant, and until when: zero means
// until the pause is lifted. Where windows overlap it is the end of the one that
// ends last of those that hold then; another may have begun before it.
func (h *Hold) At(t time.Time) (until time.Time, held bool) {
	if t.Before(h.from) || h.isOver(t) {
		return time.Time{}, false
	}
	if h.window == nil {
		return h.until, true
	}
	end, open := h.windowAt(t)
	if !open {
		return time.Time{}, false
	}
	if h.isOver(end) {
		end = h.until
	}
	return end, true
}

// Next returns when the pause begins next after an instant, and false when it
// does not. A window begins although one before it may not be over.
func (h *Hold) Next(after time.Time) (time.Time, bool) {
	if after.Before(h.from) {
		return h.first()
	}
	if h.window == nil {
		return time.Time{}, false
	}
	begin, ok := h.window.Next(after)
	if !ok || h.isOver(begin) {
		return time.Time{}, false
	}
	return begin, true
}

// first returns when the pause begins for the first time, and false when it
// never does.
func (h *Hold) first() (time.Time, bool) {
	if h.window == nil {
		return h.from, true
	}
	if _, open := h.windowAt(h.from); open {
		return h.from, true
	}
	begin, ok := h.window.Next(h.from)
	if !ok || h.isOver(begin) {
		return time.Time{}, false
	}
	return begin, true
}

// windowAt reports whether a window is open at an instant, wherever the pause
// begins and ends, and when the last of them ends.
func (h *Hold) windowAt(t time.Time) (end time.Time, open bool) {
	begin, ok := h.window.Prev(t.Add(1)) // at t or before
	end = begin.Add(h.lasts)
	return end, ok && t.Before(end)
}

// isOver reports whether the pause has ended by an instant.
func (h *Hold) isOver(t time.Time) bool { return !h.until.IsZero() && !t.Before(h.until) }
