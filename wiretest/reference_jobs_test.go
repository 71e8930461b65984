package wiretest

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
)

// refClocks are what the reference knows of routes and schedules. The mutex of the
// admin guards it.
type refClocks struct {
	over    chan struct{}
	turns   map[int64]int           // by job
	stops   map[int64]chan struct{} // of the jobs that are started
	removed map[int64]bool
}

func newRefClocks() refClocks {
	return refClocks{
		over: make(chan struct{}), turns: make(map[int64]int), stops: make(map[int64]chan struct{}), removed: make(map[int64]bool),
	}
}

// ordered returns the addresses in the order in which a route wants them. mu is held.
func (a *refAdmin) ordered(id int64, route string, addresses []string) []string {
	all := slices.Clone(addresses)
	if !a.is("addresses stand as they came") {
		slices.Sort(all)
	}
	if len(all) == 0 {
		return all
	}
	turn := a.clocks.turns[id]
	a.clocks.turns[id]++
	switch {
	case route == "last" && !a.is("the last is the first"),
		(route == "round" || route == "least_recently_used") && turn%2 == 1 && !a.is("nobody has a turn"),
		route == "consistent_hash" && turn%2 == 1 && a.is("the hash changes"):
		slices.Reverse(all)
	}
	return all
}

// Log implements LogReader.
func (a *refAdmin) Log(_ context.Context, log int64, from int) (LogPage, error) {
	a.mu.Lock()
	row := *a.rows[log-1]
	a.mu.Unlock()
	date := row.date
	if a.is("the time of a log is rounded") {
		date -= date%1000 + 1
	}
	text, to, err := a.ask(row.Address, "/log", object{a.word("log-date"): date, "logId": log, "fromLineNum": from})
	if a.is("lines come twice") && from > 1 && row.State == "running" {
		text = "one\n"
	}
	return LogPage{Text: text, To: to, End: to < from && (row.State != "running" || a.is("the end comes early"))}, err
}

// Start implements Switcher.
func (a *refAdmin) Start(_ context.Context, id int64) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	every, at := a.jobs[id-1].Cron == "* * * * * ?", time.Time{}
	if !every {
		var err error
		if at, err = time.Parse("5 4 15 2 1 ? 2006", a.jobs[id-1].Cron); err != nil {
			return err
		}
	}
	if !every && time.Until(at) <= 0 && !a.is("what is over is started") {
		return errors.New("the cron expression has no further time")
	}
	stop := make(chan struct{})
	a.clocks.stops[id] = stop
	a.work.Go(func() { a.fire(id, at, stop) })
	return nil
}

// fire sends a job at an instant, or every second when that is zero, until it is
// stopped.
func (a *refAdmin) fire(id int64, at time.Time, stop chan struct{}) {
	for {
		wait := time.Until(at)
		if at.IsZero() {
			wait = time.Until(time.Now().Truncate(time.Second).Add(time.Second))
		}
		select {
		case <-a.clocks.over:
			return
		case <-stop:
			if !a.is("a stop is undone") {
				return
			}
			stop = nil
			continue
		case <-time.After(wait):
		}
		a.mu.Lock()
		a.send(id, 0, nil)
		if stop == nil {
			a.clocks.stops[id] = make(chan struct{})
		}
		if !at.IsZero() && !a.is("what is over stays started") {
			delete(a.clocks.stops, id)
		}
		a.mu.Unlock()
		if !at.IsZero() {
			return
		}
	}
}

// Stop implements Switcher.
func (a *refAdmin) Stop(_ context.Context, id int64) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if stop, started := a.clocks.stops[id]; started {
		close(stop)
		delete(a.clocks.stops, id)
	}
	return nil
}

// Started implements Switcher.
func (a *refAdmin) Started(_ context.Context, id int64) (bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, started := a.clocks.stops[id]
	return started, nil
}

// jobCall answers a call of 3.5 about a job.
func (a *refAdmin) jobCall(name string, body []byte) string {
	var form struct {
		ID            int64
		ExecutorParam *string
	}
	if err := json.Unmarshal(body, &form); err != nil {
		return "openapi invoke error: " + err.Error()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case form.ID < 1 || form.ID > int64(len(a.jobs)) || a.clocks.removed[form.ID]:
		if name == "removeJob" && !a.is("what is unknown cannot be removed") || a.is("what is unknown is taken") {
			return ""
		}
		return "Job ID is illegal"
	case name == "removeJob":
		a.clocks.removed[form.ID] = true
	case name == "startJob" && a.jobs[form.ID-1].Cron == "" && !a.is("what has no schedule is started"):
		return "The current schedule type disables startup"
	case name == "updateJob":
		a.jobs[form.ID-1].Param = *form.ExecutorParam
		if a.polite == a.is("children are as they should not be") {
			a.jobs[form.ID-1].Children = nil
		}
	case name == "triggerJob":
		param := ""
		switch {
		case form.ExecutorParam != nil && !a.is("parameters are lost"):
			param = *form.ExecutorParam
		case a.polite:
			param = a.jobs[form.ID-1].Param
		}
		a.sendParam(form.ID, 0, nil, a.addresses[a.jobs[form.ID-1].Group], strings.Clone(param))
	}
	return ""
}
