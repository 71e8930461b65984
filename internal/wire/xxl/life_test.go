package xxl

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

// showLife shows a life in a room's list of calls.
func showLife(l job.Life) string {
	load := "?"
	if l.Load != nil {
		load = fmt.Sprint(*l.Load)
	}
	return fmt.Sprintf("%s since %d every %v load %s holds %v whole %t",
		l.Incarnation, l.StartedAt.UnixMilli(), l.Every, load, l.Holds, l.Whole)
}

// TestLifeTravels registers through a real client and handler.
func TestLifeTravels(t *testing.T) {
	t.Parallel()
	life := job.Life{Incarnation: "f00d", StartedAt: time.UnixMilli(1_900_000_000_000).UTC(), Every: 2500 * time.Millisecond}
	room := new(serverRoom)
	addr := serve(t, NewAdminHandler(AdminConfig{Leases: room, Outcomes: room}))
	client, err := NewAdminClient(AdminClientConfig{
		Addresses: []string{"http://" + addr}, Timeout: 10 * time.Second, Life: func() job.Life { return life },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	beat := func() string {
		if err := client.Register(t.Context(), "a", "http://h/"); err != nil {
			t.Fatal(err)
		}
		return room.take()
	}
	const start = "register a http://h/ life f00d since 1900000000000 every 2.5s "
	many := make([]int64, job.MaxHolds)
	for i := range many {
		many[i] = 1<<60 + int64(i)*1000
	}
	huge := make([]int64, job.MaxHolds)
	for i := range huge {
		huge[i] = int64(i+1) * 1_000_000_000
	}
	for _, c := range []struct {
		change func()
		want   string
	}{
		{func() {}, start + "load ? holds [] whole false"},
		{func() { life.Whole = true }, start + "load ? holds [] whole true"},
		{func() { life.Load = &job.Load{Running: 3, Waiting: 7} }, start + "load {3 7} holds [] whole true"},
		{func() { life.Holds = []int64{9, 4, 7, 4} }, start + "load {3 7} holds [4 7 9] whole true"},
		{func() { life.Holds = many }, start + fmt.Sprintf("load {3 7} holds %v whole true", many)},
		{func() { life.Holds = append([]int64{1}, many...) }, start + "load {3 7} holds [] whole false"},
		{func() { life.Holds = huge }, start + "load {3 7} holds [] whole false"},
		{func() { life.Holds, life.Whole = []int64{4}, false }, start + "load {3 7} holds [] whole false"},
		{func() { life.Incarnation = "with a blank" }, "register a http://h/"},
	} {
		c.change()
		if diff := cmp.Diff(c.want, beat()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// What others may write there is no verdict over attempts.
func TestLifeOfStrangers(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "no", "none,1", "0", "-1", "1,0", "1,,2", "1, 2", "+", "1;2", "9223372036854775807,1", "99999999999999999999",
		strings.Repeat("1,", job.MaxHolds) + "1", strings.Repeat("1", dialect.MaxHoldingText+1),
	} {
		h := http.Header{dialect.HeaderIncarnation: {"x"}, dialect.HeaderHolding: {text}}
		if l := dialect.ReadLife(h); l.Whole || l.Holds != nil {
			t.Errorf("%.40q was read as %d attempts", text, len(l.Holds))
		}
	}
	for _, text := range []string{"", "3", "3,", ",3", "-1,2", "1,2,3", "x,y", "99999999999,1"} {
		if l := dialect.ReadLife(http.Header{dialect.HeaderIncarnation: {"x"}, dialect.HeaderLoad: {text}}); l.Load != nil {
			t.Errorf("load %q was read as %+v", text, *l.Load)
		}
	}
	for _, text := range []string{"", "a b", "a,b", "ä", strings.Repeat("x", job.MaxIncarnation+1)} {
		h := http.Header{dialect.HeaderIncarnation: {text}, dialect.HeaderHolding: {dialect.HoldsNone}, dialect.HeaderLoad: {"1,2"}}
		if diff := cmp.Diff(job.Life{}, dialect.ReadLife(h)); diff != "" {
			t.Errorf("incarnation %q: %s", text, diff)
		}
	}
}

func TestHoldingRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfN(rapid.Int64Range(1, math.MaxInt64), 0, 100).Draw(t, "ids")
		got, whole := dialect.ParseHolding(string(dialect.AppendHolding(nil, ids)))
		want := slices.Compact(slices.Sorted(slices.Values(ids)))
		if !whole || !slices.Equal(got, want) {
			t.Errorf("%v became %v, %t", want, got, whole)
		}
	})
}

// FuzzHolding finds texts that are misread.
func FuzzHolding(f *testing.F) {
	for _, text := range []string{"none", "1", "7,1,1", "1,-1", "9223372036854775807", ","} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		holds, whole := dialect.ParseHolding(text)
		if !whole {
			if holds != nil {
				t.Fatalf("%q: attempts that are not whole", text)
			}
			return
		}
		if len(holds) > job.MaxHolds || !slices.IsSorted(holds) || len(holds) > 0 && holds[0] <= 0 {
			t.Fatalf("%q became %v", text, holds)
		}
	})
}
