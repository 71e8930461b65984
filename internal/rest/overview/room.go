package overview

import (
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/rest/guard"
)

// Config is what the operations about what there is and what happens ask. What has no default is required.
type Config struct {
	Overview Overview
	Stats    Stats
	Ledger   LedgerReader
	Grants   GrantLister
	// Settings lists what is set at this server. Defaults to nothing.
	Settings func() []api.Setting
	// Dashboards return the activity of a time. Defaults to nil: there is none.
	Dashboards Dashboards
	// Events streams changes. Defaults to nil: there is none.
	Events Events
	// Imports takes over what other schedulers have. Defaults to nil: nothing is.
	Imports Imports
	// Profiles allows profiles of the process. Defaults to false.
	Profiles bool
	// Viewers bounds the streams of events and of summaries that are read at the same
	// time, and ViewersEach those of one credential but the server's own. They default
	// to 1,000 and 20.
	Viewers, ViewersEach int
	// Stopping is closed when the server is about to stop: then streams end. Defaults to
	// nil: they end with their requests.
	Stopping <-chan struct{}
}

// overviewRoom carries the operations out.
type overviewRoom struct {
	*guard.Guard

	config  Config
	viewers *audience
	frames  frames
}

// Register adds the operations about what there is and what happens.
func Register(g *guard.Guard, c Config) {
	if c.Settings == nil {
		c.Settings = func() []api.Setting { return []api.Setting{} }
	}
	s := &overviewRoom{Guard: g, config: c, viewers: newAudience(c.Viewers, c.ViewersEach)}
	s.registerStats()
	s.registerOverview()
	s.registerEvents()
	s.registerDashboard()
	s.registerProfiles()
	s.registerAudit()
	s.registerImports()
}
