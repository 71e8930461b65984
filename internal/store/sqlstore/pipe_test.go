package sqlstore

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/orthd/orth/job"
)

// pipes opens connections that queue statements, in front of those of another connector.
type pipes struct {
	Connector
	trips int            // how often something was sent
	fail  map[string]int // how many times more a command fails, by its text
}

func (p *pipes) Connect() (Connection, error) {
	conn, err := p.Connector.Connect()
	return &pipe{Connection: conn, owner: p}, err
}

type pipe struct {
	Connection
	owner  *pipes
	queued []posted
}

type posted struct {
	text   string
	begins bool
	do     func() error
}

var errUnmet = errors.New("unmet")

func (p *pipe) Command(text string) error {
	do := func() error {
		if p.owner.fail[text] > 0 {
			p.owner.fail[text]--
			return errors.New(text + " fails")
		}
		return p.Connection.Command(text)
	}
	switch text {
	case "ROLLBACK":
		p.queued = nil
		_ = p.Connection.Command(text) // it may not have begun
		return nil
	case "COMMIT":
		if err := p.Flush(); err != nil {
			return err
		}
		return do()
	}
	p.queued = append(p.queued, posted{text, true, do})
	return nil
}

func (p *pipe) Flush() error {
	if len(p.queued) > 0 {
		p.owner.trips++
	}
	queued := p.queued
	p.queued = nil
	for _, one := range queued {
		if err := one.do(); err != nil {
			return &PostedError{Text: one.text, Begins: one.begins, Err: err}
		}
	}
	return nil
}

func (p *pipe) Prepare(text string) (Statement, error) {
	// Nothing is prepared before BEGIN: SQLite would not mind.
	statement, err := p.Connection.Prepare(strings.TrimSuffix(text, expectedMark))
	return &pipeStatement{Statement: statement, pipe: p, text: text}, err
}

const expectedMark = " -- expected"

type pipeStatement struct {
	Statement
	pipe *pipe
	text string
}

func (s *pipeStatement) Exec(args []any) (int64, error) {
	if err := s.pipe.Flush(); err != nil {
		return 0, err
	}
	s.pipe.owner.trips++
	return s.Statement.Exec(args)
}

func (s *pipeStatement) Query(args []any) (Rows, error) {
	if err := s.pipe.Flush(); err != nil {
		return nil, err
	}
	s.pipe.owner.trips++
	return s.Statement.Query(args)
}

func (s *pipeStatement) Post(args []any) error {
	args = slices.Clone(args)
	s.pipe.queued = append(s.pipe.queued, posted{s.text, false, func() error {
		n, err := s.Statement.Exec(args)
		if err == nil && n == 0 && strings.HasSuffix(s.text, expectedMark) {
			return errUnmet
		}
		return err
	}})
	return nil
}

// newPipes returns a writer whose connection queues statements, and assumes from the third time
// on that one takes effect.
func newPipes(t *testing.T) (*table, *pipes) {
	t.Helper()
	w := newTable(t)
	p := &pipes{Connector: w.session.connector, fail: map[string]int{}}
	w.session.connector = p
	w.dialect.Sparing = true
	w.dialect.Expects = &Expects{
		After: 2, Failed: func(err error) bool { return errors.Is(err, errUnmet) },
		One: func(query string) string { return query + expectedMark },
	}
	t.Cleanup(w.session.close)
	return w, p
}

// carryOut runs operations in one transaction, on this goroutine.
func (w *table) carryOut(ops ...func(*tx) error) ([]error, error) {
	w.group = w.group[:0]
	for _, do := range ops {
		w.group = append(w.group, &operation{do: do})
	}
	return w.commit()
}

const raise = "UPDATE numbers SET n = n + 100 WHERE n = ?"

// raised returns an operation that raises numbers, and notes what it was told.
func raised(told *[]bool, numbers ...int) func(*tx) error {
	return func(t *tx) error {
		*told = nil
		for _, n := range numbers {
			done, err := t.one(raise, n)
			if err != nil {
				return err
			}
			*told = append(*told, done)
		}
		return nil
	}
}

// put returns an operation that inserts numbers and asks for nothing.
func put(numbers ...int) func(*tx) error {
	return func(t *tx) error {
		for _, n := range numbers {
			if err := t.do("INSERT INTO numbers (n) VALUES (?)", n); err != nil {
				return err
			}
		}
		return nil
	}
}

func (w *table) mustCarryOut(t *testing.T, ops ...func(*tx) error) {
	t.Helper()
	results, err := w.carryOut(ops...)
	if err := errors.Join(append(results, err)...); err != nil {
		t.Fatal(err)
	}
}

// A statement that took effect twice is queued from then on. When it does not, its transaction
// is done again, and what it was told comes out right.
func TestExpectedAnswers(t *testing.T) {
	t.Parallel()
	w, p := newPipes(t)
	w.mustCarryOut(t, put(1, 2, 3, 4, 5))
	var told []bool
	w.mustCarryOut(t, raised(&told, 1, 2))
	before := p.trips
	w.mustCarryOut(t, raised(&told, 3))
	if sent := p.trips - before; sent != 1 || !slices.Equal(told, []bool{true}) {
		t.Errorf("an expected answer took %d trips, and was %v", sent, told)
	}
	var other []bool
	runs := 0
	w.mustCarryOut(t, raised(&other, 4), func(tx *tx) error { runs++; return raised(&told, 5, 77)(tx) })
	if runs != 2 || !slices.Equal(told, []bool{true, false}) || !slices.Equal(other, []bool{true}) {
		t.Errorf("%d runs, told %v and %v", runs, told, other)
	}
	if got := w.session.asks[raise]; got != askFor {
		t.Errorf("it asks %d times more", got)
	}
	if w.wary != 0 || w.session.asking {
		t.Errorf("wary %d, asking %t", w.wary, w.session.asking)
	}
	if got, want := w.numbers(t), []int{101, 102, 103, 104, 105}; !slices.Equal(got, want) {
		t.Errorf("rows %v, want %v", got, want)
	}
}

// It has to take effect some times in a row.
func TestTrustIsEarned(t *testing.T) {
	t.Parallel()
	w, _ := newPipes(t)
	w.mustCarryOut(t, put(1, 2, 3, 4, 5))
	var told []bool
	for i, number := range []int{1, 77, 2, 3} {
		w.mustCarryOut(t, raised(&told, number))
		if told[0] != (number != 77) {
			t.Errorf("the %d. was told %v", i, told)
		}
	}
	if w.session.asks[raise] != 0 {
		t.Errorf("it asks %d times more", w.session.asks[raise])
	}
}

// An error, and a panic, that come of an answer that was wrong are not believed; one that comes
// of what is true is.
func TestErrorsOfWrongAnswers(t *testing.T) {
	t.Parallel()
	for name, outcome := range map[string]func() error{
		"error": func() error { return job.Errorf(job.Conflict, "it was there") },
		"panic": func() error { panic("it was there") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, others := range []int{0, 1} {
				w, _ := newPipes(t)
				w.mustCarryOut(t, put(1, 2, 3))
				var told []bool
				w.mustCarryOut(t, raised(&told, 1, 2))
				failing := func(number int) func(*tx) error {
					return func(t *tx) error {
						if err := raised(&told, number)(t); err != nil || !told[0] {
							return err
						}
						return outcome()
					}
				}
				ops := []func(*tx) error{failing(77)}
				for range others {
					ops = append(ops, put(9))
				}
				w.mustCarryOut(t, ops...)
				w.session.asks[raise] = 0
				if results, err := w.carryOut(failing(3)); err == nil {
					t.Errorf("no error: %v", results)
				}
				if got := w.numbers(t); slices.Contains(got, 103) {
					t.Errorf("rows %v", got)
				}
			}
		})
	}
}

// Somebody who wants to know how much was changed is told.
func TestAuditedIsAsked(t *testing.T) {
	t.Parallel()
	w, _ := newPipes(t)
	w.mustCarryOut(t, put(1, 2, 3))
	var told []bool
	w.mustCarryOut(t, raised(&told, 1, 2))
	w.mustCarryOut(t, func(t *tx) error {
		t.audited, t.changes = true, 0
		defer func() { t.audited = false }()
		if err := errors.Join(raised(&told, 3)(t), put(4)(t)); err != nil || t.changes != 2 {
			return job.Errorf(job.Internal, "%d changes, %v", t.changes, err)
		}
		return nil
	})
}

// The error of a queued statement, which comes with the commit or with another's, is that of its
// own operation and of no other.
func TestErrorsOfQueuedStatements(t *testing.T) {
	t.Parallel()
	reads := func(t *tx) error {
		var n int
		_, err := t.read("SELECT COUNT(*) FROM numbers", nil, []any{&n})
		return err
	}
	for name, c := range map[string]struct {
		ops  []func(*tx) error
		want []job.Kind
		rows []int
	}{
		"at the commit":    {[]func(*tx) error{put(2), put(3, 1), put(4)}, []job.Kind{"", job.Conflict, ""}, []int{1, 2, 4}},
		"at a later read":  {[]func(*tx) error{put(2), put(3, 1), reads, put(4)}, []job.Kind{"", job.Conflict, "", ""}, []int{1, 2, 4}},
		"alone":            {[]func(*tx) error{put(2, 1)}, []job.Kind{job.Conflict}, []int{1}},
		"alone, with read": {[]func(*tx) error{func(t *tx) error { return errors.Join(put(2, 1)(t), reads(t)) }}, []job.Kind{job.Conflict}, []int{1}},
		"the first":        {[]func(*tx) error{put(1), put(2)}, []job.Kind{job.Conflict, ""}, []int{1, 2}},
		"the last":         {[]func(*tx) error{put(2), put(1)}, []job.Kind{"", job.Conflict}, []int{1, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := newPipes(t)
			w.mustCarryOut(t, put(1))
			results, err := w.carryOut(c.ops...)
			if len(c.ops) == 1 {
				results, err = []error{err}, nil
			}
			if got := kinds(results); err != nil || !slices.Equal(got, c.want) {
				t.Errorf("kinds %q, %v, want %q", got, err, c.want)
			}
			if got := w.numbers(t); !slices.Equal(got, c.rows) {
				t.Errorf("rows %v, want %v", got, c.rows)
			}
		})
	}
}

// A transaction that did not begin failed as a whole, also when that is known only later.
func TestQueuedBeginningFails(t *testing.T) {
	t.Parallel()
	w, p := newPipes(t)
	ran := 0
	p.fail[w.dialect.Begin] = 1
	op := func(tx *tx) error { ran++; return put(ran)(tx) }
	both := []func(*tx) error{op, op}
	if results, err := w.carryOut(both...); err == nil || !strings.Contains(err.Error(), "begin a transaction") || ran != 2 {
		t.Errorf("%v, %v after %d runs", results, err, ran)
	}
	if got := w.numbers(t); len(got) > 0 {
		t.Errorf("rows %v", got)
	}
	w.mustCarryOut(t, both...)
}

// Nobody knows what became of a commit that failed itself: it is not done again.
func TestCommitOfUnknownFate(t *testing.T) {
	t.Parallel()
	w, p := newPipes(t)
	ran := 0
	p.fail["COMMIT"] = 1
	if _, err := w.carryOut(func(*tx) error { ran++; return nil }, put(2)); err == nil || ran != 1 {
		t.Errorf("%v after %d runs", err, ran)
	}
}

// What waits joins the transaction whose beginning is waited for within the first operation.
func TestLateOperationsJoin(t *testing.T) {
	t.Parallel()
	w, _ := newPipes(t)
	late := &operation{do: put(2), done: make(chan struct{})}
	w.group = append(w.group[:0], &operation{do: func(t *tx) error {
		if len(w.queue) == 0 {
			w.queue <- late
		}
		return put(1)(t)
	}})
	results, err := w.commit()
	if len(results) != 2 || err != nil {
		t.Errorf("%v, %v", results, err)
	}
	if got := w.numbers(t); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("rows %v", got)
	}
}
