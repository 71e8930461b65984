package dialect

import (
	"strconv"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// ParseSchedule returns the schedule that the dialect's type and configuration
// stand for, in a zone; an empty one is UTC. Such a schedule follows Quartz when
// a clock steps, as it did where it comes from. The error is Invalid with the
// field scheduleType or scheduleConf.
//
// A fixed rate has no phase in the dialect: it counts from the moment its job is
// made, unless the caller sets an Anchor.
func ParseSchedule(kind, conf, zone string) (schedule.Spec, error) {
	switch kind {
	case "", "NONE":
		return schedule.Spec{Kind: schedule.KindManual}, nil
	case "CRON":
		rules := schedule.Quartz()
		s := schedule.Spec{Kind: schedule.KindCron, Cron: conf, Zone: zone, DST: &rules}
		if err := s.Validate(); err != nil {
			return schedule.Spec{}, job.FieldErrorf("scheduleConf", "%w", err)
		}
		return s, nil
	case "FIX_RATE":
		every, err := period(conf)
		return schedule.Spec{Kind: schedule.KindEvery, Every: every}, err
	}
	return schedule.Spec{}, job.FieldErrorf("scheduleType", "%q is unknown; use NONE, CRON or FIX_RATE", kind)
}

// period reads the configuration of a fixed rate.
func period(conf string) (time.Duration, error) {
	n, err := strconv.ParseInt(conf, 10, 64)
	if most := int64(schedule.MaxEvery / time.Second); err != nil || n < 1 || n > most {
		return 0, job.FieldErrorf("scheduleConf", "%.40q is not a number of seconds from 1 to %d", conf, most)
	}
	return time.Duration(n) * time.Second, nil
}

// ScheduleName returns the dialect's type and configuration of a schedule, and false when
// the dialect cannot express it.
func ScheduleName(s schedule.Spec) (kind, conf string, ok bool) {
	switch s.Kind {
	case schedule.KindManual:
		return "NONE", "", true
	case schedule.KindCron:
		return "CRON", s.Cron, true
	case schedule.KindEvery:
		return "FIX_RATE", strconv.FormatInt(int64(s.Every/time.Second), 10), s.Every%time.Second == 0
	case schedule.KindAfter, schedule.KindDaily, schedule.KindOnce, schedule.KindSeveral:
	}
	return "", "", false
}
