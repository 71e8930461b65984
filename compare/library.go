package main

import (
	"strconv"
	"strings"
	"time"

	"github.com/adhocore/gronx"
	"github.com/reugn/go-quartz/quartz"
	"github.com/robfig/cron/v3"

	"github.com/orthd/orth/schedule"
)

// next returns the first firing after an instant, and false when the library
// finds none.
type next func(after time.Time) (time.Time, bool)

// library is one that reads expressions of six and seven fields.
type library struct {
	name string
	// lacks lists what its documentation does not promise.
	lacks []feature
	// sundayIsZero says that its weekdays are numbered 0-6 and not 1-7.
	sundayIsZero bool
	// compile makes an expression ready in a zone.
	compile func(expr string, zone *time.Location) (next, error)
}

// libraries lists Orth and the others.
func libraries() []library {
	return []library{
		{name: "Orth", compile: compileOrth},
		{
			name: "robfig/cron v3.0.1", compile: compileRobfig, sundayIsZero: true,
			lacks: []feature{years, last, lastWorkday, fromLast, workday, lastOfWeek, nth, wrap, bareSlash, listed},
		},
		{
			name: "gronx v1.20.4", compile: compileGronx, sundayIsZero: true,
			lacks: []feature{lastWorkday, fromLast, wrap, bareSlash},
		},
		{
			name: "go-quartz v0.15.2", compile: compileGoQuartz,
			lacks: []feature{wrap, bareSlash, listed, small},
		},
	}
}

func compileOrth(expr string, zone *time.Location) (next, error) {
	c, err := schedule.ParseCron(expr, zone)
	if err != nil {
		return nil, err
	}
	return c.Next, nil
}

func compileRobfig(expr string, zone *time.Location) (next, error) {
	parser := cron.NewParser(cron.Second | cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)
	s, err := parser.Parse(expr)
	if err != nil {
		return nil, err
	}
	if spec, ok := s.(*cron.SpecSchedule); ok {
		spec.Location = zone
	}
	return func(after time.Time) (time.Time, bool) {
		at := s.Next(after)
		return at, !at.IsZero()
	}, nil
}

// compileGronx only checks: gronx has no compiled form, and each answer reads the
// expression.
func compileGronx(expr string, zone *time.Location) (next, error) {
	if !gronx.IsValid(expr) {
		return nil, strconv.ErrSyntax
	}
	return func(after time.Time) (time.Time, bool) {
		at, err := gronx.NextTickAfter(expr, after.In(zone), false)
		return at, err == nil
	}, nil
}

func compileGoQuartz(expr string, zone *time.Location) (next, error) {
	trigger, err := quartz.NewCronTriggerWithLoc(expr, zone)
	if err != nil {
		return nil, err
	}
	return func(after time.Time) (time.Time, bool) {
		ns, err := trigger.NextFireTime(after.UnixNano())
		return time.Unix(0, ns), err == nil
	}, nil
}

// write puts a Quartz expression into the library's numbers of weekdays.
func (l library) write(expr string) string {
	fields := strings.Fields(expr)
	if !l.sundayIsZero || len(fields) < 6 {
		return expr
	}
	week := []byte(fields[5])
	for i, c := range week {
		if c >= '1' && c <= '7' && (i == 0 || week[i-1] != '/' && week[i-1] != '#') {
			week[i] = c - 1
		}
	}
	fields[5] = string(week)
	return strings.Join(fields, " ")
}
