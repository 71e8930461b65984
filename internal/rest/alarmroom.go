package rest

import (
	"github.com/danielgtaylor/huma/v2"

	"github.com/orthd/orth/internal/rest/guard"
)

// AlarmRoomConfig is what the operations about alarms ask. What has no default is required.
type AlarmRoomConfig struct {
	Alarms        Alarms
	AlarmRules    AlarmRules
	AlarmChannels AlarmChannels
	AlarmSilences AlarmSilences
}

// alarmRoom carries the operations out.
type alarmRoom struct {
	*guard.Guard

	config                          AlarmRoomConfig
	newAlarmRules, newAlarmChannels *huma.Schema // of new ones
}

// RegisterAlarmRoom adds the operations about alarms.
func RegisterAlarmRoom(g *guard.Guard, c AlarmRoomConfig) {
	s := &alarmRoom{Guard: g, config: c}
	s.registerAlarms()
	s.registerAlarmRules()
	s.registerAlarmChannels()
	s.registerAlarmSilences()
}
