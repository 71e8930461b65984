package job

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var sunday = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

func hold(tb testing.TB, p Pause) *Hold {
	tb.Helper()
	h, err := p.Compile()
	if err != nil {
		tb.Fatal(err)
	}
	return h
}

func TestPauseCompile(t *testing.T) {
	t.Parallel()
	good := func() Pause {
		return Pause{Key: "upgrade", From: sunday, Window: &Window{Cron: "0 0 2 ? * SUN", For: 3 * time.Hour}}
	}
	for name, change := range map[string]func(*Pause){
		"as it is":           func(*Pause) {},
		"once":               func(p *Pause) { p.Window = nil },
		"once, with an end":  func(p *Pause) { p.Window, p.Until = nil, p.From.Add(time.Millisecond) },
		"the longest reason": func(p *Pause) { p.Reason = strings.Repeat("é", MaxPauseReason) },
		"namespace":          func(p *Pause) { p.Namespace = "shop" },
		"groups":             func(p *Pause) { p.Groups = []string{"Shop-Executor", "b"} },
		"a Unix expression":  func(p *Pause) { p.Window.Cron = "0 2 * * 0" },
		"a macro":            func(p *Pause) { p.Window.Cron = "@daily" },
		"a zone":             func(p *Pause) { p.Window.Zone = "Europe/Berlin" },
		"the shortest":       func(p *Pause) { p.Window.For = time.Second },
		"the longest":        func(p *Pause) { p.Window.For = 7 * 24 * time.Hour },
		"begun before from":  func(p *Pause) { p.From, p.Until = sunday.Add(3*time.Hour), sunday.Add(4*time.Hour) },
		"begins at from":     func(p *Pause) { p.From, p.Until = sunday.Add(2*time.Hour), sunday.Add(2*time.Hour+1) },
	} {
		p := good()
		change(&p)
		if _, err := p.Compile(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, bad := range []struct {
		change func(*Pause)
		field  string
		text   string
	}{
		{func(p *Pause) { p.Key = "" }, "key", "is missing"},
		{func(p *Pause) { p.Key = "All" }, "key", `"All" must be`},
		{func(p *Pause) { p.Reason = strings.Repeat("é", 1001) }, "reason", "has 1001 characters, at most 1000 are allowed"},
		{func(p *Pause) { p.Namespace = "No Space" }, "namespace", "must be lower-case"},
		{func(p *Pause) { p.Groups = make([]string, 65) }, "groups", "are 65, at most 64 are allowed"},
		{func(p *Pause) { p.Groups = []string{"a", "-"} }, "groups", `"-" must be`},
		{func(p *Pause) { p.From = time.Time{} }, "from", "the year 1 is out of range, allowed are 1970-2126"},
		{func(p *Pause) { p.Until = sunday.AddDate(200, 0, 0) }, "until", "the year 2226 is out of range"},
		{func(p *Pause) { p.Until = p.From }, "until", "2026-03-01T00:00:00Z is not after from, 2026-03-01T00:00:00Z: name a later instant"},
		{func(p *Pause) { p.Window.For = 0 }, "window.for", "0s is not a whole number of seconds from 1s to 168h"},
		{func(p *Pause) { p.Window.For = 1500 * time.Millisecond }, "window.for", "1.5s is not a whole number of seconds"},
		{func(p *Pause) { p.Window.For = 168*time.Hour + time.Second }, "window.for", "168h0m1s is not"},
		{func(p *Pause) { p.Window.Cron = "" }, "window.cron", ""},
		{func(p *Pause) { p.Window.Cron = "0 0 25 ? * SUN" }, "window.cron", "hour (column 5): 25 is out of range"},
		{func(p *Pause) { p.Window.Cron = "@every 90s" }, "window.cron", `"@every 90s" is no time of the clock`},
		{func(p *Pause) { p.Window.Cron = "0 0 0 31 2 ?" }, "window.cron", "never fires"},
		{func(p *Pause) { p.Window.Zone = "Mars" }, "window.zone", `the time zone "Mars" is unknown`},
		{func(p *Pause) { p.Window.Zone = "Local" }, "window.zone", `the time zone "Local" is unknown`},
		{func(p *Pause) { p.Until = p.From.Add(2 * time.Hour) }, "window.cron", "it never begins between the pause's from and until"},
		{func(p *Pause) { p.From = sunday.Add(5 * time.Hour); p.Until = sunday.Add(24 * time.Hour) }, "window.cron", "it never begins"},
		{func(p *Pause) { p.Window.Cron = "0 0 2 1 1 ? 2020" }, "window.cron", "it never begins"},
	} {
		p := good()
		bad.change(&p)
		_, err := p.Compile()
		wrong, ok := errors.AsType[*Error](err)
		if !ok || wrong.Kind != Invalid || wrong.Field != bad.field || !strings.Contains(wrong.Message, bad.text) {
			t.Errorf("%+v: %v, want %q about %s", p, err, bad.text, bad.field)
		}
	}
	p := good()
	p.Window.Zone = "Mars"
	_, err := p.Compile()
	if wrong, _ := errors.AsType[*Error](err); wrong.Hint == "" || strings.Contains(wrong.Message, wrong.Hint) {
		t.Errorf("hint %q of %q", wrong.Hint, wrong.Message)
	}
}

func TestHold(t *testing.T) {
	t.Parallel()
	newYork := &Window{Cron: "0 30 1 ? * SUN", Zone: "America/New_York", For: 2 * time.Hour}
	gap := &Window{Cron: "0 30 2 ? * SUN", Zone: "America/New_York", For: time.Hour}
	utc := func(text string) time.Time {
		if text == "" {
			return time.Time{}
		}
		at, err := time.Parse("2006-01-02 15:04:05.999999999", text)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	tests := []struct {
		name  string
		pause Pause
		at    string
		held  bool
		until string
		next  string // empty when it does not begin again
	}{
		{"before it", Pause{From: sunday}, "2026-02-28 23:59:59.999", false, "", "2026-03-01 00:00:00"},
		{"at its begin", Pause{From: sunday}, "2026-03-01 00:00:00", true, "", ""},
		{"open", Pause{From: sunday}, "2056-03-01 00:00:00", true, "", ""},
		{"bounded", Pause{From: sunday, Until: sunday.Add(time.Hour)}, "2026-03-01 00:59:59.999999999", true, "2026-03-01 01:00:00", ""},
		{"at its end", Pause{From: sunday, Until: sunday.Add(time.Hour)}, "2026-03-01 01:00:00", false, "", ""},
		{
			"before a window",
			Pause{From: sunday, Window: &Window{Cron: "0 0 2 ? * SUN", For: time.Hour}},
			"2026-03-01 01:59:59.999", false, "", "2026-03-01 02:00:00",
		},
		{
			"at the begin of a window",
			Pause{From: sunday, Window: &Window{Cron: "0 0 2 ? * SUN", For: time.Hour}},
			"2026-03-01 02:00:00", true, "2026-03-01 03:00:00", "2026-03-08 02:00:00",
		},
		{
			"the last of a window",
			Pause{From: sunday, Window: &Window{Cron: "0 0 2 ? * SUN", For: time.Hour}},
			"2026-03-01 02:59:59.999999999", true, "2026-03-01 03:00:00", "2026-03-08 02:00:00",
		},
		{
			"at the end of a window",
			Pause{From: sunday, Window: &Window{Cron: "0 0 2 ? * SUN", For: time.Hour}},
			"2026-03-01 03:00:00", false, "", "2026-03-08 02:00:00",
		},
		{
			"a window that the pause cuts off",
			Pause{From: sunday, Until: sunday.Add(150 * time.Minute), Window: &Window{Cron: "0 0 2 ? * SUN", For: time.Hour}},
			"2026-03-01 02:10:00", true, "2026-03-01 02:30:00", "",
		},
		{
			"behind it",
			Pause{From: sunday, Until: sunday.Add(150 * time.Minute), Window: &Window{Cron: "0 0 2 ? * SUN", For: time.Hour}},
			"2026-03-01 02:30:00", false, "", "",
		},
		{
			"a window begun before the pause",
			Pause{From: sunday, Window: &Window{Cron: "0 0 23 ? * SAT", For: 2 * time.Hour}},
			"2026-02-28 23:30:00", false, "", "2026-03-01 00:00:00",
		},
		{
			"the rest of it",
			Pause{From: sunday, Window: &Window{Cron: "0 0 23 ? * SAT", For: 2 * time.Hour}},
			"2026-03-01 00:30:00", true, "2026-03-01 01:00:00", "2026-03-07 23:00:00",
		},
		{
			"overlapping windows",
			Pause{From: sunday, Window: &Window{Cron: "0 0 2,3 ? * SUN", For: 90 * time.Minute}},
			"2026-03-01 03:10:00", true, "2026-03-01 04:30:00", "2026-03-08 02:00:00",
		},
		{
			"the first of overlapping windows",
			Pause{From: sunday, Window: &Window{Cron: "0 0 2,3 ? * SUN", For: 90 * time.Minute}},
			"2026-03-01 02:10:00", true, "2026-03-01 03:30:00", "2026-03-01 03:00:00",
		},
		{
			"the last window of all",
			Pause{From: sunday, Window: &Window{Cron: "0 0 2 1 3 ? 2026", For: time.Hour}},
			"2026-03-01 03:00:00", false, "", "",
		},
		// On 8 March 2026 the clock of New York goes from 02:00 to 03:00, on
		// 1 November from 02:00 to 01:00.
		{
			"a window over a gap lasts as long as any",
			Pause{From: sunday, Window: newYork},
			"2026-03-08 07:30:00", true, "2026-03-08 08:30:00", "2026-03-15 05:30:00",
		},
		{
			"a window whose begin is in a gap begins after it",
			Pause{From: sunday, Window: gap},
			"2026-03-08 06:59:59", false, "", "2026-03-08 07:00:00",
		},
		{
			"and lasts from there",
			Pause{From: sunday, Window: gap},
			"2026-03-08 07:00:00", true, "2026-03-08 08:00:00", "2026-03-15 06:30:00",
		},
		{
			"a begin that comes twice counts once",
			Pause{From: sunday, Window: newYork},
			"2026-11-01 05:30:00", true, "2026-11-01 07:30:00", "2026-11-08 06:30:00",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.pause.Key = "p"
			h := hold(t, test.pause)
			until, held := h.At(utc(test.at))
			if held != test.held || !until.Equal(utc(test.until)) {
				t.Errorf("At(%s) = %s, %t; want %s, %t", test.at, until, held, test.until, test.held)
			}
			next, ok := h.Next(utc(test.at))
			if ok != (test.next != "") || ok && !next.Equal(utc(test.next)) {
				t.Errorf("Next(%s) = %s, %t; want %s", test.at, next, ok, test.next)
			}
		})
	}
}

// What At says is what a walk over all windows says, and Next is where it turns.
func TestHoldAgreesWithAWalk(t *testing.T) {
	t.Parallel()
	crons := []string{"0 0 2 ? * SUN", "0 */20 * * * ?", "0 30 1,2,3 * * ?", "30 15 4 1 * ?"}
	zones := []string{"", "America/New_York", "Australia/Lord_Howe"}
	rapid.Check(t, func(t *rapid.T) {
		begin := time.Date(2026, time.Month(rapid.IntRange(3, 11).Draw(t, "month")), 1, 0, 0, 0, 0, time.UTC)
		moment := func(label string) time.Time {
			return begin.Add(time.Duration(rapid.IntRange(0, 10*24*3600*1000).Draw(t, label)) * time.Millisecond)
		}
		p := Pause{Key: "p", From: moment("from"), Window: &Window{
			Cron: rapid.SampledFrom(crons).Draw(t, "cron"), Zone: rapid.SampledFrom(zones).Draw(t, "zone"),
			For: time.Duration(rapid.IntRange(1, 30*3600).Draw(t, "for")) * time.Second,
		}}
		if until := moment("until"); until.After(p.From) {
			p.Until = until
		}
		h, err := p.Compile()
		if err != nil {
			t.Skip("it never begins")
		}
		at := moment("at")

		var want time.Time
		inside := !at.Before(p.From) && (p.Until.IsZero() || at.Before(p.Until))
		for w, ok := h.window.Next(at.Add(-p.Window.For)); ok && inside && !w.After(at); w, ok = h.window.Next(w) {
			if want = w.Add(p.Window.For); !p.Until.IsZero() && want.After(p.Until) {
				want = p.Until
			}
		}
		until, held := h.At(at)
		if held == want.IsZero() || !until.Equal(want) {
			t.Fatalf("At(%s) = %s, %t; want %s", at, until, held, want)
		}
		next, ok := h.Next(at)
		if !ok {
			next = at.Add(20 * 24 * time.Hour)
		} else if _, begun := h.At(next); !begun || !next.After(at) {
			t.Fatalf("it begins at %s after %s, and does not hold then", next, at)
		}
		if held {
			return
		}
		between := at.Add(time.Duration(rapid.Int64Range(0, int64(next.Sub(at))-1).Draw(t, "between")))
		if until, held := h.At(between); held {
			t.Fatalf("it is to begin at %s after %s, and holds at %s until %s", next, at, between, until)
		}
	})
}

func FuzzWindow(f *testing.F) {
	f.Add("0 0 2 ? * SUN", "Europe/Berlin", int64(3*time.Hour))
	f.Add("@every 1s", "", int64(-1))
	f.Fuzz(func(t *testing.T, cron, zone string, lasts int64) {
		p := Pause{Key: "p", From: sunday, Window: &Window{Cron: cron, Zone: zone, For: time.Duration(lasts)}}
		h, err := p.Compile()
		if err != nil {
			if !Is(err, Invalid) {
				t.Fatalf("an error of another kind: %v", err)
			}
			return
		}
		begin, ok := h.Next(sunday.Add(-1))
		if _, held := h.At(begin); !ok || !held {
			t.Fatalf("it begins at %s, %t, and holds then: %t", begin, ok, held)
		}
	})
}
