package app

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	words "github.com/orthd/orth/alarm"
	"github.com/orthd/orth/console"
	"github.com/orthd/orth/internal/alarmconfig"
	"github.com/orthd/orth/internal/alarmtext"
	"github.com/orthd/orth/internal/alerting"
	"github.com/orthd/orth/internal/executorauth"
	"github.com/orthd/orth/internal/lifecycle"
	"github.com/orthd/orth/internal/notify"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/internal/store"
	"github.com/orthd/orth/internal/watch"
	"github.com/orthd/orth/job"
)

// alarming notifies people: the definitions, the engine, and the detector for events that
// have no reporter.
type alarming struct {
	db     store.Store
	book   *alarmconfig.Book
	engine *alerting.Engine
	watch  *watch.Watch
	needs  needs
	site   *siteAddress
	// troubles are what else the server warns of, in sentences.
	troubles []func() []string
}

// newAlarming wires alarms. The queries are asked when they are there.
func (s *Server) newAlarming(log func(room string) *slog.Logger) (*alarming, error) {
	c := &s.config
	channels, err := notify.New(notify.Config{Allow: c.AlarmAllow, Private: c.AlarmAllowPrivate})
	if err != nil {
		return nil, fmt.Errorf("--alarm-allow: %w", err)
	}
	site := s.newSiteAddress(log("alarm"))
	book, err := alarmconfig.New(alarmconfig.Config{
		Store: s.store, Reader: s.store, Kinds: channels, Sender: channels, Render: alarmtext.Render, CheckTemplate: alarmtext.Check,
		Page: func() string { return site.page(console.ChannelsPage) }, Sealer: s.sealer, Logger: log("alarmbook"),
	})
	if err != nil {
		return nil, err
	}
	a := &alarming{db: s.store, book: book, needs: needs{book}, site: site}
	a.engine = alerting.New(alerting.Config{
		Store: s.store, Definitions: book, Sender: countedSender{channels, s.meters}, Health: book, Logs: lastLines{s}, Render: alarmtext.Render,
		Holder: rand.Text(), Idle: s.cluster.Draining, Links: site.links(), Logger: log("alarm"),
	})
	a.watch = watch.New(watch.Config{Store: s.store, Rules: a.needs, Grace: c.LeaseTTL, Idle: s.cluster.Draining, Logger: log("watch")})
	return a, nil
}

// checkAlarms reports what is wrong with the settings of alarms.
func (c *Config) checkAlarms() error {
	if c.PublicURL == "" {
		return nil
	}
	u, err := url.Parse(c.PublicURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return job.FieldErrorf("public-url", "%q is not the address of a server, such as https://orth.example.com", c.PublicURL)
	}
	return nil
}

// parts returns the loops.
func (a *alarming) parts(start *gate) []lifecycle.Part {
	return []lifecycle.Part{
		{Name: "alarmbook", Run: start.behind(a.book.Run)},
		{Name: "alarm", Run: start.behind(a.engine.Run)},
		{Name: "watch", Run: start.behind(a.watch.Run)},
	}
}

// lastLines reads the ends of logs for messages.
type lastLines struct{ server *Server }

// linesWait is how long a message waits at most for the log of its run.
const linesWait = 2 * time.Second

// Tail implements alerting.Logs.
func (l lastLines) Tail(ctx context.Context, run int64, n int) []string {
	ctx, cancel := context.WithTimeout(ctx, linesWait)
	defer cancel()
	page, err := l.server.queries.Log(ctx, run, queries.LogQuery{Tail: n})
	text := strings.TrimRight(page.Text, "\n")
	if err != nil || text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	return lines[max(len(lines)-n, 0):]
}

// warner adds what is wrong with alarms and executors to what is wrong with tokens.
type warner struct {
	*executorauth.Groups
	alarms *alarming
}

// warnWait is how long a list of warnings waits at most for those about alarms.
const warnWait = 2 * time.Second

// standing is the channels as they stand: the book's memory knows no failures.
type standing struct{ book *alarmconfig.Book }

// Definitions implements alerting.Definitions.
func (s standing) Definitions(ctx context.Context) (words.Definitions, error) {
	channels, err := s.book.Channels(ctx, "")
	return words.Definitions{Channels: channels}, err
}

// Warnings implements rest.Tokens.
func (w warner) Warnings() []string {
	ctx, cancel := context.WithTimeout(context.Background(), warnWait)
	defer cancel()
	channels := standing{w.alarms.book}
	var troubles []string
	for _, warnings := range w.alarms.troubles {
		troubles = append(troubles, warnings()...)
	}
	return slices.Concat(troubles, w.Groups.Warnings(), alerting.Warnings(ctx, channels, w.alarms.db, time.Now()), w.alarms.site.warnings(ctx, channels))
}
