package sqlstore

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/job"
)

// anyDelta draws deltas as transactions count them.
func anyDelta() *rapid.Generator[delta] {
	return rapid.Custom(func(r *rapid.T) delta {
		minute := rapid.Int64Range(-1<<30, 1<<30).Draw(r, "minute")
		d := delta{at: minute * time.Minute.Milliseconds(), job: rapid.Int64().Draw(r, "job")}
		if d.long = rapid.Bool().Draw(r, "long"); d.long {
			d.at = minute * longSpread.Milliseconds()
		}
		if rapid.Bool().Draw(r, "placed") {
			d.namespace, d.group = rapid.SampledFrom([]string{"default", "team", "größe"}).Draw(r, "namespace"), rapid.SampledFrom([]string{"", "g1", "g2"}).Draw(r, "group")
		}
		states := endStates()
		if d.state = rapid.SampledFrom(states[:]).Draw(r, "state"); d.state != "" {
			d.runs = rapid.OneOf(rapid.Just(int64(1)), rapid.Int64Range(1, 1<<30)).Draw(r, "runs")
		}
		if d.attempt = rapid.Bool().Draw(r, "attempt"); d.attempt {
			d.late = rapid.Int64Range(0, 1<<35).Draw(r, "late")
		}
		if d.timed = rapid.Bool().Draw(r, "timed"); d.timed {
			d.took = rapid.Int64Range(0, 1<<35).Draw(r, "took")
		}
		return d
	})
}

func TestDeltasRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		want := rapid.SliceOfN(anyDelta(), 1, 50).Draw(r, "deltas")
		raw := appendDeltas(nil, want)
		got, err := decodeDeltas(raw)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(delta{})); err != nil || diff != "" {
			r.Fatalf("%v (-want +got):\n%s", err, diff)
		}
		if cut, err := decodeDeltas(raw[:len(raw)-1]); err == nil && len(cut) >= len(want) {
			r.Fatalf("a row without its last byte has %d deltas", len(cut))
		}
	})
}

// Servers of several versions share a database: the encoding of a version stays.
func TestDeltasOfVersion1(t *testing.T) {
	t.Parallel()
	want := []delta{
		{at: 1_700_000_040_000, job: 7, namespace: "default", group: "demo", state: job.Succeeded, runs: 1, attempt: true, timed: true, took: 300, late: 5},
		{at: 1_700_000_040_000, job: 300, state: job.Cancelled, runs: 3},
	}
	const row = "010764656661756c740464656d6f" + "19acd4821b0e0105ac02" + "4400d8040003"
	raw := appendDeltas(nil, want)
	if got := hex.EncodeToString(raw); got != row || deltasVersion != 1 {
		t.Errorf("version %d is %s, want %s", deltasVersion, got, row)
	}
}

func TestDeltasRefused(t *testing.T) {
	t.Parallel()
	good := appendDeltas(nil, []delta{{job: 1, namespace: "n", group: "g", state: job.Lost, runs: 1}})
	long := appendDeltas(nil, slices.Repeat([]delta{{job: 1, state: job.Lost, runs: 1}}, maxDeltas))
	for name, raw := range map[string][]byte{
		"empty":                  {},
		"a place is missing":     {1},
		"a name ends early":      {1, 5, 'n'},
		"an empty namespace":     {1, 0, 1, 'g'},
		"too many places":        {0xe9, 0x07},
		"a long name":            append([]byte{1, 0x81, 0x08}, make([]byte, 2000)...),
		"an unknown flag":        {0, 0x80, 0, 2, 0},
		"an unknown state":       {0, 7, 0, 2, 0},
		"an unknown place":       {0, 1, 0, 2, 1},
		"too many runs":          {0, 1 | flagSeveral, 0, 2, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01},
		"a far minute":           {0, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 2, 0},
		"a number without end":   {0, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		"its last number is cut": good[:len(good)-1],
		"too many":               append(slices.Clip(long), 1, 0, 2, 0),
	} {
		if deltas, err := decodeDeltas(raw); !errors.Is(err, errDeltas) || deltas != nil {
			t.Errorf("%s: %d deltas, %v", name, len(deltas), err)
		}
	}
	for name, raw := range map[string][]byte{"good": good, "long": long} {
		if _, err := decodeDeltas(raw); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What can be read can be written, and is the same again; nothing that is read is without
// bounds.
func FuzzDecodeDeltas(f *testing.F) {
	f.Add(appendDeltas(nil, []delta{{at: 60_000, job: 1, namespace: "n", group: "g", state: job.Failed, runs: 2, attempt: true, timed: true, took: 9, late: 8}}))
	f.Add([]byte{0, 1, 0, 2, 0})
	f.Fuzz(func(t *testing.T, raw []byte) {
		deltas, err := decodeDeltas(raw)
		if err != nil {
			return
		}
		if len(deltas) > maxDeltas {
			t.Fatalf("%d deltas", len(deltas))
		}
		all := newSums()
		for i := range deltas {
			d := &deltas[i]
			if d.runs < 0 || d.took < 0 || d.late < 0 || max(d.runs, d.took, d.late) > maxNumber {
				t.Fatalf("%+v", *d)
			}
			all.add(d)
		}
		again, err := decodeDeltas(appendDeltas(nil, deltas))
		if err != nil {
			t.Fatal(err)
		}
		sum := newSums()
		for i := range again {
			sum.add(&again[i])
		}
		if diff := cmp.Diff(all.days, sum.days); diff != "" {
			t.Errorf("written and read again (-want +got):\n%s", diff)
		}
	})
}

// counting returns an operation that counts runs of a job, and fails with an error.
func counting(jobID, runs int64, fails error) func(*tx) error {
	return func(t *tx) error {
		t.countOver(jobID, job.Skipped, time.UnixMilli(0), runs)
		end := completer.Completion{
			JobID: jobID, RunState: job.Succeeded, Outcome: job.Succeeded, StartedAt: time.UnixMilli(0), EndedAt: time.UnixMilli(0),
		}
		t.countEnds([]completer.Completion{end}, []bool{true})
		return fails
	}
}

// statsTables makes the tables that counting needs, without places of jobs.
func (w *table) statsTables(t *testing.T) {
	t.Helper()
	for _, text := range []string{
		`CREATE TABLE jobs (id INTEGER PRIMARY KEY, namespace TEXT, group_id INTEGER)`,
		`CREATE TABLE executor_groups (id INTEGER PRIMARY KEY, group_key TEXT)`,
		`CREATE TABLE stats_deltas (id INTEGER PRIMARY KEY, version INTEGER NOT NULL, deltas BLOB NOT NULL)`,
		`CREATE TABLE stats_daily (day, job_id, succeeded, failed, timed_out, cancelled, lost, skipped, attempts, timed, run_ms, run_ms_max,
			late_ms, late_ms_max, PRIMARY KEY (day, job_id))`,
	} {
		if _, err := w.db.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
}

// rows returns the deltas of each row, as job and runs or attempts, and the days.
func (w *table) rows(t *testing.T) (deltas, days []string) {
	t.Helper()
	r := newReader(w.db, w.dialect)
	defer r.close()
	raws, err := list(t.Context(), r, func(raw *[]byte) []any { return []any{raw} }, readDeltas, deltasVersion)
	if err != nil {
		t.Fatal(err)
	}
	for _, raw := range raws {
		row, err := decodeDeltas(raw)
		if err != nil {
			t.Fatal(err)
		}
		var text []string
		for i := range row {
			text = append(text, fmt.Sprintf("%d %s %d", row[i].job, row[i].state, row[i].runs))
		}
		deltas = append(deltas, strings.Join(text, ", "))
	}
	days, err = list(t.Context(), r, func(s *string) []any { return []any{(*text)(s)} },
		`SELECT job_id || ' ' || succeeded || ' ' || skipped FROM stats_daily ORDER BY job_id`)
	if err != nil {
		t.Fatal(err)
	}
	return deltas, days
}

// A transaction writes one row of what its operations have counted, without those that
// have failed.
func TestOneRowForATransaction(t *testing.T) {
	t.Parallel()
	boom := job.Errorf(job.NotFound, "boom")
	for _, sparing := range []bool{false, true} {
		t.Run(fmt.Sprintf("sparing=%t", sparing), func(t *testing.T) {
			t.Parallel()
			w := newTable(t)
			w.statsTables(t)
			w.dialect.Sparing = sparing
			results := w.together(t,
				counting(1, 3, nil), counting(2, 5, boom), func(t *tx) error { _ = counting(3, 7, nil)(t); panic("odd") }, counting(4, 1, nil), add(1))
			if err := w.update(t.Context(), counting(5, 2, boom)); !errors.Is(err, boom) {
				t.Errorf("alone: %v", err)
			}
			if err := w.update(t.Context(), add(2)); err != nil {
				t.Error(err)
			}
			w.stop()
			if got, want := kinds(results), []job.Kind{"", job.NotFound, job.Internal, "", ""}; !slices.Equal(got, want) {
				t.Errorf("results %v, want %v", got, want)
			}
			deltas, _ := w.rows(t)
			want := []string{"1 skipped 3, 1 succeeded 1, 4 skipped 1, 4 succeeded 1"}
			if diff := cmp.Diff(want, deltas); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			if n := w.deltas.unfolded.Load(); n != 4 {
				t.Errorf("%d deltas wait, want 4", n)
			}
		})
	}
}

// Rows have a bound.
func TestManyDeltas(t *testing.T) {
	t.Parallel()
	w := newTable(t)
	w.statsTables(t)
	w.start(t)
	err := w.update(t.Context(), func(t *tx) error {
		for i := range int64(2*maxDeltas + 1) {
			t.countOver(i, job.Lost, time.UnixMilli(0), 1)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	w.stop()
	deltas, _ := w.rows(t)
	var lengths []int
	for _, row := range deltas {
		lengths = append(lengths, strings.Count(row, "lost"))
	}
	if want := []int{maxDeltas, maxDeltas, 1}; !slices.Equal(lengths, want) {
		t.Errorf("rows of %v deltas, want %v", lengths, want)
	}
}

// When too many deltas wait, transactions add to the statistics themselves until some were
// folded.
func TestFullBacklog(t *testing.T) {
	t.Parallel()
	w := newTable(t)
	w.statsTables(t)
	w.start(t)
	update := func(do func(*tx) error) {
		t.Helper()
		if err := w.update(t.Context(), do); err != nil {
			t.Fatal(err)
		}
	}
	update(counting(1, 1, nil))
	w.deltas.unfolded.Store(maxUnfolded)
	update(counting(1, 2, nil))
	update(counting(2, 4, nil))
	deltas, days := w.rows(t)
	if want := []string{"1 skipped 1, 1 succeeded 1"}; !slices.Equal(deltas, want) {
		t.Errorf("rows %q, want %q", deltas, want)
	}
	if want := []string{"1 1 2", "2 1 4"}; !slices.Equal(days, want) {
		t.Errorf("days %q, want %q", days, want)
	}
	update(func(t *tx) error { _, _, _, err := t.fold(); return err })
	update(counting(2, 8, nil))
	deltas, days = w.rows(t)
	if want := []string{"2 skipped 8, 2 succeeded 1"}; !slices.Equal(deltas, want) {
		t.Errorf("rows %q, want %q", deltas, want)
	}
	if want := []string{"1 2 3", "2 1 4"}; !slices.Equal(days, want) {
		t.Errorf("days %q, want %q", days, want)
	}
}

// A fold goes on behind rows that it cannot read, removes them, and leaves those of newer
// servers.
func TestFoldOfOddRows(t *testing.T) {
	t.Parallel()
	w := newTable(t)
	w.statsTables(t)
	w.start(t)
	update := func(do func(*tx) error) {
		t.Helper()
		if err := w.update(t.Context(), do); err != nil {
			t.Fatal(err)
		}
	}
	odd := func(version int, raw []byte) func(*tx) error {
		return func(t *tx) error { _, err := t.exec(insertDeltas, version, raw); return err }
	}
	update(odd(deltasVersion, []byte{1}))
	update(counting(1, 1, nil))
	update(odd(deltasVersion+1, []byte{1}))
	update(counting(1, 2, nil))
	var rows, damaged int
	var more bool
	update(func(t *tx) (err error) { rows, damaged, more, err = t.fold(); return err })
	if rows != 3 || damaged != 1 || more {
		t.Errorf("%d rows, %d damaged, more %t", rows, damaged, more)
	}
	if n := count1(t, w, "SELECT COUNT(*) FROM stats_deltas"); n != 1 {
		t.Errorf("%d rows are left, want that of the newer server", n)
	}
	if _, days := w.rows(t); !slices.Equal(days, []string{"1 2 3"}) {
		t.Errorf("days %q", days)
	}
}

func count1(t *testing.T, w *table, query string) (n int) {
	t.Helper()
	if err := w.db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
