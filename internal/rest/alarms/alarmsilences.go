package alarms

import (
	"context"
	"net/http"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/rest/operation"
)

// AlarmSilences is all that the API asks about silences.
type AlarmSilences interface {
	AlarmSilencer
	AlarmSilenceReader
}

// AlarmSilencer begins and ends silences.
type AlarmSilencer interface {
	CreateSilence(ctx context.Context, s alarm.Silence) (alarm.Silence, error)
	EndSilence(ctx context.Context, id int64) (alarm.Silence, error)
	DeleteSilence(ctx context.Context, id int64) error
}

// AlarmSilenceReader finds silences.
type AlarmSilenceReader interface {
	Silence(ctx context.Context, id int64) (alarm.Silence, error)
	Silences(ctx context.Context, namespace string) ([]alarm.Silence, error)
}

type newAlarmSilence struct {
	Namespace string `query:"namespace" default:"default" doc:"The namespace when the body names none."`
	Body      api.NewAlarmSilence
}

type silencePath struct {
	ID string `path:"id" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a silence's id" doc:"The silence's id."`
}

type silenceReply struct{ Body api.AlarmSilence }

type silenceCreated struct {
	Location string `header:"Location" doc:"The path of the silence."`
	Body     api.AlarmSilence
}

type silenceList struct{ Body api.AlarmSilenceList }

func (s *alarmRoom) registerAlarmSilences() {
	tags := []string{tagAlarms}
	guard.Register(s.Guard, guard.Op{
		ID: "list-alarm-silences", Method: http.MethodGet, Path: "/alarm/silences", Tags: tags,
		Right: access.View, Scope: guard.InNamespaceIfAny, Class: guard.Reading, Spreads: true,
		Summary:     "List silences in order of id; those that ended a month ago are removed",
		Description: everyNamespace,
	}, s.listSilences)
	guard.Register(s.Guard, guard.Op{
		ID: "create-alarm-silence", Method: http.MethodPost, Path: "/alarm/silences", Tags: tags,
		Right: access.Operate, Scope: guard.InNamespace, Class: guard.Writing, Status: http.StatusCreated,
		Policy:  guard.Policy{Kind: guard.KindSilence, Made: true, Dry: true},
		Summary: "Hold messages back: for a while, or at each maintenance",
	}, s.createSilence)
	guard.Register(s.Guard, guard.Op{
		ID: "get-alarm-silence", Method: http.MethodGet, Path: "/alarm/silences/{id}", Tags: tags,
		Right: access.View, Scope: guard.OnSilence, Class: guard.Reading,
		Policy:  guard.Policy{Kind: guard.KindSilence},
		Summary: "Show a silence",
	}, s.getSilence)
	guard.Register(s.Guard, guard.Op{
		ID: "end-alarm-silence", Method: http.MethodPost, Path: "/alarm/silences/{id}/end", Tags: tags,
		Right: access.Operate, Scope: guard.OnSilence, Class: guard.Writing,
		Policy:  guard.Policy{Kind: guard.KindSilence, Dry: true},
		Summary: "End a silence now: alarms that still fire are notified",
	}, s.endSilence)
	guard.Register(s.Guard, guard.Op{
		ID: "delete-alarm-silence", Method: http.MethodDelete, Path: "/alarm/silences/{id}", Tags: tags,
		Right: access.Operate, Scope: guard.OnSilence, Class: guard.Writing,
		Policy:  guard.Policy{Kind: guard.KindSilence, Dry: true},
		Summary: "Delete a silence",
	}, s.deleteSilence)
}

func (s *alarmRoom) listSilences(ctx context.Context, in *alarmSpace) (*silenceList, error) {
	found, err := s.config.AlarmSilences.Silences(ctx, in.Namespace)
	if err != nil {
		return nil, err
	}
	found = guard.InSight(ctx, s.Guard, found, func(one *alarm.Silence) string { return one.Namespace })
	list, now := api.AlarmSilenceList{Silences: make([]api.AlarmSilence, len(found))}, time.Now()
	for i := range found {
		list.Silences[i] = api.FromAlarmSilence(found[i], now)
	}
	return &silenceList{list}, nil
}

func (s *alarmRoom) createSilence(ctx context.Context, in *newAlarmSilence) (*silenceCreated, error) {
	wanted := in.Body.Silence()
	wanted.Namespace = operation.FirstOf(wanted.Namespace, in.Namespace)
	made, err := s.config.AlarmSilences.CreateSilence(ctx, wanted)
	if err != nil {
		return nil, err
	}
	shown := api.FromAlarmSilence(made, time.Now())
	return &silenceCreated{Location: guard.Prefix + "/alarm/silences/" + shown.ID.String(), Body: shown}, nil
}

func (s *alarmRoom) getSilence(ctx context.Context, in *silencePath) (*silenceReply, error) {
	return s.silence(ctx, in, s.config.AlarmSilences.Silence)
}

func (s *alarmRoom) endSilence(ctx context.Context, in *silencePath) (*silenceReply, error) {
	return s.silence(ctx, in, s.config.AlarmSilences.EndSilence)
}

// silence answers with what a function makes of a silence.
func (s *alarmRoom) silence(ctx context.Context, in *silencePath, find func(context.Context, int64) (alarm.Silence, error)) (*silenceReply, error) {
	id, err := guard.ParseID("id", in.ID)
	if err != nil {
		return nil, err
	}
	found, err := find(ctx, id)
	if err != nil {
		return nil, err
	}
	return &silenceReply{api.FromAlarmSilence(found, time.Now())}, nil
}

func (s *alarmRoom) deleteSilence(ctx context.Context, in *silencePath) (*struct{}, error) {
	id, err := guard.ParseID("id", in.ID)
	if err != nil {
		return nil, err
	}
	return nil, s.config.AlarmSilences.DeleteSilence(ctx, id)
}
