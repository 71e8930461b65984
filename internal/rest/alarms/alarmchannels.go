package alarms

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/alarmconfig"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/rest/operation"
	"github.com/orthd/orth/job"
)

// AlarmChannels is all that the API asks about channels.
type AlarmChannels interface {
	AlarmChannelKeeper
	AlarmChannelReader
	AlarmChannelTester
}

// AlarmChannelKeeper keeps channels. In an update the secrets of a channel are
// those that change: an empty one is taken away.
type AlarmChannelKeeper interface {
	CreateChannel(ctx context.Context, c alarm.Channel) (alarm.Channel, error)
	UpdateChannel(ctx context.Context, namespace, key string, version int64, edit func(alarm.Channel) (alarm.Channel, error)) (alarm.Channel, error)
	DeleteChannel(ctx context.Context, namespace, key string) error
}

// AlarmChannelReader finds channels, and returns the settings and secrets of each kind.
type AlarmChannelReader interface {
	Channel(ctx context.Context, namespace, key string) (alarm.Channel, error)
	Channels(ctx context.Context, namespace string) ([]alarm.Channel, error)
	ChannelFields() map[alarm.ChannelKind][]alarm.Field
}

// AlarmChannelTester sends test messages.
type AlarmChannelTester interface {
	TestChannel(ctx context.Context, namespace, key string) (alarmconfig.Trial, error)
	TestSettings(ctx context.Context, c alarm.Channel) (alarmconfig.Trial, error)
}

type newAlarmChannel struct {
	Namespace string `query:"namespace" default:"default" doc:"The namespace when the body names none."`
	Body      api.NewAlarmChannel
}

type alarmChannelReply struct{ Body api.AlarmChannel }

type alarmChannelCreated struct {
	Location string `header:"Location" doc:"The path of the channel."`
	Body     api.AlarmChannel
}

type alarmChannelList struct{ Body api.AlarmChannelList }

type alarmChannelKindList struct{ Body api.AlarmChannelKindList }

type alarmTrialReply struct{ Body api.AlarmTrial }

func (s *alarmRoom) registerAlarmChannels() {
	tags := []string{tagAlarms}
	s.newAlarmChannels = s.Schemas().Schema(reflect.TypeFor[api.NewAlarmChannel](), true, "NewAlarmChannel")
	guard.Register(s.Guard, guard.Op{
		ID: "list-alarm-channels", Method: http.MethodGet, Path: "/alarm/channels", Tags: tags,
		Right: access.View, Scope: guard.InNamespaceIfAny, Class: guard.Reading, Spreads: true,
		Summary:     "List channels in order of key, without their secrets",
		Description: everyNamespace,
	}, s.listAlarmChannels)
	guard.Register(s.Guard, guard.Op{
		ID: "create-alarm-channel", Method: http.MethodPost, Path: "/alarm/channels", Tags: tags,
		Right: access.Own, Scope: guard.InNamespace, Class: guard.Writing, Status: http.StatusCreated,
		Policy:  guard.Policy{Kind: guard.KindAlarmChannel, Made: true, Dry: true},
		Summary: "Create a channel that carries messages about alarms",
	}, s.createAlarmChannel)
	guard.Register(s.Guard, guard.Op{
		ID: "get-alarm-channel", Method: http.MethodGet, Path: "/alarm/channels/{key}", Tags: tags,
		Right: access.View, Scope: guard.Keyed("alarm channel"), Class: guard.Reading,
		Policy:  guard.Policy{Kind: guard.KindAlarmChannel},
		Summary: "Show a channel, without its secrets",
	}, s.getAlarmChannel)
	guard.Register(s.Guard, guard.Op{
		ID: "update-alarm-channel", Method: http.MethodPatch, Path: "/alarm/channels/{key}", Tags: tags,
		Right: access.Own, Scope: guard.Keyed("alarm channel"), Class: guard.Writing,
		Policy:      guard.Policy{Kind: guard.KindAlarmChannel, Dry: true},
		Summary:     "Change a channel",
		Description: patchWords + " A secret that is absent stays; null takes it away.",
		Body:        operation.PatchBody(s.Schemas(), s.newAlarmChannels, "channel", "namespace", "key", "kind"),
		Example:     `{"settings": {"to": "night@example.com"}, "version": 1}`,
	}, s.updateAlarmChannel)
	guard.Register(s.Guard, guard.Op{
		ID: "delete-alarm-channel", Method: http.MethodDelete, Path: "/alarm/channels/{key}", Tags: tags,
		Right: access.Own, Scope: guard.Keyed("alarm channel"), Class: guard.Writing,
		Policy:  guard.Policy{Kind: guard.KindAlarmChannel, Dry: true},
		Summary: "Delete a channel that no rule names",
	}, s.deleteAlarmChannel)
	guard.Register(s.Guard, guard.Op{
		ID: "test-alarm-channel", Method: http.MethodPost, Path: "/alarm/channels/{key}/test", Tags: tags,
		Right: access.Own, Scope: guard.Keyed("alarm channel"), Class: guard.Writing,
		Policy:      guard.Policy{Kind: guard.KindAlarmChannel, Acts: true},
		Summary:     "Send a test message through a channel",
		Description: "At most six times a minute. A message that the channel refuses is no error of the request: the answer has the reason.",
	}, s.testAlarmChannel)
	guard.Register(s.Guard, guard.Op{
		ID: "test-alarm-settings", Method: http.MethodPost, Path: "/alarm/channel-test", Tags: tags,
		Right: access.Own, Scope: guard.InNamespace, Class: guard.Writing,
		Policy:  guard.Policy{Kind: guard.KindAlarmChannel, Made: true, Acts: true},
		Summary: "Send a test message through a channel that is not kept",
	}, s.testAlarmSettings)
	guard.Register(s.Guard, guard.Op{
		ID: "list-alarm-channel-kinds", Method: http.MethodGet, Path: "/alarm/channel-kinds", Tags: tags,
		Right: access.View, Scope: guard.Anywhere, Class: guard.Reading,
		Summary: "List the kinds of channels with their settings",
	}, s.listAlarmChannelKinds)
}

func (s *alarmRoom) listAlarmChannels(ctx context.Context, in *alarmSpace) (*alarmChannelList, error) {
	found, err := s.config.AlarmChannels.Channels(ctx, in.Namespace)
	if err != nil {
		return nil, err
	}
	found = guard.InSight(ctx, s.Guard, found, func(c *alarm.Channel) string { return c.Namespace })
	list := api.AlarmChannelList{Channels: make([]api.AlarmChannel, len(found))}
	for i := range found {
		list.Channels[i] = api.FromAlarmChannel(found[i])
	}
	return &alarmChannelList{list}, nil
}

func (s *alarmRoom) createAlarmChannel(ctx context.Context, in *newAlarmChannel) (*alarmChannelCreated, error) {
	c, err := s.config.AlarmChannels.CreateChannel(ctx, channelOf(in))
	if err != nil {
		return nil, err
	}
	return &alarmChannelCreated{Location: guard.PathIn("/alarm/channels/", c.Key, c.Namespace), Body: api.FromAlarmChannel(c)}, nil
}

func channelOf(in *newAlarmChannel) alarm.Channel {
	c := in.Body.Channel()
	c.Namespace = operation.FirstOf(c.Namespace, in.Namespace)
	c.Secrets = in.Body.Secrets
	c.Enabled = in.Body.Enabled == nil || *in.Body.Enabled
	return c
}

func (s *alarmRoom) getAlarmChannel(ctx context.Context, in *alarmPath) (*alarmChannelReply, error) {
	return replyAlarmChannel(s.config.AlarmChannels.Channel(ctx, in.Namespace, in.Key))
}

func (s *alarmRoom) updateAlarmChannel(ctx context.Context, in *alarmPatch) (*alarmChannelReply, error) {
	patch, version, err := operation.TakeVersion(in.Body)
	if err != nil {
		return nil, err
	}
	given, changes := patch[fieldSecrets]
	delete(patch, fieldSecrets)
	return replyAlarmChannel(s.config.AlarmChannels.UpdateChannel(ctx, in.Namespace, in.Key, version, func(old alarm.Channel) (alarm.Channel, error) {
		shown := api.FromAlarmChannel(old)
		shown.Secrets = nil // names, and no secrets
		fields, err := operation.PatchedFields(s.Schemas(), s.newAlarmChannels, shown, patch, "namespace", "key", "kind")
		if err != nil {
			return alarm.Channel{}, err
		}
		var wanted api.NewAlarmChannel
		if err := s.ReadFields(s.newAlarmChannels, "channel", fields, &wanted); err != nil {
			return alarm.Channel{}, err
		}
		c := channelOf(&newAlarmChannel{Body: wanted})
		if changes {
			c.Secrets, err = secretChanges(given, old.SecretNames)
		}
		return c, err
	}))
}

// fieldSecrets is the field of a channel's patch that is never shown.
const fieldSecrets = "secrets"

// secretChanges returns a patch's changes of secrets: an empty value removes one, null
// removes all.
func secretChanges(given any, names []string) (map[string]string, error) {
	changes := map[string]string{}
	if given == nil {
		for _, name := range names {
			changes[name] = ""
		}
		return changes, nil
	}
	fields, ok := given.(map[string]any)
	if !ok {
		return nil, job.FieldErrorf(fieldSecrets, "must be an object")
	}
	for name, value := range fields {
		text, ok := value.(string)
		if !ok && value != nil {
			return nil, job.FieldErrorf(fieldSecrets+"."+name, "must be a text in quotes, or null")
		}
		changes[name] = text
	}
	return changes, nil
}

func (s *alarmRoom) deleteAlarmChannel(ctx context.Context, in *alarmPath) (*struct{}, error) {
	return nil, s.config.AlarmChannels.DeleteChannel(ctx, in.Namespace, in.Key)
}

func (s *alarmRoom) testAlarmChannel(ctx context.Context, in *alarmPath) (*alarmTrialReply, error) {
	return replyTrial(s.config.AlarmChannels.TestChannel(ctx, in.Namespace, in.Key))
}

func (s *alarmRoom) testAlarmSettings(ctx context.Context, in *newAlarmChannel) (*alarmTrialReply, error) {
	return replyTrial(s.config.AlarmChannels.TestSettings(ctx, channelOf(in)))
}

func (s *alarmRoom) listAlarmChannelKinds(context.Context, *struct{}) (*alarmChannelKindList, error) {
	fields := s.config.AlarmChannels.ChannelFields()
	list := api.AlarmChannelKindList{Kinds: []api.AlarmChannelKind{}}
	for _, kind := range alarm.ChannelKinds() {
		list.Kinds = append(list.Kinds, api.FromAlarmFields(kind, fields[kind]))
	}
	return &alarmChannelKindList{list}, nil
}

func replyAlarmChannel(c alarm.Channel, err error) (*alarmChannelReply, error) {
	if err != nil {
		return nil, err
	}
	return &alarmChannelReply{api.FromAlarmChannel(c)}, nil
}

func replyTrial(t alarmconfig.Trial, err error) (*alarmTrialReply, error) {
	if err != nil {
		return nil, err
	}
	return &alarmTrialReply{api.AlarmTrial{Delivered: t.Delivered, Answer: t.Answer, Took: api.Duration(t.Took.Round(time.Millisecond))}}, nil
}
