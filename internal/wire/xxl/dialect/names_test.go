package dialect

import (
	"testing"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

func TestNamesBothWays(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]job.Route{
		"FIRST": job.RouteFirst, "LAST": job.RouteLast, "ROUND": job.RouteRound, "RANDOM": job.RouteRandom,
		"CONSISTENT_HASH": job.RouteConsistentHash, "LEAST_FREQUENTLY_USED": job.RouteLeastFrequent,
		"LEAST_RECENTLY_USED": job.RouteLeastRecent, "FAILOVER": job.RouteFailover, "BUSYOVER": job.RouteBusyover,
	} {
		if got, ok := ParseRoute(name); !ok || got != want {
			t.Errorf("ParseRoute(%q) = %q, %v; want %q", name, got, ok, want)
		}
	}
	names := map[string]job.HandlerKind{
		"BEAN": job.HandlerNamed, "GLUE_SHELL": job.HandlerShell, "GLUE_PYTHON": job.HandlerPython,
		"GLUE_PYTHON2": job.HandlerPython2, "GLUE_NODEJS": job.HandlerNode, "GLUE_PHP": job.HandlerPHP,
		"GLUE_POWERSHELL": job.HandlerPowerShell, "GLUE_GROOVY": job.HandlerGroovy, "GLUE_JS": job.HandlerJS,
	}
	for name, want := range names {
		if got, ok := ParseHandlerKind(name); !ok || got != want {
			t.Errorf("ParseHandlerKind(%q) = %q, %v; want %q", name, got, ok, want)
		}
		if got, ok := HandlerKindName(want); !ok || got != name {
			t.Errorf("HandlerKindName(%q) = %q, %v; want %q", want, got, ok, name)
		}
	}
	if got, want := len(names), len(job.HandlerKinds()); got != want {
		t.Errorf("%d of %d kinds of handler have a name", got, want)
	}
	for name, want := range map[string]job.Overlap{
		"SERIAL_EXECUTION": job.OverlapSerial, "DISCARD_LATER": job.OverlapDiscard, "COVER_EARLY": job.OverlapCover,
		"CONCURRENT": job.OverlapConcurrent,
	} {
		if got := ParseOverlap(name); got != want {
			t.Errorf("ParseOverlap(%q) = %q; want %q", name, got, want)
		}
		if got := OverlapName(want); got != name {
			t.Errorf("OverlapName(%q) = %q; want %q", want, got, name)
		}
	}
}

func TestNamesWithoutAWord(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "first", "sharding_broadcast", "LEAST_LOADED"} {
		if route, ok := ParseRoute(name); ok {
			t.Errorf("ParseRoute(%q) = %q", name, route)
		}
	}
	for name, want := range map[string]schedule.Misfire{
		"DO_NOTHING": schedule.MisfireSkip, "FIRE_ONCE_NOW": schedule.MisfireFireOnce,
	} {
		if got, ok := ParseMisfire(name); !ok || got != want || MisfireName(want) != name {
			t.Errorf("ParseMisfire(%q) = %q, %t; the way back is %q", name, got, ok, MisfireName(want))
		}
	}
	if got, ok := ParseMisfire("FIRE_ALL"); ok {
		t.Errorf("ParseMisfire of a stranger = %q", got)
	}
	if got := MisfireName(schedule.MisfireFireAll); got != "FIRE_ONCE_NOW" {
		t.Errorf("MisfireName(fire_all) = %q", got)
	}
	if name, ok := HandlerKindName("telepathy"); ok {
		t.Errorf(`HandlerKindName("telepathy") = %q`, name)
	}
	for _, name := range []string{"", "null", "concurrent", "serial_execution"} {
		if got := ParseOverlap(name); got != job.OverlapSerial {
			t.Errorf("ParseOverlap(%q) = %q; want serial", name, got)
		}
	}
	if got := OverlapName("sideways"); got != "SERIAL_EXECUTION" {
		t.Errorf(`OverlapName("sideways") = %q; want what executors would make of it`, got)
	}
	for _, name := range []string{"", "null", "GLUE_RUBY", "glue_shell", "GLUE_"} {
		if kind, ok := ParseHandlerKind(name); ok {
			t.Errorf("ParseHandlerKind(%q) = %q", name, kind)
		}
	}
	if got := KindTitle("telepathy"); got != "telepathy" {
		t.Errorf(`kindTitle("telepathy") = %q`, got)
	}
}

func TestOutcomeCodes(t *testing.T) {
	t.Parallel()
	for state, want := range map[job.State]int{
		job.Succeeded: 200, job.TimedOut: 502, job.Failed: 500, job.Cancelled: 500, job.Lost: 500, job.Skipped: 500,
	} {
		if got := StateCode(state); got != want {
			t.Errorf("stateCode(%s) = %d; want %d", state, got, want)
		}
	}
	for code, want := range map[int64]job.State{
		200: job.Succeeded, 502: job.TimedOut, 500: job.Failed, 403: job.Failed, 407: job.Failed, 409: job.Failed,
		201: job.Failed, 0: job.Failed, -1: job.Failed,
	} {
		if got := CodeState(code); got != want {
			t.Errorf("codeState(%d) = %s; want %s", code, got, want)
		}
	}
}
