package holidays

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/schedule/calendar"
)

// TestShipped compiles everything that is shipped and looks for what every
// holiday calendar has.
func TestShipped(t *testing.T) {
	t.Parallel()
	infos := Shipped()
	if !slices.IsSortedFunc(infos, func(a, b Info) int { return strings.Compare(a.Key, b.Key) }) {
		t.Error("not in order of keys")
	}
	var keys []string
	for _, info := range infos {
		keys = append(keys, info.Key)
		if info.Title == "" || info.FirstYear < 2000 || info.LastYear < 2026 || !strings.HasSuffix(info.Source, ", MIT") {
			t.Errorf("%+v", info)
		}
		rules, found := Load(info.Key, true)
		if !found {
			t.Errorf("%s is not found", info.Key)
			continue
		}
		c, err := rules.Compile()
		if err != nil {
			t.Errorf("%s: %v", info.Key, err)
			continue
		}
		if want := (calendar.Date{Year: info.LastYear, Month: 12, Day: 31}); c.KnownUntil() != want || rules.Source != info.Source {
			t.Errorf("%s: known until %s by %q", info.Key, c.KnownUntil(), rules.Source)
		}
		for year := info.FirstYear; year <= info.LastYear; year++ {
			if d := (calendar.Date{Year: year, Month: 1, Day: 1}); c.Allows(d) || c.Name(d) == "" || c.Name(d) == "Saturday" {
				t.Errorf("%s: %s is %q and allowed: %v", info.Key, d, c.Name(d), c.Allows(d))
			}
		}
		days := map[int]int{}
		for _, d := range rules.Dates {
			days[d.Date.Year]++
		}
		for _, s := range rules.Ranges {
			days[s.From.Year] += daysBetween(s.From, s.To) + 1
		}
		for year := info.FirstYear; year <= info.LastYear; year++ {
			if days[year] < 4 || days[year] > 40 {
				t.Errorf("%s has %d days in %d", info.Key, days[year], year)
			}
		}
	}
	union := strings.Fields("at be bg cy cz de dk ee es fi fr gr hr hu ie it lt lu lv mt nl pl pt ro se si sk")
	germany := strings.Fields("de-bb de-be de-bw de-by de-hb de-he de-hh de-mv de-ni de-nw de-rp de-sh de-sl de-sn de-st de-th")
	for _, key := range slices.Concat(union, germany, []string{"cn", "us", "gb", "gb-eng", "ch", "ch-zh"}) {
		if !slices.Contains(keys, key) {
			t.Errorf("%s is not shipped", key)
		}
	}
	if len(slices.Compact(keys)) != len(infos) {
		t.Error("a key is there twice")
	}
}

// TestShippedFacts compares single days with what authorities have published.
func TestShippedFacts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		key, day string
		allowed  bool
		name     string
	}{
		{"cn", "2026-02-17", false, "春节"},
		{"cn", "2026-02-14", true, "春节"}, // a Saturday that is worked
		{"cn", "2026-02-21", false, "春节"},
		{"cn", "2026-10-10", true, "国庆节"},
		{"cn", "2026-10-07", false, "国庆节"},
		{"cn", "2026-10-08", true, ""},
		{"cn", "2025-10-06", false, "中秋"},
		{"us", "2026-11-26", false, "Thanksgiving Day"},
		{"us", "2026-07-03", false, "Independence Day (observed)"},
		{"us", "2027-12-31", false, "New Year's Day (observed)"},
		{"us", "2026-04-03", true, ""},
		{"de", "2026-10-03", false, "Tag der Deutschen Einheit"},
		{"de", "2026-06-04", true, ""},
		{"de-by", "2026-06-04", false, "Fronleichnam"},
		{"de-mv", "2026-03-08", false, "Frauentag"},
		{"fr", "2026-07-14", false, "Fête nationale"},
		{"it", "2027-10-04", false, "Festa nazionale di San Francesco d'Assisi, patrono d'Italia"}, // a holiday again from 2026 on
		{"pl", "2026-12-24", false, ""},
		{"gb", "2026-04-06", true, ""}, // Easter Monday is none in Scotland
		{"gb-eng", "2026-04-06", false, "Easter Monday"},
		{"gr", "2026-04-13", false, ""}, // Orthodox Easter Monday
		{"hu", "2026-12-12", true, ""},  // a Saturday that is worked
		{"nl", "2026-04-27", false, "Koningsdag"},
		{"se", "2026-06-06", false, "Nationaldagen"},
	}
	for _, tt := range tests {
		rules, _ := Load(tt.key, true)
		c, err := rules.Compile()
		if err != nil {
			t.Fatal(err)
		}
		d := date(t, tt.day)
		if c.Allows(d) != tt.allowed {
			t.Errorf("%s: Allows(%s) = %v", tt.key, d, c.Allows(d))
		}
		if tt.name != "" && c.Name(d) != tt.name {
			t.Errorf("%s: Name(%s) = %q, want %q", tt.key, d, c.Name(d), tt.name)
		}
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", "atlantis", "../data/at", "AT", "."} {
		if rules, found := Load(key, true); found || len(rules.Dates) > 0 {
			t.Errorf("Load(%q) = %+v, %v", key, rules, found)
		}
	}
	with, _ := Load("at", true)
	without, _ := Load("at", false)
	if len(without.Weekdays) != 0 {
		t.Error("weekends were not asked for")
	}
	without.Weekdays = []calendar.Weekday{6, 0}
	if diff := cmp.Diff(with, without); diff != "" {
		t.Error(diff)
	}
	again, _ := Load("at", true)
	if diff := cmp.Diff(with, again); diff != "" {
		t.Error(diff)
	}
}

// TestDataSaysWhereItIsFrom checks the head of each file and the licences next to it.
func TestDataSaysWhereItIsFrom(t *testing.T) {
	t.Parallel()
	for _, info := range Shipped() {
		s, _ := decodeData(info.Key)
		if s.Package == "" || s.Version == "" || s.Licence != "MIT" || s.Command != "scripts/holidays/generate" {
			t.Errorf("%s: %s %s, %s, by %s", info.Key, s.Package, s.Version, s.Licence, s.Command)
		}
	}
	notice, err := os.ReadFile("data/NOTICE")
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"cn", "de"} {
		s, _ := decodeData(key)
		name, _, _ := strings.Cut(s.Package, " ")
		if !strings.Contains(string(notice), "made from the package "+name+" "+s.Version+":") {
			t.Errorf("data/NOTICE has no licence of %s %s", name, s.Version)
		}
	}
}
