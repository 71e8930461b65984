package audit

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/orthd/orth/job"
)

// Removed is the content of After in a line of [PruneOperation].
type Removed struct {
	// Lines is the number of removed lines, First and Last their sequence numbers.
	Lines int64 `json:"lines"`
	First int64 `json:"first"`
	Last  int64 `json:"last"`
	// Digest is the digest of the last removed line, which the next line refers to.
	Digest string `json:"digest"`
}

// Anchor is the end of a chain: the number of its last line, and its digest. A copy kept
// elsewhere proves later that no line up to there was changed or removed.
type Anchor struct {
	Seq    int64
	Digest string
}

// String returns the text that [ParseAnchor] reads.
func (a Anchor) String() string { return strconv.FormatInt(a.Seq, 10) + ":" + a.Digest }

// ParseAnchor parses an anchor. Its error is Invalid.
func ParseAnchor(text string) (Anchor, error) {
	number, digest, _ := strings.Cut(text, ":")
	seq, err := strconv.ParseInt(number, 10, 64)
	wrong := err != nil || seq < 0 || (seq == 0) != (digest == "") || digest != "" && len(digest) != 64 ||
		strings.Trim(digest, "0123456789abcdef") != ""
	if wrong {
		return Anchor{}, job.FieldErrorf("anchor", "%q is no anchor: give what a check has printed, such as 12:9f86d0…", text)
	}
	return Anchor{Seq: seq, Digest: digest}, nil
}

// FaultError is the first fault of a chain.
type FaultError struct {
	// Seq is the invalid line, or the first missing one.
	Seq int64
	// Reason describes the fault for people.
	Reason string
}

// Error returns the line and the fault.
func (f *FaultError) Error() string { return fmt.Sprintf("line %d of the audit: %s", f.Seq, f.Reason) }

// Checker verifies a chain line by line. It must be used by one goroutine.
type Checker struct {
	anchor  *Anchor
	last    Anchor
	lines   int64
	missing *Anchor // the last removed line, until a line vouches for it
	vouched Anchor  // the same, since then
	fault   *FaultError
}

// NewChecker returns a checker for a chain, starting at its first stored line. anchor is an
// earlier anchor of the chain, or nil.
func NewChecker(anchor *Anchor) *Checker { return &Checker{anchor: anchor} }

// Add verifies the next line. It returns a [FaultError] for an invalid one, and the same
// error from then on.
func (c *Checker) Add(l *Line) error {
	if c.fault == nil {
		c.fault = c.check(l)
	}
	if c.fault != nil {
		return c.fault
	}
	return nil
}

func (c *Checker) check(l *Line) *FaultError {
	wrong := func(reason string, args ...any) *FaultError { return &FaultError{l.Seq, fmt.Sprintf(reason, args...)} }
	switch {
	case l.Digest != l.sum():
		return wrong("it was changed: its digest is not that of what it says")
	case c.lines == 0 && l.Seq < 1:
		return wrong("there can be no line of this number")
	case c.lines == 0 && l.Seq == 1 && l.Previous != "":
		return wrong("it names a line before it, and is the first")
	case c.lines == 0 && l.Seq > 1:
		c.missing = &Anchor{l.Seq - 1, l.Previous}
	case c.lines == 0:
	case l.Seq <= c.last.Seq:
		return wrong("it stands after line %d: it was moved, or put in", c.last.Seq)
	case l.Seq > c.last.Seq+1:
		return &FaultError{c.last.Seq + 1, fmt.Sprintf("it is missing; the next is line %d", l.Seq)}
	case l.Previous != c.last.Digest:
		return wrong("it does not follow on line %d as that stands: one of the two was changed or put in", c.last.Seq)
	}
	c.vouch(l)
	c.last = Anchor{l.Seq, l.Digest}
	c.lines++
	if a := c.anchor; a != nil && a.Seq == l.Seq && a.Digest != l.Digest {
		return wrong("it is another one than the anchor says: the chain was made anew")
	}
	return nil
}

// vouch checks whether a line records the removal of the lines before the first one.
func (c *Checker) vouch(l *Line) {
	if c.missing == nil || l.Operation != PruneOperation {
		return
	}
	var r Removed
	if json.Unmarshal([]byte(l.After), &r) == nil && r.Last == c.missing.Seq && r.Digest == c.missing.Digest {
		c.vouched, c.missing = *c.missing, nil
	}
}

// End returns the number of lines and the end of the chain after all lines were added, or
// the fault.
func (c *Checker) End() (lines int64, end Anchor, err error) {
	switch a := c.anchor; {
	case c.fault != nil:
	case c.missing != nil:
		c.fault = &FaultError{c.missing.Seq, "it and those before it are gone, and no line says who removed them"}
	case a != nil && a.Seq == c.vouched.Seq && *a != c.vouched:
		c.fault = &FaultError{a.Seq, "it was removed, and was another one than the anchor says: the chain was made anew"}
	case a != nil && a.Seq > c.last.Seq:
		c.fault = &FaultError{c.last.Seq + 1, fmt.Sprintf("it is missing with all up to line %d, which the anchor names: the end was cut off", a.Seq)}
	}
	if c.fault != nil {
		return c.lines, c.last, c.fault
	}
	return c.lines, c.last, nil
}
