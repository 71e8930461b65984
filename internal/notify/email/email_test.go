package email

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/certs/certstest"
	"github.com/orthd/orth/job"
)

// channel is one without encryption, for servers that know none.
func channel(port string) alarm.Channel {
	return alarm.Channel{ID: 7, Kind: alarm.Email, Settings: map[string]string{
		"host": "mail.example", "port": port, "tls": "none", "from": "Orth <orth@example.com>", "to": "a@example.com, b@example.com",
		"helo": "orth.example.com",
	}}
}

func message() alarm.Message {
	return alarm.Message{
		ID: "n-1", Dedup: "a-1", State: alarm.Firing, Severity: alarm.Critical, Title: "[critical] x failed", Text: "Rule: r",
		Link: "https://orth.example/runs/1",
	}
}

// soon is a context that ends in time for a test.
func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func TestSend(t *testing.T) {
	t.Parallel()
	s := &script{}
	if err := New(dialer{}).Send(soon(t), channel(s.start(t)), message()); err != nil {
		t.Fatal(err)
	}
	<-s.done
	want := []string{
		"EHLO orth.example.com", "MAIL FROM:<orth@example.com>", "RCPT TO:<a@example.com>", "RCPT TO:<b@example.com>", "DATA", "QUIT",
	}
	if diff := cmp.Diff(want, s.heard); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(s.mail, "Message-ID: <n-1@example.com>\r\n") {
		t.Error(s.mail)
	}
}

// TestAnswers: what the server says decides whether another try can help.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		server script
		want   job.Kind
		says   string
	}{
		{"busy", script{greeting: "421 too many connections"}, job.Unavailable, "421 too many connections"},
		{"blocked", script{greeting: "554 no mail from you"}, job.Refused, "554 no mail from you"},
		{"sender, later", script{answers: map[string]string{"MAIL": "451 wait"}}, job.Unavailable, "451 wait"},
		{"sender, never", script{answers: map[string]string{"MAIL": "550 who"}}, job.Refused, "refuses the sender (550 who)"},
		{"grey list", script{answers: map[string]string{"RCPT": "451 4.7.1 greylisted"}}, job.Unavailable, "2 of 2 addresses: a@example.com: 451 4.7.1 greylisted"},
		{"nobody", script{answers: map[string]string{"RCPT": "550 5.1.1 no such user"}}, job.Refused, "refuses every address"},
		{"one of two", script{answers: map[string]string{"RCPT TO:<b@": "550 5.1.1 no such user"}}, job.Refused, "took the mail, but not for 1 of 2 addresses: b@example.com: 550"},
		{"one later", script{answers: map[string]string{"RCPT TO:<b@": "452 full"}}, job.Unavailable, "come again for 1 of 2 addresses"},
		{"mail, later", script{answers: map[string]string{"DATA": "451 disk"}}, job.Unavailable, "451 disk"},
		{"mail, never", script{answers: map[string]string{".": "554 spam"}}, job.Refused, "refuses the mail (554 spam)"},
		{"end, later", script{answers: map[string]string{".": "421 going down"}}, job.Unavailable, "421 going down"},
		{"hangs up", script{answers: map[string]string{"RCPT": "421 bye"}}, job.Unavailable, ""},
		{"no answer of SMTP", script{greeting: "HTTP/1.1 400 Bad Request"}, job.Unavailable, "broke off at the connection"},
		{"goodbye fails", script{answers: map[string]string{"QUIT": "500 what"}}, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := New(dialer{}).Send(soon(t), channel(test.server.start(t)), message())
			if job.KindOf(err) != test.want || !strings.Contains(fmt.Sprint(err), test.says) {
				t.Errorf("%s %v, want %s %q", job.KindOf(err), err, test.want, test.says)
			}
		})
	}
}

// TestOnlyTheRest: who has the mail does not get it again with the next try.
func TestOnlyTheRest(t *testing.T) {
	t.Parallel()
	k := New(dialer{})
	first := &script{answers: map[string]string{"RCPT TO:<b@": "451 greylisted"}}
	if err := k.Send(soon(t), channel(first.start(t)), message()); !job.Is(err, job.Unavailable) {
		t.Fatal(err)
	}
	if !strings.Contains(first.mail, "<b@example.com>") {
		t.Errorf("the header hides an address:\n%s", first.mail)
	}
	second := &script{}
	if err := k.Send(soon(t), channel(second.start(t)), message()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"RCPT TO:<b@example.com>"}, second.said("RCPT")); diff != "" {
		t.Error(diff)
	}
	other := message()
	other.ID = "n-2"
	third := &script{}
	if err := k.Send(soon(t), channel(third.start(t)), other); err != nil || len(third.said("RCPT")) != 2 {
		t.Errorf("another mail: %v, %q", err, third.heard)
	}
}

func TestTakenIsBounded(t *testing.T) {
	t.Parallel()
	k := newTaken()
	for i := range maxTaken + 10 {
		k.remember(1, fmt.Sprint(i), []string{"a"})
	}
	if len(k.mails) != maxTaken || len(k.order) != maxTaken || k.wasTaken(1, "9", "a") || !k.wasTaken(1, "10", "a") || k.wasTaken(2, "10", "a") {
		t.Errorf("%d mails, %d in order", len(k.mails), len(k.order))
	}
	k.forget(1, "10")
	k.forget(1, "never there")
	if k.wasTaken(1, "10", "a") || len(k.order) != maxTaken-1 {
		t.Error("it is remembered")
	}
}

func TestAddressesOfTheMessage(t *testing.T) {
	t.Parallel()
	s := &script{}
	c, m := channel(s.start(t)), message()
	c.Settings["to"], c.Default = "", true
	m.To = []string{"c@example.com", "evil@example.com>\r\nRCPT TO:<all@example.com"}
	err := New(dialer{}).Send(soon(t), c, m)
	if !job.Is(err, job.Refused) || !strings.Contains(err.Error(), "not for 1 of 2") {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"RCPT TO:<c@example.com>"}, s.said("RCPT")); diff != "" {
		t.Error(diff)
	}
	for _, test := range []struct {
		to   []string
		want job.Kind
	}{{nil, job.Invalid}, {make([]string, maxAddresses+1), job.Refused}, {[]string{"nobody"}, job.Refused}} {
		m.To = test.to
		if err := New(dialer{}).Send(soon(t), c, m); !job.Is(err, test.want) {
			t.Errorf("%d addresses: %v", len(test.to), err)
		}
	}
}

// silence is a mail server that takes every connection and says nothing.
type silence struct{ peers sync.WaitGroup }

func (s *silence) Dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	s.peers.Go(func() { _, _ = io.Copy(io.Discard, far) })
	return near, nil
}

// TestSilentServer: one that takes the connection and says nothing holds up nobody.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]string{"greeting": "none", "encryption": "tls"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := channel("25")
				c.Settings["tls"] = kind
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				server := new(silence)
				defer server.peers.Wait()
				begun := time.Now()
				err := New(server).Send(ctx, c, message())
				if !job.Is(err, job.Unavailable) || !strings.Contains(err.Error(), "did not answer in time") {
					t.Error(err)
				}
				if d := time.Since(begun); d != 10*time.Second {
					t.Errorf("it took %s", d)
				}
			})
		})
	}
}

// TestTalkativeServer: what a server says is bounded.
func TestTalkativeServer(t *testing.T) {
	t.Parallel()
	s := &script{greeting: "220 " + strings.Repeat("x", 2*maxHeard)}
	err := New(dialer{}).Send(soon(t), channel(s.start(t)), message())
	if !job.Is(err, job.Unavailable) || len(err.Error()) > 1000 {
		t.Errorf("%.300v", err)
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	if err := New(dialer{}).Send(soon(t), channel("1"), message()); !job.Is(err, job.Unreachable) {
		t.Error(err)
	}
}

func TestEncryption(t *testing.T) {
	t.Parallel()
	authority, stranger := certstest.New(t), certstest.New(t)
	leaf := certstest.Leaf{Name: "mail.example", DNS: []string{"mail.example"}}
	served := func(a *certstest.Authority) *tls.Config {
		return &tls.Config{Certificates: []tls.Certificate{a.Pair(t, leaf)}}
	}
	ca, err := os.ReadFile(authority.Path)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, mode, host string
		server           script
		want             job.Kind
		says             string
	}{
		{"starttls", startTLS, "mail.example", script{hello: "STARTTLS", tls: served(authority)}, "", ""},
		{"tls", fullTLS, "mail.example", script{implicit: true, tls: served(authority)}, "", ""},
		{"not offered", startTLS, "mail.example", script{}, job.Refused, "offers no STARTTLS"},
		{"refused", startTLS, "mail.example", script{hello: "STARTTLS", answers: map[string]string{"STARTTLS": "454 not now"}}, job.Unavailable, "454 not now"},
		{"starttls of a stranger", startTLS, "mail.example", script{hello: "STARTTLS", tls: served(stranger)}, job.Refused, "certificate of that authority as ca"},
		{"tls of a stranger", fullTLS, "mail.example", script{implicit: true, tls: served(stranger)}, job.Refused, "certificate of that authority as ca"},
		{"another name", startTLS, "other.example", script{hello: "STARTTLS", tls: served(authority)}, job.Refused, "not one of that name"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := channel(test.server.start(t))
			c.Settings["tls"], c.Settings["host"], c.Settings["ca"] = test.mode, test.host, string(ca)
			err := New(dialer{}).Send(soon(t), c, message())
			if job.KindOf(err) != test.want || !strings.Contains(fmt.Sprint(err), test.says) {
				t.Errorf("%s %v, want %s %q", job.KindOf(err), err, test.want, test.says)
			}
			if lines := test.server.said("MAIL"); (len(lines) == 1) != (test.want == "") {
				t.Errorf("%v after %v", lines, err)
			}
		})
	}
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	authority := certstest.New(t)
	ca, err := os.ReadFile(authority.Path)
	if err != nil {
		t.Fatal(err)
	}
	pair := authority.Pair(t, certstest.Leaf{Name: "mail.example", DNS: []string{"mail.example"}})
	for _, test := range []struct {
		name, auth, hello string
		answers           map[string]string
		heard             string
		want              job.Kind
		says              string
	}{
		// printf '\0me\0secret' | base64
		{"plain", "", "STARTTLS\nAUTH PLAIN LOGIN", map[string]string{"AUTH": "235 ok"}, "AUTH PLAIN AG1lAHNlY3JldA==", "", ""},
		{"wrong", authPlain, "STARTTLS\nAUTH PLAIN", map[string]string{"AUTH": "535 5.7.8 bad credentials"}, "AUTH PLAIN", job.Refused, "refuses the user or the password (535 5.7.8 bad credentials)"},
		{"later", authPlain, "STARTTLS\nAUTH PLAIN", map[string]string{"AUTH": "454 4.7.0 try later"}, "AUTH PLAIN", job.Unavailable, "454"},
		{"not offered", authPlain, "STARTTLS", nil, "", job.Refused, "lets nobody sign in"},
		{"none", authNone, "STARTTLS\nAUTH PLAIN", nil, "", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := &script{hello: test.hello, answers: test.answers, tls: &tls.Config{Certificates: []tls.Certificate{pair}}}
			c := channel(s.start(t))
			c.Settings["tls"], c.Settings["ca"], c.Settings["auth"] = "", string(ca), test.auth
			if test.auth != authNone {
				c.Settings["user"], c.Secrets = "me", map[string]string{"password": "secret"}
			}
			err := New(dialer{}).Send(soon(t), c, message())
			if job.KindOf(err) != test.want || !strings.Contains(fmt.Sprint(err), test.says) {
				t.Errorf("%s %v, want %s %q", job.KindOf(err), err, test.want, test.says)
			}
			lines := s.said("AUTH")
			if test.heard == "" && lines != nil || test.heard != "" && (len(lines) != 1 || !strings.HasPrefix(lines[0], test.heard)) {
				t.Errorf("%q, want %q", lines, test.heard)
			}
		})
	}
}

// TestCRAM plays the example of RFC 2195, over a connection without encryption: the
// password is not sent.
func TestCRAM(t *testing.T) {
	t.Parallel()
	challenge := base64.StdEncoding.EncodeToString([]byte("<1896.697170952@postoffice.reston.mci.net>"))
	response := base64.StdEncoding.EncodeToString([]byte("tim b913a602c7eda7a495b4e6e7334d3890"))
	s := &script{hello: "AUTH CRAM-MD5", answers: map[string]string{"AUTH CRAM-MD5": "334 " + challenge, response: "235 ok"}}
	c := channel(s.start(t))
	c.Settings["auth"], c.Settings["user"], c.Secrets = "cram", "tim", map[string]string{"password": "tanstaaftanstaaf"}
	if err := New(dialer{}).Send(soon(t), c, message()); err != nil {
		t.Fatal(err)
	}
	if len(s.said(response)) != 1 || s.mail == "" {
		t.Errorf("%q", s.heard)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	good := map[string]string{"host": "mail.example", "from": "orth@example.com", "to": "a@example.com"}
	for _, test := range []struct {
		set      map[string]string
		password string
		field    string
	}{
		{nil, "", ""},
		{map[string]string{"user": "me"}, "x", ""},
		{map[string]string{"user": "me", "auth": "cram", "tls": "none"}, "x", ""},
		{map[string]string{"host": ""}, "", "settings.host"},
		{map[string]string{"host": "2001:db8::1"}, "", ""},
		{map[string]string{"host": "a.example:25"}, "", "settings.host"},
		{map[string]string{"host": "a example"}, "", "settings.host"},
		{map[string]string{"port": "0"}, "", "settings.port"},
		{map[string]string{"port": "smtp"}, "", "settings.port"},
		{map[string]string{"tls": "yes"}, "", "settings.tls"},
		{map[string]string{"tls": "none", "user": "me"}, "x", "settings.tls"},
		{map[string]string{"tls": "none", "user": "me", "auth": "login"}, "x", "settings.tls"},
		{map[string]string{"auth": "plain"}, "x", "settings.user"},
		{map[string]string{"user": "me"}, "", "secrets.password"},
		{nil, "x", "settings.auth"},
		{map[string]string{"from": "orth"}, "", "settings.from"},
		{map[string]string{"from": "ä@example.com"}, "", "settings.from"},
		{map[string]string{"from": "a@example.com\r\nBcc: b@example.com"}, "", "settings.from"},
		{map[string]string{"to": ""}, "", "settings.to"},
		{map[string]string{"to": strings.Repeat("a@example.com,", 17)}, "", "settings.to"},
		{map[string]string{"to": "a@example.com, <b>"}, "", "settings.to"},
		{map[string]string{"to": strings.Repeat("a", 250) + "@example.com"}, "", "settings.to"},
		{map[string]string{"helo": "a b"}, "", "settings.helo"},
		{map[string]string{"ca": "x"}, "", "settings.ca"},
	} {
		c := alarm.Channel{Kind: alarm.Email, Settings: map[string]string{}}
		maps.Copy(c.Settings, good)
		maps.Copy(c.Settings, test.set)
		if test.password != "" {
			c.Secrets = map[string]string{"password": test.password}
		}
		err := New(dialer{}).Check(c)
		e, _ := errors.AsType[*job.Error](err)
		if test.field == "" && err != nil || test.field != "" && (e == nil || e.Field != test.field) {
			t.Errorf("%v: %v, want %s", test.set, err, test.field)
		}
	}
}
