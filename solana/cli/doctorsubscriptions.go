package cli

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/solana/observe"
	"github.com/orthd/orth/solana/thread"
)

func clockAddress() thread.Key { return solana.SysVarClockPubkey }

// enoughFailures is after how many connections that came to nothing a node is given up.
const enoughFailures = 3

// subscriptions subscribes to all nodes that are read from at the same time, as a node
// does, until each has reported something.
func (d *doctor) subscriptions(ctx context.Context) {
	type end struct {
		address string
		stats   observe.EndpointStats
		err     error
	}
	var ends []*end
	var all sync.WaitGroup
	for i := range d.settings.Endpoints.list {
		e := &d.settings.Endpoints.list[i]
		if !e.reads() {
			continue
		}
		one := &end{address: e.websocket()}
		ends = append(ends, one)
		all.Go(func() { one.stats, one.err = d.subscribe(ctx, one.address) })
	}
	all.Wait()
	for _, one := range ends {
		check := "websocket " + hostOf(one.address)
		why := one.stats.Reason
		if why == "" {
			why = fmt.Sprintf("it has not answered within %v", checkFor)
		}
		switch {
		case one.err != nil:
			d.blame(check, "mend its address", one.err)
		case !one.stats.Up:
			d.addCheck(check, checkFail, "name where the node takes subscriptions by ws; without any, nodes are asked for everything again and again", "it takes no subscriptions: %s", why)
		case one.stats.Messages == 0:
			d.addCheck(check, checkWarn, "check it again; the node polls the clock until then", "it accepts subscriptions and has reported nothing within %v", checkFor)
		default:
			d.addCheck(check, checkOK, "", "it accepts subscriptions, and reports slot %d", one.stats.Slot)
		}
	}
}

// subscribe watches one node until it has reported a slot, has failed often enough, or the
// time is over.
func (d *doctor) subscribe(ctx context.Context, address string) (observe.EndpointStats, error) {
	observer, err := observe.New(observe.Config{Profile: d.profile, Chain: d.nodes, Endpoints: []string{address}, MostThreads: d.settings.MaxThreads})
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
			if seen.Up && seen.Slot > 0 || !seen.Up && seen.Failures >= enoughFailures {
				cancel()
				return seen, <-ended
			}
		}
	}
}
