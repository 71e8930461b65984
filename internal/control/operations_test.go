package control

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/mem"
	"github.com/orthd/orth/job"
)

func TestListShowsAllItemsInPages(t *testing.T) {
	t.Parallel()
	eachWay(t, Config{}, func(r *rig, o Operations) {
		t := r.t
		var want []int64
		for key := range int64(40) { // more than two inner pages
			want = append(want, 1<<60+key)
		}
		r.push("tasks", queue.Dead, want...)
		r.push("tasks", queue.Scheduled, 7)
		r.push("outbox", queue.Dead, 8)
		for _, limit := range []int{1, 16, 19, 20, 40, 41, MaxLimit} {
			var got []int64
			pages := 0
			for query := (Query{Queue: "tasks", Place: queue.Dead, Limit: limit}); ; pages++ {
				page, err := o.List(t.Context(), query)
				must(t, err)
				for _, it := range page.Items {
					got = append(got, int64(it.Key))
				}
				if page.Next == 0 {
					break
				}
				query.After = page.Next
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("limit %d: %s", limit, diff)
			}
			if most := (len(want) - 1) / limit; pages != most {
				t.Errorf("limit %d: %d pages before the last, want %d", limit, pages, most)
			}
		}
	})
}

func TestShow(t *testing.T) {
	t.Parallel()
	eachWay(t, Config{}, func(r *rig, o Operations) {
		t := r.t
		script := strings.Repeat("<é>", 100)
		r.pushBody("tasks", queue.Dead, 5, fmt.Appendf(nil, `{"source":%q,"attempt":1152921504606846977}`, script))
		r.push("tasks", queue.Remembered, 6)
		r.pushBody("tasks", queue.Scheduled, 7, []byte("no \xff JSON"))
		short := strings.Repeat("<é>", 64) + "<" + job.CutMark
		want := Item{
			Key: 5, Place: "dead", Seq: 1, DueAt: api.At(due), AddedAt: api.At(added), Note: "reason 5", Size: 443,
			About: fmt.Appendf(nil, `{"attempt":1152921504606846977,"source":%q}`, short),
		}
		got, err := o.Show(t.Context(), "tasks", 5, false)
		must(t, err)
		if diff := cmp.Diff(show(want), show(got)); diff != "" {
			t.Error(diff)
		}
		got, err = o.Show(t.Context(), "tasks", 5, true)
		must(t, err)
		if want := fmt.Sprintf(`{"source":%q,"attempt":1152921504606846977}`, script); string(got.Body) != want {
			t.Errorf("the body is %s, want %s", got.Body, want)
		}
		got, err = o.Show(t.Context(), "tasks", 6, true)
		must(t, err)
		if diff := cmp.Diff(show(Item{Key: 6, Place: "finished"}), show(got)); diff != "" {
			t.Error(diff)
		}
		got, err = o.Show(t.Context(), "tasks", 7, true)
		must(t, err)
		if string(got.Body) != `"no � JSON"` || got.About != nil || !strings.Contains(got.Unreadable, "not JSON") {
			t.Errorf("got %+v", got)
		}
		_, err = o.Show(t.Context(), "tasks", 8, false)
		wantKind(t, err, job.NotFound)
	})
}

// show makes the raw JSON of an item readable in a diff.
func show(it Item) string { return fmt.Sprintf("%+v about %s body %s", it, it.About, it.Body) }

func TestDescribe(t *testing.T) {
	t.Parallel()
	describe := func(queue string, body []byte) (any, error) {
		if queue == "outbox" {
			return nil, errors.New("a newer version wrote it")
		}
		return map[string]any{"bytes": len(body)}, nil
	}
	eachWay(t, Config{Describe: describe}, func(r *rig, o Operations) {
		t := r.t
		r.push("tasks", queue.Scheduled, 1)
		r.push("outbox", queue.Scheduled, 1)
		got, err := o.Show(t.Context(), "tasks", 1, false)
		must(t, err)
		if string(got.About) != `{"bytes":16}` {
			t.Errorf("about %s", got.About)
		}
		got, err = o.Show(t.Context(), "outbox", 1, false)
		must(t, err)
		if got.About != nil || got.Unreadable != "a newer version wrote it" {
			t.Errorf("got %+v", got)
		}
	})
}

func TestRedriveSome(t *testing.T) {
	t.Parallel()
	eachWay(t, Config{}, func(r *rig, o Operations) {
		t := r.t
		r.push("tasks", queue.Dead, 1, 2, 3)
		r.push("tasks", queue.Processing, 4)
		_, err := o.Redrive(t.Context(), "tasks", Selection{Keys: []api.ID{1, 4}})
		wantKind(t, err, job.NotFound)
		if got := keys(t, o, "tasks", queue.Dead); len(got) != 3 {
			t.Errorf("dead are %v after a refused selection", got)
		}
		if len(r.redriven) != 0 {
			t.Errorf("told of %v", r.redriven)
		}
		n, err := o.Redrive(t.Context(), "tasks", Selection{Keys: []api.ID{3, 1, 3}})
		must(t, err)
		got := fmt.Sprint(n, keys(t, o, "tasks", queue.Dead), keys(t, o, "tasks", queue.Scheduled), r.redriven)
		if got != "2 [2] [1 3] [tasks [1 3]]" {
			t.Error(got)
		}
		it, err := o.Show(t.Context(), "tasks", 1, false)
		must(t, err)
		if !it.DueAt.After(added.AddDate(-20, 0, 0)) || it.DueAt.Equal(due) {
			t.Errorf("due at %s, want now", it.DueAt)
		}
	})
}

func TestRedriveAll(t *testing.T) {
	t.Parallel()
	eachWay(t, Config{}, func(r *rig, o Operations) {
		t := r.t
		var all []int64
		for key := range int64(2*changePage + 5) {
			all = append(all, key+1)
		}
		r.push("tasks", queue.Dead, all...)
		n, err := o.Redrive(t.Context(), "tasks", Selection{All: true})
		must(t, err)
		if n != len(all) || len(r.redriven) != 3 {
			t.Errorf("%d redriven, told %d times", n, len(r.redriven))
		}
		if diff := cmp.Diff(all, keys(t, o, "tasks", queue.Scheduled)); diff != "" {
			t.Error(diff)
		}
		n, err = o.Redrive(t.Context(), "tasks", Selection{All: true})
		must(t, err)
		if n != 0 {
			t.Errorf("%d redriven of none", n)
		}
	})
}

// TestRedriveAllFillsTheQueue: what fits is redriven, and the error says how
// much that was.
func TestRedriveAllFillsTheQueue(t *testing.T) {
	t.Parallel()
	eachWay(t, Config{}, func(r *rig, o Operations) {
		t := r.t
		for key := range int64(190) {
			r.push("tasks", queue.Scheduled, 1000+key)
		}
		for key := range int64(30) {
			r.push("tasks", queue.Dead, 1+key)
		}
		_, err := o.Redrive(t.Context(), "tasks", Selection{All: true})
		wantKind(t, err, job.Full)
		if !strings.Contains(err.Error(), "only 10 items were redriven") || !strings.Contains(err.Error(), "200 items of 200") {
			t.Error(err)
		}
		if left := len(keys(t, o, "tasks", queue.Dead)); left != 20 {
			t.Errorf("%d are still dead, want 20", left)
		}
		_, err = o.Redrive(t.Context(), "tasks", Selection{Keys: []api.ID{30}})
		wantKind(t, err, job.Full)
	})
}

// TestAllEndsWhenItemsDieAgain: a task that dies at once after each redrive
// must not keep the command busy for ever.
func TestAllEndsWhenItemsDieAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, mem.New(), Config{})
	next := int64(1000)
	config := r.direct.config
	config.Redriven = func(_ string, redriven []int64) {
		for range redriven {
			next++
			r.push("tasks", queue.Dead, next)
		}
	}
	direct, err := NewQueues(config)
	must(t, err)
	r.push("tasks", queue.Dead, 1, 2, 3)
	n, err := direct.Redrive(t.Context(), "tasks", Selection{All: true})
	must(t, err)
	if got := keys(t, direct, "tasks", queue.Dead); n != 3 || len(got) != 3 {
		t.Errorf("%d redriven, dead are %v", n, got)
	}
}

func TestPurge(t *testing.T) {
	t.Parallel()
	eachWay(t, Config{}, func(r *rig, o Operations) {
		t := r.t
		for key := range int64(changePage + 5) {
			r.push("tasks", queue.Dead, 1+key)
		}
		r.push("tasks", queue.Processing, 500)
		r.push("outbox", queue.Dead, 1)
		_, err := o.Purge(t.Context(), "tasks", Selection{Keys: []api.ID{1, 500}})
		wantKind(t, err, job.NotFound)
		n, err := o.Purge(t.Context(), "tasks", Selection{Keys: []api.ID{1}})
		must(t, err)
		rest, err := o.Purge(t.Context(), "tasks", Selection{All: true})
		must(t, err)
		got := fmt.Sprint(n, rest, keys(t, o, "tasks", queue.Dead), keys(t, o, "tasks", queue.Processing), keys(t, o, "outbox", queue.Dead))
		if want := fmt.Sprint(1, changePage+4, " [] [500] [1]"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if len(r.redriven) != 0 {
			t.Errorf("told of %v", r.redriven)
		}
	})
}

func TestStats(t *testing.T) {
	t.Parallel()
	eachWay(t, Config{}, func(r *rig, o Operations) {
		t := r.t
		r.push("tasks", queue.Dead, 1, 2, 3)
		r.push("tasks", queue.Processing, 4, 5)
		r.push("tasks", queue.Scheduled, 6)
		r.push("tasks", queue.Remembered, 7, 8, 9, 10)
		got, err := o.Stats(t.Context())
		must(t, err)
		want := []Counts{
			{Queue: "outbox"},
			{Queue: "tasks", Scheduled: 1, Processing: 2, Dead: 3, Finished: 4, NextAt: api.At(due)},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestBackup(t *testing.T) {
	t.Parallel()
	eachWay(t, Config{}, func(r *rig, o Operations) {
		t := r.t
		r.push("tasks", queue.Dead, 1, 2, 3)
		var copied bytes.Buffer
		err := o.Backup(t.Context(), &copied)
		must(t, err)
		restored, err := mem.Untar(&copied)
		must(t, err)
		second := newRig(t, restored, Config{})
		if got := keys(t, second.direct, "tasks", queue.Dead); !slices.Equal(got, []int64{1, 2, 3}) {
			t.Errorf("the copy has %v", got)
		}
		full := errors.New("disk full")
		if err := o.Backup(t.Context(), failing{full}); err == nil || !strings.Contains(err.Error(), full.Error()) {
			t.Errorf("got %v, want the text of the writer's error", err)
		}
	})
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestWrongInput(t *testing.T) {
	t.Parallel()
	eachWay(t, Config{}, func(r *rig, o Operations) {
		t := r.t
		list := func(q Query) error {
			_, err := o.List(t.Context(), q)
			return err
		}
		redrive := func(queue string, s Selection) error {
			_, err := o.Redrive(t.Context(), queue, s)
			return err
		}
		_, purge := o.Purge(t.Context(), "tasks", Selection{})
		_, shown := o.Show(t.Context(), "a/b?c", 1, false)
		for name, c := range map[string]struct {
			err         error
			field, want string
		}{
			"queue":         {list(Query{"jobs", queue.Dead, 0, 1}), "queue", `"jobs" is no queue of this executor; use one of outbox, tasks`},
			"odd queue":     {shown, "queue", `"a/b?c" is no queue`},
			"change queue":  {redrive("jobs", Selection{All: true}), "queue", "use one of outbox, tasks"},
			"place":         {list(Query{"tasks", queue.Remembered, 0, 1}), "place", "use one of scheduled, processing, dead"},
			"no limit":      {list(Query{"tasks", queue.Dead, 0, 0}), "limit", "0 is not between 1 and 200"},
			"limit":         {list(Query{"tasks", queue.Dead, 0, MaxLimit + 1}), "limit", "201 is not between 1 and 200"},
			"both":          {redrive("tasks", Selection{Keys: []api.ID{1}, All: true}), "keys", "exclude each other"},
			"neither":       {redrive("tasks", Selection{}), "keys", "are missing"},
			"purge neither": {purge, "keys", "are missing"},
			"too many":      {redrive("tasks", Selection{Keys: make([]api.ID, MaxKeys+1)}), "keys", "at most 1000"},
		} {
			wrong, ok := errors.AsType[*job.Error](c.err)
			if !ok || wrong.Kind != job.Invalid || wrong.Field != c.field || !strings.Contains(wrong.Message, c.want) {
				t.Errorf("%s: got %#v", name, c.err)
			}
		}
	})
}

func TestNewQueuesWantsAll(t *testing.T) {
	t.Parallel()
	_, err := NewQueues(Config{})
	wantKind(t, err, job.Invalid)
	_, err = NewQueues(Config{Store: &queue.Store{}})
	wantKind(t, err, job.Invalid)
}
