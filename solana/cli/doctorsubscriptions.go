package cli

import (
	"context"
	"time"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/solana/observe"
	"github.com/orthd/orth/solana/thread"
)

func clockAddress() thread.Key { return solana.SysVarClockPubkey }

// subscriptions subscribes to each node that is read from, as a node does, until all have told something.
func (d *doctor) subscriptions(ctx context.Context) {
	for i := range d.settings.Endpoints.list {
		e := &d.settings.Endpoints.list[i]
		if !e.reads() {
			continue
		}
		check := "websocket " + hostOf(e.websocket())
		stats, err := d.subscribe(ctx, e)
		switch {
		case err != nil:
			d.blame(check, "mend its address", err)
		case !stats.Up:
			d.say(check, checkFail, "name where the node takes subscriptions by ws; without any, nodes are asked for everything again and again", "it takes no subscriptions")
		case stats.Messages == 0:
			d.say(check, checkWarn, "look at it again; the clock is asked for meanwhile", "it takes subscriptions and has told nothing within %v", checkFor)
		default:
			d.say(check, checkOK, "", "it takes subscriptions, and tells of slot %d", stats.Slot)
		}
	}
}

// subscribe watches one node until it has told of a slot, or the time is over.
func (d *doctor) subscribe(ctx context.Context, e *endpoint) (observe.EndpointStats, error) {
	observer, err := observe.New(observe.Config{Profile: d.profile, Chain: d.nodes, Endpoints: []string{e.websocket()}, MostThreads: d.settings.MaxThreads})
	if err != nil {
		return observe.EndpointStats{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, checkFor)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- observer.Run(ctx) }()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	var seen observe.EndpointStats
	for {
		select {
		case err := <-ended:
			return seen, err
		case <-look.C:
			if all := observer.Stats().Endpoints; len(all) == 1 {
				seen = all[0]
			}
			if seen.Up && seen.Slot > 0 {
				cancel()
				return seen, <-ended
			}
		}
	}
}
