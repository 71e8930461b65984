package storetest

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/alarmconfig"
	"github.com/orthd/orth/job"
)

// otherSpace is a namespace in addition to the default one.
const otherSpace = "other"

func alarmBookTests() []test {
	return []test{
		{"a rule comes out as it went in", alarmRuleIsRead},
		{"a rule is changed over the version that was read", alarmRuleVersions},
		{"a rule names channels that exist, and those stay", alarmRuleChannels},
		{"a channel comes out as it went in", alarmChannelIsRead},
		{"a namespace has one default channel", alarmChannelDefault},
		{"how a channel did is no change of it", alarmChannelHealth},
		{"a silence comes out as it went in", alarmSilenceIsRead},
		{"silences that ended long ago make room", alarmSilencesForgotten},
		{"the number of definitions is bounded for concurrent callers", alarmBookBounds},
		{"the book is read when it has changed", alarmBookVersion},
	}
}

func (b *bench) alarmChannel(key string) alarmconfig.Channel {
	b.Helper()
	c, err := b.SaveAlarmChannel(b.ctx(), alarmconfig.Channel{Channel: alarm.Channel{
		Namespace: job.DefaultNamespace, Key: key, Kind: alarm.Webhook, Enabled: true, CreatedAt: b.now, UpdatedAt: b.now,
	}})
	b.ok(err)
	return c
}

// wholeRule is a rule with a value in every field.
func (b *bench) wholeRule() alarm.Rule {
	return alarm.Rule{
		Namespace: job.DefaultNamespace, Key: "nightly", Title: "Ночь", Enabled: true, Kinds: []alarm.Kind{alarm.KindStreak, alarm.KindSlow},
		Scope:    alarm.Scope{Jobs: []string{"a*"}, Groups: []string{"G"}, Labels: map[string]string{"owner": "*"}},
		Severity: alarm.Critical, Count: 4, Percent: 10, MinRuns: 7, Window: time.Hour, Longer: 90 * time.Second, Factor: 1.5,
		Within: time.Minute, For: time.Second, Channels: []string{"ops"}, Recovered: true, GroupBy: alarm.ByRule, Wait: time.Second,
		Interval: 2 * time.Second, Repeat: alarm.Never, Escalation: []alarm.Step{{After: time.Hour, Channels: []string{"boss"}}},
		CreatedAt: b.now, UpdatedAt: b.now,
	}
}

func alarmRuleIsRead(b *bench) {
	b.alarmChannel("ops")
	b.alarmChannel("boss")
	want := b.wholeRule()
	saved, err := b.SaveAlarmRule(b.ctx(), want)
	b.ok(err)
	if saved.ID == 0 {
		b.Error("it has no id")
	}
	want.ID, want.Version = saved.ID, 1
	b.same("saved", saved, want)
	other := want
	other.Namespace, other.Channels, other.Escalation, other.Version = otherSpace, nil, nil, 0
	other, err = b.SaveAlarmRule(b.ctx(), other)
	b.ok(err)
	b.reopen()
	rules, err := b.AlarmRules(b.ctx(), job.DefaultNamespace)
	b.ok(err)
	b.same("rules of a namespace", rules, []alarm.Rule{want})
	rules, err = b.AlarmRules(b.ctx(), "")
	b.ok(err)
	b.same("all rules", rules, []alarm.Rule{want, other})
}

func alarmRuleVersions(b *bench) {
	b.alarmChannel("ops")
	b.alarmChannel("boss")
	first, err := b.SaveAlarmRule(b.ctx(), b.wholeRule())
	b.ok(err)
	_, err = b.SaveAlarmRule(b.ctx(), b.wholeRule())
	b.kind(err, job.Conflict) // the key is taken
	next := first
	next.Title, next.UpdatedAt, next.CreatedAt = changed, b.at(9), b.at(9)
	saved, err := b.SaveAlarmRule(b.ctx(), next)
	b.ok(err)
	next.Version, next.CreatedAt = 2, b.now
	b.same("saved", saved, next)
	_, err = b.SaveAlarmRule(b.ctx(), first)
	b.kind(err, job.Conflict) // it has another version by now
	b.ok(b.DeleteAlarmRule(b.ctx(), next.Namespace, next.Key))
	b.kind(b.DeleteAlarmRule(b.ctx(), next.Namespace, next.Key), job.NotFound)
	_, err = b.SaveAlarmRule(b.ctx(), saved)
	b.kind(err, job.NotFound)
}

func alarmRuleChannels(b *bench) {
	b.alarmChannel("ops")
	_, err := b.SaveAlarmRule(b.ctx(), b.wholeRule())
	b.kind(err, job.Invalid)
	if err == nil || !strings.Contains(err.Error(), "escalation: channel boss does not exist") {
		b.Errorf("the error does not name the channel: %v", err)
	}
	b.alarmChannel("boss")
	r, err := b.SaveAlarmRule(b.ctx(), b.wholeRule())
	b.ok(err)
	for _, key := range []string{"ops", "boss"} {
		err := b.DeleteAlarmChannel(b.ctx(), job.DefaultNamespace, key)
		b.kind(err, job.Conflict)
		if !strings.Contains(err.Error(), "nightly") {
			b.Errorf("the error does not name the users: %v", err)
		}
	}
	r.Escalation = nil
	_, err = b.SaveAlarmRule(b.ctx(), r)
	b.ok(err)
	b.ok(b.DeleteAlarmChannel(b.ctx(), job.DefaultNamespace, "boss"))
	b.kind(b.DeleteAlarmChannel(b.ctx(), job.DefaultNamespace, "boss"), job.NotFound)
	b.ok(b.DeleteAlarmRule(b.ctx(), job.DefaultNamespace, "nightly"))
	b.ok(b.DeleteAlarmChannel(b.ctx(), job.DefaultNamespace, "ops"))
}

func alarmChannelIsRead(b *bench) {
	want := alarmconfig.Channel{Sealed: "closed", Channel: alarm.Channel{
		Namespace: job.DefaultNamespace, Key: "mail", Title: "Почта", Kind: alarm.Email, Enabled: true, Default: true,
		Settings: map[string]string{"host": "mx"}, SecretNames: []string{"password"}, Language: alarm.Chinese,
		Template: alarm.Template{Title: "{{.Title}}", Text: "x"}, PerMinute: 3, CreatedAt: b.now, UpdatedAt: b.now,
	}}
	saved, err := b.SaveAlarmChannel(b.ctx(), want)
	b.ok(err)
	want.ID, want.Version = saved.ID, 1
	b.same("saved", saved, want)
	b.reopen()
	found, err := b.AlarmChannels(b.ctx(), job.DefaultNamespace)
	b.ok(err)
	b.same("channels", found, []alarmconfig.Channel{want})
	none, err := b.AlarmChannels(b.ctx(), otherSpace)
	b.ok(err)
	b.same("channels of another namespace", len(none), 0)
	next := want
	next.Sealed, next.SecretNames, next.Default, next.UpdatedAt = "", nil, false, b.at(1)
	saved, err = b.SaveAlarmChannel(b.ctx(), next)
	b.ok(err)
	next.Version = 2
	b.same("changed", saved, next)
	_, err = b.SaveAlarmChannel(b.ctx(), want)
	b.kind(err, job.Conflict)
}

func alarmChannelDefault(b *bench) {
	first := b.alarmChannel("first")
	second := b.alarmChannel("second")
	first.Default, second.Default = true, true
	first, err := b.SaveAlarmChannel(b.ctx(), first)
	b.ok(err)
	_, err = b.SaveAlarmChannel(b.ctx(), second)
	b.kind(err, job.Conflict)
	if !strings.Contains(err.Error(), "channel first is the default") {
		b.Errorf("the error does not name the channel: %v", err)
	}
	first, err = b.SaveAlarmChannel(b.ctx(), first) // it stays what it is
	b.ok(err)
	first.Default = false
	_, err = b.SaveAlarmChannel(b.ctx(), first)
	b.ok(err)
	_, err = b.SaveAlarmChannel(b.ctx(), second)
	b.ok(err)
	other := second
	other.Namespace, other.Version = otherSpace, 0
	_, err = b.SaveAlarmChannel(b.ctx(), other)
	b.ok(err)
}

func alarmChannelHealth(b *bench) {
	c := b.alarmChannel("ops")
	version := b.alarmBook(0).Version
	b.ok(b.NoteAlarmChannel(b.ctx(), c.ID, b.at(1), "no answer"))
	b.ok(b.NoteAlarmChannel(b.ctx(), c.ID, b.at(2), "refused"))
	b.ok(b.NoteAlarmChannel(b.ctx(), 1<<40, b.at(2), "refused"))
	c.FailedAt, c.Failure, c.Failures = b.at(2), "refused", 2
	found, err := b.AlarmChannels(b.ctx(), "")
	b.ok(err)
	b.same("after failures", found, []alarmconfig.Channel{c})
	b.ok(b.NoteAlarmChannel(b.ctx(), c.ID, b.at(3), ""))
	c.OKAt, c.Failures = b.at(3), 0
	found, err = b.AlarmChannels(b.ctx(), "")
	b.ok(err)
	b.same("after a success", found, []alarmconfig.Channel{c})
	if again, err := b.AlarmBook(b.ctx(), version); err != nil || again != nil {
		b.Errorf("the book is returned again: %v, %v", again, err)
	}
}

func (b *bench) alarmSilence(until time.Time) alarm.Silence {
	b.Helper()
	s, err := b.SaveAlarmSilence(b.ctx(), alarm.Silence{
		Namespace: job.DefaultNamespace, Comment: "moving", From: b.now, Until: until, CreatedAt: b.now,
	}, b.at(-1))
	b.ok(err)
	return s
}

func alarmSilenceIsRead(b *bench) {
	want := alarm.Silence{
		Namespace: job.DefaultNamespace, Comment: "Переезд", Rules: []string{"nightly"}, Kinds: []alarm.Kind{alarm.KindLost},
		Scope: alarm.Scope{Groups: []string{"G*"}}, From: b.now, Until: b.at(60), Cron: "0 0 2 * * ?", Zone: "Asia/Shanghai",
		Length: time.Hour, CreatedAt: b.now,
	}
	saved, err := b.SaveAlarmSilence(b.ctx(), want, b.now)
	b.ok(err)
	want.ID = saved.ID
	b.same("saved", saved, want)
	b.reopen()
	found, err := b.AlarmSilences(b.ctx(), job.DefaultNamespace)
	b.ok(err)
	b.same("silences", found, []alarm.Silence{want})
	want.Until = b.at(5)
	_, err = b.SaveAlarmSilence(b.ctx(), want, b.now)
	b.ok(err)
	found, err = b.AlarmSilences(b.ctx(), "")
	b.ok(err)
	b.same("ended", found, []alarm.Silence{want})
	b.ok(b.DeleteAlarmSilence(b.ctx(), want.ID))
	b.kind(b.DeleteAlarmSilence(b.ctx(), want.ID), job.NotFound)
	_, err = b.SaveAlarmSilence(b.ctx(), want, b.now)
	b.kind(err, job.NotFound)
}

func alarmSilencesForgotten(b *bench) {
	b.alarmSilence(b.at(-60))
	kept := b.alarmSilence(b.at(0))
	open := b.alarmSilence(time.Time{})
	found, err := b.AlarmSilences(b.ctx(), "")
	b.ok(err)
	b.same("silences", found, []alarm.Silence{kept, open})
}

func alarmBookBounds(b *bench) {
	var made atomic.Int64
	var all sync.WaitGroup
	for i := range alarm.MaxChannelsKept + 20 {
		all.Go(func() {
			_, err := b.SaveAlarmChannel(b.ctx(), alarmconfig.Channel{Channel: alarm.Channel{
				Namespace: job.DefaultNamespace, Key: fmt.Sprint(i), Kind: alarm.Slack, CreatedAt: b.now, UpdatedAt: b.now,
			}})
			switch {
			case err == nil:
				made.Add(1)
			case !job.Is(err, job.Full):
				b.Errorf("one too many: %v", err)
			}
		})
	}
	all.Wait()
	b.same("channels made", made.Load(), int64(alarm.MaxChannelsKept))
}

func (b *bench) alarmBook(known int64) *alarmconfig.Stored {
	b.Helper()
	all, err := b.AlarmBook(b.ctx(), known)
	b.ok(err)
	return all
}

func alarmBookVersion(b *bench) {
	version := b.alarmBook(0).Version
	changes := func(what string, change func()) {
		b.Helper()
		change()
		next := b.alarmBook(version)
		if next == nil || next.Version <= version {
			b.Fatalf("%s: the book is not returned after the change: %v", what, next)
		}
		version = next.Version
		if again := b.alarmBook(version); again != nil {
			b.Errorf("%s: the book is returned again", what)
		}
	}
	changes("a channel", func() { b.alarmChannel("ops"); b.alarmChannel("boss") })
	changes("a rule", func() {
		_, err := b.SaveAlarmRule(b.ctx(), b.wholeRule())
		b.ok(err)
	})
	changes("a silence", func() { b.alarmSilence(b.at(9)) })
	all := b.alarmBook(0)
	b.same("rules, channels, silences", []int{len(all.Rules), len(all.Channels), len(all.Silences)}, []int{1, 2, 1})
	changes("a silence less", func() { b.ok(b.DeleteAlarmSilence(b.ctx(), all.Silences[0].ID)) })
	changes("a rule less", func() { b.ok(b.DeleteAlarmRule(b.ctx(), job.DefaultNamespace, "nightly")) })
	changes("a channel less", func() { b.ok(b.DeleteAlarmChannel(b.ctx(), job.DefaultNamespace, "boss")) })
}
