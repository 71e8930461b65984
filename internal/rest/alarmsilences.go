package rest

import (
	"context"
	"net/http"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/api"
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

func (s *server) registerAlarmSilences() {
	tags := []string{tagAlarms}
	register(s, Op{
		ID: "list-alarm-silences", Method: http.MethodGet, Path: "/alarm/silences", Tags: tags,
		Right: access.View, Scope: inNamespaceIfAny, Class: Reading, Spreads: true,
		Summary:     "List silences in order of id; those that ended a month ago are removed",
		Description: everyNamespace,
	}, s.listSilences)
	register(s, Op{
		ID: "create-alarm-silence", Method: http.MethodPost, Path: "/alarm/silences", Tags: tags,
		Right: access.Operate, Scope: inNamespace, Class: Writing, Status: http.StatusCreated,
		Policy:  Policy{Kind: kindSilence, Made: true, Dry: true},
		Summary: "Hold messages back: for a while, or at each maintenance",
	}, s.createSilence)
	register(s, Op{
		ID: "get-alarm-silence", Method: http.MethodGet, Path: "/alarm/silences/{id}", Tags: tags,
		Right: access.View, Scope: onSilence, Class: Reading,
		Policy:  Policy{Kind: kindSilence},
		Summary: "Show a silence",
	}, s.getSilence)
	register(s, Op{
		ID: "end-alarm-silence", Method: http.MethodPost, Path: "/alarm/silences/{id}/end", Tags: tags,
		Right: access.Operate, Scope: onSilence, Class: Writing,
		Policy:  Policy{Kind: kindSilence, Dry: true},
		Summary: "End a silence now: alarms that still fire are notified",
	}, s.endSilence)
	register(s, Op{
		ID: "delete-alarm-silence", Method: http.MethodDelete, Path: "/alarm/silences/{id}", Tags: tags,
		Right: access.Operate, Scope: onSilence, Class: Writing,
		Policy:  Policy{Kind: kindSilence, Dry: true},
		Summary: "Delete a silence",
	}, s.deleteSilence)
}

func (s *server) listSilences(ctx context.Context, in *alarmSpace) (*silenceList, error) {
	found, err := s.config.AlarmSilences.Silences(ctx, in.Namespace)
	if err != nil {
		return nil, err
	}
	found = inSight(ctx, s, found, func(one *alarm.Silence) string { return one.Namespace })
	list, now := api.AlarmSilenceList{Silences: make([]api.AlarmSilence, len(found))}, time.Now()
	for i := range found {
		list.Silences[i] = api.FromAlarmSilence(found[i], now)
	}
	return &silenceList{list}, nil
}

func (s *server) createSilence(ctx context.Context, in *newAlarmSilence) (*silenceCreated, error) {
	wanted := in.Body.Silence()
	wanted.Namespace = firstOf(wanted.Namespace, in.Namespace)
	made, err := s.config.AlarmSilences.CreateSilence(ctx, wanted)
	if err != nil {
		return nil, err
	}
	shown := api.FromAlarmSilence(made, time.Now())
	return &silenceCreated{Location: Prefix + "/alarm/silences/" + shown.ID.String(), Body: shown}, nil
}

func (s *server) getSilence(ctx context.Context, in *silencePath) (*silenceReply, error) {
	return s.silence(ctx, in, s.config.AlarmSilences.Silence)
}

func (s *server) endSilence(ctx context.Context, in *silencePath) (*silenceReply, error) {
	return s.silence(ctx, in, s.config.AlarmSilences.EndSilence)
}

// silence answers with what a function makes of a silence.
func (s *server) silence(ctx context.Context, in *silencePath, find func(context.Context, int64) (alarm.Silence, error)) (*silenceReply, error) {
	id, err := parseID("id", in.ID)
	if err != nil {
		return nil, err
	}
	found, err := find(ctx, id)
	if err != nil {
		return nil, err
	}
	return &silenceReply{api.FromAlarmSilence(found, time.Now())}, nil
}

func (s *server) deleteSilence(ctx context.Context, in *silencePath) (*struct{}, error) {
	id, err := parseID("id", in.ID)
	if err != nil {
		return nil, err
	}
	return nil, s.config.AlarmSilences.DeleteSilence(ctx, id)
}
