package alarms

import (
	"github.com/danielgtaylor/huma/v2"

	"github.com/orthd/orth/internal/rest/guard"
)

// Config is what the operations about alarms ask. What has no default is required.
type Config struct {
	Alarms        Alarms
	AlarmRules    AlarmRules
	AlarmChannels AlarmChannels
	AlarmSilences AlarmSilences
}

// alarmRoom carries the operations out.
type alarmRoom struct {
	*guard.Guard

	config                          Config
	newAlarmRules, newAlarmChannels *huma.Schema // of new ones
}

// Register adds the operations about alarms.
func Register(g *guard.Guard, c Config) {
	s := &alarmRoom{Guard: g, config: c}
	s.registerAlarms()
	s.registerAlarmRules()
	s.registerAlarmChannels()
	s.registerAlarmSilences()
}
