package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/manifest"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/terminal"
	"github.com/orthd/orth/internal/xxlimport"
	"github.com/orthd/orth/internal/xxlimport/database"
	"github.com/orthd/orth/job"
)

// What is kept of the log at most before it is sent, in rows and bytes, and the most bytes
// of a request, which servers bound at 1 MiB.
const (
	maxKept      = 10_000
	maxKeptBytes = 32 << 20
	maxPastBytes = 512 << 10
)

// historyFlags say which rows of the log are taken over.
type historyFlags struct {
	history bool
	since   string
	from    time.Time // since, after check
}

func (h *historyFlags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&h.history, "history", false, "with --apply: keep the runs that the log there has with those of the jobs; again adds only what is new")
	flags.StringVar(&h.since, "history-since", "720h", "with --history: only runs sent from this `time` on: 24h, or 2030-01-31T08:00:00Z; those that are older than the job keeps its runs are left out")
}

// check reads the flags.
func (h *historyFlags) check(zone *time.Location) (err error) {
	if !h.history {
		return nil
	}
	if h.from, err = past("history-since", h.since, zone); err == nil && h.from.After(time.Now()) {
		err = usagef("--history-since: %s is in the future", h.since)
	}
	return err
}

// pastRuns is the log on its way here.
type pastRuns struct {
	*tool

	client *client.Client
	source string
	keys   map[int64]string // of the jobs, by their numbers there
	kept   map[string][]sizedRun
	rows   int // in kept
	bytes  int // of them
	zone   *time.Location

	seen, added, known, old, open, others int
}

// sizedRun is a run with the bytes that it takes in a request.
type sizedRun struct {
	api.PastRun

	size int
}

// addHistory takes over the log, a page at a time, the oldest rows first.
func (t *tool) addHistory(ctx context.Context, f *databaseFlags, source *database.Source, made *xxlimport.Migration, zone string) error {
	inZone, err := time.LoadLocation(zone)
	if err != nil {
		return usagef("--zone: %q is no time zone", zone)
	}
	p := pastRuns{tool: t, source: made.TableOf(xxlimport.TableRuns), keys: map[int64]string{}, kept: map[string][]sizedRun{}, zone: inZone}
	wanted := map[string]bool{}
	for i := range made.Objects { // those of one group, when one was named
		if o := &made.Objects[i]; o.Kind == manifest.KindJob {
			wanted[o.Key] = true
		}
	}
	for id, key := range made.Keys {
		if wanted[key] {
			p.keys[id] = key
		}
	}
	log, err := source.Log(ctx, f.tablePrefix)
	if err != nil {
		return err
	}
	first, _, err := log.Before(ctx, f.from, p.zone)
	if err != nil {
		return err
	}
	newest, err := log.Newest(ctx)
	if err != nil {
		return err
	}
	question := fmt.Sprintf("Take over the runs of the log from %s on (up to %s)?", f.from.In(t.Location).Format(time.RFC3339), plural.Count(max(newest-first, 0), "row"))
	if f.dry {
		t.tell("+ runs of the log from %s on: up to %s", f.from.In(t.Location).Format(time.RFC3339), plural.Count(max(newest-first, 0), "row"))
	}
	if yes, err := t.agreed(f, question); err != nil || !yes {
		return err
	}
	if p.client, err = t.connect(); err != nil {
		return err
	}
	defer p.client.Close()
	return p.all(ctx, log, first, newest)
}

// all reads the rows behind one, up to the newest that there was at the begin.
func (p *pastRuns) all(ctx context.Context, log *database.Log, first, newest int64) error {
	bar := terminal.NewBar(p.Stderr)
	defer bar.Clear()
	for after := first; after < newest; {
		rows, err := log.Whole(ctx, after, shadowPage)
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			break
		}
		for _, r := range rows {
			p.take(r)
		}
		if _, err := fmt.Sscan(rows[len(rows)-1]["id"], &after); err != nil {
			return job.Errorf(job.Invalid, "the log has a row with the id %.40q", rows[len(rows)-1]["id"])
		}
		if err := p.send(ctx, p.rows >= maxKept || p.bytes >= maxKeptBytes); err != nil {
			return err
		}
		bar.Show(int(after-first), int(newest-first), fmt.Sprintf("%s added, %d known", plural.Count(p.added, "run"), p.known))
	}
	if err := p.send(ctx, true); err != nil {
		return err
	}
	bar.Clear()
	p.tell("%s of the log: %s added, %d known already, %d older than runs are kept here, %d not over yet, %d of jobs that are not here", plural.Count(p.seen, "row"), plural.Count(p.added, "run"), p.known, p.old, p.open, p.others)
	return nil
}

// take keeps a row until it is sent.
func (p *pastRuns) take(r xxlimport.Row) {
	p.seen++
	run, jobID, over := xxlimport.PastOf(r, p.zone)
	switch key := p.keys[jobID]; {
	case key == "":
		p.others++
	case !over:
		p.open++
	default:
		text, err := json.Marshal(run)
		if err != nil {
			p.open++ // times of no year that JSON knows: it is not over for anybody
			return
		}
		p.kept[key] = append(p.kept[key], sizedRun{run, len(text) + 1})
		p.rows, p.bytes = p.rows+1, p.bytes+len(text)+1
	}
}

// send sends what is kept of jobs of which there is enough, or everything.
func (p *pastRuns) send(ctx context.Context, everything bool) error {
	for key, runs := range p.kept {
		for len(runs) >= api.MaxPast || everything && len(runs) > 0 {
			batch, size := batchOf(runs)
			taken, err := p.client.AddHistory(ctx, key, api.NewHistory{Source: p.source, Runs: batch})
			if err != nil {
				p.tell("%s added so far: the same command again goes on", plural.Count(p.added, "run"))
				return fmt.Errorf("job %s: %w", key, err)
			}
			p.added, p.known, p.old, p.rows, p.bytes = p.added+taken.Added, p.known+taken.Known, p.old+taken.Old, p.rows-len(batch), p.bytes-size
			runs = runs[len(batch):]
		}
		if len(runs) == 0 {
			delete(p.kept, key)
		} else {
			p.kept[key] = runs
		}
	}
	return nil
}

// batchOf returns as many of the runs as go into one request, at least one, and their bytes.
func batchOf(runs []sizedRun) (batch []api.PastRun, size int) {
	for i := range runs[:min(len(runs), api.MaxPast)] {
		if i > 0 && size+runs[i].size > maxPastBytes {
			break
		}
		batch, size = append(batch, runs[i].PastRun), size+runs[i].size
	}
	return batch, size
}
