package timing

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestExcerpt looks for the byte at fault under the mark.
func TestExcerpt(t *testing.T) {
	t.Parallel()
	for _, expr := range []string{
		"X * * * * ?", "* * * * * X", strings.Repeat("1,", 100) + "X", "X" + strings.Repeat(",1", 100),
		strings.Repeat("1,", 100) + "X" + strings.Repeat(",1", 100), strings.Repeat("é", 50) + "X", strings.Repeat("\xff", 90) + "X", "\t\x1bX",
	} {
		shown, column := Excerpt(expr, strings.Index(expr, "X"))
		runes := []rune(shown)
		if column >= len(runes) || runes[column] != 'X' {
			t.Errorf("%q is shown as %q with a mark at %d", expr, shown, column)
		}
		if len(runes) > 80 || strings.ContainsAny(shown, "\t\x1b") {
			t.Errorf("%q is shown as %q", expr, shown)
		}
	}
	if shown, column := Excerpt("* *", 3); shown != "* *" || column != 3 {
		t.Errorf("the end is shown as %q with a mark at %d", shown, column)
	}
}

func TestZonesKept(t *testing.T) {
	t.Parallel()
	zones := Zones{}
	first, err := zones.Load("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := zones.Load("Europe/Berlin"); again != first {
		t.Error("the zone was read again")
	}
	if _, err := zones.Load("Mars"); err == nil || len(zones) != 1 {
		t.Errorf("%v, the cache has %d zones", err, len(zones))
	}
	for i := range maxZones {
		zones[strings.Repeat("x", i)] = time.UTC
	}
	kept := len(zones)
	if _, err := zones.Load("Asia/Tokyo"); err != nil || len(zones) != kept {
		t.Errorf("%v, a full cache grew from %d to %d", err, kept, len(zones))
	}
}

// TestOnClock asks for each instant by what the clock shows then.
func TestOnClock(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(0, 2e9).Draw(t, "at"), 0).In(zone)
		_, offset := at.Zone()
		wall := at.Add(time.Duration(offset) * time.Second).UTC()
		found := onClock(wall, zone)
		if !slices.ContainsFunc(found, at.Equal) {
			t.Fatalf("%s is not among %v", at, found)
		}
		if len(found) > 2 || len(found) == 2 && !found[0].Before(found[1]) {
			t.Fatalf("the clock shows %s at %v", wall, found)
		}
	})
}
