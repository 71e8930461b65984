package schedule

import (
	"fmt"
	"math/bits"
)

// GapRule is the handling of a firing whose wall time the clock skips. The values are
// stored and served as they are.
type GapRule string

// The gap rules. On 2026-03-08 the clock of New York goes from 01:59:59 to
// 03:00:00, so a job of 02:30 has no such time that day. Several firings that
// fall into one gap become one, and one that moves to an instant at which the
// expression fires anyway is not fired twice.
const (
	// GapSkip lets the firing fall away: 02:30 fires on 9 March next.
	GapSkip GapRule = "skip"
	// GapAfter moves it to the first instant after the gap: 03:00:00.
	GapAfter GapRule = "fire_after"
	// GapBefore moves it to the last second before the gap: 01:59:59.
	GapBefore GapRule = "fire_before"
)

// OverlapRule is when a firing comes whose wall time the clock shows twice. The values are
// stored and served as they are.
type OverlapRule string

// The overlap rules. On 2026-11-01 the clock of New York goes from 01:59:59 back
// to 01:00:00, so 01:30 is there at 05:30 UTC and again at 06:30 UTC.
const (
	// OverlapFirst fires on the first pass: 05:30 UTC.
	OverlapFirst OverlapRule = "first"
	// OverlapSecond fires on the second pass: 06:30 UTC.
	OverlapSecond OverlapRule = "second"
	// OverlapBoth fires on both.
	OverlapBoth OverlapRule = "both"
)

// DST defines the firings of an expression when the clock of its zone steps, for daylight
// saving or for any other reason. Its zero value means the same as [Quartz].
type DST struct {
	// Gap defaults to "skip".
	Gap GapRule `json:"gap,omitempty"`
	// Overlap defaults to "second".
	Overlap OverlapRule `json:"overlap,omitempty"`
	// Straight lets an expression that keeps a pace through the day run
	// straight on in elapsed time, whatever Gap and Overlap say: it fires
	// whenever the clock shows a time that it names, on both passes of an
	// overlap, and nothing is moved out of a gap. An expression keeps a pace
	// when it names every hour of the day, as in "0 */15 * * * ?" and
	// "0 0 * * * ?", or when it names several times in an hour and no hour
	// that stands alone, as in "0 */15 0-5 * * ?". The firings of
	// "0 0,30 2 * * ?" are two times of the day and not a pace.
	Straight bool `json:"straight,omitempty"`
}

// Quartz returns the rules of the Quartz scheduler: what a gap jumps over falls
// away, and what an overlap repeats fires on the second pass, so that a job of
// every minute pauses for the length of the first.
func Quartz() DST { return DST{Gap: GapSkip, Overlap: OverlapSecond} }

// Wall returns the rules that people expect of a clock on the wall: what a gap
// jumps over fires right after it, what an overlap repeats fires on the first
// pass, and what keeps a pace runs straight on.
func Wall() DST { return DST{Gap: GapAfter, Overlap: OverlapFirst, Straight: true} }

// PresetDST returns the rules of a name, "quartz" or "wall". Its errors are
// [*Error].
func PresetDST(name string) (DST, error) {
	switch name {
	case "quartz":
		return Quartz(), nil
	case "wall":
		return Wall(), nil
	}
	return DST{}, &Error{
		Input: inputDST, Message: fmt.Sprintf("%q is not a set of rules for clock changes", name),
		Hint: "use quartz or wall",
	}
}

// Validate reports the first rule that is not one as an [*Error]. An empty rule
// is valid, it means its default.
func (d DST) Validate() error {
	switch d.Gap {
	case "", GapSkip, GapAfter, GapBefore:
	default:
		return &Error{
			Input: inputDST + ".gap", Message: fmt.Sprintf("%q is not a rule for times that the clock jumps over", d.Gap),
			Hint: "use skip, fire_after or fire_before",
		}
	}
	switch d.Overlap {
	case "", OverlapFirst, OverlapSecond, OverlapBoth:
	default:
		return &Error{
			Input: inputDST + ".overlap", Message: fmt.Sprintf("%q is not a rule for times that come twice", d.Overlap),
			Hint: "use first, second or both",
		}
	}
	return nil
}

// inputDST is the Input of a fault in the rules for clock changes.
const inputDST = "dst"

// obey makes c follow the rules that apply to it.
func (c *Cron) obey(d DST) {
	c.gap, c.overlap = d.Gap, d.Overlap
	if d.Straight && c.paced() {
		c.gap, c.overlap = GapSkip, OverlapBoth
	}
	if c.gap == "" {
		c.gap = GapSkip
	}
	if c.overlap == "" {
		c.overlap = OverlapSecond
	}
}

// paced reports whether c keeps a pace through the day, as defined by [DST].
func (c *Cron) paced() bool {
	const everyHour = 1<<24 - 1
	if c.hours == everyHour {
		return true
	}
	before, after := c.hours<<1|c.hours>>23, c.hours>>1|c.hours<<23
	lonely := c.hours &^ before &^ after & everyHour
	return lonely == 0 && bits.OnesCount64(uint64(c.minutes))*bits.OnesCount64(uint64(c.seconds)) > 1
}
