package alarm_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/job"
)

// wrong checks that an error is about a field.
func wrong(t *testing.T, err error, field, text string) {
	t.Helper()
	found, ok := errors.AsType[*job.Error](err)
	if !ok || found.Kind != job.Invalid || found.Field != field || !strings.Contains(found.Message, text) {
		t.Errorf("got %v, want %s: … %s …", err, field, text)
	}
}

func goodRule() alarm.Rule {
	return alarm.Rule{Namespace: "default", Key: "nightly", Kinds: []alarm.Kind{alarm.KindFailed}, Channels: []string{"ops"}}
}

func TestRuleCheck(t *testing.T) {
	t.Parallel()
	many := strings.Split(strings.Repeat("a,", alarm.MaxScope), ",")
	for name, c := range map[string]struct {
		change      func(r *alarm.Rule)
		field, text string // empty: nothing is wrong
	}{
		"enough is said": {func(*alarm.Rule) {}, "", ""},
		"everything is said": {func(r *alarm.Rule) {
			r.Kinds = alarm.Kinds()[:7]
			r.Title, r.Severity, r.GroupBy, r.Repeat = "Ночь", alarm.Critical, alarm.ByJob, alarm.Never
			r.Scope = alarm.Scope{Jobs: []string{"*", "a-*", "b"}, Groups: []string{"G*"}, Labels: map[string]string{"team": "*"}}
			r.Count, r.Percent, r.MinRuns, r.Factor, r.Longer = 5, 100, 10, 1.1, time.Second
			r.Escalation = []alarm.Step{{After: time.Minute, Channels: []string{"a"}}, {After: time.Hour, Channels: []string{"a", "b"}}}
		}, "", ""},
		"not a key":        {func(r *alarm.Rule) { r.Key = "" }, "key", "is missing"},
		"a wrong key":      {func(r *alarm.Rule) { r.Key = "Night" }, "key", "lower-case"},
		"no namespace":     {func(r *alarm.Rule) { r.Namespace = "" }, "namespace", "is missing"},
		"a long title":     {func(r *alarm.Rule) { r.Title = strings.Repeat("x", 201) }, "title", "200"},
		"a title of lines": {func(r *alarm.Rule) { r.Title = "a\nb" }, "title", "one line"},
		"no kind":          {func(r *alarm.Rule) { r.Kinds = nil }, "kinds", "dead_letter"},
		"a kind twice":     {func(r *alarm.Rule) { r.Kinds = []alarm.Kind{alarm.KindLost, alarm.KindLost} }, "kinds", "twice"},
		"an unknown kind":  {func(r *alarm.Rule) { r.Kinds = []alarm.Kind{"late"} }, "kinds", "must be one of"},
		"two that count":   {func(r *alarm.Rule) { r.Kinds = []alarm.Kind{alarm.KindStreak, alarm.KindBacklog} }, "kinds", "a rule for each"},
		"a group's, of jobs": {func(r *alarm.Rule) {
			r.Kinds, r.Scope.Jobs = []alarm.Kind{alarm.KindFailed, alarm.KindGroupDown}, []string{"a"}
		}, "kinds", "group_down applies to a group"},
		"slow without a bound": {func(r *alarm.Rule) { r.Kinds = []alarm.Kind{alarm.KindSlow} }, "longer", "needs longer"},
		"a small factor":       {func(r *alarm.Rule) { r.Factor = 1 }, "factor", "1.1"},
		"a factor of nothing":  {func(r *alarm.Rule) { r.Factor = math.NaN() }, "factor", "1.1"},
		"a wrong pattern":      {func(r *alarm.Rule) { r.Scope.Jobs = []string{"a*b"} }, "scope.jobs", "or a prefix"},
		"an empty pattern":     {func(r *alarm.Rule) { r.Scope.Groups = []string{""} }, "scope.groups", "not a key"},
		"too many patterns":    {func(r *alarm.Rule) { r.Scope.Jobs = many }, "scope.jobs", "at most 64"},
		"a wrong label":        {func(r *alarm.Rule) { r.Scope.Labels = map[string]string{"A": ""} }, "scope.labels", "lower-case"},
		"an unknown severity":  {func(r *alarm.Rule) { r.Severity = "bad" }, "severity", "info, warning, critical"},
		"an unknown grouping":  {func(r *alarm.Rule) { r.GroupBy = "pool" }, "group_by", "job, group, rule"},
		"a negative count":     {func(r *alarm.Rule) { r.Count = -1 }, "count", "from 1 to"},
		"more than all":        {func(r *alarm.Rule) { r.Percent = 101 }, "percent", "from 1 to 100"},
		"no channel":           {func(r *alarm.Rule) { r.Channels = nil }, "channels", "are missing"},
		"a channel twice":      {func(r *alarm.Rule) { r.Channels = []string{"a", "a"} }, "channels", "twice"},
		"too many channels":    {func(r *alarm.Rule) { r.Channels = many[:17] }, "channels", "at most 16"},
		"a short time":         {func(r *alarm.Rule) { r.Wait = time.Millisecond }, "wait", "from 1s"},
		"a long time":          {func(r *alarm.Rule) { r.For = 31 * 24 * time.Hour }, "for", "30 days"},
		"a negative time":      {func(r *alarm.Rule) { r.Repeat = -2 }, "repeat", "from 1s"},
		"a fine time":          {func(r *alarm.Rule) { r.Window = time.Second + time.Microsecond }, "window", "milliseconds"},
		"a step at once":       {func(r *alarm.Rule) { r.Escalation = []alarm.Step{{Channels: []string{"a"}}} }, "escalation[0].after", "is missing"},
		"a step without channels": {func(r *alarm.Rule) {
			r.Escalation = []alarm.Step{{After: time.Minute}}
		}, "escalation[0].channels", "are missing"},
		"steps out of order": {func(r *alarm.Rule) {
			r.Escalation = []alarm.Step{{After: time.Hour, Channels: []string{"a"}}, {After: time.Minute, Channels: []string{"a"}}}
		}, "escalation[1].after", "longer than"},
		"too many steps": {func(r *alarm.Rule) { r.Escalation = make([]alarm.Step, 9) }, "escalation", "at most 8"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := goodRule()
			c.change(&r)
			err := r.Check()
			if c.field != "" {
				wrong(t, err, c.field, c.text)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestChannelCheck(t *testing.T) {
	t.Parallel()
	secret := strings.Repeat("geheim", 3000)
	for name, c := range map[string]struct {
		change      func(c *alarm.Channel)
		field, text string
	}{
		"enough is said":       {func(*alarm.Channel) {}, "", ""},
		"a default mail":       {func(c *alarm.Channel) { c.Kind, c.Default = alarm.Email, true }, "", ""},
		"another default":      {func(c *alarm.Channel) { c.Default = true }, "default", "kind email"},
		"an unknown kind":      {func(c *alarm.Channel) { c.Kind = "fax" }, "kind", "pagerduty"},
		"no kind":              {func(c *alarm.Channel) { c.Kind = "" }, "kind", "is missing"},
		"an unknown language":  {func(c *alarm.Channel) { c.Language = "de" }, "language", "en, zh"},
		"too often":            {func(c *alarm.Channel) { c.PerMinute = 601 }, "per_minute", "600"},
		"a long template":      {func(c *alarm.Channel) { c.Template.Text = strings.Repeat("x", 8193) }, "template.text", "8192"},
		"a binary template":    {func(c *alarm.Channel) { c.Template.Title = "\xff" }, "template.title", "text"},
		"a wrong name":         {func(c *alarm.Channel) { c.Settings = map[string]string{"URL": "x"} }, "settings", "lower-case"},
		"a long secret":        {func(c *alarm.Channel) { c.Secrets = map[string]string{"a": secret} }, "secrets.a", "16384"},
		"a zero in a setting":  {func(c *alarm.Channel) { c.Settings = map[string]string{"a": "x\x00"} }, "settings.a", "text"},
		"a key of other signs": {func(c *alarm.Channel) { c.Key = "a b" }, "key", "lower-case"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ch := alarm.Channel{Namespace: "default", Key: "ops", Kind: alarm.Webhook}
			c.change(&ch)
			err := ch.Check()
			if c.field == "" && err != nil {
				t.Error(err)
			} else if c.field != "" {
				wrong(t, err, c.field, c.text)
				if strings.Contains(err.Error(), "geheim") {
					t.Error("the error tells the secret")
				}
			}
		})
	}
}

func TestChannelCheckBoundsNames(t *testing.T) {
	t.Parallel()
	c := alarm.Channel{Namespace: "default", Key: "ops", Kind: alarm.Webhook, Settings: map[string]string{}}
	for i := range 33 {
		c.Settings[strings.Repeat("a", i+1)] = ""
	}
	wrong(t, c.Check(), "settings", "at most 32")
}

func TestSilenceCheck(t *testing.T) {
	t.Parallel()
	at := time.Date(2030, 1, 31, 8, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		change      func(s *alarm.Silence)
		field, text string
	}{
		"enough is said": {func(*alarm.Silence) {}, "", ""},
		"a window without end": {func(s *alarm.Silence) {
			s.Until, s.Cron, s.Zone, s.Length = time.Time{}, "0 0 2 ? * SUN", "Asia/Shanghai", time.Hour
		}, "", ""},
		"no reason":          {func(s *alarm.Silence) { s.Comment = "" }, "comment", "is missing"},
		"no begin":           {func(s *alarm.Silence) { s.From = time.Time{} }, "from", "is missing"},
		"an end before":      {func(s *alarm.Silence) { s.Until = at }, "until", "not after"},
		"no end":             {func(s *alarm.Silence) { s.Until = time.Time{} }, "until", "maintenance window"},
		"a zone alone":       {func(s *alarm.Silence) { s.Zone = "UTC" }, "cron", "is missing"},
		"a length alone":     {func(s *alarm.Silence) { s.Length = time.Hour }, "cron", "is missing"},
		"a wrong cron":       {func(s *alarm.Silence) { s.Cron, s.Length = "61 * * * * ?", time.Hour }, "cron", "second"},
		"a wrong zone":       {func(s *alarm.Silence) { s.Cron, s.Zone, s.Length = "0 0 2 * * ?", "Mars", time.Hour }, "zone", "Mars"},
		"no length":          {func(s *alarm.Silence) { s.Cron = "0 0 2 * * ?" }, "length", "0s"},
		"a window too late":  {func(s *alarm.Silence) { s.Cron, s.Length = "0 0 2 * * ?", time.Hour }, "cron", "the silence's"},
		"an unknown kind":    {func(s *alarm.Silence) { s.Kinds = []alarm.Kind{"late"} }, "kinds", "must be one of"},
		"a wrong rule":       {func(s *alarm.Silence) { s.Rules = []string{"A"} }, "rules", "lower-case"},
		"too many rules":     {func(s *alarm.Silence) { s.Rules = make([]string, 65) }, "rules", "at most 64"},
		"a wrong job":        {func(s *alarm.Silence) { s.Scope.Jobs = []string{"*a"} }, "scope.jobs", "not a key"},
		"no namespace":       {func(s *alarm.Silence) { s.Namespace = "" }, "namespace", "is missing"},
		"a comment of lines": {func(s *alarm.Silence) { s.Comment = "a\tb" }, "comment", "one line"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := alarm.Silence{Namespace: "default", Comment: "moving", From: at, Until: at.Add(time.Hour)}
			c.change(&s)
			err := s.Check()
			if c.field != "" {
				wrong(t, err, c.field, c.text)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}
