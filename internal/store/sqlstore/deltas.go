package sqlstore

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/job"
)

const (
	insertDeltas = `INSERT INTO stats_deltas (version, deltas) VALUES (?, ?)`

	// By runs' primary key.
	readJobOf = `SELECT job_id FROM runs WHERE id = ?`
	// By the primary keys of jobs and executor_groups.
	readJobPlaces = `SELECT j.id, j.namespace, g.group_key FROM jobs j JOIN executor_groups g ON g.id = j.group_id WHERE j.id IN (%s)`
)

// delta is one addition to the statistics: an attempt that ended, runs that ended, or both.
type delta struct {
	// at is the beginning of the minute in milliseconds. With long it is the beginning of
	// the longer interval, and minutes do not count the delta.
	at   int64
	long bool
	job  int64
	// namespace and group are where the job was; empty when it does not exist.
	namespace, group string
	state            job.State // of runs; not final for a run that is tried again
	runs             int64
	attempt, timed   bool
	took, late       int64 // milliseconds; took of a timed attempt, late of any
}

// addTo adds the delta to the statistics of a day.
func (d *delta) addTo(s *job.Stats) {
	s.Count(d.state, d.runs)
	if d.attempt {
		late := time.Duration(d.late) * time.Millisecond
		s.Attempts, s.Late, s.LateMax = s.Attempts+1, s.Late+late, max(s.LateMax, late)
	}
	if d.timed {
		took := time.Duration(d.took) * time.Millisecond
		s.Timed, s.Took, s.TookMax = s.Timed+1, s.Took+took, max(s.TookMax, took)
	}
}

// addToSlot adds the delta to the statistics of an interval.
func (d *delta) addToSlot(s *slot) {
	d.addTo(&s.Stats)
	if d.attempt {
		s.late.Count(time.Duration(d.late) * time.Millisecond)
	}
	if d.timed {
		s.took.Count(time.Duration(d.took) * time.Millisecond)
	}
}

// times reports whether the end of an attempt has a duration.
func times(outcome job.State) bool {
	return outcome == job.Succeeded || outcome == job.Failed || outcome == job.TimedOut
}

// deltaOf returns the end of an attempt, and of its run when that is over too.
func deltaOf(c *completer.Completion) delta {
	d := delta{
		at: minuteOf(c.EndedAt), job: c.JobID, namespace: c.Namespace, group: c.Group, state: c.RunState, runs: 1,
		attempt: !c.Waiting, // otherwise the attempt was counted at its end
	}
	if d.attempt {
		d.late = max(c.Late, 0).Milliseconds()
		if d.timed = times(c.Outcome); d.timed {
			d.took = max(c.EndedAt.Sub(c.StartedAt), 0).Milliseconds()
		}
	}
	return d
}

// countEnds counts the completions that took effect. A completion without a job is not
// counted, and neither are those of trials and shards: the run that was split is counted.
func (t *tx) countEnds(completions []completer.Completion, done []bool) {
	for i := range completions {
		if c := &completions[i]; done[i] && c.JobID != 0 && c.ShardOf == 0 && c.Cause != job.CauseTrial {
			t.deltas = append(t.deltas, deltaOf(c))
		}
	}
}

// countOver counts n runs of a job that ended without an attempt.
func (t *tx) countOver(jobID int64, state job.State, at time.Time, n int64) {
	if n > 0 {
		t.deltas = append(t.deltas, delta{at: minuteOf(at), job: jobID, state: state, runs: n})
	}
}

// countRun counts a run that ended without an attempt, and releases the runs that waited
// for it.
func (t *tx) countRun(id int64, state job.State, at time.Time) error {
	var jobID int64
	found, err := t.read(readJobOf, []any{id}, []any{&jobID})
	if err != nil || !found {
		return err
	}
	t.countOver(jobID, state, at, 1)
	return t.unblocked(jobID, id)
}

// count stores the counts of the transaction: [FoldStats] adds them to the statistics.
// While too many are waiting to be folded they are added at once, so that readers never
// find more than maxUnfolded deltas of a server.
func (t *tx) count(b *backlog) error {
	if len(t.deltas) == 0 {
		return nil
	}
	if err := t.placeDeltas(); err != nil {
		return err
	}
	if b.unfolded.Load() >= maxUnfolded {
		all := newSums()
		for i := range t.deltas {
			all.add(&t.deltas[i])
		}
		t.deltas = t.deltas[:0]
		return t.addSums(all)
	}
	for some := range slices.Chunk(t.deltas, maxDeltas) {
		t.encoded = appendDeltas(t.encoded[:0], some)
		if err := t.do(insertDeltas, deltasVersion, t.encoded); err != nil {
			return err
		}
	}
	return nil
}

// jobPlace is where a job is.
type jobPlace struct {
	job              int64
	namespace, group string
}

func jobPlaceFields(p *jobPlace) []any {
	return []any{(*integer)(&p.job), (*text)(&p.namespace), (*text)(&p.group)}
}

// placeDeltas reads the places of jobs for deltas that lack them.
func (t *tx) placeDeltas() error {
	var jobs []int64
	for i := range t.deltas {
		if t.deltas[i].namespace == "" {
			jobs = append(jobs, t.deltas[i].job)
		}
	}
	if len(jobs) == 0 {
		return nil
	}
	slices.Sort(jobs)
	jobs = slices.Compact(jobs)
	places := make(map[int64]jobPlace, len(jobs))
	for chunk := range slices.Chunk(jobs, maxWide) {
		args := sized(chunk)
		take := func(p *jobPlace) { places[p.job] = *p }
		if err := readEach(t, jobPlaceFields, take, in(readJobPlaces, len(args)), args...); err != nil {
			return err
		}
	}
	for i := range t.deltas {
		if d := &t.deltas[i]; d.namespace == "" {
			d.namespace, d.group = places[d.job].namespace, places[d.job].group
		}
	}
	return nil
}

// The bounds of a row of deltas.
const (
	// deltasVersion is the encoding of appendDeltas. Rows of other versions are left to the
	// servers that know them.
	deltasVersion = 1
	maxDeltas     = 1000
	// maxName bounds the name of a namespace or a group, in bytes.
	maxName = 1024
	// maxNumber bounds durations, in milliseconds, minutes since 1970, and runs.
	maxNumber = 1 << 40
)

// The flags of a delta, above the number of its state.
const (
	stateBits   = 1<<3 - 1
	flagAttempt = 1 << 3
	flagTimed   = 1 << 4
	flagLong    = 1 << 5
	flagSeveral = 1 << 6 // their number follows
	allFlags    = stateBits | flagAttempt | flagTimed | flagLong | flagSeveral
)

// endStates are the states that are counted, by their numbers. Number 0 counts no run.
func endStates() [7]job.State {
	return [...]job.State{"", job.Succeeded, job.Failed, job.TimedOut, job.Cancelled, job.Lost, job.Skipped}
}

// appendDeltas appends at most maxDeltas deltas to a row: the number of places and their
// names, then each delta: its flags, minutes since the last one, job, place from 1 on, and
// the numbers that the flags announce. Numbers are varints.
func appendDeltas(b []byte, deltas []delta) []byte {
	type place struct{ namespace, group string }
	numbers := make(map[place]uint64, 1)
	var places []place
	for i := range deltas {
		p := place{deltas[i].namespace, deltas[i].group}
		if _, known := numbers[p]; !known && p.namespace != "" {
			places = append(places, p)
			numbers[p] = uint64(len(places))
		}
	}
	b = binary.AppendUvarint(b, uint64(len(places)))
	for _, p := range places {
		b = appendName(appendName(b, p.namespace), p.group)
	}
	states, minute := endStates(), int64(0)
	for i := range deltas {
		d := &deltas[i]
		flags := byte(max(slices.Index(states[:], d.state), 0))
		several := flags > 0 && d.runs != 1
		flags |= flagIf(d.attempt, flagAttempt) | flagIf(d.timed, flagTimed) | flagIf(d.long, flagLong) | flagIf(several, flagSeveral)
		at := d.at / shortSpread.Milliseconds()
		b = binary.AppendVarint(append(b, flags), at-minute)
		minute = at
		b = binary.AppendVarint(b, d.job)
		b = binary.AppendUvarint(b, numbers[place{d.namespace, d.group}])
		if several {
			b = binary.AppendUvarint(b, uint64(min(d.runs, maxNumber)))
		}
		if d.attempt {
			b = binary.AppendUvarint(b, uint64(min(d.late, maxNumber)))
		}
		if d.timed {
			b = binary.AppendUvarint(b, uint64(min(d.took, maxNumber)))
		}
	}
	return b
}

func flagIf(set bool, flag byte) byte {
	if set {
		return flag
	}
	return 0
}

func appendName(b []byte, name string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(name))), name...)
}

// errDeltas reports that a row of deltas cannot be read.
var errDeltas = errors.New("the row is damaged")

// decodeDeltas reads a row that appendDeltas has written, all of it or nothing.
func decodeDeltas(raw []byte) ([]delta, error) {
	r := &deltaReader{raw: raw}
	places := make([]delta, 1, 2) // of which the place alone is set
	for range r.upTo(maxDeltas) {
		p := delta{namespace: r.name(), group: r.name()}
		if p.namespace == "" {
			r.failed = true
		}
		if r.failed {
			return nil, errDeltas
		}
		places = append(places, p)
	}
	var deltas []delta
	states, minute := endStates(), int64(0)
	for len(r.raw) > 0 && !r.failed {
		flags := r.raw[0]
		r.raw = r.raw[1:]
		state := int(flags & stateBits)
		if flags&^allFlags != 0 || state >= len(states) || len(deltas) == maxDeltas {
			return nil, errDeltas
		}
		minute += r.within(-2*maxNumber, 2*maxNumber)
		if minute < -maxNumber || minute > maxNumber {
			return nil, errDeltas
		}
		id := r.within(math.MinInt64, math.MaxInt64)
		d := places[r.upTo(uint64(len(places)-1))]
		d.at, d.job, d.state = minute*shortSpread.Milliseconds(), id, states[state] //nolint:gosec // It was compared above.
		d.attempt, d.timed, d.long = flags&flagAttempt != 0, flags&flagTimed != 0, flags&flagLong != 0
		if state > 0 {
			d.runs = 1
		}
		if flags&flagSeveral != 0 {
			d.runs = int64(r.upTo(maxNumber))
		}
		if d.attempt {
			d.late = int64(r.upTo(maxNumber))
		}
		if d.timed {
			d.took = int64(r.upTo(maxNumber))
		}
		deltas = append(deltas, d)
	}
	if r.failed {
		return nil, errDeltas
	}
	return deltas, nil
}

// deltaReader reads numbers and names. Once something is wrong it fails, and reads zeros.
type deltaReader struct {
	raw    []byte
	failed bool
}

func (r *deltaReader) upTo(most uint64) uint64 {
	n, size := binary.Uvarint(r.raw)
	if size <= 0 || n > most {
		r.failed, r.raw = true, nil
		return 0
	}
	r.raw = r.raw[size:]
	return n
}

func (r *deltaReader) within(least, most int64) int64 {
	n, size := binary.Varint(r.raw)
	if size <= 0 || n < least || n > most {
		r.failed, r.raw = true, nil
		return 0
	}
	r.raw = r.raw[size:]
	return n
}

func (r *deltaReader) name() string {
	n := r.upTo(maxName)
	if n > uint64(len(r.raw)) {
		r.failed, r.raw = true, nil
		return ""
	}
	name := string(r.raw[:n])
	r.raw = r.raw[n:]
	return name
}
