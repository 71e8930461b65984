package retry

import (
	"errors"
	"time"
)

// Class classifies a failure for the next try. The set is closed.
type Class string

// The classes of failure. An error without a class is ClassTransient.
const (
	// ClassTransient: the next try may well succeed; the policy decides when.
	ClassTransient Class = "transient"
	// ClassPermanent: no further try can succeed, so there is none.
	ClassPermanent Class = "permanent"
	// ClassNotReady: nothing is wrong, it is only too early. The next try is
	// after the delay that the error names; the policy decides how many.
	ClassNotReady Class = "not_ready"
	// ClassResource: where it ran something was short, such as memory, disk or
	// connections. The next try is better made elsewhere.
	ClassResource Class = "resource"
)

// Known reports whether c is one of the classes.
func (c Class) Known() bool {
	switch c {
	case ClassTransient, ClassPermanent, ClassNotReady, ClassResource:
		return true
	}
	return false
}

// Error is an error whose class is known.
type Error struct {
	Class Class
	// After is the least wait before the next try; zero leaves it to the
	// policy.
	After time.Duration
	Err   error // never nil
}

// Error returns the text of the error that was classified.
func (c *Error) Error() string { return c.Err.Error() }

// Unwrap returns the error that was classified.
func (c *Error) Unwrap() error { return c.Err }

// Transient marks err as one that the next try may not meet. It returns nil for
// nil, as the other marks do.
func Transient(err error) error { return classify(err, ClassTransient, 0) }

// Permanent marks err as one that every further try would meet.
func Permanent(err error) error { return classify(err, ClassPermanent, 0) }

// NotReady marks err as a matter of waiting: the next try is made after the
// delay, which is cut to [MaxDelayCap].
func NotReady(err error, after time.Duration) error {
	return classify(err, ClassNotReady, min(max(after, 0), MaxDelayCap))
}

// Resource marks err as a shortage of the machine or process where it ran.
func Resource(err error) error { return classify(err, ClassResource, 0) }

func classify(err error, c Class, after time.Duration) error {
	if err == nil {
		return nil
	}
	return &Error{Class: c, After: after, Err: err}
}

// ClassOf returns the class of the outermost mark in err's chain and the wait
// that goes with it. Without a mark, and for nil, it is ClassTransient.
func ClassOf(err error) (Class, time.Duration) {
	if c, ok := errors.AsType[*Error](err); ok {
		return c.Class, c.After
	}
	return ClassTransient, 0
}
