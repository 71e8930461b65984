package sqlstore

// askFor is how many times a statement asks which of its rows take effect, after it was
// assumed that all of them do and some did not.
const askFor = 50

// trust remembers of which statements all rows nearly always take effect. To ask costs a way to
// the database, or as much as finding the rows once more. So the answer is assumed, and the
// database looks whether it is right.
type trust struct {
	dialect *Dialect
	// asks counts, by statement, the next times that ask.
	asks map[string]int
	// expected is the statement that an assumption is about, by the text that checks it.
	expected map[string]string
	// asking means that nothing is assumed, since an assumption in the same group was
	// wrong.
	asking bool
	// assumed means that the transaction rests on assumptions, and mistaken that one of
	// them was wrong: no result that operations have received is then true.
	assumed, mistaken bool
}

func newTrust(d *Dialect) trust {
	return trust{dialect: d, asks: make(map[string]int), expected: make(map[string]string)}
}

// trusts reports whether a statement may go without asking.
func (t *trust) trusts(query string) bool {
	n, known := t.asks[query]
	if !known && t.dialect.Expects != nil {
		n = t.dialect.Expects.After
	}
	if n > 0 {
		t.asks[query] = n - 1
	}
	return n <= 0
}

// doubts has a statement ask n times more at least.
func (t *trust) doubts(query string, n int) { t.asks[query] = max(t.asks[query], n) }

// missed notes that a row of a statement that asked took no effect.
func (t *trust) missed(query string) {
	if t.dialect.Expects != nil {
		t.doubts(query, t.dialect.Expects.After)
	}
}

// assumes reports whether all rows of a statement are assumed to take effect.
func (t *tx) assumes(query string) bool {
	return t.dialect.Expects != nil && !t.asking && !t.audited && t.trusts(query)
}

// expectOne queues a statement that is to change a row.
func (t *tx) expectOne(query string, args []any) error {
	name := "expected: " + query
	statement, ok := t.statements[name]
	if !ok {
		var err error
		text := t.dialect.Expects.One(query)
		if statement, err = t.prepare(name, text); err != nil {
			return err
		}
		t.expected[text] = query
	}
	t.assumed = true
	return t.post(statement.(Poster), query, t.dialect.storable(args))
}

// expectAll queues a statement that takes arrays, of which all rows are to take effect.
func (t *tx) expectAll(b *batch, args []any) error {
	statement, err := t.preparedAtOnce(b, "all expected: ", func(query, kinds string, key int) (string, error) {
		text, err := t.dialect.Expects.All(query, kinds, key)
		t.expected[text] = query
		return text, err
	})
	if err != nil {
		return err
	}
	t.assumed = true
	return t.post(statement.(Poster), b.query, args)
}

// disappointed looks whether a statement has failed because of what was assumed.
func (t *trust) disappointed(err *PostedError) {
	query, expected := t.expected[err.Text]
	if !expected || !t.dialect.Expects.Failed(err.Err) {
		return
	}
	t.mistaken = true
	t.doubts(query, askFor)
}
