package executors

import (
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/rest/guard"
)

// Config is what the operations about groups, executors and servers ask. What has no default is required.
type Config struct {
	Groups      Groups
	Executors   Executors
	GroupKeeper GroupKeeper
	Tokens      Tokens
	Drains      Drains
	Places      guard.Places
	// Breakers reports open circuit breakers. Defaults to nil: none is reported.
	Breakers Breakers
	// Servers are those of the database. Defaults to none.
	Servers Servers
	// Token is that of the server itself.
	Token redacted.Text
	// Version is that of the server.
	Version string
}

// executorRoom carries the operations out.
type executorRoom struct {
	*guard.Guard

	config Config
}

// Register adds the operations about groups, executors and servers.
func Register(g *guard.Guard, c Config) {
	if c.Servers == nil {
		c.Servers = noServers{}
	}
	s := &executorRoom{Guard: g, config: c}
	s.registerRest()
	s.registerGroups()
	s.registerServers()
	s.registerTokens()
	s.registerDrain()
}
