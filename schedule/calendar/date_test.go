package calendar

import (
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestDayNumbers(t *testing.T) {
	t.Parallel()
	if n := (Date{MinYear, 1, 1}).number(); n != firstDay {
		t.Errorf("the first day is number %d", n)
	}
	if n := (Date{MaxYear, 12, 31}).number(); n != lastDay {
		t.Errorf("the last day is number %d, want %d", n, lastDay)
	}
	day := time.Date(1969, 1, 1, 12, 0, 0, 0, time.UTC)
	for n := -365; n <= lastDay+365; n, day = n+1, day.AddDate(0, 0, 1) {
		d := DateOf(day)
		if d.number() != n || dateOf(n) != d || weekdayOf(n) != day.Weekday() || d.Weekday() != day.Weekday() {
			t.Fatalf("%s has number %d, weekday %s, want %d, %s", d, d.number(), weekdayOf(n), n, day.Weekday())
		}
	}
}

func TestDays(t *testing.T) {
	t.Parallel()
	number := rapid.IntRange(firstDay, lastDay)
	rapid.Check(t, func(t *rapid.T) {
		var s days
		first := number.Draw(t, "first")
		last := min(lastDay, first+rapid.IntRange(0, 200).Draw(t, "more"))
		s.addAll(first, last)
		from := max(firstDay, first-70)
		if n, found := s.nextDay(from); !found || n != first {
			t.Fatalf("next(%d) = %d, %v, want %d", from, n, found, first)
		}
		for n := from; n <= min(lastDay, last+70); n++ {
			if s.has(n) != (first <= n && n <= last) {
				t.Fatalf("has(%d) = %v in %d..%d", n, s.has(n), first, last)
			}
		}
		s.remove(last)
		s.complement()
		if !s.has(last) || first < last && s.has(first) {
			t.Fatalf("wrong complement of %d..%d", first, last-1)
		}
	})
	var none days
	none.addAll(firstDay, lastDay)
	none.complement()
	if n, found := none.nextDay(firstDay); found {
		t.Errorf("the complement of all days has %d", n)
	}
}

func TestParseDate(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"1970-01-01", "2024-02-29", "2126-12-31"} {
		d, err := ParseDate(text)
		if err != nil || d.String() != text || d.IsZero() {
			t.Errorf("ParseDate(%q) = %s, %v", text, d, err)
		}
	}
	for _, text := range []string{"", "1969-12-31", "2127-01-01", "2026-02-29", "2026-2-9", "2026-02-09T00:00:00Z", "20260209"} {
		if d, err := ParseDate(text); err == nil || !d.IsZero() {
			t.Errorf("ParseDate(%q) = %s, %v, want an error", text, d, err)
		}
	}
	if got := (Date{2026, 2, 28}).Add(1); got != (Date{2026, 3, 1}) {
		t.Errorf("Add(1) = %s", got)
	}
	if a, b := (Date{2026, 2, 28}), (Date{2026, 3, 1}); a.Compare(b) != -1 || b.Compare(a) != 1 || b.Compare(a.Add(1)) != 0 {
		t.Error("Compare is wrong")
	}
}

func TestWeekday(t *testing.T) {
	t.Parallel()
	var week []Weekday
	if err := json.Unmarshal([]byte(`["mon", "TUE", "Wed", "thU", "FRI", "SAT", "SUN"]`), &week); err != nil {
		t.Fatal(err)
	}
	for i, w := range week {
		if want := time.Weekday((i + 1) % 7); time.Weekday(w) != want {
			t.Errorf("weekday %d = %v, want %v", i, w, want)
		}
	}
	text, err := json.Marshal(week)
	if want := `["MON","TUE","WED","THU","FRI","SAT","SUN"]`; err != nil || string(text) != want {
		t.Errorf("Marshal = %s, %v, want %s", text, err, want)
	}
	for _, text := range []string{"", "MONDAY", "UNM", "1", "ONT", "日"} {
		if _, err := ParseWeekday(text); err == nil {
			t.Errorf("ParseWeekday(%q) gives no error", text)
		}
	}
	if _, err := Weekday(7).MarshalText(); err == nil {
		t.Error("weekday 7 has a text")
	}
	if got := Weekday(-1).String(); got != "weekday -1" {
		t.Errorf("String = %q", got)
	}
}
