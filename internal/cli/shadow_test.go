package cli_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// A time of the past is compared: what the old server lost is told, and the exit code
// says so; another group is not asked about.
func TestImportDatabaseShadow(t *testing.T) {
	t.Parallel()
	now := time.Now().UTC().Truncate(time.Minute)
	address, do, _ := oldRunning(t, now.Add(time.Minute))
	for ago := 30; ago > 0; ago-- {
		if ago != 12 {
			do(fmt.Sprintf("INSERT INTO xxl_job_log (job_group, job_id, trigger_time, trigger_code, handle_code) VALUES (1, 1, '%s', 200, 200)",
				now.Add(-time.Duration(ago)*time.Minute).Format(time.DateTime)))
		}
	}
	args := []string{"shadow", "--dsn", address, "--zone", "UTC", "--since", "25m30s"}
	r := orth(t.Context(), nil, append(args, "--group", "etl", "-o", "json")...)
	var report struct {
		Agrees bool `json:"agrees"`
		Jobs   []struct {
			ID                                       int64
			Status                                   string
			Slots, Matching, Missing, Doubled, Extra int
			Differences                              []struct {
				Kind string
				Slot time.Time `json:"slot_at"`
			}
		}
	}
	if err := json.Unmarshal([]byte(r.stdout), &report); err != nil || r.code != 1 || report.Agrees {
		t.Fatalf("%d, %v: %s%s", r.code, err, r.stdout, r.stderr)
	}
	if len(report.Jobs) != 2 || report.Jobs[1].Status != "stopped" {
		t.Fatalf("%s", r.stdout)
	}
	j := report.Jobs[0]
	if j.ID != 1 || j.Slots < 23 || j.Matching != j.Slots-1 || j.Missing != 1 || j.Doubled+j.Extra != 0 || !j.Differences[0].Slot.Equal(now.Add(-12*time.Minute)) {
		t.Errorf("%+v", j)
	}
	r = orth(t.Context(), nil, append(args, "--group", "etl")...)
	if r.code != 1 || !strings.Contains(r.stdout, "MISSING") || !strings.Contains(r.stderr, "is missing there") || !strings.Contains(r.stderr, "1 missing, 0 duplicate, 0 extra") {
		t.Errorf("%d, %s%s", r.code, r.stdout, r.stderr)
	}
	do(fmt.Sprintf("INSERT INTO xxl_job_log (job_group, job_id, trigger_time, trigger_code, handle_code) VALUES (1, 1, '%s', 200, 200)", now.Add(-8*time.Minute-30*time.Second).Format(time.DateTime)))
	args[len(args)-1] = "10m30s"
	if r = orth(t.Context(), nil, append(args, "--group", "etl")...); r.code != 0 || !strings.Contains(r.stderr, "0 duplicate, 1 extra") {
		t.Errorf("an extra firing: %d, %s%s", r.code, r.stdout, r.stderr)
	}
	if r = orth(t.Context(), nil, append(args, "--group", "etl", "--strict")...); r.code != 1 {
		t.Errorf("strict: %d, %s%s", r.code, r.stdout, r.stderr)
	}
	if r = orth(t.Context(), nil, append(args, "--group", "none")...); r.code != 3 || !strings.Contains(r.stderr, "no jobs to compare in none") {
		t.Errorf("no such group: %d, %s", r.code, r.stderr)
	}
}

// Watching ends when its time is over; what has not been judged by then is not told.
func TestImportDatabaseShadowLive(t *testing.T) {
	t.Parallel()
	address, _, _ := oldRunning(t, time.Now().UTC().Truncate(time.Minute).Add(time.Minute))
	r := orth(t.Context(), nil, "shadow", "--dsn", address, "--zone", "UTC", "--for", "1s", "-o", "json")
	if r.code != 0 || !strings.Contains(r.stdout, `"slots": 0`) || !strings.Contains(r.stderr, "Comparing 3 jobs") {
		t.Errorf("%d, %s%s", r.code, r.stdout, r.stderr)
	}
}

func TestShadowUsage(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"": "dsn", "--dsn a:b@tcp(x)/y --for 1000h": "--for", "--dsn a:b@tcp(x)/y --tolerance 1ms": "--tolerance", "--dsn a:b@tcp(x)/y --late 2m": "--late",
		"--dsn a:b@tcp(x)/y --rate 0": "--rate", "--dsn nonsense": "--dsn",
	} {
		if r := orth(t.Context(), nil, append([]string{"shadow"}, strings.Fields(args)...)...); r.code == 0 || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: %+v, want %q", args, r, want)
		}
	}
}
