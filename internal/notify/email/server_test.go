package email

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// script is a mail server that says what a test wants. It answers a command with
// the line for the longest prefix that is known, and with 250 when none is.
type script struct {
	greeting string // "" is a good one; "-" says nothing ever
	hello    string // lines of extensions, with \n between them
	answers  map[string]string
	tls      *tls.Config // for STARTTLS
	implicit bool        // TLS from the first byte

	heard []string // commands; read it when the server has ended
	mail  string   // what DATA brought
	done  chan struct{}
}

// start serves one connection, and returns the port.
func (s *script) start(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.done = make(chan struct{})
	go func() {
		defer close(s.done)
		conn, err := listener.Accept()
		listener.Close()
		if err != nil {
			return
		}
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
		if s.implicit {
			conn = tls.Server(conn, s.tls)
		}
		s.talk(conn)
	}()
	t.Cleanup(func() {
		listener.Close()
		<-s.done
	})
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func (s *script) talk(conn net.Conn) {
	say := func(lines string) {
		_, _ = conn.Write([]byte(strings.ReplaceAll(lines, "\n", "\r\n") + "\r\n"))
	}
	in := bufio.NewReader(conn)
	switch s.greeting {
	case "":
		say("220 mail.example ESMTP")
	case "-":
		_, _ = io.Copy(io.Discard, in) // until the client gives up
		return
	default:
		say(s.greeting)
	}
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimRight(line, "\r\n")
		s.heard = append(s.heard, line)
		answer := s.answer(line)
		say(answer)
		switch verb, _, _ := strings.Cut(line, " "); {
		case verb == "STARTTLS" && answer[0] == '2':
			conn = tls.Server(conn, s.tls)
			in = bufio.NewReader(conn)
		case verb == "DATA" && answer[0] == '3':
			for {
				text, err := in.ReadString('\n')
				if err != nil || text == ".\r\n" {
					break
				}
				s.mail += text
			}
			say(s.answer("."))
		case verb == "QUIT", answer[:3] == "421":
			return
		}
	}
}

func (s *script) answer(line string) string {
	best := ""
	for prefix := range s.answers {
		if strings.HasPrefix(line, prefix) && len(prefix) >= len(best) {
			best = prefix
		}
	}
	if answer, known := s.answers[best]; known && best != "" {
		return answer
	}
	switch verb, _, _ := strings.Cut(line, " "); verb {
	case "EHLO":
		if s.hello == "" {
			return "250 mail.example"
		}
		return "250-mail.example\n250-" + strings.ReplaceAll(s.hello, "\n", "\n250-") + "\n250 OK"
	case "STARTTLS":
		return "220 go on"
	case "DATA":
		return "354 go on"
	case "QUIT":
		return "221 bye"
	default:
		return "250 ok"
	}
}

// said returns the commands that begin with a verb, when the server has ended.
func (s *script) said(verb string) []string {
	<-s.done
	var lines []string
	for _, line := range s.heard {
		if strings.HasPrefix(line, verb) {
			lines = append(lines, line)
		}
	}
	return lines
}

// dialer dials as it is told to, always to this machine.
type dialer struct{}

func (dialer) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	var d net.Dialer
	return d.DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
}
