package client

import (
	"context"
	"maps"
	"net/http"
	"net/url"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// The folders of definitions.
const (
	alarmRules    = "/alarm/rules"
	alarmChannels = "/alarm/channels"
	alarmSilences = "/alarm/silences"
)

// AlarmRules returns the rules of the client's namespace in order of key.
func (c *Client) AlarmRules(ctx context.Context) ([]api.AlarmRule, error) {
	var list api.AlarmRuleList
	err := c.doRequest(ctx, http.MethodGet, prefix+alarmRules, c.space(), nil, &list)
	return list.Rules, err
}

// AllAlarmRules is AlarmRules for all namespaces that the caller may see.
func (c *Client) AllAlarmRules(ctx context.Context) ([]api.AlarmRule, error) {
	var list api.AlarmRuleList
	err := c.doRequest(ctx, http.MethodGet, prefix+alarmRules, nil, nil, &list)
	return list.Rules, err
}

// AlarmRule returns a rule, or job.NotFound.
func (c *Client) AlarmRule(ctx context.Context, key string) (api.AlarmRule, error) {
	var r api.AlarmRule
	err := c.definition(ctx, http.MethodGet, alarmRules, key, "", nil, &r)
	return r, err
}

// CreateAlarmRule creates a rule in its namespace, or in the client's when it
// names none. Kinds: Invalid with the field at fault, Conflict when the key is
// taken.
func (c *Client) CreateAlarmRule(ctx context.Context, r api.NewAlarmRule) (api.AlarmRule, error) {
	var made api.AlarmRule
	err := c.doOnce(ctx, prefix+alarmRules, c.space(), r, &made)
	return made, err
}

// UpdateAlarmRule changes a rule: patch is a JSON merge patch (RFC 7396) of the
// fields of [api.NewAlarmRule]. The rule is changed whatever version it has when
// version is 0. Kinds: Invalid with the field at fault, Conflict when the rule has
// another version.
func (c *Client) UpdateAlarmRule(ctx context.Context, key string, version int64, patch map[string]any) (api.AlarmRule, error) {
	var r api.AlarmRule
	err := c.definition(ctx, http.MethodPatch, alarmRules, key, "", patchAt(patch, version), &r)
	return r, err
}

// DeleteAlarmRule deletes a rule, or returns job.NotFound.
func (c *Client) DeleteAlarmRule(ctx context.Context, key string) error {
	return c.definition(ctx, http.MethodDelete, alarmRules, key, "", nil, nil)
}

// AlarmChannels returns the channels of the client's namespace in order of key,
// without their secrets.
func (c *Client) AlarmChannels(ctx context.Context) ([]api.AlarmChannel, error) {
	var list api.AlarmChannelList
	err := c.doRequest(ctx, http.MethodGet, prefix+alarmChannels, c.space(), nil, &list)
	return list.Channels, err
}

// AllAlarmChannels is AlarmChannels for all namespaces that the caller may see.
func (c *Client) AllAlarmChannels(ctx context.Context) ([]api.AlarmChannel, error) {
	var list api.AlarmChannelList
	err := c.doRequest(ctx, http.MethodGet, prefix+alarmChannels, nil, nil, &list)
	return list.Channels, err
}

// AlarmChannel returns a channel without its secrets, or job.NotFound.
func (c *Client) AlarmChannel(ctx context.Context, key string) (api.AlarmChannel, error) {
	var found api.AlarmChannel
	err := c.definition(ctx, http.MethodGet, alarmChannels, key, "", nil, &found)
	return found, err
}

// CreateAlarmChannel creates a channel in its namespace, or in the client's when
// it names none. Kinds: Invalid with the field at fault, Conflict when the key is
// taken or another channel is the default already.
func (c *Client) CreateAlarmChannel(ctx context.Context, wanted api.NewAlarmChannel) (api.AlarmChannel, error) {
	var made api.AlarmChannel
	err := c.doOnce(ctx, prefix+alarmChannels, c.space(), wanted, &made)
	return made, err
}

// UpdateAlarmChannel changes a channel: patch is a JSON merge patch (RFC 7396) of
// the fields of [api.NewAlarmChannel]; a secret that is absent stays. The channel is
// changed whatever version it has when version is 0. Kinds: Invalid with the field
// at fault, Conflict when the channel has another version.
func (c *Client) UpdateAlarmChannel(ctx context.Context, key string, version int64, patch map[string]any) (api.AlarmChannel, error) {
	var changed api.AlarmChannel
	err := c.definition(ctx, http.MethodPatch, alarmChannels, key, "", patchAt(patch, version), &changed)
	return changed, err
}

// DeleteAlarmChannel deletes a channel. Kinds: job.NotFound, job.Conflict when a
// rule names it.
func (c *Client) DeleteAlarmChannel(ctx context.Context, key string) error {
	return c.definition(ctx, http.MethodDelete, alarmChannels, key, "", nil, nil)
}

// TestAlarmChannel sends a test message through a channel and returns what came of
// it. job.Full when it was tested too often.
func (c *Client) TestAlarmChannel(ctx context.Context, key string) (api.AlarmTrial, error) {
	var t api.AlarmTrial
	err := c.definition(ctx, http.MethodPost, alarmChannels, key, "/test", nil, &t)
	return t, err
}

// TestAlarmSettings sends a test message through a channel that is not kept.
func (c *Client) TestAlarmSettings(ctx context.Context, wanted api.NewAlarmChannel) (api.AlarmTrial, error) {
	var t api.AlarmTrial
	err := c.doRequest(ctx, http.MethodPost, prefix+"/alarm/channel-test", c.space(), wanted, &t)
	return t, err
}

// AlarmChannelKinds returns the kinds of channels with what each needs.
func (c *Client) AlarmChannelKinds(ctx context.Context) ([]api.AlarmChannelKind, error) {
	var list api.AlarmChannelKindList
	err := c.doRequest(ctx, http.MethodGet, prefix+"/alarm/channel-kinds", nil, nil, &list)
	return list.Kinds, err
}

// AlarmSilences returns the silences of the client's namespace in order of id.
func (c *Client) AlarmSilences(ctx context.Context) ([]api.AlarmSilence, error) {
	var list api.AlarmSilenceList
	err := c.doRequest(ctx, http.MethodGet, prefix+alarmSilences, c.space(), nil, &list)
	return list.Silences, err
}

// AllAlarmSilences is AlarmSilences for all namespaces that the caller may see.
func (c *Client) AllAlarmSilences(ctx context.Context) ([]api.AlarmSilence, error) {
	var list api.AlarmSilenceList
	err := c.doRequest(ctx, http.MethodGet, prefix+alarmSilences, nil, nil, &list)
	return list.Silences, err
}

// CreateAlarmSilence begins a silence in its namespace, or in the client's when it
// names none. Kinds: Invalid with the field at fault.
func (c *Client) CreateAlarmSilence(ctx context.Context, s api.NewAlarmSilence) (api.AlarmSilence, error) {
	var made api.AlarmSilence
	err := c.doOnce(ctx, prefix+alarmSilences, c.space(), s, &made)
	return made, err
}

// EndAlarmSilence ends a silence now, or returns job.NotFound.
func (c *Client) EndAlarmSilence(ctx context.Context, id api.ID) (api.AlarmSilence, error) {
	var ended api.AlarmSilence
	err := c.doRequest(ctx, http.MethodPost, prefix+alarmSilences+"/"+id.String()+"/end", nil, nil, &ended)
	return ended, err
}

// DeleteAlarmSilence deletes a silence, or returns job.NotFound.
func (c *Client) DeleteAlarmSilence(ctx context.Context, id api.ID) error {
	return c.doRequest(ctx, http.MethodDelete, prefix+alarmSilences+"/"+id.String(), nil, nil, nil)
}

// definition makes a request about a keyed object of the client's namespace; an invalid key
// is refused without a request.
func (c *Client) definition(ctx context.Context, method, folder, key, action string, in, out any) error {
	if err := job.CheckKey("key", key); err != nil {
		return err
	}
	return c.doRequest(ctx, method, prefix+folder+"/"+url.PathEscape(key)+action, c.space(), in, out)
}

// patchAt returns a patch for a version; 0 is any.
func patchAt(patch map[string]any, version int64) map[string]any {
	body := maps.Clone(patch)
	if body == nil {
		body = map[string]any{}
	}
	if version != 0 {
		body["version"] = version
	}
	return body
}
