package email

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"time"

	"github.com/wneessen/go-mail/smtp"

	"github.com/orthd/orth/internal/alarmtext"
	"github.com/orthd/orth/job"
)

// maxHeard bounds the bytes that are read from a server in one session.
const maxHeard = 256 << 10

// converse sends a mail to the server for some addresses. An error means that no address
// received it, or that this is unknown.
func converse(ctx context.Context, d Dialer, s settings, to []string, letter []byte) (answers, error) {
	conn, err := d.Dial(ctx, "tcp", net.JoinHostPort(s.host, s.port))
	if err != nil {
		return answers{}, unreachable(s, err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })() // ends every read and write
	client, err := greet(ctx, &hearing{Conn: conn, left: maxHeard}, s)
	if err != nil {
		return answers{}, err
	}
	if err := client.Mail("<" + s.from.Address + ">"); err != nil {
		return answers{}, blame(ctx, s, "the sender", err)
	}
	var a answers
	for _, address := range to {
		err := client.Rcpt("<" + address + ">")
		code, text, answered := answerOf(err)
		switch {
		case err == nil:
			a.took = append(a.took, address)
		case !answered:
			return answers{}, blame(ctx, s, "an address", err)
		case code >= 500:
			a.refused = append(a.refused, address+": "+text)
		default:
			a.later = append(a.later, address+": "+text)
		}
	}
	if len(a.took) == 0 {
		_ = client.Quit() // an error does not matter
		return a, nil
	}
	if err := sendContent(client, letter); err != nil {
		return answers{}, blame(ctx, s, "the mail", err)
	}
	_ = client.Quit() // the server has accepted the mail
	return a, nil
}

// sendContent sends the content of the mail.
func sendContent(client *smtp.Client, letter []byte) error {
	w, err := client.Data()
	if err != nil {
		return err
	}
	if _, err := w.Write(letter); err != nil {
		return err
	}
	return w.Close()
}

// greet starts a session: greeting, encryption, authentication.
func greet(ctx context.Context, conn net.Conn, s settings) (*smtp.Client, error) {
	trust := &tls.Config{ServerName: s.host, RootCAs: s.roots, MinVersion: tls.VersionTLS12}
	if s.tls == fullTLS {
		secure := tls.Client(conn, trust)
		if err := secure.HandshakeContext(ctx); err != nil {
			return nil, blame(ctx, s, "the encryption", err)
		}
		conn = secure
	}
	client, err := smtp.NewClient(conn, s.host)
	if err != nil {
		return nil, blame(ctx, s, "the connection", err)
	}
	if err := client.Hello(s.helo); err != nil {
		return nil, blame(ctx, s, "the greeting", err)
	}
	if s.tls == startTLS {
		if offered, _ := client.Extension("STARTTLS"); !offered {
			return nil, job.Errorf(job.Refused, "%s: the mail server offers no STARTTLS: set tls to tls for port 465, or to none to send mails for all to read", s.host)
		}
		if err := client.StartTLS(trust); err != nil {
			return nil, blame(ctx, s, "the encryption", err)
		}
	}
	return client, signIn(ctx, client, s)
}

func signIn(ctx context.Context, client *smtp.Client, s settings) error {
	var how smtp.Auth
	switch s.auth {
	case authPlain:
		how = smtp.PlainAuth("", s.user, s.password, s.host, false)
	case authLogin:
		how = smtp.LoginAuth(s.user, s.password, s.host, false)
	case authCRAM:
		how = smtp.CRAMMD5Auth(s.user, s.password)
	default:
		return nil
	}
	if offered, _ := client.Extension("AUTH"); !offered {
		return job.Errorf(job.Refused, "%s: the mail server lets nobody sign in: set auth to none", s.host)
	}
	if err := client.Auth(how); err != nil {
		return blame(ctx, s, "the user or the password", err)
	}
	return nil
}

// answerOf returns the code and the text of a server's reply, if err is one.
func answerOf(err error) (code int, text string, answered bool) {
	e, answered := errors.AsType[*textproto.Error](err)
	if !answered {
		return 0, "", false
	}
	return e.Code, fmt.Sprintf("%d %s", e.Code, alarmtext.Cut(alarmtext.Line(e.Msg), 200)), true
}

// unreachable returns the error of a failed connection.
func unreachable(s settings, err error) error {
	if e, known := errors.AsType[*job.Error](err); known {
		return e // the operator's rules: the error names the host
	}
	return job.Errorf(job.Unreachable, "%s, port %s: the mail server cannot be reached: %v", s.host, s.port, err)
}

// mistrust returns why a certificate is not trusted, "" for other errors.
func mistrust(err error) string {
	var name x509.HostnameError
	var unknown x509.UnknownAuthorityError
	switch {
	case errors.As(err, &name):
		return "it is not one of that name"
	case errors.As(err, &unknown):
		return "nobody knows who issued it; give the certificate of that authority as ca"
	default:
		return ""
	}
}

// hearing is a connection with a limit on the received bytes.
type hearing struct {
	net.Conn
	left int
}

// Read implements [io.Reader].
func (h *hearing) Read(p []byte) (int, error) {
	if h.left <= 0 {
		return 0, fmt.Errorf("it says more than %d KiB: %w", maxHeard>>10, io.ErrUnexpectedEOF)
	}
	n, err := h.Conn.Read(p[:min(len(p), h.left)])
	h.left -= n
	return n, err
}
