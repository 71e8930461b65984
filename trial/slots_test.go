package main

import (
	"strings"
	"testing"
	"time"
)

// TestSlots holds the oracle against instants that were worked out by hand.
func TestSlots(t *testing.T) {
	t.Parallel()
	at := func(text string) time.Time {
		found, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	anchor := at("2030-01-31T12:00:00.300Z")
	quartz := &dst{Gap: "skip", Overlap: "second"}
	for _, c := range []struct {
		s        schedule
		from, to string
		want     string
	}{
		{schedule{Kind: "cron", Cron: "0/20 * * * * ?"}, "2030-01-31T12:00:00Z", "2030-01-31T12:01:01Z", "12:00:00 12:00:20 12:00:40 12:01:00"},
		{schedule{Kind: "cron", Cron: "7,50-10/10 1 12 * * ?"}, "2030-01-31T12:00:00Z", "2030-01-31T13:00:00Z", "12:01:00 12:01:07 12:01:10 12:01:50"},
		{schedule{Kind: "cron", Cron: "0 15 10 ? * THU"}, "2030-01-30T00:00:00Z", "2030-02-02T00:00:00Z", "31 10:15:00"},
		{schedule{Kind: "cron", Cron: "0 15 10 ? JAN 5"}, "2030-01-30T00:00:00Z", "2030-02-02T00:00:00Z", "31 10:15:00"},
		{schedule{Kind: "cron", Cron: "*/30 * * * *"}, "2030-01-31T12:00:01Z", "2030-01-31T13:00:01Z", "12:30:00 13:00:00"},
		{schedule{Kind: "cron", Cron: "0 12 31 * 0"}, "2030-01-27T00:00:00Z", "2030-02-02T00:00:00Z", "27 12:00:00 31 12:00:00"},
		{schedule{Kind: "cron", Cron: "0 0 18 * * ?", Zone: "Asia/Kathmandu"}, "2030-01-31T00:00:00Z", "2030-02-01T00:00:00Z", "12:15:00"},
		// New York's clock goes from 02:00 to 03:00, and from 02:00 back to 01:00.
		{schedule{Kind: "cron", Cron: "0 30 1,2 * * ?", Zone: "America/New_York"}, "2026-03-08T05:00:00Z", "2026-03-09T00:00:00Z", "06:30:00 07:00:00"},
		{schedule{Kind: "cron", Cron: "0 30 1,2 * * ?", Zone: "America/New_York", DST: quartz}, "2026-03-08T05:00:00Z", "2026-03-09T00:00:00Z", "06:30:00"},
		{schedule{Kind: "cron", Cron: "0 30 1,2 * * ?", Zone: "America/New_York"}, "2025-11-02T04:00:00Z", "2025-11-03T00:00:00Z", "05:30:00 07:30:00"},
		{schedule{Kind: "cron", Cron: "0 30 1,2 * * ?", Zone: "America/New_York", DST: quartz}, "2025-11-02T04:00:00Z", "2025-11-03T00:00:00Z", "06:30:00 07:30:00"},
		{schedule{Kind: "every", Every: "700ms", Anchor: &anchor}, "2030-01-31T12:00:00Z", "2030-01-31T12:00:02.4Z", "12:00:00.3 12:00:01 12:00:01.7"},
		{schedule{Kind: "once", At: &anchor}, "2030-01-31T12:00:00Z", "2030-01-31T12:00:02Z", "12:00:00.3"},
		{schedule{Kind: "once", At: &anchor}, "2030-01-31T12:00:01Z", "2030-01-31T12:00:02Z", ""},
		{schedule{Kind: "manual"}, "2030-01-31T12:00:00Z", "2030-01-31T12:00:02Z", ""},
		{schedule{Kind: "daily", Daily: "17:45-17:55 every 5m", Zone: "Asia/Kathmandu"}, "2030-01-31T00:00:00Z", "2030-02-01T00:00:00Z", "12:00:00 12:05:00 12:10:00"},
		{schedule{Kind: "daily", Daily: "23:50-00:10 THU every 10m"}, "2030-01-30T00:00:00Z", "2030-02-02T00:00:00Z", "31 23:50:00 01 00:00:00 01 00:10:00"},
		{schedule{Kind: "several", Of: []schedule{{Kind: "cron", Cron: "0/4 * * * * ?"}, {Kind: "cron", Cron: "0/6 * * * * ?"}}},
			"2030-01-31T12:00:00Z", "2030-01-31T12:00:13Z", "12:00:00 12:00:04 12:00:06 12:00:08 12:00:12"},
		{schedule{Kind: "cron", Cron: "* * * * * ?", Start: &anchor}, "2030-01-31T12:00:00Z", "2030-01-31T12:00:03Z", "12:00:01 12:00:02"},
	} {
		named, err := slots(c.s, at(c.from), at(c.to))
		if err != nil {
			t.Errorf("%+v: %v", c.s, err)
		}
		layout := "15:04:05.9"
		if day, _, _ := strings.Cut(c.want, " "); len(day) == 2 {
			layout = "02 15:04:05.9"
		}
		var got []string
		for _, one := range named {
			got = append(got, one.UTC().Format(layout))
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%+v: %s, want %s", c.s, text, c.want)
		}
	}
	for _, wrong := range []string{"* * * *", "61 * * * * ?", "x * * * * ?", "*/0 * * * * ?"} {
		if _, err := slots(schedule{Kind: "cron", Cron: wrong}, noon, noon.Add(time.Second)); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}
