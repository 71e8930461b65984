package reading

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/job"
)

// written is when the first line of a log of the tests was written.
var written = time.Date(2030, 1, 31, 8, 0, 0, 0, time.UTC)

// library is an index, a memory and an executor with logs of the tests.
type library struct {
	mu      sync.Mutex
	logs    []logbook.Log
	chunks  map[int64][]logbook.Chunk
	texts   map[int64]map[int]string // by attempt and first line
	live    map[int64]logbook.Live
	changed map[int64]chan struct{}
	watched map[int64]int // viewers
	damaged int           // the first line of a chunk that cannot be read

	far    []string // lines that the executor has
	farErr error
	asked  int
}

func newLibrary() *library {
	return &library{
		chunks: map[int64][]logbook.Chunk{}, texts: map[int64]map[int]string{}, live: map[int64]logbook.Live{}, changed: map[int64]chan struct{}{}, watched: map[int64]int{},
	}
}

func (l *library) reader() *Reader {
	return NewReader(ReaderConfig{
		Index: l, Memory: l, Origin: l, Zone: time.UTC,
		Mask: func(text string) string { return strings.ReplaceAll(text, "hunter2", "***") },
	})
}

// store puts lines behind those that are stored, a chunk of them.
func (l *library) store(attempt int64, state logbook.State, lines ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := slices.IndexFunc(l.logs, func(known logbook.Log) bool { return known.Attempt == attempt })
	if at < 0 {
		at = len(l.logs)
		l.logs = append(l.logs, logbook.Log{Attempt: attempt, Run: attempt / 10, Job: 7, TriggeredAt: written.Add(time.Duration(attempt) * time.Minute)})
		l.texts[attempt] = map[int]string{}
	}
	log := &l.logs[at]
	log.State = state
	if len(lines) == 0 {
		return
	}
	first := log.Lines + 1
	log.Lines += len(lines)
	l.chunks[attempt] = append(l.chunks[attempt], logbook.Chunk{
		Attempt: attempt, FirstLine: first, Lines: len(lines),
		FirstAt: written.Add(time.Duration(first) * time.Second), LastAt: written.Add(time.Duration(log.Lines) * time.Second),
	})
	l.texts[attempt][first] = join(lines)
}

// hold has lines in memory.
func (l *library) hold(attempt int64, first int, over bool, lines ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if old := l.changed[attempt]; old != nil {
		close(old)
	}
	news := make(chan struct{})
	l.changed[attempt] = news
	l.live[attempt] = logbook.Live{First: first, Text: join(lines), Over: over, Changed: news}
}

func join(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

func (l *library) Logs(_ context.Context, attempts []int64) ([]logbook.Log, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var found []logbook.Log
	for _, log := range l.logs {
		if slices.Contains(attempts, log.Attempt) {
			found = append(found, log)
		}
	}
	return found, nil
}

func (l *library) LogsOfJob(_ context.Context, id, before int64, limit int) ([]logbook.Log, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var found []logbook.Log
	for _, log := range l.logs {
		if log.Job == id && (before == 0 || log.Attempt < before) {
			found = append(found, log)
		}
	}
	slices.SortFunc(found, func(a, b logbook.Log) int { return int(b.Attempt - a.Attempt) })
	return found[:min(limit, len(found))], nil
}

func (l *library) Chunks(_ context.Context, attempt int64, from, limit int) ([]logbook.Chunk, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.chunks[attempt]
	at, _ := slices.BinarySearchFunc(all, from, func(c logbook.Chunk, line int) int { return c.Last() - line })
	return slices.Clone(all[at:min(at+limit, len(all))]), nil
}

func (l *library) ChunkAt(_ context.Context, attempt int64, at time.Time) (logbook.Chunk, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.chunks[attempt] {
		if !c.LastAt.Before(at) {
			return c, true, nil
		}
	}
	return logbook.Chunk{}, false, nil
}

func (*library) Packs(context.Context, []int64) ([]logbook.Pack, error) { return nil, nil }

func (l *library) Live(attempt int64) (logbook.Live, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	live, held := l.live[attempt]
	return live, held
}

func (l *library) Watch(a job.Attempt, _ int64) func() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watched[a.ID]++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.watched[a.ID]--
	}
}

func (l *library) Text(_ context.Context, c logbook.Chunk) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.FirstLine == l.damaged {
		return "", job.Errorf(job.Unavailable, "its sum is wrong")
	}
	return l.texts[c.Attempt][c.FirstLine], nil
}

func (l *library) ReadLog(_ context.Context, _ string, _ int64, _ time.Time, from int) (job.LogPage, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked++
	if l.farErr != nil {
		return job.LogPage{}, l.farErr
	}
	to := min(from+2, len(l.far)) // three lines at once
	if from > to {
		return job.LogPage{From: from, To: from - 1, Text: "there is no more", End: true}, nil
	}
	return job.LogPage{From: from, To: to, Text: join(l.far[from-1 : to])}, nil
}

// running and done are attempts of the tests.
var (
	running = job.Attempt{ID: 10, RunID: 1, Number: 1, State: job.Running, Address: "http://1"}
	done    = job.Attempt{ID: 10, RunID: 1, Number: 1, State: job.Failed, Address: "http://1"}
)

// TestPagesMakeTheText: whatever is stored in which chunks, whatever of it is in
// memory too, and however large pages may be, they make the text.
func TestPagesMakeTheText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
			size := rapid.SampledFrom([]int{0, 1, 80, 5000, 200 << 10, 300 << 10}).Draw(t, "size")
			return strings.Repeat("x", size)
		}), 0, 40).Draw(t, "lines")
		for i := range lines {
			lines[i] = fmt.Sprint(i+1, lines[i])
		}
		stored := rapid.IntRange(0, len(lines)).Draw(t, "stored")
		held := rapid.IntRange(0, stored).Draw(t, "held")
		l := newLibrary()
		l.store(10, logbook.Open)
		for at := 0; at < stored; {
			n := rapid.IntRange(1, stored-at).Draw(t, "chunk")
			l.store(10, logbook.Open, lines[at:at+n]...)
			at += n
		}
		l.hold(10, held+1, true, lines[held:]...)
		var text strings.Builder
		from := 1
		for {
			limit := rapid.SampledFrom([]int{0, 1, 2, 7}).Draw(t, "limit")
			page, err := l.reader().Page(t.Context(), done, 1, from, limit)
			if err != nil {
				t.Fatal(err)
			}
			n := page.To - page.From + 1
			switch {
			case page.From != from, strings.Count(page.Text, "\n") != n, limit > 0 && n > limit:
				t.Fatalf("asked for %d lines from %d, got %d..%d with %d line ends", limit, from, page.From, page.To, strings.Count(page.Text, "\n"))
			case n > 1 && len(page.Text) > maxPageBytes:
				t.Fatalf("a page has %d bytes", len(page.Text))
			case page.End != (page.To == len(lines)):
				t.Fatalf("the page that ends with line %d of %d says %t of the end", page.To, len(lines), page.End)
			}
			text.WriteString(page.Text)
			if from = page.To + 1; page.End {
				break
			}
		}
		if want := join(lines); text.String() != want {
			t.Fatalf("the pages make %d bytes, want %d", text.Len(), len(want))
		}
		if l.asked > 0 {
			t.Fatalf("the executor was asked %d times for what is known", l.asked)
		}
	})
}

// TestPage looks at what is read where.
func TestPage(t *testing.T) {
	t.Parallel()
	away := job.Errorf(job.Unreachable, "connection refused")
	for name, c := range map[string]struct {
		set  func(*library)
		a    job.Attempt
		from int
		want job.LogPage
		kind job.Kind
	}{
		"only the executor has it": {
			func(l *library) { l.far = []string{"a", "the password is hunter2", "c", "d"} }, running, 2,
			job.LogPage{From: 2, To: 4, Text: "the password is ***\nc\nd\n"},
			"",
		},
		"only the executor has it, at its end": {
			func(l *library) { l.far = []string{"a"} }, done, 2, job.LogPage{From: 2, To: 1, End: true}, "",
		},
		"it has not begun to write": {func(*library) {}, running, 1, job.LogPage{From: 1, To: 0}, ""},
		"nobody can be asked":       {func(l *library) { l.farErr = away }, running, 1, job.LogPage{}, job.Unreachable},
		"stored, and nobody can be asked for the rest": {
			func(l *library) { l.farErr = away; l.store(10, logbook.Open, "a", "b") }, done, 3,
			job.LogPage{From: 3, To: 2, Kept: "open", FromMemory: true},
			"",
		},
		"stored, and the executor has the rest": {
			func(l *library) { l.far = []string{"a", "b", "c"}; l.store(10, logbook.Open, "a", "b") }, done, 3,
			job.LogPage{From: 3, To: 3, Text: "c\n", Kept: "open"},
			"",
		},
		"stored, and that is all": {
			func(l *library) { l.farErr = away; l.store(10, logbook.Whole, "a", "b") }, done, 1,
			job.LogPage{From: 1, To: 2, Text: "a\nb\n", Kept: "whole", End: true},
			"",
		},
		"torn": {
			func(l *library) { l.store(10, logbook.Torn, "a"); l.logs[0].Note = "the executor was gone" }, done, 2,
			job.LogPage{From: 2, To: 1, Kept: "torn", Note: "the executor was gone", End: true},
			"",
		},
		"the executor has no log": {func(l *library) { l.store(10, logbook.None) }, done, 1, job.LogPage{From: 1, To: 0, Kept: "none", End: true}, ""},
		"a gap that the executor fills": {
			func(l *library) {
				l.far = []string{"a", "b", "hunter2", "d"}
				l.store(10, logbook.Open, "a")
				l.hold(10, 4, false, "d")
			},
			running, 2,
			job.LogPage{From: 2, To: 3, Text: "b\n***\n", Kept: "open"},
			"",
		},
		"a gap that nobody fills": {
			func(l *library) { l.farErr = away; l.hold(10, 4, false, "d") }, running, 2,
			job.LogPage{From: 2, To: 3, Text: "[lines 2 to 3 are missing here: only the executor had them]\n", FromMemory: true},
			"",
		},
		"a gap of one line": {
			func(l *library) { l.farErr = away; l.hold(10, 4, false, "d") }, running, 3,
			job.LogPage{From: 3, To: 3, Text: "[line 3 is missing here: only the executor had it]\n", FromMemory: true},
			"",
		},
		"behind a gap": {
			func(l *library) { l.hold(10, 4, false, "d") }, running, 4, job.LogPage{From: 4, To: 4, Text: "d\n"}, "",
		},
		"damaged": {func(l *library) { l.store(10, logbook.Whole, "a"); l.damaged = 1 }, done, 1, job.LogPage{}, job.Unavailable},
		"damaged behind what is asked for": {
			func(l *library) { l.store(10, logbook.Whole, "a"); l.store(10, logbook.Whole, "b"); l.damaged = 2 }, done, 1,
			job.LogPage{From: 1, To: 1, Text: "a\n", Kept: "whole"},
			"",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLibrary()
			c.set(l)
			page, err := l.reader().Page(t.Context(), c.a, 1, c.from, 0)
			if job.KindOf(err) != c.kind {
				t.Fatalf("the error is %v, want one of the kind %q", err, c.kind)
			}
			if diff := cmp.Diff(c.want, page); diff != "" && err == nil {
				t.Error(diff)
			}
		})
	}
}

// TestDamageIsNamed: a reader that meets damage learns which lines it is, and goes on
// behind it.
func TestDamageIsNamed(t *testing.T) {
	t.Parallel()
	l := newLibrary()
	l.store(10, logbook.Whole, "a", "b")
	l.store(10, logbook.Whole, "c")
	l.damaged = 1
	_, err := l.reader().Page(t.Context(), done, 1, 2, 0)
	if want := "lines 1 to 2 of the log cannot be read: its sum is wrong"; err == nil || err.Error() != want {
		t.Fatalf("the error is %v, want %s", err, want)
	}
	page, err := l.reader().Page(t.Context(), done, 1, 3, 0)
	if err != nil || page.Text != "c\n" {
		t.Errorf("behind it is %q, %v", page.Text, err)
	}
}

// TestTail looks for the last lines.
func TestTail(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		set  func(*library)
		n    int
		want int
	}{
		"stored":                 {func(l *library) { l.store(10, logbook.Whole, "a", "b", "c") }, 2, 2},
		"more than there are":    {func(l *library) { l.store(10, logbook.Whole, "a", "b", "c") }, 5, 1},
		"none":                   {func(l *library) { l.store(10, logbook.Whole, "a", "b", "c") }, 0, 4},
		"stored and in memory":   {func(l *library) { l.store(10, logbook.Open, "a", "b"); l.hold(10, 2, true, "b", "c") }, 1, 3},
		"only the executor's":    {func(l *library) { l.far = strings.Split("abcdefgh", "") }, 3, 6},
		"the rest is far away":   {func(l *library) { l.store(10, logbook.Open, "a"); l.far = strings.Split("abcdefgh", "") }, 1, 8},
		"the rest is not there":  {func(l *library) { l.store(10, logbook.Open, "a", "b"); l.farErr = job.Errorf(job.Unreachable, "away") }, 1, 2},
		"a log without any line": {func(l *library) { l.store(10, logbook.None) }, 3, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLibrary()
			c.set(l)
			if from, err := l.reader().Tail(t.Context(), done, c.n); err != nil || from != c.want {
				t.Errorf("it begins at line %d, %v; want %d", from, err, c.want)
			}
		})
	}
}

// stamped returns a line that was written so many seconds after the first.
func stamped(seconds int) string {
	return written.Add(time.Duration(seconds)*time.Second).Format("2006-01-02 15:04:05") + " said"
}

// TestAt looks for lines by time.
func TestAt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		set  func(*library)
		at   int // seconds
		want int
	}{
		"stamps":                    {func(l *library) { l.store(10, logbook.Whole, stamped(1), stamped(2), "more", stamped(9)) }, 3, 4},
		"the first":                 {func(l *library) { l.store(10, logbook.Whole, stamped(1), stamped(2)) }, 0, 1},
		"after the last":            {func(l *library) { l.store(10, logbook.Whole, stamped(1), stamped(2)) }, 60, 3},
		"no stamps":                 {func(l *library) { l.store(10, logbook.Whole, "a", "b"); l.store(10, logbook.Whole, "c", "d") }, 3, 3},
		"no stamps, inside a chunk": {func(l *library) { l.store(10, logbook.Whole, "a", "b"); l.store(10, logbook.Whole, "c", "d") }, 4, 3},
		"in memory": {
			func(l *library) {
				l.store(10, logbook.Open, stamped(1), stamped(2))
				l.hold(10, 3, false, stamped(70), stamped(80))
			}, 75, 4,
		},
		"a stamp far behind lines without": {
			func(l *library) {
				l.store(10, logbook.Whole, stamped(1), "a")
				l.store(10, logbook.Whole, "b", "c")
				l.store(10, logbook.Whole, "d", stamped(90))
			},
			4, 3,
		},
		"the executor's clock is slow": {
			func(l *library) {
				l.store(10, logbook.Whole, "a", "b", stamped(0))
				l.store(10, logbook.Whole, stamped(1), stamped(3))
			}, 3, 5,
		},
		"the executor's, without stamps": {func(l *library) { l.far = []string{"a", "b"} }, 5, 1},
		"only the executor's":            {func(l *library) { l.far = []string{stamped(1), stamped(2), stamped(3), stamped(4), stamped(5)} }, 5, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLibrary()
			c.set(l)
			from, err := l.reader().At(t.Context(), running, written.Add(time.Duration(c.at)*time.Second))
			if err != nil || from != c.want {
				t.Errorf("it begins at line %d, %v; want %d", from, err, c.want)
			}
		})
	}
}
