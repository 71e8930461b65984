// Package breaker is a circuit breaker per address: it stops calls to an address for a
// while after several failed in a row.
//
// It knows addresses and the results of their last calls. It must never know what is
// called, protocols or leases; the caller decides which results are failures of the
// address. It takes results of calls, and returns whether to call, and why not.
package breaker

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// State is the state of an address. The values are part of the API.
type State string

// The states.
const (
	// Closed is the normal state: calls are made.
	Closed State = "closed"
	// Open is after too many failures: no calls until Status.Until.
	Open State = "open"
	// HalfOpen follows Open: one call at a time tests whether the address has recovered.
	HalfOpen State = "half_open"
)

// Status is an address with its state.
type Status struct {
	Address string `json:"address"`
	State   State  `json:"state"`
	// Failures is how many calls in a row have failed, Reason the error of the last one.
	Failures int    `json:"failures,omitempty"`
	Reason   string `json:"reason,omitempty"`
	// Until is when an Open address is tried again.
	Until time.Time `json:"until,omitzero"`
}

// Config configures a Set.
type Config struct {
	// Failures is how many calls in a row must fail. Defaults to 5.
	Failures int
	// Cool is how long an address stays open the first time. It doubles with each failed
	// trial, up to MaxCool. Defaults to 2 s and 30 s.
	Cool    time.Duration
	MaxCool time.Duration
	// Trial is how long a trial may take before another one is allowed: its
	// end may have been lost. Defaults to 30 s.
	Trial time.Duration
	// Addresses bounds the remembered addresses. Beyond it the one that failed longest ago
	// is dropped, which costs some calls. Defaults to 10,000.
	Addresses int
}

// Set is the breakers of all addresses. It is safe for concurrent use, and an address that
// works costs nothing.
type Set struct {
	config Config

	mu   sync.Mutex
	sick map[string]*sick // guarded by mu: addresses whose last call failed
}

// sick is an address whose last call failed.
type sick struct {
	failures int
	reason   string
	at       time.Time // of the last failure
	cool     time.Duration
	until    time.Time // zero while there are too few failures
	trial    time.Time // start of the trial in flight; zero for none
}

// New returns a Set in which every address is closed.
func New(c Config) *Set {
	if c.Failures <= 0 {
		c.Failures = 5
	}
	if c.Cool <= 0 {
		c.Cool = 2 * time.Second
	}
	c.MaxCool = max(cmp.Or(c.MaxCool, 30*time.Second), c.Cool)
	if c.Trial <= 0 {
		c.Trial = 30 * time.Second
	}
	if c.Addresses <= 0 {
		c.Addresses = 10_000
	}
	return &Set{config: c, sick: make(map[string]*sick)}
}

// Ready reports whether a call may be made now. It changes nothing: callers call Allow
// before the call.
func (s *Set) Ready(address string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.sick[address]
	return a == nil || s.ready(a, now)
}

func (s *Set) ready(a *sick, now time.Time) bool {
	switch {
	case a.until.IsZero():
		return true
	case now.Before(a.until):
		return false
	}
	return a.trial.IsZero() || now.Sub(a.trial) >= s.config.Trial
}

// Allow reports whether a call may be made now, and assumes that an allowed call is made:
// if it is the trial of an address, no other one is allowed until it has ended.
func (s *Set) Allow(address string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.sick[address]
	switch {
	case a == nil:
		return true
	case !s.ready(a, now):
		return false
	case !a.until.IsZero():
		a.trial = now
	}
	return true
}

// Succeeded records that the address has answered, whatever the answer.
func (s *Set) Succeeded(address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sick, address)
}

// Reached records that the address has answered a request other than a call: an open one is
// tried at once. If that fails, it stays open no longer than the first time.
func (s *Set) Reached(address string, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.sick[address]; a != nil && now.Before(a.until) {
		a.until, a.cool = now, s.config.Cool/2 // a trial that fails doubles it
	}
}

// Failed records a failed call after which another one is likely to fail too, and the
// reason. Calls that began before the breaker opened count no more than once: they do not
// make the wait longer.
func (s *Set) Failed(address string, now time.Time, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.sick[address]
	if a == nil {
		s.forgetOne()
		a = &sick{}
		s.sick[address] = a
	}
	a.failures++
	a.reason, a.at = reason, now
	switch {
	case a.until.IsZero() && a.failures >= s.config.Failures:
		a.cool = s.config.Cool
	case !a.trial.IsZero():
		a.cool = min(2*a.cool, s.config.MaxCool)
	default: // too few yet, or a call from before
		return
	}
	a.trial, a.until = time.Time{}, now.Add(a.cool)
}

// forgetOne makes room for another address.
func (s *Set) forgetOne() {
	if len(s.sick) < s.config.Addresses {
		return
	}
	oldest := ""
	for address, a := range s.sick {
		if oldest == "" || a.at.Before(s.sick[oldest].at) {
			oldest = address
		}
	}
	delete(s.sick, oldest)
}

// Status returns the state of the address.
func (s *Set) Status(address string, now time.Time) Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status(address, now)
}

func (s *Set) status(address string, now time.Time) Status {
	a := s.sick[address]
	if a == nil {
		return Status{Address: address, State: Closed}
	}
	status := Status{Address: address, State: Closed, Failures: a.failures, Reason: a.reason}
	switch {
	case a.until.IsZero():
	case now.Before(a.until):
		status.State, status.Until = Open, a.until
	default:
		status.State = HalfOpen
	}
	return status
}

// All returns the addresses whose last call failed, in order of address.
func (s *Set) All(now time.Time) []Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Status, 0, len(s.sick))
	for address := range s.sick {
		all = append(all, s.status(address, now))
	}
	slices.SortFunc(all, func(a, b Status) int { return cmp.Compare(a.Address, b.Address) })
	return all
}
