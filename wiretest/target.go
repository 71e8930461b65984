package wiretest

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Flavour is the generation of the protocol that a target is held to.
type Flavour string

// The flavours that the suite knows.
const (
	XXL2     Flavour = "xxl-2"     // XXL-JOB 2.3 to 3.2
	XXL3     Flavour = "xxl-3"     // XXL-JOB 3.3 and 3.4
	XXL35    Flavour = "xxl-3.5"   // XXL-JOB 3.5
	OrthJava Flavour = "orth-java" // the Java fork that has Orth's name
)

// Setup is how the suite wants an executor started.
type Setup struct {
	// Admins are the base URLs of the suite's admins, in the order in which the
	// executor must try them. Some may be dead.
	Admins []string
	// Token and App are what the executor shows and expects.
	Token, App string
	// Scripts is false when the executor must refuse scripts.
	Scripts bool
	// Data is a folder that is empty at a case's first start and the same when
	// the case starts the executor again.
	Data string
}

// Instance is a running executor.
type Instance struct {
	// URL is where it serves.
	URL string
	// Stop ends it in order and returns when it has ended.
	Stop func() error
}

// Target is the executor or the admin that a suite is played against. Either
// URL or Start must be set.
type Target struct {
	// Flavour defaults to [XXL3].
	Flavour Flavour
	// URL is the base URL of a target that runs already. An executor that runs
	// must report to the admin that the suite starts at Listen.
	URL string
	// Start starts an executor. The suite calls it for the cases that share one
	// and again for each that needs another setup.
	Start func(ctx context.Context, s Setup) (*Instance, error)
	// Token and App are the secret and the app name that target and suite
	// share. They default to "tok" and "app-x".
	Token, App string
	// Listen is the host and port of the suite's admin. Defaults to a free port
	// of the loopback.
	Listen string
	// Announce is told the base URL of the suite's admin before the first case.
	// Defaults to nobody.
	Announce func(url string)
	// Can are the capabilities of the target, by their names in the data.
	// "start" and "control" are known by themselves.
	Can []string
	// Deviates are the deviations of the target, by their names in the data.
	Deviates []string
	// Only are the cases to play, by their numbers. Defaults to all.
	Only []string
	// Idle is how long an executor keeps what it knows of a job without work.
	// Defaults to 95 s.
	Idle time.Duration
	// Control makes jobs of an admin. Defaults to nil: the cases that need one
	// do not apply.
	Control Control
	// Registers is how long an admin takes until it sends runs to an executor
	// that registered. Defaults to 35 s.
	Registers time.Duration
	// Patience bounds every wait for what must come. Defaults to 45 s: some
	// peers do what must come every 30 s.
	Patience time.Duration
}

func (t *Target) defaults() {
	if t.Flavour == "" {
		t.Flavour = XXL3
	}
	if t.Token == "" {
		t.Token = "tok"
	}
	if t.App == "" {
		t.App = "app-x"
	}
	if t.Listen == "" {
		t.Listen = "127.0.0.1:0"
	}
	if t.Idle <= 0 {
		t.Idle = 95 * time.Second
	}
	if t.Registers <= 0 {
		t.Registers = 35 * time.Second
	}
	if t.Patience <= 0 {
		t.Patience = 45 * time.Second
	}
}

// check refuses names that the data does not have: a capability that is spelt
// wrong would leave cases out.
func (t *Target) check(b *book, cases []numbered) error {
	if _, known := b.Flavours[t.Flavour]; !known {
		return fmt.Errorf("the flavour %q is unknown", t.Flavour)
	}
	for _, name := range t.Can {
		if _, known := b.Capabilities[name]; !known {
			return fmt.Errorf("the capability %q is unknown", name)
		}
	}
	for _, name := range t.Deviates {
		if _, known := b.Deviations[name]; !known {
			return fmt.Errorf("the deviation %q is unknown", name)
		}
	}
	for _, id := range t.Only {
		if !slices.ContainsFunc(cases, func(c numbered) bool { return c.ID == id }) {
			return fmt.Errorf("the case %q is unknown", id)
		}
	}
	if (t.URL == "") == (t.Start == nil) {
		return fmt.Errorf("the target needs either a URL or a Start")
	}
	return nil
}

// can returns all capabilities of the target.
func (t *Target) can() []string {
	can := slices.Clone(t.Can)
	if t.Start != nil {
		can = append(can, "start")
	}
	if t.Control != nil {
		can = append(can, "control")
		if _, kills := t.Control.(Killer); kills {
			can = append(can, "kill")
		}
		if _, addresses := t.Control.(Addresser); addresses {
			can = append(can, "addresses")
		}
		if _, switches := t.Control.(Switcher); switches {
			can = append(can, "schedules")
		}
		if _, reads := t.Control.(LogReader); reads {
			can = append(can, "logs")
		}
	}
	return can
}
