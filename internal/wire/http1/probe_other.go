//go:build !unix

package http1

import "net"

// Supported reports whether this system can detect at once, before a request is written,
// that a kept connection is over. Without that a request would be lost to every peer that
// closes idle connections; use net/http there.
const Supported = false

// probe knows nothing here, so that no connection is used twice.
type probe struct{}

func (*probe) prepare(net.Conn) {}

func (*probe) silent() bool { return false }
