package schedule

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSpecValidate(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		name         string
		spec         Spec
		input, field string // of the error; input is empty when there is none
		message      string
	}{
		{name: "cron", spec: Spec{Kind: KindCron, Cron: "0 0 12 * * ?"}},
		{name: "cron in a zone", spec: Spec{Kind: KindCron, Cron: "0 0 12 * * ?", Zone: "Asia/Shanghai"}},
		{name: "cron of the past", spec: Spec{Kind: KindCron, Cron: "0 0 12 * * ? 2020"}},
		{name: "every", spec: Spec{Kind: KindEvery, Every: time.Minute, Anchor: noon, Zone: "UTC"}},
		{name: "once", spec: Spec{Kind: KindOnce, At: noon}},
		{name: "manual", spec: Spec{Kind: KindManual}},
		{name: "no kind", spec: Spec{}, input: "kind", message: `"" is not a kind`},
		{name: "strange kind", spec: Spec{Kind: "weekly"}, input: "kind", message: `"weekly" is not a kind`},
		{name: "no expression", spec: Spec{Kind: KindCron}, input: "cron", message: "ends after 0 fields"},
		{name: "wrong expression", spec: Spec{Kind: KindCron, Cron: "0 0 24 * * ?"}, input: "cron", field: "hour", message: "24"},
		{name: "strange zone", spec: Spec{Kind: KindCron, Cron: "0 0 12 * * ?", Zone: "Asia/Shangai"}, input: "zone", message: `"Asia/Shangai" is unknown`},
		{name: "zone of the machine", spec: Spec{Kind: KindCron, Cron: "0 0 12 * * ?", Zone: "Local"}, input: "zone", message: "is unknown"},
		{name: "zone by a path", spec: Spec{Kind: KindManual, Zone: "../UTC"}, input: "zone", message: "is unknown"},
		{name: "no such date", spec: Spec{Kind: KindCron, Cron: "0 0 0 31 2 ?"}, input: "cron", field: "day-of-month", message: "never fires"},
		{name: "no such year", spec: Spec{Kind: KindCron, Cron: "0 0 0 * * ? 2150"}, input: "cron", field: "year", message: "never fires"},
		{name: "no such leap year", spec: Spec{Kind: KindCron, Cron: "0 0 0 29 2 ? 2027"}, input: "cron", field: "day-of-month", message: "never fires"},
		{name: "no such weekday", spec: Spec{Kind: KindCron, Cron: "0 0 0 ? 2 2#5 2001-2002"}, input: "cron", field: "day-of-week", message: "never fires"},
		{
			name:  "no such time",
			spec:  Spec{Kind: KindCron, Cron: "0 30 2 ? 3 1#2 2007-2126", Zone: "America/New_York"},
			input: "cron", message: "the clock of America/New_York jumps over",
		},
		{name: "no period", spec: Spec{Kind: KindEvery}, input: "every", message: "0s is out of range"},
		{name: "short period", spec: Spec{Kind: KindEvery, Every: 99 * time.Millisecond}, input: "every", message: "99ms is out of range"},
		{name: "long period", spec: Spec{Kind: KindEvery, Every: MaxEvery + time.Second}, input: "every", message: "out of range"},
		{name: "fine period", spec: Spec{Kind: KindEvery, Every: time.Second + time.Microsecond}, input: "every", message: "whole number of milliseconds"},
		{name: "far anchor", spec: Spec{Kind: KindEvery, Every: time.Second, Anchor: noon.AddDate(500, 0, 0)}, input: "anchor", message: "2526"},
		{name: "no instant", spec: Spec{Kind: KindOnce}, input: "at", message: "is missing"},
		{name: "far instant", spec: Spec{Kind: KindOnce, At: noon.AddDate(-100, 0, 0)}, input: "at", message: "1926"},
		{name: "cron beside every", spec: Spec{Kind: KindEvery, Every: time.Second, Cron: "0 0 12 * * ?"}, input: "cron", message: "the kind is every"},
		{name: "every beside cron", spec: Spec{Kind: KindCron, Cron: "0 0 12 * * ?", Every: time.Second}, input: "every", message: "the kind is cron"},
		{name: "anchor beside once", spec: Spec{Kind: KindOnce, At: noon, Anchor: noon}, input: "anchor", message: "the kind is once"},
		{name: "at beside manual", spec: Spec{Kind: KindManual, At: noon}, input: "at", message: "the kind is manual"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var err error
			if took := quickest(func() { err = tc.spec.Validate() }); took > 50*time.Millisecond {
				t.Errorf("the answer took %s", took)
			}
			if tc.input == "" {
				if err != nil {
					t.Fatalf("Validate() = %v, want nil", err)
				}
				return
			}
			wrong, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("Validate() = %v, want an *Error", err)
			}
			if wrong.Input != tc.input || wrong.Field != tc.field {
				t.Errorf("the error is about %q, %q; want %q, %q", wrong.Input, wrong.Field, tc.input, tc.field)
			}
			if !strings.Contains(wrong.Message, tc.message) {
				t.Errorf("message %q, want %q in it", wrong.Message, tc.message)
			}
			if wrong.Hint == "" {
				t.Errorf("the error %q has no hint", wrong)
			}
		})
	}
}

func TestSpecCompile(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 1, 12, 0, 0, 123_456_789, time.UTC)
	tests := []struct {
		spec  Spec
		after time.Time
		want  []time.Time
	}{
		{
			Spec{Kind: KindCron, Cron: "0 0 12 * * ? 2026", Zone: "Asia/Shanghai"},
			time.Date(2026, 12, 30, 4, 0, 0, 0, time.UTC),
			[]time.Time{time.Date(2026, 12, 31, 4, 0, 0, 0, time.UTC)},
		},
		{
			Spec{Kind: KindEvery, Every: 90 * time.Second, Anchor: at},
			at.Add(-time.Second),
			[]time.Time{at.Truncate(time.Millisecond), at.Truncate(time.Millisecond).Add(90 * time.Second)},
		},
		{Spec{Kind: KindOnce, At: at}, at.Add(-time.Hour), []time.Time{at.Truncate(time.Millisecond)}},
		{Spec{Kind: KindOnce, At: at}, at, nil},
		{Spec{Kind: KindOnce, At: at}, at.Truncate(time.Millisecond), nil},
		{Spec{Kind: KindManual}, at, nil},
		// What never fires compiles: only Validate refuses it.
		{Spec{Kind: KindCron, Cron: "0 0 0 31 2 ?"}, at, nil},
	}
	for _, tc := range tests {
		s, err := tc.spec.Compile()
		if err != nil {
			t.Errorf("%s: Compile() = %v", tc.spec, err)
			continue
		}
		if diff := cmp.Diff(tc.want, firings(s, tc.after, 2)); diff != "" {
			t.Errorf("%s after %s (-want +got):\n%s", tc.spec, tc.after, diff)
		}
	}
}

func TestSpecString(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 1, 20, 0, 0, 0, time.FixedZone("", 8*60*60))
	tests := []struct {
		spec Spec
		want string
	}{
		{Spec{Kind: KindCron, Cron: "0 0 12 * * ?"}, `cron "0 0 12 * * ?"`},
		{Spec{Kind: KindCron, Cron: "0 0 12 * * ?", Zone: "Europe/Paris"}, `cron "0 0 12 * * ?" in Europe/Paris`},
		{Spec{Kind: KindEvery, Every: 90 * time.Second}, "every 1m30s"},
		{Spec{Kind: KindEvery, Every: 5 * time.Minute}, "every 5m"},
		{Spec{Kind: KindEvery, Every: 20 * time.Hour}, "every 20h"},
		{Spec{Kind: KindEvery, Every: time.Hour + 30*time.Second}, "every 1h0m30s"},
		{Spec{Kind: KindEvery, Every: 10 * time.Second}, "every 10s"},
		{Spec{Kind: KindOnce, At: at}, "once at 2026-05-01T12:00:00Z"},
		{Spec{Kind: KindManual}, "manual"},
		{Spec{}, ""},
	}
	for _, tc := range tests {
		if got := tc.spec.String(); got != tc.want {
			t.Errorf("String() = %q, want %q", got, tc.want)
		}
	}
}

// The JSON is stored, so it never changes.
func TestSpecJSON(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		spec Spec
		want string
	}{
		{Spec{Kind: KindManual}, `{"kind":"manual"}`},
		{Spec{Kind: KindCron, Cron: "0 0 12 * * ?", Zone: "UTC"}, `{"kind":"cron","cron":"0 0 12 * * ?","zone":"UTC"}`},
		{Spec{Kind: KindEvery, Every: time.Second, Anchor: at}, `{"kind":"every","every":1000000000,"anchor":"2026-05-01T12:00:00Z"}`},
		{Spec{Kind: KindOnce, At: at}, `{"kind":"once","at":"2026-05-01T12:00:00Z"}`},
	}
	for _, tc := range tests {
		got, err := json.Marshal(tc.spec)
		if err != nil || string(got) != tc.want {
			t.Errorf("Marshal(%s) = %s, %v; want %s", tc.spec, got, err, tc.want)
		}
		var back Spec
		if err := json.Unmarshal(got, &back); err != nil || !cmp.Equal(back, tc.spec) {
			t.Errorf("Unmarshal(%s) = %v, %v", got, back, err)
		}
	}
}
