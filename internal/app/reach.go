package app

import (
	"crypto/rand"

	"github.com/orthd/orth/internal/wire/native"
	"github.com/orthd/orth/internal/wire/xxl"
)

// reach builds what calls executors, of whatever protocol.
func (s *Server) reach(speak *speaking) executors {
	c := &s.config
	calls := xxl.NewExecutorClient(xxl.ClientConfig{
		Timeout: c.ExecutorTimeout, Peer: speak.to, Heard: speak.heard, Speeches: speeches(), TLS: s.callTLS,
	})
	s.boxes = native.NewMailboxes(native.MailboxConfig{
		Timeout: c.ExecutorTimeout, Came: func(address string) { speak.leases.Came(address) },
	})
	s.self = rand.Text()
	s.natives = native.NewExecutorClient(native.ClientConfig{
		Peer: speak.sign, Self: s.self, Mailboxes: s.boxes, Timeout: c.ExecutorTimeout, TLS: s.callTLS, Follow: logKept,
	})
	return executors{calls, s.natives, speak.natively}
}
