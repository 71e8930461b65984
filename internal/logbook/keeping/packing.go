package keeping

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

const (
	// chunkText is how much text a chunk has, unless one line has more.
	chunkText = 128 << 10
	// packText is how much text goes into one pack.
	packText = 4 << 20
	// ageLeast and ageMost bound how long lines wait to be stored while their
	// attempt runs: an eighth of the time that it has run.
	ageLeast = 2 * time.Second
	ageMost  = time.Minute
	// storeLeast and storeMost bound the pause after a pack could not be stored.
	storeLeast = time.Second
	storeMost  = 30 * time.Second
	// lastPack bounds the time for what is in memory when the keeper stops.
	lastPack = 5 * time.Second
)

// packing stores what is in memory until ctx ends, and then what is left of it.
func (k *Keeper) packing(ctx context.Context) {
	tick := time.NewTicker(k.config.PackEvery)
	defer tick.Stop()
	var failing time.Duration
	var again time.Time
	for {
		select {
		case <-ctx.Done():
			k.storeRest(context.WithoutCancel(ctx))
			return
		case <-tick.C:
		}
		if time.Now().Before(again) {
			continue
		}
		err := k.storeDue(ctx, false)
		switch {
		case err == nil && failing > 0:
			k.config.Logger.Info("logs are stored again")
			failing = 0
		case err == nil || ctx.Err() != nil:
		default:
			if failing == 0 {
				k.config.Logger.Error("logs cannot be stored; they wait in memory and at their executors", "error", err)
			}
			failing = min(max(failing*2, storeLeast), storeMost)
			again = time.Now().Add(failing)
		}
	}
}

// storeRest stores what is in memory when the keeper stops.
func (k *Keeper) storeRest(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lastPack)
	defer cancel()
	if err := k.storeDue(ctx, true); err != nil {
		k.config.Logger.Warn("the newest lines of logs were not stored; they are copied again after the next start", "error", err)
	}
}

// parcel is what of one log goes into a pack.
type parcel struct {
	h     *held
	text  string
	lines int
	since time.Time
	until time.Time
	kept  logbook.Kept
	// last: nothing of the log is left in memory.
	last bool
}

// storeDue stores packs until nothing is due; all stores everything.
func (k *Keeper) storeDue(ctx context.Context, all bool) error {
	for ctx.Err() == nil {
		parcels := k.gather(time.Now(), all)
		if len(parcels) == 0 {
			return nil
		}
		done, err := k.store(ctx, parcels)
		if err != nil {
			k.putBack(parcels)
			return err
		}
		k.settle(ctx, parcels, done)
	}
	return ctx.Err()
}

// gather takes what is due, as much as a pack may have.
func (k *Keeper) gather(now time.Time, all bool) []parcel {
	k.mu.Lock()
	defer k.mu.Unlock()
	all = all || k.bytes > k.config.Memory/2
	var parcels []parcel
	size := 0
	for h := range k.dirty {
		if size >= packText || len(parcels) >= maxParcels {
			break
		}
		if h.packing || !h.ripe(now) && (!all || h.lines == 0) {
			continue
		}
		p := h.parcel(now)
		h.packing = true
		size += len(p.text)
		parcels = append(parcels, p)
	}
	return parcels
}

// maxParcels bounds the logs of a pack.
const maxParcels = 2000

// ripe reports whether what there is of the log is to be stored.
func (h *held) ripe(now time.Time) bool {
	if h.complete || !h.postponed.IsZero() || h.text.Len() >= chunkText {
		return true
	}
	age := min(max(now.Sub(h.began)/8, ageLeast), ageMost)
	return h.lines > 0 && now.Sub(h.since) >= age
}

// parcel takes what of the log goes into a pack.
func (h *held) parcel(now time.Time) parcel {
	p := parcel{h: h, text: h.text.String(), lines: h.lines, since: h.since, until: h.latest, last: true}
	if len(p.text) > packText {
		p.text, p.lines = split(p.text, packText)
		p.last = false
	}
	log := h.log(h.first-1+p.lines, h.storedBytes+int64(len(p.text)))
	if !h.complete || !p.last {
		log.State = logbook.Open
	}
	p.kept = logbook.Kept{Log: log, Had: h.stored}
	if h.ended && log.State == logbook.Open {
		p.kept.LookAt = h.postponed
		if h.postponed.IsZero() {
			p.kept.LookAt = now.Add(claimFor)
		}
	}
	if h.policy.KeepFor > 0 {
		p.kept.ExpiresAt = now.Add(h.policy.KeepFor)
	}
	return p
}

// store writes a pack of the parcels, and reports for each whether it took effect.
func (k *Keeper) store(ctx context.Context, parcels []parcel) ([]bool, error) {
	now := time.Now()
	var data []byte
	kept := make([]logbook.Kept, len(parcels))
	for i := range parcels {
		data = k.fill(&parcels[i], data)
		kept[i] = parcels[i].kept
	}
	var pack logbook.Pack
	if len(data) > 0 {
		pack = logbook.Pack{Name: packName(now), Size: int64(len(data)), CreatedAt: now}
		if err := k.config.Blobs.Put(ctx, pack.Name, data); err != nil {
			return nil, fmt.Errorf("store a pack of logs: %w", err)
		}
	}
	done, err := k.config.Shelf.KeepLogs(ctx, pack, kept)
	if err != nil {
		return nil, fmt.Errorf("note what of %s is stored: %w", plural.Count(len(kept), "log"), err)
	}
	return done, nil
}

// fill appends the chunks of a parcel to a pack.
func (k *Keeper) fill(p *parcel, data []byte) []byte {
	first, rest := p.h.first, p.text // first is not changed while the parcel is packed
	for rest != "" {
		text, lines := split(rest, chunkText)
		at := len(data)
		data = k.codec.append(data, text)
		p.kept.Chunks = append(p.kept.Chunks, logbook.Chunk{
			Attempt: p.kept.Log.Attempt, FirstLine: first, Lines: lines, FirstAt: p.since, LastAt: p.until, Raw: len(text),
			Offset: int64(at), Size: int64(len(data) - at),
		})
		first, rest = first+lines, rest[len(text):]
	}
	return data
}

// packSuffix ends the names of packs.
const packSuffix = ".pack"

// packName returns a name that no other pack has, in a folder of its hour.
func packName(now time.Time) string {
	id := make([]byte, 10)
	_, _ = rand.Read(id) // it never fails
	return fmt.Sprintf("%s/%x-%s%s", now.UTC().Format("2006/01/02/15"), now.UnixMilli(), hex.EncodeToString(id), packSuffix)
}

// putBack notes that parcels were not stored.
func (k *Keeper) putBack(parcels []parcel) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range parcels {
		parcels[i].h.packing = false
	}
}

// settle lets go of what is stored.
func (k *Keeper) settle(ctx context.Context, parcels []parcel, done []bool) {
	var lost []*held
	k.mu.Lock()
	for i := range parcels {
		p := &parcels[i]
		h := p.h
		h.packing = false
		switch {
		case h.gone:
		case !done[i]:
			lost = append(lost, h)
		default:
			k.bytes -= int64(h.settle(p.lines, len(p.text)))
			if h.lines == 0 && !h.complete && h.postponed.IsZero() {
				delete(k.dirty, h)
			}
			if h.lines == 0 && (p.kept.Log.State != logbook.Open || !h.postponed.IsZero() && !h.complete) {
				k.forget(h)
			}
		}
	}
	k.mu.Unlock()
	k.reread(ctx, lost)
}

// reread finds out what another server has stored of logs.
func (k *Keeper) reread(ctx context.Context, lost []*held) {
	if len(lost) == 0 {
		return
	}
	ids := make([]int64, len(lost))
	for i, h := range lost {
		ids[i] = h.attempt.ID
	}
	logs, err := k.config.Index.Logs(ctx, ids)
	if err != nil {
		k.config.Logger.Warn("logs that others have stored too could not be read; trying again", "count", len(ids), "error", err)
		return
	}
	rows := make(map[int64]logbook.Log, len(logs))
	for _, l := range logs {
		rows[l.Attempt] = l
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, h := range lost {
		if l, known := rows[h.attempt.ID]; known && l.State == logbook.Open {
			k.goOn(h, l)
		} else {
			k.forget(h)
		}
	}
}

// goOn goes on from the lines that the row of a log has. mu is held.
func (k *Keeper) goOn(h *held, l logbook.Log) {
	switch text := h.text.String(); {
	case l.Lines >= h.first-1 && l.Lines < h.next():
		rest := behind(text, l.Lines-h.first+1)
		k.bytes -= int64(h.settle(l.Lines-h.first+1, len(text)-len(rest)))
	default:
		k.bytes -= int64(len(text))
		h.forgetText(l.Lines + 1)
		if h.complete {
			h.complete, h.state, h.note = false, logbook.Open, ""
		}
		delete(k.dirty, h)
		k.schedule(h, time.Now())
	}
	h.stored, h.storedBytes = l.Lines, l.Bytes
	h.changes()
}

// claimFor is how long a log that is owed is this keeper's.
const claimFor = time.Minute

// errDamaged is the error of stored lines that cannot be read.
func errDamaged(c *logbook.Chunk, err error) error {
	return job.Errorf(job.Unavailable, "lines %d to %d of the log of attempt %d are damaged where they are stored: %w",
		c.FirstLine, c.Last(), c.Attempt, err)
}
