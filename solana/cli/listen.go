package cli

import (
	"net"
	"net/netip"

	"github.com/orthd/orth/internal/credential"
)

// listenOff is the word for no listener.
const listenOff = "off"

// checkListen finds what is wrong with where the node listens: beyond this machine it does so only with a token of the
// operator's.
func (s *settings) checkListen() error {
	if s.Listen == listenOff {
		return nil
	}
	host, port, err := net.SplitHostPort(s.Listen)
	if err != nil || port == "" {
		return s.wrong("listen", "", "%q is no host:port, such as 127.0.0.1:6180", s.Listen)
	}
	if _, err := netip.ParseAddr(host); err != nil && host != "" && host != "localhost" {
		return s.wrong("listen", "write the address of an interface, or localhost", "%q is no address of this machine", host)
	}
	if !credential.Loopback(host) && s.TokenFile == "" {
		return s.wrong("listen", "name a file with a token by control-token-file, or listen on 127.0.0.1", "%s can be reached from other machines, and there is no token", s.Listen)
	}
	return nil
}
