// Package smtp proves that mails of alarms reach a mail server that others wrote,
// over connections as they are in the world: encrypted with certificates of an
// authority, with passwords, greylisting and refusals.
package smtp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/mail"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	server "github.com/emersion/go-smtp"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/certs/certstest"
	"github.com/orthd/orth/internal/notify"
	"github.com/orthd/orth/job"
)

// office is what stands behind the mail server. It refuses nobody@ for ever and
// grey@ the first time, and lets in who has the password when it asks for one.
type office struct {
	password string // empty: nobody has to sign in

	mu    sync.Mutex
	grey  map[string]bool // who has come before
	mails []letter
	users []string // who has signed in
}

type letter struct {
	from string
	to   []string
	text string
}

// NewSession implements server.Backend.
func (o *office) NewSession(*server.Conn) (server.Session, error) { return &visit{office: o}, nil }

// visit is one conversation.
type visit struct {
	office *office
	letter
	known bool
}

func (v *visit) AuthMechanisms() []string {
	if v.office.password == "" {
		return nil
	}
	return []string{sasl.Plain, sasl.Login}
}

func (v *visit) Auth(mechanism string) (sasl.Server, error) {
	check := func(user, password string) error {
		if password != v.office.password {
			return server.ErrAuthFailed
		}
		v.known = true
		v.office.mu.Lock()
		defer v.office.mu.Unlock()
		v.office.users = append(v.office.users, mechanism+" "+user)
		return nil
	}
	if mechanism == sasl.Login {
		return &login{check: check}, nil
	}
	return sasl.NewPlainServer(func(_, user, password string) error { return check(user, password) }), nil
}

func (v *visit) Mail(from string, _ *server.MailOptions) error {
	if v.office.password != "" && !v.known {
		return server.ErrAuthRequired
	}
	v.from = from
	return nil
}

func (v *visit) Rcpt(to string, _ *server.RcptOptions) error {
	v.office.mu.Lock()
	defer v.office.mu.Unlock()
	switch {
	case strings.HasPrefix(to, "nobody@"):
		return &server.SMTPError{Code: 550, EnhancedCode: server.EnhancedCode{5, 1, 1}, Message: "No such user here"}
	case strings.HasPrefix(to, "grey@") && !v.office.grey[to]:
		v.office.grey[to] = true
		return &server.SMTPError{Code: 451, EnhancedCode: server.EnhancedCode{4, 7, 1}, Message: "Greylisted, come again"}
	}
	v.to = append(v.to, to)
	return nil
}

func (v *visit) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	v.text = string(text)
	v.office.mu.Lock()
	defer v.office.mu.Unlock()
	v.office.mails = append(v.office.mails, v.letter)
	return nil
}

func (v *visit) Reset()        { v.letter = letter{} }
func (v *visit) Logout() error { return nil }

// login is the server's side of AUTH LOGIN, which the library has no longer.
type login struct {
	check func(user, password string) error
	step  int
	user  string
}

func (l *login) Next(response []byte) (challenge []byte, done bool, err error) {
	l.step++
	switch l.step {
	case 1:
		return []byte("Username:"), false, nil
	case 2:
		l.user = string(response)
		return []byte("Password:"), false, nil
	case 3:
		return nil, true, l.check(l.user, string(response))
	default:
		return nil, true, errors.New("too many answers")
	}
}

// open starts a mail server, and returns the channel that leads to it.
func open(t *testing.T, o *office, implicit bool) alarm.Channel {
	t.Helper()
	o.grey = map[string]bool{}
	authority := certstest.New(t)
	pair := authority.Pair(t, certstest.Both("mail"))
	s := server.NewServer(o)
	s.Domain, s.TLSConfig = "mail.example", &tls.Config{Certificates: []tls.Certificate{pair}}
	s.ReadTimeout, s.WriteTimeout = 20*time.Second, 20*time.Second
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if implicit {
		listener = tls.NewListener(listener, s.TLSConfig)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(listener) }()
	t.Cleanup(func() {
		_ = s.Close()
		<-done
	})
	ca, err := os.ReadFile(authority.Path)
	if err != nil {
		t.Fatal(err)
	}
	return alarm.Channel{ID: 1, Kind: alarm.Email, Settings: map[string]string{
		"host": "127.0.0.1", "port": port, "from": "Orth <orth@example.com>", "to": "a@example.com", "ca": string(ca), "helo": "orth.example.com",
	}}
}

func message(id string) alarm.Message {
	return alarm.Message{
		ID: id, Dedup: "a-1", State: alarm.Firing, Severity: alarm.Critical, Title: "[严重] billing: nightly-report 执行失败",
		Text: "Rule: nightly jobs\n.\n.. two dots\n" + strings.Repeat("a long line ", 200), Link: "https://orth.example.com/runs/1",
	}
}

func channels(t *testing.T) *notify.Set {
	t.Helper()
	s, err := notify.New(notify.Config{Private: true, Timeout: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDelivery(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ tls, auth string }{{"starttls", "plain"}, {"starttls", "login"}, {"tls", "plain"}, {"starttls", "none"}} {
		t.Run(test.tls+" "+test.auth, func(t *testing.T) {
			t.Parallel()
			o := &office{}
			if test.auth != "none" {
				o.password = "correct horse"
			}
			c := open(t, o, test.tls == "tls")
			c.Settings["tls"], c.Settings["auth"] = test.tls, test.auth
			if o.password != "" {
				c.Settings["user"], c.Secrets = "orth", map[string]string{"password": o.password}
			}
			if err := channels(t).Send(t.Context(), c, message("n-1")); err != nil {
				t.Fatal(err)
			}
			if len(o.mails) != 1 || o.mails[0].from != "orth@example.com" || fmt.Sprint(o.mails[0].to) != "[a@example.com]" {
				t.Fatalf("%+v", o.mails)
			}
			m, err := mail.ReadMessage(strings.NewReader(o.mails[0].text))
			if err != nil {
				t.Fatal(err)
			}
			subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
			if err != nil || subject != message("").Title || m.Header.Get("Message-Id") != "<n-1@example.com>" {
				t.Errorf("%q %v %v", subject, m.Header, err)
			}
			body, err := io.ReadAll(m.Body)
			if err != nil || !strings.Contains(string(body), "\r\n.\r\n.. two dots\r\n") {
				t.Errorf("lines of dots did not survive: %v\n%s", err, body)
			}
			if want := strings.ToUpper(test.auth) + " orth"; o.password != "" && fmt.Sprint(o.users) != "["+want+"]" {
				t.Errorf("signed in: %v, want %s", o.users, want)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	o := &office{password: "correct horse"}
	c := open(t, o, false)
	set := channels(t)
	send := func(id string) error { return set.Send(t.Context(), c, message(id)) }
	if err := send("n-1"); !job.Is(err, job.Refused) || !strings.Contains(err.Error(), "502") {
		t.Errorf("without a password: %v", err)
	}
	c.Settings["user"], c.Secrets = "orth", map[string]string{"password": "wrong horse"}
	if err := send("n-2"); !job.Is(err, job.Refused) || !strings.Contains(err.Error(), "the user or the password (535") || strings.Contains(err.Error(), "horse") {
		t.Errorf("a wrong password: %v", err)
	}
	c.Secrets["password"] = o.password
	c.Settings["to"] = "nobody@example.com, a@example.com"
	if err := send("n-3"); !job.Is(err, job.Refused) || !strings.Contains(err.Error(), "not for 1 of 2 addresses: nobody@example.com: 550") {
		t.Errorf("one refused: %v", err)
	}
	if len(o.mails) != 1 || fmt.Sprint(o.mails[0].to) != "[a@example.com]" {
		t.Errorf("the other has %+v", o.mails)
	}
	c.Settings["ca"] = ""
	if err := send("n-4"); !job.Is(err, job.Refused) || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("an unknown authority: %v", err)
	}
}

// TestGreylisting: the second try is for those alone whom the first did not reach.
func TestGreylisting(t *testing.T) {
	t.Parallel()
	o := &office{}
	c := open(t, o, false)
	c.Settings["to"] = "a@example.com, grey@example.com"
	set := channels(t)
	if err := set.Send(t.Context(), c, message("n-1")); !job.Is(err, job.Unavailable) || !strings.Contains(err.Error(), "451 4.7.1") {
		t.Fatal(err)
	}
	if err := set.Send(t.Context(), c, message("n-1")); err != nil {
		t.Fatal(err)
	}
	if len(o.mails) != 2 || fmt.Sprint(o.mails[0].to, o.mails[1].to) != "[a@example.com] [grey@example.com]" {
		t.Errorf("%+v", o.mails)
	}
}

// TestSilence: a server that takes the connection and says nothing holds up nobody.
func TestSilence(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close() // what waits in its queue is never taken
	c := open(t, &office{}, false)
	_, c.Settings["port"], _ = net.SplitHostPort(listener.Addr().String())
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := channels(t).Send(ctx, c, message("n-1")); !job.Is(err, job.Unavailable) || !strings.Contains(err.Error(), "in time") {
		t.Error(err)
	}
}
