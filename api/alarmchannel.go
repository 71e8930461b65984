package api

import "github.com/orthd/orth/alarm"

// AlarmChannel is where messages about alarms go. Its secrets are never shown.
type AlarmChannel struct {
	ID int64 `json:"id"`
	AlarmChannelFields
	Enabled  bool     `json:"enabled" doc:"Whether it carries messages."`
	Secrets  []string `json:"secrets,omitempty" nullable:"false" doc:"The names of the secrets that are set."`
	OKAt     Time     `json:"ok_at,omitzero" format:"date-time" doc:"When it last carried a message."`
	FailedAt Time     `json:"failed_at,omitzero" format:"date-time" doc:"When it last did not."`
	Failure  string   `json:"failure,omitempty" doc:"Why it last did not."`
	Failures int      `json:"failures,omitempty" doc:"How often it did not, in a row."`

	Version   int64 `json:"version" doc:"Grows with each change."`
	CreatedAt Time  `json:"created_at" format:"date-time"`
	UpdatedAt Time  `json:"updated_at" format:"date-time"`
}

// NewAlarmChannel is a channel to be created, or tested.
type NewAlarmChannel struct {
	AlarmChannelFields
	Enabled *bool             `json:"enabled,omitempty" doc:"Whether it carries messages. Defaults to true."`
	Secrets map[string]string `json:"secrets,omitempty" doc:"Values that are never shown again; the kind of channel defines them. They are kept sealed."`
}

// AlarmChannelFields are the fields of a channel that a user sets and may see again.
type AlarmChannelFields struct {
	Namespace string            `json:"namespace,omitempty" doc:"Defaults to the namespace of the request."`
	Key       string            `json:"key" example:"ops" doc:"Written like the key of a job."`
	Title     string            `json:"title,omitempty" maxLength:"200" doc:"A text for people."`
	Kind      alarm.ChannelKind `json:"kind" enum:"email,webhook,dingtalk,feishu,wecom,slack,pagerduty" doc:"How it carries messages. It stays as it is."`
	Default   bool              `json:"default,omitempty" doc:"It carries the mails to the addresses that jobs name; at most one channel of a namespace, of kind email."`
	Settings  map[string]string `json:"settings,omitempty" doc:"The settings of its kind, which are visible to all who may see the channel; /alarm/channel-kinds lists them."`
	Language  string            `json:"language,omitempty" enum:"en,zh" doc:"That of its messages. Defaults to en."`
	Template  AlarmTemplate     `json:"template,omitzero" doc:"The texts of a message. Defaults to the shipped ones."`
	PerMinute int               `json:"per_minute,omitempty" minimum:"0" maximum:"600" doc:"The limit of messages in a minute; further ones are combined and sent later. Defaults to 20."`
}

// AlarmTemplate makes the texts of a message.
type AlarmTemplate struct {
	Title string `json:"title,omitempty" maxLength:"8192" doc:"A template for one line. Defaults to the shipped one."`
	Text  string `json:"text,omitempty" maxLength:"8192" doc:"A template for plain text. Defaults to the shipped one."`
}

// AlarmChannelList is the channels of a namespace in order of key.
type AlarmChannelList struct {
	Channels []AlarmChannel `json:"channels" nullable:"false"`
}

// AlarmChannelKind is what channels of a kind may have.
type AlarmChannelKind struct {
	Kind   alarm.ChannelKind `json:"kind"`
	Fields []AlarmField      `json:"fields" nullable:"false"`
}

// AlarmField is a setting or a secret of channels of a kind.
type AlarmField struct {
	Name    string `json:"name"`
	Secret  bool   `json:"secret" doc:"It belongs into secrets, not into settings."`
	Needed  bool   `json:"needed" doc:"No channel of the kind is without."`
	Place   bool   `json:"place,omitempty" doc:"The destination of messages: a change of it requires the secrets again."`
	Default string `json:"default,omitempty" doc:"The meaning of an absent value."`
	Doc     string `json:"doc,omitempty"`
}

// AlarmChannelKindList is all kinds of channels.
type AlarmChannelKindList struct {
	Kinds []AlarmChannelKind `json:"kinds" nullable:"false"`
}

// AlarmTrial is what came of a test message.
type AlarmTrial struct {
	Delivered bool     `json:"delivered" doc:"Whether the channel took the message."`
	Answer    string   `json:"answer" doc:"The answer of the channel, or the error."`
	Took      Duration `json:"took"`
}

// FromAlarmChannel returns the channel as the API shows it: without secrets.
func FromAlarmChannel(c alarm.Channel) AlarmChannel {
	return AlarmChannel{
		ID: c.ID, Enabled: c.Enabled, Secrets: c.SecretNames, OKAt: At(c.OKAt), FailedAt: At(c.FailedAt), Failure: c.Failure, Failures: c.Failures,
		Version: c.Version, CreatedAt: At(c.CreatedAt), UpdatedAt: At(c.UpdatedAt),
		AlarmChannelFields: AlarmChannelFields{
			Namespace: c.Namespace, Key: c.Key, Title: c.Title, Kind: c.Kind, Default: c.Default, Settings: c.Settings,
			Language: c.Language, Template: AlarmTemplate(c.Template), PerMinute: c.PerMinute,
		},
	}
}

// Channel returns the channel that the fields describe. Nothing is checked and no
// default is filled in here.
func (f AlarmChannelFields) Channel() alarm.Channel {
	return alarm.Channel{
		Namespace: f.Namespace, Key: f.Key, Title: f.Title, Kind: f.Kind, Default: f.Default, Settings: f.Settings,
		Language: f.Language, Template: alarm.Template(f.Template), PerMinute: f.PerMinute,
	}
}

// FromAlarmFields returns the kind as the API shows it.
func FromAlarmFields(kind alarm.ChannelKind, fields []alarm.Field) AlarmChannelKind {
	shown := AlarmChannelKind{Kind: kind, Fields: []AlarmField{}}
	for _, f := range fields {
		shown.Fields = append(shown.Fields, AlarmField(f))
	}
	return shown
}
