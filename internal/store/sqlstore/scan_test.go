package sqlstore

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/job"
)

func TestScan(t *testing.T) {
	t.Parallel()
	type row struct {
		ID    int64
		Tries int
		State job.State
		On    bool
		At    time.Time
		For   time.Duration
		List  []int64
	}
	at := time.UnixMilli(1_700_000_000_123).UTC()
	old := row{1, 2, job.Lost, true, at, time.Hour, []int64{9}}
	for name, c := range map[string]struct {
		src  []any
		want row
	}{
		"values": {
			[]any{int64(7), int64(3), "queued", int64(1), int64(1_700_000_000_123), int64(1500), "[1,2]"},
			row{7, 3, job.Queued, true, at, 1500 * time.Millisecond, []int64{1, 2}},
		},
		"bytes": {
			[]any{int64(7), int64(3), []byte("queued"), int64(0), int64(0), int64(0), []byte("[]")},
			row{ID: 7, Tries: 3, State: job.Queued},
		},
		"nothing": {[]any{nil, nil, nil, nil, nil, nil, nil}, row{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := old
			for i, dest := range []interface{ Scan(any) error }{
				(*integer)(&got.ID), (*count)(&got.Tries), (*text)(&got.State), (*truth)(&got.On),
				(*instant)(&got.At), (*period)(&got.For),
				document[[]int64]{&got.List},
			} {
				if err := dest.Scan(c.src[i]); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestScanRefusesOtherTypes(t *testing.T) {
	t.Parallel()
	var row struct {
		n int64
		s string
		t time.Time
		l []int64
	}
	for name, err := range map[string]error{
		"text as a number":    (*integer)(&row.n).Scan("1"),
		"number as a text":    (*text)(&row.s).Scan(int64(1)),
		"text as an instant":  (*instant)(&row.t).Scan("now"),
		"number as JSON":      document[[]int64]{&row.l}.Scan(int64(1)),
		"JSON of other shape": document[[]int64]{&row.l}.Scan(`{"a":1}`),
		"broken JSON":         document[[]int64]{&row.l}.Scan(`[1`),
	} {
		if err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	if got := nullable(time.Time{}); got != nil {
		t.Errorf("the zero time is %v", got)
	}
	if got := nullable(time.UnixMilli(5)); got != int64(5) {
		t.Errorf("an instant is %v", got)
	}
	for d, want := range map[time.Duration]int64{0: 0, 1: 1, time.Millisecond: 1, time.Millisecond + 1: 2, time.Second: 1000} {
		if got := whole(d); got != want {
			t.Errorf("%s is %d ms, want %d", d, got, want)
		}
	}
	if _, err := encode(func() {}); !job.Is(err, job.Invalid) {
		t.Errorf("a function as JSON: %v", err)
	}
	if bit(true) != 1 || bit(false) != 0 {
		t.Error("truth values are not 1 and 0")
	}
}
