package overview

import (
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/orthd/orth/api"
)

func TestPercent(t *testing.T) {
	t.Parallel()
	for rate, want := range map[float64]string{
		0: "0%", 1: "100%", 0.5: "50%", 0.123: "12.3%", 0.12345: "12.3%", 0.99999: "99.9%", 0.00001: "0.1%", 0.8907: "89.1%",
	} {
		if got := percent(rate); got != want {
			t.Errorf("%v is shown as %s, want %s", rate, got, want)
		}
	}
}

func TestBrief(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "", 4400 * time.Microsecond: "4ms", 1234567 * time.Microsecond: "1.2s", 60500 * time.Millisecond: "1m1s",
		time.Hour: "1h", 26*time.Hour + 90*time.Second: "26h1m30s",
	} {
		if got := brief(api.Duration(d)); got != want {
			t.Errorf("%s is shown as %q, want %q", d, got, want)
		}
	}
}

func TestStatsDays(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 3, 1, 0, 30, 0, 0, time.FixedZone("", 3600))
	from, to, err := statsDays(1, "", now)
	if want := "2030-02-28"; err != nil || from.Format(time.DateOnly) != want || to.Format(time.DateOnly) != want {
		t.Errorf("today is %s to %s, %v", from, to, err)
	}
	from, _, err = statsDays(400, "2030-03-01", now)
	if err != nil || from.Format(time.DateOnly) != "2029-01-26" {
		t.Errorf("400 days begin %s, %v", from, err)
	}
	for _, days := range []int{-1, 0, 401} {
		if _, _, err := statsDays(days, "", now); err == nil {
			t.Errorf("%d days are taken", days)
		}
	}
}

// A bar is never wider than there is room, and empty only when nothing ended.
func TestBar(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(0, 1<<40)
		f := api.Figures{Succeeded: n.Draw(t, "succeeded"), Lost: n.Draw(t, "lost"), Skipped: n.Draw(t, "skipped")}
		f.Runs = f.Succeeded + f.Lost + f.Skipped
		most := f.Runs + n.Draw(t, "more elsewhere")
		drawn := utf8.RuneCountInString(bar(&f, most))
		if drawn > barWidth+2 || (drawn == 0) != (f.Runs == 0) {
			t.Errorf("%d marks for %d of %d", drawn, f.Runs, most)
		}
	})
}
