package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"
)

// cost is what one run costs. A value of 0 is not known, or does not apply.
type cost struct {
	rate                       float64 // runs recorded a second
	server, executor, database float64 // µs of processor time
	ratio                      float64 // the sum of these, of the floor's sum
	p50, p99                   float64 // lateness, ms
	written                    float64 // bytes that the disk has written meanwhile
	trips                      float64 // round trips to the database
	switches                   float64 // how often a thread waited
}

func (c cost) sum() float64 { return c.server + c.executor + c.database }

// costRow is a row of the table.
type costRow struct {
	name  string
	floor string // the row that it is compared with; none when empty
	gated bool   // the gate compares its ratio
	turn  func(context.Context, options) (cost, error)
}

// Names of the floor's rows.
const (
	floorSlow = "floor, 100/s"
	floorFast = "floor, 1,000/s"
	floorFull = "floor, as fast as it goes"
)

// costRows returns the rows that can be measured here. The gate needs no more than its own.
func costRows(ctx context.Context, o options) []costRow {
	slow, fast, full := demand{100, time.Second}, demand{1000, time.Second}, demand{2500, 100 * time.Millisecond}
	rows := []costRow{
		{"Orth natively, 100/s", floorSlow, true, offer(slow).natively().cost},
		{floorSlow, "", false, slow.floorCost},
		{"Orth natively, 1,000/s", floorFast, true, offer(fast).natively().cost},
		{floorFast, "", false, fast.floorCost},
		{"Orth natively, as fast as it goes", floorFull, true, offer(full).natively().cost},
		{"Orth over XXL-JOB's wire, as fast as it goes", floorFull, true, offer(full).cost},
		{floorFull, "", false, demand{jobs: floorGroup}.floorCost},
	}
	if o.Gate || o.Update {
		return rows
	}
	peer, err := buildPeer(ctx, o)
	if err != nil {
		fmt.Printf("  without xxl-job-executor-go: %v\n", err)
	}
	if peer != "" {
		p := offer(full)
		p.peer = peer
		rows = append(rows, costRow{"Orth's server, xxl-job-executor-go, the same", floorFull, false, p.cost})
	}
	rows = append(rows, rowsCosts("SQLite", false)...)
	if o.Database == "" || isMySQL(o.Database) {
		return rows
	}
	p := offer(full).natively()
	p.shared = true
	rows = append(rows, costRow{"Orth natively on PostgreSQL, as fast as it goes", floorFull, false, p.cost})
	if o.Peer != "" {
		rows = append(rows, costRow{"the peer on PostgreSQL", floorFull, false, peerCost})
	}
	return append(rows, rowsCosts("PostgreSQL", true)...)
}

// rowsCosts are the rows of the database floor.
func rowsCosts(database string, shared bool) (rows []costRow) {
	for _, n := range []int{500, 64, 1} {
		rows = append(rows, costRow{
			fmt.Sprintf("%s, a row inserted and updated, %d in a transaction", database, n), "", false, transactions{n, shared}.cost,
		})
	}
	return rows
}

// costs measures every row in turns and leaves one table of the medians.
func costs(ctx context.Context, o options) ([]figure, error) {
	rows := slices.DeleteFunc(costRows(ctx, o), func(r costRow) bool { return !o.Setups.MatchString(r.name) })
	turns := make(map[string][]cost, len(rows))
	for round := range o.Rounds {
		for _, row := range rows {
			got, err := row.turn(ctx, o)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", row.name, err)
			}
			fmt.Printf("  %s: %.0f/s, server %.0f + executor %.0f + database %.0f µs\n", row.name, got.rate, got.server, got.executor, got.database)
			turns[row.name] = append(turns[row.name], got)
		}
		setRatios(rows, turns, round)
	}
	medians := make([]cost, len(rows))
	for i, row := range rows {
		medians[i] = medianCost(turns[row.name])
	}
	return nil, errors.Join(costTable(o.Last, rows, medians), judge(o, rows, medians))
}

// setRatios sets the ratios of a round: each to the floor of the same minutes.
func setRatios(rows []costRow, turns map[string][]cost, round int) {
	for _, row := range rows {
		floors := turns[row.floor] // none for a floor, and where -setups leaves it out
		if round < len(floors) && floors[round].sum() > 0 {
			turns[row.name][round].ratio = turns[row.name][round].sum() / floors[round].sum()
		}
	}
}

// columns are the values, in the order of the table.
func (c *cost) columns() []*float64 {
	return []*float64{
		&c.rate, &c.server, &c.executor, &c.database, &c.ratio, &c.p50, &c.p99, &c.written, &c.trips, &c.switches,
	}
}

// medianCost returns the median of each column.
func medianCost(turns []cost) (m cost) {
	for i, to := range m.columns() {
		values := make([]float64, len(turns))
		for j := range turns {
			values[j] = *turns[j].columns()[i]
		}
		*to = middle(values)
	}
	return m
}

// costTable prints a row for each, with a dash for what is not known.
func costTable(w io.Writer, rows []costRow, costs []cost) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(t, "recorded/s\tserver\texecutor\tdatabase\tsum, CPU µs/run\tof the floor\tlate p50, ms\tp99\tdisk bytes/run\ttrips/run\tswitches/run\t  what")
	for i, row := range rows {
		c := costs[i]
		for _, cell := range []string{
			known(c.rate, 0), known(c.server, 1), known(c.executor, 1), known(c.database, 1), known(c.sum(), 1), known(c.ratio, 2),
			known(c.p50, 2), known(c.p99, 2), known(c.written, 0), known(c.trips, 3), known(c.switches, 2),
		} {
			_, _ = fmt.Fprint(t, cell, "\t")
		}
		_, _ = fmt.Fprintf(t, "  %s\n", row.name)
	}
	return t.Flush()
}

func known(v float64, digits int) string {
	if v == 0 {
		return "–"
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// cost is one turn of the whole path.
func (p path) cost(ctx context.Context, o options) (c cost, err error) {
	o.Jobs, o.Every, o.Dialect, o.Shared = p.jobs, p.every, string(p.dialect), p.shared
	if p.shared {
		made, err := makeDatabase(ctx, o.Database)
		if err != nil {
			return c, err
		}
		defer func() { err = errors.Join(err, made.drop(context.WithoutCancel(ctx))) }()
		o.Database = made.address
	}
	r, err := newRig(o, "table")
	if err != nil {
		return c, err
	}
	defer r.end()
	r.peer = p.peer
	if err := r.start(ctx); err != nil {
		return c, err
	}
	if err := wait(ctx, warmup); err != nil {
		return c, err
	}
	w, err := r.window(ctx, o.Window)
	if err != nil {
		return c, err
	}
	return w.cost().with(p.demand, w.notes), nil
}

// with adds the lateness, where the demand was met: else it is the backlog's.
func (c cost) with(d demand, notes []note) cost {
	if d.every > 0 && c.rate > 0.95*d.offered() {
		late := latenessOf(notes)
		c.p50, c.p99 = late.at(0.50), late.at(0.99)
	}
	return c
}

// cost is what the window's processes have used for each run.
func (w window) cost() cost {
	micros := func(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) / float64(w.runs) }
	return cost{
		rate: w.rate(), server: micros(w.server), executor: micros(w.executor), database: micros(w.database),
		written: float64(w.written) / float64(w.runs), switches: float64(w.switches) / float64(w.runs),
	}
}

// floorCost is one turn of the floor.
func (d demand) floorCost(ctx context.Context, o options) (c cost, err error) {
	o.Jobs, o.Every = d.jobs, d.every
	r, err := newRig(o, "floor")
	if err != nil {
		return c, err
	}
	defer r.end()
	if r.server, err = child(ctx, r.o, "floor-server"); err != nil {
		return c, err
	}
	if err := r.server.says(); err != nil { // started
		return c, err
	}
	if r.executor, err = child(ctx, r.o, "floor-executor"); err != nil {
		return c, err
	}
	if r.side, err = r.executor.answers(); err != nil {
		return c, err
	}
	if err := wait(ctx, warmup); err != nil {
		return c, err
	}
	w, err := r.watch(ctx, o.Window)
	if err != nil {
		return c, err
	}
	// All but the last two messages of these have been recorded.
	if w.runs = int64(len(w.notes)); w.runs == 0 {
		return c, errors.New("the floor has run nothing")
	}
	return w.cost().with(d, w.notes), nil
}

// transactions is a turn of the database floor.
type transactions struct {
	rows   int // in each
	shared bool
}

func (d transactions) cost(ctx context.Context, o options) (c cost, err error) {
	o.Jobs, o.Shared, o.Profile = d.rows, d.shared, "" // it takes no other orders
	if d.shared {
		made, err := makeDatabase(ctx, o.Database)
		if err != nil {
			return c, err
		}
		defer func() { err = errors.Join(err, made.drop(context.WithoutCancel(ctx))) }()
		o.Database = made.address
	}
	r, err := newRig(o, "rows")
	if err != nil {
		return c, err
	}
	defer r.end()
	if r.server, err = child(ctx, r.o, "rows"); err != nil {
		return c, err
	}
	if err := r.server.says(); err != nil { // ready
		return c, err
	}
	if err := wait(ctx, time.Second); err != nil {
		return c, err
	}
	from, err := r.rows()
	if err != nil {
		return c, err
	}
	w, err := r.watch(ctx, o.Window)
	if err != nil {
		return c, err
	}
	to, err := r.rows()
	if w.runs = to - from; err != nil || w.runs == 0 {
		return c, errors.Join(err, errors.New("no row was written"))
	}
	c = w.cost()
	if d.shared {
		c.trips = 2 / float64(d.rows)
	}
	return c, nil
}

// rows asks how many rows have been written.
func (r *rig) rows() (int64, error) {
	r.server.tell(howMany)
	answer, err := r.server.answers()
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(answer, 10, 64)
}

// peerCost is one turn of the other system. Its jobs end in the process that fetched them.
func peerCost(ctx context.Context, o options) (cost, error) {
	got, err := peer(ctx, o)
	return cost{rate: got.rate, server: got.server, database: got.database}, err
}
