package schedule

import (
	"hash/fnv"
	"testing"
	"time"
)

func TestDelay(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		delay       time.Duration
		after, want time.Time // zero for never
	}{
		{10 * time.Minute, at, at.Add(10 * time.Minute)},
		{MinEvery, at.Add(1), at.Add(MinEvery)},
		{30 * 24 * time.Hour, at, at.AddDate(0, 0, 30)},
		{10 * 365 * 24 * time.Hour, at, at.Add(10 * 365 * 24 * time.Hour)},
		{MaxEvery, at, at.Add(MaxEvery)},
		{MaxEvery, at.Add(MaxEvery), time.Time{}},
		{time.Hour, time.Time{}, time.Unix(3600, 0)},
		{time.Hour, time.Unix(-1<<60, 0), time.Unix(3600, 0)},
		{time.Hour, time.Unix(1<<60, 0), time.Time{}},
	}
	for _, tc := range tests {
		s, err := newDelay(tc.delay)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := s.Next(tc.after)
		if !got.Equal(tc.want) || ok == tc.want.IsZero() {
			t.Errorf("%s after %s is %s, %t; want %s", tc.delay, tc.after, got, ok, tc.want)
		}
	}
}

// The hash is stored with jobs, so it never changes. It is FNV-1a.
func TestSeed(t *testing.T) {
	t.Parallel()
	for _, of := range [][2]string{{"", ""}, {"default", "report"}, {"团队", "日报"}} {
		hash := fnv.New32a()
		_, _ = hash.Write([]byte(of[0] + "\x00" + of[1]))
		if got := Seed(of[0], of[1]); got != hash.Sum32() {
			t.Errorf("Seed(%q, %q) = %#x, want %#x", of[0], of[1], got, hash.Sum32())
		}
	}
	if got := Seed("default", "report"); got != 0xf9f53540 {
		t.Errorf("Seed is %#x: stored jobs would move", got)
	}
	if Seed("a", "bc") == Seed("ab", "c") {
		t.Error("the seed does not tell the namespace from the key")
	}
}

// The jobs of one time spread evenly over the jitter, each always the same.
func TestJitterSpreads(t *testing.T) {
	t.Parallel()
	const jobs, parts = 6000, 60
	for name, seed := range map[string]func(int) uint32{
		"keys in a row":  func(i int) uint32 { return Seed("default", "job-"+string(rune('a'+i%26))+time.Duration(i).String()) },
		"seeds in a row": func(i int) uint32 { return uint32(i) },
	} {
		var full [parts]int
		for i := range jobs {
			offset := jitterOf(time.Hour, seed(i))
			if offset < 0 || offset >= time.Hour || offset%time.Millisecond != 0 {
				t.Fatalf("the jitter is %s", offset)
			}
			full[offset/time.Minute]++
		}
		for minute, n := range full {
			if n < 55 || n > 155 {
				t.Errorf("%s: minute %d has %d of %d jobs", name, minute, n, jobs)
			}
		}
	}
	for _, seed := range []uint32{0, 1, 1 << 31, 1<<32 - 1} {
		if offset := jitterOf(time.Millisecond, seed); offset != 0 {
			t.Errorf("a jitter of 1 ms is %s", offset)
		}
		if offset := jitterOf(MaxJitter, seed); offset < 0 || offset >= MaxJitter {
			t.Errorf("a jitter of a day is %s", offset)
		}
	}
}

// Order and spacing of firings do not change.
func TestJitterIsConstant(t *testing.T) {
	t.Parallel()
	plain := Spec{Kind: KindCron, Cron: "0 */7 8-10 ? * MON-FRI", Zone: "Europe/Berlin"}
	late := plain
	late.Jitter, late.Seed = 24*time.Hour, 99
	offset := jitterOf(late.Jitter, late.Seed)
	at := utcOf(t, "2026-03-25 00:00:00")
	want, got := firings(compiledWith(t, plain), at, 100), firings(compiledWith(t, late), at.Add(offset), 100)
	for i := range want {
		if !got[i].Equal(want[i].Add(offset)) {
			t.Fatalf("firing %d is %s, want %s and %s", i, got[i], want[i], offset)
		}
	}
}
