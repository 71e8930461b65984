package schedule

import (
	"testing"
	"time"
)

// Every day that can fire, compared with package time.
func TestCivilAgreesWithTheCalendar(t *testing.T) {
	t.Parallel()
	at := time.Unix(0, 0).UTC()
	for day := int64(0); at.Year() <= MaxYear+1; day, at = day+1, at.AddDate(0, 0, 1) {
		year, month, date := civil(day)
		if year != at.Year() || month != int(at.Month()) || date != at.Day() {
			t.Fatalf("civil(%d) = %d-%d-%d, want %s", day, year, month, date, at.Format(time.DateOnly))
		}
		if got := weekday(day); got != int(at.Weekday()) {
			t.Fatalf("weekday(%d) = %d, want %s", day, got, at.Weekday())
		}
		if got := daysBefore(year, month) + int64(date) - 1; got != day {
			t.Fatalf("daysBefore(%d, %d) leads to day %d, want %d", year, month, got, day)
		}
		if got, want := monthLength(year, month), daysOf(at); got != want {
			t.Fatalf("monthLength(%d, %d) = %d, want %d", year, month, got, want)
		}
	}
	if end := daysBefore(MaxYear+1, 1) * secondsPerDay; end > lastWall {
		t.Errorf("lastWall is %d, but %d ends at %d", int64(lastWall), MaxYear, end)
	}
}

func TestClockNext(t *testing.T) {
	t.Parallel()
	const none = -1
	clock := func(h, m, s int) int { return h*3600 + m*60 + s }
	cron := mustParse(t, "15,45 10-20/10 8,22 * * ?", "")
	if want := clock(8, 10, 15); cron.midnight != want {
		t.Errorf("the first time of day is %d, want %d", cron.midnight, want)
	}
	tests := []struct{ from, want int }{
		{0, clock(8, 10, 15)},
		{clock(8, 10, 15), clock(8, 10, 15)},
		{clock(8, 10, 16), clock(8, 10, 45)},
		{clock(8, 10, 46), clock(8, 20, 15)},
		{clock(8, 11, 0), clock(8, 20, 15)},
		{clock(8, 20, 46), clock(22, 10, 15)},
		{clock(8, 59, 59), clock(22, 10, 15)},
		{clock(21, 0, 0), clock(22, 10, 15)},
		{clock(22, 20, 45), clock(22, 20, 45)},
		{clock(22, 20, 46), none},
		{clock(23, 59, 59), none},
	}
	for _, tc := range tests {
		got, ok := cron.clockNext(tc.from)
		if !ok {
			got = none
		}
		if got != tc.want {
			t.Errorf("clockNext(%d) = %d, want %d", tc.from, got, tc.want)
		}
	}
}

// The stretches of a zone lie end to end, on the clock of UTC and, for whatever
// the clock on the wall shows, in order. Within one the clock does not step.
func TestStretchesFollowEachOther(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{
		"America/New_York", "America/Sao_Paulo", "Australia/Lord_Howe", "Asia/Beirut", "Pacific/Apia", "Africa/Casablanca",
		"Europe/Dublin", "Antarctica/Troll",
	} {
		location := mustZone(t, zone)
		s := stretchAt(location, 0)
		for !s.endless && s.end < lastSecond {
			next := stretchAt(location, s.end)
			if next.end <= s.end {
				t.Fatalf("%s: a stretch ends at %d, the next at %d", zone, s.end, next.end)
			}
			begin := s.first - s.offset
			for at := begin; at < s.end; at += (s.end-begin)/8 + 1 {
				if _, offset := time.Unix(at, 0).In(location).Zone(); int64(offset) != s.offset {
					t.Fatalf("%s: in a stretch up to %d the clock steps before %d", zone, s.end, at)
				}
			}
			if s.until() > next.first || s.until() > s.end+s.offset {
				t.Fatalf("%s: a stretch holds wall times up to %d, the next from %d", zone, s.until(), next.first)
			}
			if !s.holds(s.until()-1) || s.holds(s.until()) {
				t.Fatalf("%s: a stretch does not end at %d", zone, s.until())
			}
			s = next
		}
	}
}
