//go:build unix

package e2e

import (
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/job"
)

// TestAlarm fails a job with retries: people hear of it once, after the last attempt,
// with its last lines and where to look; and once more when it is well again. A
// silence holds messages back, and hides no alarm.
func TestAlarm(t *testing.T) {
	t.Parallel()
	s, box := newSite(t), newMailbox(t)
	s.startServer(allowPrivate, "ORTH_PUBLIC_URL=https://orth.example.com")
	s.startExecutor()
	s.hook("box", box.url)
	s.rule("bad", "box", api.AlarmRuleFields{Kinds: []alarm.Kind{alarm.KindFailed}, GroupBy: alarm.ByJob})
	well := filepath.Join(s.dir, "well")
	s.orth("job", "create", "flaky", "--group", s.group, "--manual", "--retries", "2", "--retry-delay", "100ms",
		"--shell", "echo not today; test -e "+well)
	id := s.trigger("flaky")
	first := box.wait(t, 1)[0]
	if r := s.becomes(id, job.Failed); r.Tries != 3 {
		t.Errorf("the run was tried %d times", r.Tries)
	}
	if first.State != alarm.Firing || first.Alarms != 1 || first.Events != 1 || len(first.Items) != 1 {
		t.Fatalf("the first message is %+v", first)
	}
	if item := first.Items[0]; item.Job != "flaky" || item.Tries != 3 || fmt.Sprint(item.Run) != id || !strings.HasPrefix(item.Link, "https://orth.example.com/console/runs/") {
		t.Errorf("it is about %+v", item)
	}
	if !strings.Contains(strings.Join(first.Log, "\n"), "not today") {
		t.Errorf("its log is %q", first.Log)
	}
	mustWrite(t, well, "")
	s.becomes(s.trigger("flaky"), job.Succeeded)
	if last := box.wait(t, 2)[1]; last.State != alarm.Resolved || last.Dedup != first.Dedup || last.ID == first.ID {
		t.Errorf("after %+v came %+v", first, last)
	}

	if _, err := s.api().CreateAlarmSilence(t.Context(), api.NewAlarmSilence{
		Comment: "a test", Until: api.At(time.Now().Add(time.Hour)), Scope: api.AlarmScope{Jobs: []string{"flaky"}},
	}); err != nil {
		t.Fatal(err)
	}
	s.orth("job", "edit", "flaky", "--retries", "0", "--shell", "exit 1")
	s.becomes(s.trigger("flaky"), job.Failed)
	eventually(t, func() error {
		firing := s.alarms(client.AlarmQuery{State: alarm.Firing, Job: "flaky"})
		if len(firing) != 1 || firing[0].SilencedBy == 0 {
			return fmt.Errorf("the alarms are %+v", firing)
		}
		return nil
	})
	if n := len(box.letters()); n != 2 {
		t.Errorf("%d messages came, want 2", n)
	}
}

// TestAlarmServerKilled kills the server when a message is sent and not yet recorded:
// it is sent again, and whoever gets it can tell.
func TestAlarmServerKilled(t *testing.T) {
	t.Parallel()
	s, box := newSite(t), newMailbox(t)
	server := s.startServer(allowPrivate, "ORTH_FAILPOINTS=alarm/sent=kill")
	s.startExecutor()
	s.hook("box", box.url)
	s.rule("bad", "box", api.AlarmRuleFields{Kinds: []alarm.Kind{alarm.KindFailed}})
	s.orth("job", "create", "broken", "--group", s.group, "--manual", "--shell", "exit 1")
	s.trigger("broken")
	server.killedItself()
	if n := len(box.letters()); n != 1 {
		t.Fatalf("%d messages came before the kill", n)
	}
	s.startServer(allowPrivate)
	both := box.wait(t, 2)
	if both[0].ID != both[1].ID || both[0].ID == "" {
		t.Errorf("the messages are %q and %q", both[0].ID, both[1].ID)
	}
	eventually(t, func() error {
		if sent := s.notifications(client.NotificationQuery{Status: alarm.Sent}); len(sent) != 1 {
			return fmt.Errorf("the messages are %+v", sent)
		}
		return nil
	})
	if fired := s.alarms(client.AlarmQuery{}); len(fired) != 1 || fired[0].Count != 1 {
		t.Errorf("the alarms are %+v", fired)
	}
}

// TestAlarmMail mails to the addresses that a job names. While there is no channel for
// that, and while a channel does not work, everybody can see it.
func TestAlarmMail(t *testing.T) {
	t.Parallel()
	s, office := newSite(t), newPostOffice(t)
	s.startServer(allowPrivate)
	s.startExecutor()
	s.orth("job", "create", "broken", "--group", s.group, "--manual", "--shell", "echo disk full; exit 1",
		"--alarm-email", "ann@example.com", "--alarm-email", "bob@example.com")
	s.becomes(s.trigger("broken"), job.Failed)
	eventually(t, func() error {
		lost := s.notifications(client.NotificationQuery{Status: alarm.GivenUp})
		if len(lost) == 0 || lost[0].Error == "" {
			return fmt.Errorf("nobody can see that there is no channel: %+v", lost)
		}
		return nil
	})
	if all := s.warnings(); !strings.Contains(all, "could not be delivered") {
		t.Errorf("the warnings are %q", all)
	}

	host, port, err := net.SplitHostPort(office.address)
	if err != nil {
		t.Fatal(err)
	}
	s.channel(api.NewAlarmChannel{AlarmChannelFields: api.AlarmChannelFields{
		Key: "mail", Kind: alarm.Email, Default: true,
		Settings: map[string]string{"host": host, "port": port, "tls": "none", "from": "orth@example.com"},
	}})
	s.orth("job", "create", "worse", "--group", s.group, "--manual", "--shell", "exit 1", "--alarm-email", "ann@example.com,bob@example.com")
	s.becomes(s.trigger("worse"), job.Failed)
	eventually(t, func() error {
		all := strings.Join(office.letters(), "\n")
		for _, want := range []string{"RCPT TO:<ann@example.com>", "RCPT TO:<bob@example.com>", "worse"} {
			if !strings.Contains(all, want) {
				return fmt.Errorf("the mails have no %q: %s", want, all)
			}
		}
		return nil
	})

	s.hook("dead", "http://"+freeAddress(t))
	s.rule("bad", "dead", api.AlarmRuleFields{Kinds: []alarm.Kind{alarm.KindDeadLetter}})
	s.becomes(s.trigger("worse"), job.Failed)
	eventually(t, func() error {
		if all := s.warnings(); !strings.Contains(all, "alarm channel dead has failed") {
			return fmt.Errorf("the warnings are %q", all)
		}
		return nil
	})
}

// TestAlarmStorm fails a thousand runs: a few messages tell of them all, and no alarm
// forgets one.
func TestAlarmStorm(t *testing.T) {
	t.Parallel()
	const runs, senders = 1000, 8
	s, box := newSite(t), newMailbox(t)
	s.startServer(allowPrivate)
	s.startExecutor()
	s.hook("box", box.url)
	s.rule("bad", "box", api.AlarmRuleFields{Kinds: []alarm.Kind{alarm.KindFailed}})
	s.orth("job", "create", "broken", "--group", s.group, "--manual", "--handler", "nobody-has-it", "--overlap", "concurrent", "--concurrency", "64")
	c := s.api()
	var sending sync.WaitGroup
	began := time.Now()
	for range senders {
		sending.Go(func() {
			for range runs / senders {
				if _, err := c.Trigger(t.Context(), "broken", api.Trigger{}); err != nil {
					t.Errorf("trigger: %v", err)
				}
			}
		})
	}
	sending.Wait()
	eventually(t, func() error {
		fired := s.alarms(client.AlarmQuery{Job: "broken"})
		if len(fired) != 1 || fired[0].Count != runs {
			return fmt.Errorf("the alarms are %+v", fired)
		}
		told := 0
		for _, l := range box.letters() {
			told += l.Events
		}
		if told < runs {
			return fmt.Errorf("%d events were told", told)
		}
		return nil
	})
	// One in a second, as the rule says, however long that takes here.
	if n, most := len(box.letters()), 10+int(time.Since(began)/time.Second); n > most {
		t.Errorf("%d messages came, want at most %d", n, most)
	}
}

// TestAlarmOfWhatDoesNotHappen: nobody takes the runs of a group, and people hear of
// that too.
func TestAlarmOfWhatDoesNotHappen(t *testing.T) {
	t.Parallel()
	s, box := newSite(t), newMailbox(t)
	s.startServer(allowPrivate, "ORTH_LEASE_TTL=2s")
	s.hook("box", box.url)
	soon := api.Duration(time.Second)
	s.rule("late", "box", api.AlarmRuleFields{Kinds: []alarm.Kind{alarm.KindNotStarted}, Within: soon})
	s.rule("groups", "box", api.AlarmRuleFields{Kinds: []alarm.Kind{alarm.KindBacklog, alarm.KindGroupDown}, Count: 2, For: soon})
	s.orth("job", "create", "waits", "--group", "nobody", "--cron", "0 0 0 1 1 ?", "--shell", "true", "--enable")
	ids := []string{s.trigger("waits"), s.trigger("waits")}
	stand := func(state alarm.State, kinds ...alarm.Kind) {
		t.Helper()
		eventually(t, func() error {
			for _, kind := range kinds {
				if all := s.alarms(client.AlarmQuery{Kind: kind}); len(all) != 1 || all[0].State != state {
					return fmt.Errorf("of %s there are %+v, want one that is %s", kind, all, state)
				}
			}
			return nil
		})
	}
	stand(alarm.Firing, alarm.KindNotStarted, alarm.KindBacklog, alarm.KindGroupDown)
	for _, id := range ids {
		s.orth("run", "cancel", id)
	}
	stand(alarm.Resolved, alarm.KindNotStarted, alarm.KindBacklog)
	s.orth("job", "disable", "waits")
	stand(alarm.Resolved, alarm.KindGroupDown)
}
