package alarms

import (
	"context"
	"net/http"
	"reflect"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/rest/operation"
)

const tagAlarms = "alarms"

// AlarmRules is all that the API asks about rules.
type AlarmRules interface {
	AlarmRuleKeeper
	AlarmRuleReader
}

// AlarmRuleKeeper keeps rules.
type AlarmRuleKeeper interface {
	CreateRule(ctx context.Context, r alarm.Rule) (alarm.Rule, error)
	UpdateRule(ctx context.Context, namespace, key string, version int64, edit func(alarm.Rule) (alarm.Rule, error)) (alarm.Rule, error)
	DeleteRule(ctx context.Context, namespace, key string) error
}

// AlarmRuleReader finds rules.
type AlarmRuleReader interface {
	Rule(ctx context.Context, namespace, key string) (alarm.Rule, error)
	Rules(ctx context.Context, namespace string) ([]alarm.Rule, error)
}

type alarmSpace struct {
	Namespace string `query:"namespace" doc:"Those of this namespace. Defaults to all that the caller may see."`
}

type alarmPath struct {
	Key       string `path:"key" doc:"The key."`
	Namespace string `query:"namespace" default:"default" doc:"The namespace."`
}

type newAlarmRule struct {
	Namespace string `query:"namespace" default:"default" doc:"The namespace when the body names none."`
	Body      api.NewAlarmRule
}

type alarmPatch struct {
	Key       string `path:"key" doc:"The key."`
	Namespace string `query:"namespace" default:"default" doc:"The namespace."`
	Body      map[string]any
}

type alarmRuleReply struct{ Body api.AlarmRule }

type alarmRuleCreated struct {
	Location string `header:"Location" doc:"The path of the rule."`
	Body     api.AlarmRule
}

type alarmRuleList struct{ Body api.AlarmRuleList }

// everyNamespace describes a list of definitions without a namespace.
const everyNamespace = "Those of all namespaces that the caller may see when none is named."

// patchWords describes a patch.
const patchWords = "A JSON merge patch (RFC 7396) of the fields of a new one: a field that is absent stays as it is, null gives it its " +
	"default, and objects are merged. With a version it is changed only if it has that version, else the answer is a conflict."

func (s *alarmRoom) registerAlarmRules() {
	tags := []string{tagAlarms}
	s.newAlarmRules = s.Schemas().Schema(reflect.TypeFor[api.NewAlarmRule](), true, "NewAlarmRule")
	guard.Register(s.Guard, guard.Op{
		ID: "list-alarm-rules", Method: http.MethodGet, Path: "/alarm/rules", Tags: tags,
		Right: access.View, Scope: guard.InNamespaceIfAny, Class: guard.Reading, Spreads: true,
		Summary:     "List rules in order of key",
		Description: everyNamespace,
	}, s.listAlarmRules)
	guard.Register(s.Guard, guard.Op{
		ID: "create-alarm-rule", Method: http.MethodPost, Path: "/alarm/rules", Tags: tags,
		Right: access.Edit, Scope: guard.InNamespace, Class: guard.Writing, Status: http.StatusCreated,
		Policy:  guard.Policy{Kind: guard.KindAlarmRule, Made: true, Dry: true},
		Summary: "Create an alert rule with its conditions and channels",
	}, s.createAlarmRule)
	guard.Register(s.Guard, guard.Op{
		ID: "get-alarm-rule", Method: http.MethodGet, Path: "/alarm/rules/{key}", Tags: tags,
		Right: access.View, Scope: guard.Keyed("alarm rule"), Class: guard.Reading,
		Policy:  guard.Policy{Kind: guard.KindAlarmRule},
		Summary: "Show a rule",
	}, s.getAlarmRule)
	guard.Register(s.Guard, guard.Op{
		ID: "update-alarm-rule", Method: http.MethodPatch, Path: "/alarm/rules/{key}", Tags: tags,
		Right: access.Edit, Scope: guard.Keyed("alarm rule"), Class: guard.Writing,
		Policy:      guard.Policy{Kind: guard.KindAlarmRule, Dry: true},
		Summary:     "Change a rule",
		Description: patchWords,
		Body:        operation.PatchBody(s.Schemas(), s.newAlarmRules, "rule", "namespace", "key"),
		Example:     `{"kinds": ["failed", "lost", "timed_out"], "severity": null, "version": 1}`,
	}, s.updateAlarmRule)
	guard.Register(s.Guard, guard.Op{
		ID: "delete-alarm-rule", Method: http.MethodDelete, Path: "/alarm/rules/{key}", Tags: tags,
		Right: access.Edit, Scope: guard.Keyed("alarm rule"), Class: guard.Writing,
		Policy:  guard.Policy{Kind: guard.KindAlarmRule, Dry: true},
		Summary: "Delete a rule; the alarms that it has raised end",
	}, s.deleteAlarmRule)
}

func (s *alarmRoom) listAlarmRules(ctx context.Context, in *alarmSpace) (*alarmRuleList, error) {
	found, err := s.config.AlarmRules.Rules(ctx, in.Namespace)
	if err != nil {
		return nil, err
	}
	found = guard.InSight(ctx, s.Guard, found, func(r *alarm.Rule) string { return r.Namespace })
	list := api.AlarmRuleList{Rules: make([]api.AlarmRule, len(found))}
	for i := range found {
		list.Rules[i] = api.FromAlarmRule(found[i])
	}
	return &alarmRuleList{list}, nil
}

func (s *alarmRoom) createAlarmRule(ctx context.Context, in *newAlarmRule) (*alarmRuleCreated, error) {
	wanted := ruleOf(&in.Body)
	wanted.Namespace = operation.FirstOf(wanted.Namespace, in.Namespace)
	r, err := s.config.AlarmRules.CreateRule(ctx, wanted)
	if err != nil {
		return nil, err
	}
	return &alarmRuleCreated{Location: guard.PathIn("/alarm/rules/", r.Key, r.Namespace), Body: api.FromAlarmRule(r)}, nil
}

func ruleOf(wanted *api.NewAlarmRule) alarm.Rule {
	r := wanted.Rule()
	r.Enabled = wanted.Enabled == nil || *wanted.Enabled
	return r
}

func (s *alarmRoom) getAlarmRule(ctx context.Context, in *alarmPath) (*alarmRuleReply, error) {
	return replyAlarmRule(s.config.AlarmRules.Rule(ctx, in.Namespace, in.Key))
}

func (s *alarmRoom) updateAlarmRule(ctx context.Context, in *alarmPatch) (*alarmRuleReply, error) {
	patch, version, err := operation.TakeVersion(in.Body)
	if err != nil {
		return nil, err
	}
	return replyAlarmRule(s.config.AlarmRules.UpdateRule(ctx, in.Namespace, in.Key, version, func(old alarm.Rule) (alarm.Rule, error) {
		fields, err := operation.PatchedFields(s.Schemas(), s.newAlarmRules, api.FromAlarmRule(old), patch, "namespace", "key")
		if err != nil {
			return alarm.Rule{}, err
		}
		var wanted api.NewAlarmRule
		if err := s.ReadFields(s.newAlarmRules, "rule", fields, &wanted); err != nil {
			return alarm.Rule{}, err
		}
		return ruleOf(&wanted), nil
	}))
}

func (s *alarmRoom) deleteAlarmRule(ctx context.Context, in *alarmPath) (*struct{}, error) {
	return nil, s.config.AlarmRules.DeleteRule(ctx, in.Namespace, in.Key)
}

func replyAlarmRule(r alarm.Rule, err error) (*alarmRuleReply, error) {
	if err != nil {
		return nil, err
	}
	return &alarmRuleReply{api.FromAlarmRule(r)}, nil
}
