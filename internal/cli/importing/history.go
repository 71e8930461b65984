package importing

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/manifest"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/terminal"
	"github.com/orthd/orth/internal/xxlimport"
	"github.com/orthd/orth/internal/xxlimport/database"
	"github.com/orthd/orth/job"
)

// Limits of the buffer before a request, in rows and bytes, and of the request body,
// which servers limit to 1 MiB.
const (
	historyPage  = 1000
	maxKept      = 10_000
	maxKeptBytes = 32 << 20
	maxPastBytes = 512 << 10
)

// historyFlags holds the flags that select the imported log rows.
type historyFlags struct {
	history bool
	since   string
	from    time.Time // parsed since, set by check
}

func (h *historyFlags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&h.history, "history", false, "with --apply: also import the runs of the log; a repeated import adds only new ones")
	flags.StringVar(&h.since, "history-since", "720h", "with --history: only runs dispatched since this `time`: 24h, or 2030-01-31T08:00:00Z; runs beyond the retention of their job are skipped")
}

// check parses the flags.
func (h *historyFlags) check(zone *time.Location) (err error) {
	if !h.history {
		return nil
	}
	if h.from, err = kit.ParsePast("history-since", h.since, zone); err == nil && h.from.After(time.Now()) {
		err = output.Usagef("--history-since: must not be in the future, got %s", h.since)
	}
	return err
}

// pastRuns imports the log.
type pastRuns struct {
	*kit.Tool

	client *client.Client
	source string
	keys   map[int64]string // job keys by old id
	kept   map[string][]sizedRun
	rows   int // buffered rows
	bytes  int // buffered bytes
	zone   *time.Location

	seen, added, known, old, open, others int
}

// sizedRun is a run with its encoded size in bytes.
type sizedRun struct {
	api.PastRun

	size int
}

// addHistory imports the log page by page, oldest rows first.
func addHistory(ctx context.Context, t *kit.Tool, f *databaseFlags, source *database.Source, made *xxlimport.Migration, zone string) error {
	inZone, err := time.LoadLocation(zone)
	if err != nil {
		return output.Usagef("--zone: unknown time zone %q", zone)
	}
	p := pastRuns{Tool: t, source: made.TableOf(xxlimport.TableRuns), keys: map[int64]string{}, kept: map[string][]sizedRun{}, zone: inZone}
	wanted := map[string]bool{}
	for i := range made.Objects { // only those of --group, if given
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
	question := fmt.Sprintf("Import the runs of the log since %s (up to %s)?", f.from.In(t.Location).Format(time.RFC3339), plural.Count(max(newest-first, 0), "row"))
	if f.dry {
		t.PrintNote("+ runs of the log since %s: up to %s", f.from.In(t.Location).Format(time.RFC3339), plural.Count(max(newest-first, 0), "row"))
	}
	if yes, err := agreed(t, f, question); err != nil || !yes {
		return err
	}
	if p.client, err = t.Connect(); err != nil {
		return err
	}
	defer p.client.Close()
	return p.all(ctx, log, first, newest)
}

// all reads the rows after an id, up to the newest row at the start of the import.
func (p *pastRuns) all(ctx context.Context, log *database.Log, first, newest int64) error {
	bar := terminal.NewBar(p.Stderr)
	defer bar.Clear()
	for after := first; after < newest; {
		rows, err := log.Whole(ctx, after, historyPage)
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
	p.PrintNote("%s of the log: %s added, %d already imported, %d beyond retention, %d unfinished, %d of jobs that do not exist here", plural.Count(p.seen, "row"), plural.Count(p.added, "run"), p.known, p.old, p.open, p.others)
	return nil
}

// take buffers a row.
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
			p.open++ // a time outside the years of JSON: treat as unfinished
			return
		}
		p.kept[key] = append(p.kept[key], sizedRun{run, len(text) + 1})
		p.rows, p.bytes = p.rows+1, p.bytes+len(text)+1
	}
}

// send sends full batches, or everything.
func (p *pastRuns) send(ctx context.Context, everything bool) error {
	for key, runs := range p.kept {
		for len(runs) >= api.MaxPast || everything && len(runs) > 0 {
			batch, size := batchOf(runs)
			taken, err := p.client.AddHistory(ctx, key, api.NewHistory{Source: p.source, Runs: batch})
			if err != nil {
				p.PrintNote("%s added so far; run the same command again to continue", plural.Count(p.added, "run"))
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

// batchOf returns the runs of the next request, at least one, and their size in bytes.
func batchOf(runs []sizedRun) (batch []api.PastRun, size int) {
	for i := range runs[:min(len(runs), api.MaxPast)] {
		if i > 0 && size+runs[i].size > maxPastBytes {
			break
		}
		batch, size = append(batch, runs[i].PastRun), size+runs[i].size
	}
	return batch, size
}
