//go:build unix

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
)

// toldSoon makes the messages of a rule come at once, and a server send them to this
// machine.
const (
	toldSoon     = api.Duration(time.Second)
	allowPrivate = "ORTH_ALARM_ALLOW_PRIVATE=true"
)

// api returns a client of the site's server.
func (s *site) api() *client.Client {
	s.t.Helper()
	token := strings.TrimSpace(mustRead(s.t, filepath.Join(s.data(), "api.token")))
	c, err := client.New(client.Config{Address: "http://" + s.server, Token: token})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(c.Close)
	return c
}

// channel makes a channel.
func (s *site) channel(c api.NewAlarmChannel) {
	s.t.Helper()
	if _, err := s.api().CreateAlarmChannel(s.t.Context(), c); err != nil {
		s.t.Fatal(err)
	}
}

// hook makes a channel that sends to an address.
func (s *site) hook(key, address string) {
	s.t.Helper()
	s.channel(api.NewAlarmChannel{
		AlarmChannelFields: api.AlarmChannelFields{Key: key, Kind: alarm.Webhook, PerMinute: 600}, Secrets: map[string]string{"url": address},
	})
}

// rule makes a rule that is told soon, and says when it is over.
func (s *site) rule(key, channel string, r api.AlarmRuleFields) {
	s.t.Helper()
	r.Key, r.Channels, r.Recovered, r.Wait, r.Interval = key, []string{channel}, true, toldSoon, toldSoon
	if _, err := s.api().CreateAlarmRule(s.t.Context(), api.NewAlarmRule{AlarmRuleFields: r}); err != nil {
		s.t.Fatal(err)
	}
}

// notifications returns the messages that are known, the newest first.
func (s *site) notifications(q client.NotificationQuery) []api.Notification {
	s.t.Helper()
	list, err := s.api().Notifications(s.t.Context(), q)
	if err != nil {
		s.t.Fatal(err)
	}
	return list.Notifications
}

// alarms returns the alarms that are known, the newest first.
func (s *site) alarms(q client.AlarmQuery) []api.Alarm {
	s.t.Helper()
	list, err := s.api().Alarms(s.t.Context(), q)
	if err != nil {
		s.t.Fatal(err)
	}
	return list.Alarms
}

// warnings returns what the server warns of.
func (s *site) warnings() string {
	s.t.Helper()
	list, err := s.api().Warnings(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return strings.Join(list, "\n")
}

// letter is a message as the standard webhook has it.
type letter struct {
	ID    string
	Dedup string
	State alarm.State
	Title string
	Text  string
	Link  string
	// AlarmLink is the page of the alarm.
	AlarmLink string `json:"alarm_link"`
	Alarms    int
	Events    int
	Items     []struct {
		Kind   alarm.Kind
		Job    string
		Tries  int
		Run    int64
		Reason string
		Link   string
	}
	Reasons []struct {
		Text  string
		Count int
	}
	More int
	Log  []string
}

// mailbox is a server that takes webhooks.
type mailbox struct {
	url string
	mu  sync.Mutex
	got []letter // guarded by mu
}

func newMailbox(t *testing.T) *mailbox {
	t.Helper()
	m := &mailbox{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var l letter
		if err := json.NewDecoder(r.Body).Decode(&l); err != nil || l.ID != r.Header.Get("Orth-Delivery") {
			t.Errorf("a message %+v with the id %q: %v", l, r.Header.Get("Orth-Delivery"), err)
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		m.got = append(m.got, l)
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(server.Close)
	m.url = server.URL
	return m
}

func (m *mailbox) letters() []letter {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.got)
}

// wait returns the messages once there are n of them.
func (m *mailbox) wait(t *testing.T, n int) []letter {
	t.Helper()
	var all []letter
	eventually(t, func() error {
		if all = m.letters(); len(all) < n {
			return fmt.Errorf("%d messages came, want %d", len(all), n)
		}
		return nil
	})
	return all
}

// postOffice is a mail server that takes everything, as plain as one can be.
type postOffice struct {
	address string
	mu      sync.Mutex
	got     []string // guarded by mu: envelopes and letters
}

func newPostOffice(t *testing.T) *postOffice {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &postOffice{address: l.Addr().String()}
	var open sync.WaitGroup
	open.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			open.Go(func() { p.serve(c) })
		}
	})
	t.Cleanup(func() { _ = l.Close(); open.Wait() })
	return p
}

// serve is one conversation, in the words of RFC 5321.
func (p *postOffice) serve(c net.Conn) {
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(patience))
	in, said := bufio.NewReader(c), ""
	_, _ = io.WriteString(c, "220 e2e\r\n")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		answer := "250 ok\r\n"
		switch verb := strings.ToUpper(line[:min(4, len(line))]); verb {
		case "QUIT":
			_, _ = io.WriteString(c, "221 bye\r\n")
			return
		case "DATA":
			_, _ = io.WriteString(c, "354 go on\r\n")
			for {
				text, err := in.ReadString('\n')
				if err != nil {
					return
				}
				if text == ".\r\n" {
					break
				}
				said += text
			}
			p.mu.Lock()
			p.got, said = append(p.got, said), ""
			p.mu.Unlock()
		case "MAIL", "RCPT":
			said += line
		}
		_, _ = io.WriteString(c, answer)
	}
}

func (p *postOffice) letters() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.got)
}
