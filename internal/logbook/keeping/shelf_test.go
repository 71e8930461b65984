package keeping

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/job"
)

// shelves are rows in memory, with the rules of the real ones.
type shelves struct {
	mu     sync.Mutex
	logs   map[int64]logbook.Log
	looks  map[int64]time.Time
	dies   map[int64]time.Time
	chunks map[int64][]logbook.Chunk
	packs  map[int64]logbook.Pack
	worn   map[int64]bool
	open   map[int64]logbook.Standing
	fail   error // of every write
	keeps  int   // how many packs were written
	// ofRuns are the logs in the rows of runs, and removed all that were removed.
	ofRuns  []logbook.Old // guarded by mu
	removed []int64       // guarded by mu
}

// hold has the rows of runs hold these logs.
func (s *shelves) hold(logs []logbook.Old) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ofRuns = logs
}

// gone returns the logs of runs that were removed.
func (s *shelves) gone() []int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.removed)
}

func newShelves() *shelves {
	return &shelves{
		logs: map[int64]logbook.Log{}, looks: map[int64]time.Time{}, dies: map[int64]time.Time{}, chunks: map[int64][]logbook.Chunk{},
		packs: map[int64]logbook.Pack{}, worn: map[int64]bool{}, open: map[int64]logbook.Standing{},
	}
}

// end is what the transaction of the end of an attempt writes.
func (s *shelves) end(a job.Attempt, group int64, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, a.ID)
	l, known := s.logs[a.ID]
	if !known {
		l = logbook.Log{Attempt: a.ID, Run: a.RunID, Job: a.JobID, Group: group, Address: a.Address, TriggeredAt: a.TriggeredAt, State: logbook.Open}
	}
	l.EndedAt = now
	s.logs[a.ID] = l
	if l.State == logbook.Open {
		s.looks[a.ID] = now.Add(10 * time.Second)
	}
}

func (s *shelves) Logs(_ context.Context, attempts []int64) (found []logbook.Log, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range attempts {
		if l, ok := s.logs[id]; ok {
			found = append(found, l)
		}
	}
	return found, nil
}

func (s *shelves) LogsOfJob(context.Context, int64, int64, int) ([]logbook.Log, error) {
	return nil, nil
}

func (s *shelves) Chunks(_ context.Context, attempt int64, from, limit int) (found []logbook.Chunk, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.chunks[attempt] {
		if c.Last() >= from && len(found) < limit {
			found = append(found, c)
		}
	}
	return found, nil
}

func (s *shelves) ChunkAt(context.Context, int64, time.Time) (c logbook.Chunk, ok bool, err error) {
	return c, false, nil
}

func (s *shelves) Packs(_ context.Context, ids []int64) (found []logbook.Pack, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		if p, ok := s.packs[id]; ok {
			found = append(found, p)
		}
	}
	return found, nil
}

func (s *shelves) KeepLogs(_ context.Context, p logbook.Pack, kept []logbook.Kept) ([]bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		return nil, s.fail
	}
	s.keeps++
	p.ID = int64(s.keeps)
	done := make([]bool, len(kept))
	for i, k := range kept {
		was, known := s.logs[k.Log.Attempt]
		if known && (was.Lines != k.Had || was.State != logbook.Open) || !known && k.Had > 0 {
			continue
		}
		done[i] = true
		now := k.Log
		if !was.EndedAt.IsZero() {
			now.EndedAt = was.EndedAt
		}
		s.logs[now.Attempt] = now
		switch {
		case now.State != logbook.Open:
			delete(s.looks, now.Attempt)
		case !k.Log.EndedAt.IsZero():
			s.looks[now.Attempt] = k.LookAt
		}
		if !k.ExpiresAt.IsZero() {
			s.dies[now.Attempt] = k.ExpiresAt
		}
		for _, c := range k.Chunks {
			c.Pack = p.ID
			p.Live += c.Size
			s.chunks[c.Attempt] = append(s.chunks[c.Attempt], c)
		}
	}
	if p.Live > 0 {
		s.packs[p.ID] = p
	}
	return done, nil
}

func (s *shelves) OpenLogs(_ context.Context, limit int) ([]logbook.Standing, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.Collect(maps.Values(s.open))
	for i := range all {
		s.stand(&all[i])
	}
	return all[:min(limit, len(all))], nil
}

// stand fills what is stored. mu is held.
func (s *shelves) stand(one *logbook.Standing) {
	l := s.logs[one.Attempt.ID]
	one.Lines, one.Bytes, one.State, one.LookAt = l.Lines, l.Bytes, l.State, s.looks[one.Attempt.ID]
}

func (s *shelves) OwedLogs(_ context.Context, now time.Time, limit int) (owed []logbook.Standing, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, at := range s.looks {
		if l := s.logs[id]; !at.After(now) && len(owed) < limit {
			one := logbook.Standing{Group: l.Group, Attempt: job.Attempt{
				ID: id, RunID: l.Run, JobID: l.Job, Address: l.Address, State: job.Succeeded, TriggeredAt: l.TriggeredAt, EndedAt: l.EndedAt,
			}}
			s.stand(&one)
			owed = append(owed, one)
		}
	}
	return owed, nil
}

func (s *shelves) ClaimLogs(_ context.Context, owed []logbook.Standing, until time.Time) ([]bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	done := make([]bool, len(owed))
	for i, o := range owed {
		if done[i] = s.looks[o.Attempt.ID].Equal(o.LookAt); done[i] {
			s.looks[o.Attempt.ID] = until
		}
	}
	return done, s.fail
}

func (s *shelves) OldLogs(_ context.Context, after int64, limit int) (old []logbook.Old, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(s.logs)) {
		if l := s.logs[id]; id > after && len(old) < limit {
			one := logbook.Old{Attempt: id, TriggeredAt: l.TriggeredAt, EndedAt: l.EndedAt, Said: !s.dies[id].IsZero()}
			for _, c := range s.chunks[id] {
				one.Stored += c.Size
			}
			old = append(old, one)
		}
	}
	return old, nil
}

func (s *shelves) OldRunLogs(_ context.Context, after int64, limit int) (old []logbook.Old, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.ofRuns {
		if o.Attempt > after && len(old) < limit {
			o.None = o.None || slices.Contains(s.removed, o.Attempt)
			old = append(old, o)
		}
	}
	return old, nil
}

func (s *shelves) ExpiredLogs(_ context.Context, now time.Time, _ int) (ids []int64, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, at := range s.dies {
		if !at.After(now) && !s.logs[id].EndedAt.IsZero() {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

func (s *shelves) RemoveLogs(_ context.Context, attempts []int64) (freed int64, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.removed = append(s.removed, attempts...)
	for _, id := range attempts {
		for _, c := range s.chunks[id] {
			freed += c.Size
			s.worn[c.Pack] = true
		}
		delete(s.chunks, id)
		delete(s.logs, id)
		delete(s.dies, id)
		delete(s.looks, id)
	}
	return freed, nil
}

func (s *shelves) WornPacks(_ context.Context, _ time.Time, limit int) (worn []logbook.Worn, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(s.worn)) {
		if len(worn) < limit {
			worn = append(worn, logbook.Worn{Pack: s.packs[id], Chunks: s.inPack(id)})
		}
	}
	return worn, nil
}

// inPack returns the chunks of a pack. mu is held.
func (s *shelves) inPack(id int64) (in []logbook.Chunk) {
	for _, chunks := range s.chunks {
		for _, c := range chunks {
			if c.Pack == id {
				in = append(in, c)
			}
		}
	}
	slices.SortFunc(in, func(a, b logbook.Chunk) int { return cmp.Compare(a.Offset, b.Offset) })
	return in
}

func (s *shelves) ReplacePacks(_ context.Context, p logbook.Pack, moved []logbook.Moved, old []int64) (names []string, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keeps++
	p.ID = int64(s.keeps)
	for _, m := range moved {
		chunks := s.chunks[m.Chunk.Attempt]
		for i := range chunks {
			if chunks[i].FirstLine == m.Chunk.FirstLine && chunks[i].Pack == m.From {
				chunks[i].Pack, chunks[i].Offset = p.ID, m.Chunk.Offset
				p.Live += chunks[i].Size
			}
		}
	}
	if p.Live > 0 {
		s.packs[p.ID] = p
	}
	for _, id := range old {
		delete(s.worn, id)
		if len(s.inPack(id)) == 0 {
			names = append(names, s.packs[id].Name)
			delete(s.packs, id)
		}
	}
	return names, nil
}

func (s *shelves) PackBytes(context.Context) (total int64, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.packs {
		total += p.Size
	}
	return total, nil
}

func (s *shelves) KnownPacks(_ context.Context, names []string) (known []string, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.packs {
		if slices.Contains(names, p.Name) {
			known = append(known, p.Name)
		}
	}
	return known, nil
}

// blobs are blobs in memory.
type blobs struct {
	mu   sync.Mutex
	data map[string][]byte
	at   map[string]time.Time
	fail error // of Put
	gets int
}

func newBlobs() *blobs { return &blobs{data: map[string][]byte{}, at: map[string]time.Time{}} }

func (b *blobs) Put(_ context.Context, name string, data []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fail == nil {
		b.data[name], b.at[name] = slices.Clone(data), time.Now()
	}
	return b.fail
}

func (b *blobs) Get(_ context.Context, name string, offset, size int64) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.gets++
	data, ok := b.data[name]
	if !ok || offset+size > int64(len(data)) {
		return nil, job.Errorf(job.NotFound, "no blob %s", name)
	}
	return slices.Clone(data[offset : offset+size]), nil
}

func (b *blobs) Delete(_ context.Context, names []string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, name := range names {
		delete(b.data, name)
	}
	return nil
}

func (b *blobs) List(_ context.Context, visit func(string, int64, time.Time) bool) error {
	b.mu.Lock()
	names := slices.Collect(maps.Keys(b.data))
	b.mu.Unlock()
	for _, name := range names {
		b.mu.Lock()
		size, at := int64(len(b.data[name])), b.at[name]
		b.mu.Unlock()
		if !visit(name, size, at) {
			break
		}
	}
	return nil
}
