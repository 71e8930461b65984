package javascript

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"modernc.org/libc"
)

// zoneDirs are where the engine's C library looks for zones on Linux. It does not know Go's
// own copy of them, and takes a zone that is not there for UTC.
var zoneDirs = []string{"/usr/share/zoneinfo", "/share/zoneinfo", "/etc/zoneinfo"}

// giveZone lets scripts have the zone that TZ names on machines that have no zone files.
var giveZone = sync.OnceFunc(func() {
	name := strings.TrimPrefix(os.Getenv("TZ"), ":")
	if runtime.GOOS != "linux" || name == "" || filepath.IsAbs(name) {
		return
	}
	for _, dir := range zoneDirs {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return
		}
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return // a rule like that of zoneRule, or unknown to Go also
	}
	tls := libc.NewTLS()
	defer tls.Close()
	key, keyErr := libc.CString("TZ")
	rule, ruleErr := libc.CString(zoneRule(zone, time.Now()))
	if keyErr == nil && ruleErr == nil {
		libc.Xsetenv(tls, key, rule, 1) // the library keeps copies of its own
	}
	libc.Xfree(tls, key)
	libc.Xfree(tls, rule)
})

// zoneRule writes the rule that a zone follows at an instant as POSIX has it in TZ:
// <CET>-1<CEST>-2,M3.5.0/2,M10.5.0/3. Instants before the rule was made follow it too.
func zoneRule(zone *time.Location, now time.Time) string {
	now = now.In(zone)
	_, first := now.ZoneBounds()
	if first.IsZero() || first.Sub(now) > 366*24*time.Hour {
		return offset(now)
	}
	_, second := first.ZoneBounds()
	if second.IsZero() || second.Sub(first) > 366*24*time.Hour {
		return offset(now)
	}
	toSummer, toWinter := first, second
	if !first.IsDST() {
		toSummer, toWinter = second, first
	}
	return offset(toWinter) + offset(toSummer) + "," + change(toSummer) + "," + change(toWinter)
}

// offset writes the name of a zone's time and its distance, which POSIX counts westwards.
func offset(t time.Time) string {
	name, east := t.Zone()
	sign := "-"
	if east < 0 {
		sign, east = "", -east
	}
	return fmt.Sprintf("<%s>%s%d:%02d:%02d", name, sign, east/3600, east/60%60, east%60)
}

// change writes when the clocks change to what they show from t on: the month, the week in it,
// the day of the week, and the hour on the clocks before.
func change(t time.Time) string {
	before := t.Add(-time.Second) // on the clocks as they were
	wall := time.Date(before.Year(), before.Month(), before.Day(), before.Hour(), before.Minute(), before.Second()+1, 0, time.UTC)
	week := (wall.Day()-1)/7 + 1
	if wall.AddDate(0, 0, 7).Month() != wall.Month() {
		week = 5 // the last one
	}
	return fmt.Sprintf("M%d.%d.%d/%d:%02d", wall.Month(), week, wall.Weekday(), wall.Hour(), wall.Minute())
}
