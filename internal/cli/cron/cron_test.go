package cron

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/schedule"
)

func TestDistance(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		time.Nanosecond:                 "1 s",
		59 * time.Second:                "59 s",
		time.Minute:                     "1 min",
		90 * time.Second:                "1 min 30 s",
		3 * time.Hour:                   "3 h",
		3*time.Hour + 59*time.Second:    "3 h",
		25 * time.Hour:                  "1 d 1 h",
		24*time.Hour + 30*time.Minute:   "1 d",
		400*24*time.Hour + 5*time.Hour:  "400 d 5 h",
		time.Hour - 500*time.Nanosecond: "1 h",
		0:                               "0 s",
	} {
		if got := distance(d); got != want {
			t.Errorf("%s is %q, not %q", d, got, want)
		}
	}
}

// TestNextChange compares with a look at every hour, on both sides of where the
// tables of the zones end.
func TestNextChange(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"UTC", "Asia/Shanghai", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "Pacific/Apia"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, year := range []int{2010, 2035, 2060} {
			from := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
			to := from.AddDate(4, 0, 0)
			var want, got []time.Time
			for at := from; at.Before(to); at = at.Add(30 * time.Minute) {
				if next := at.Add(30 * time.Minute); offsetAt(zone, at) != offsetAt(zone, next) {
					want = append(want, next)
				}
			}
			for at := from; ; {
				next, ok := nextChange(zone, at)
				if !ok || next.After(to) {
					break
				}
				got = append(got, next.UTC())
				at = next
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s from %d: %s", name, year, diff)
			}
		}
	}
}

// TestList reads lists back: they name exactly the values.
func TestList(t *testing.T) {
	t.Parallel()
	w := wordsIn("en")
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfNDistinct(rapid.IntRange(0, 59), 1, 60, rapid.ID).Draw(t, "values")
		slices.Sort(values)
		text := w.list(1, values, 60)
		want := values
		text, more, cut := strings.Cut(text, " and ")
		var got []int
		for part := range strings.SplitSeq(strings.Replace(text, "every minute", "0 to 59", 1), ", ") {
			first, last, step := 0, 0, 1
			if n, _ := fmt.Sscanf(part, "%d to %d in steps of %d", &first, &last, &step); n < 2 {
				last = first
			}
			for n := first; n <= last; n += step {
				got = append(got, n)
			}
		}
		if cut {
			want = values[:min(len(got), len(values))]
			if !strings.HasSuffix(more, " more") || len(got) >= len(values) {
				t.Fatalf("%v is %q", values, text)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%v is %q", values, text)
		}
	})
}

// TestSpecialDays tells what the odd fields mean.
func TestSpecialDays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ expr, en, zh string }{
		{"0 0 0 L * ?", "the last day of the month", "每月最后一天"},
		{"0 0 0 L-0 * ?", "the last day of the month", "每月最后一天"},
		{"0 0 0 L-1 * ?", "the day before the last day of the month", "每月倒数第 2 天"},
		{"0 0 0 l-3w * ?", "the day from Monday to Friday that is nearest to 3 days before the last day of the month", "离每月倒数第 4 天最近的工作日（周一至周五）"},
		{"0 0 0 1w * ?", "the day from Monday to Friday that is nearest to day 1, in the same month", "同月内离 1 日最近的工作日（周一至周五）"},
		{"0 0 0 0W * ?", "none", "无"},
		{"0 0 0 ,5, * ?", "5", "5日"},
		{"0 0 0 1/2 * ?", "1 to 31 in steps of 2", "1日至31日，步长 2"},
		{"0 0 0 ?,5 * MON", "no value: the other day field applies", "不指定，由另一个日期字段决定"},
		{"0 0 0 1-31 * ?", "every day", "每天"},
		{"0 0 0 ? * L", "Saturday", "周六"},
		{"0 0 0 ? * MONL", "the last Monday of the month", "每月最后一个周一"},
		{"0 0 0 ? * 1#5", "the fifth Sunday of the month", "每月第 5 个周日"},
		{"0 0 0 ? * 7#4", "the fourth Saturday of the month", "每月第 4 个周六"},
		{"0 0 0 ? * MON-WED#2", "Monday to Wednesday", "周一至周三"}, // the #2 is ignored
		{"0 0 0 ? * FRI,2#2", "the second Monday of the month", "每月第 2 个周一"},
		{"0 0 0 ? * FRI-MON", "Sunday, Monday, Friday, Saturday", "周日、周一、周五、周六"},
		{"0 0 7 * *", "7", "7日"},
		{"0 0 * * 7,1", "Sunday, Monday", "周日、周一"},
	} {
		for language, want := range map[string]string{"en": c.en, "zh": c.zh} {
			if _, err := schedule.ParseCronWith(c.expr, schedule.CronOptions{}); err != nil {
				t.Fatal(c.expr, err)
			}
			said := slices.ContainsFunc(fields(c.expr, wordsIn(language)), func(f fieldMeaning) bool { return f.Means == want })
			if !said {
				t.Errorf("%s: %q is not in %v", c.expr, want, fields(c.expr, wordsIn(language)))
			}
		}
	}
}

// FuzzBatchLine answers any line with one line of JSON: an array of instants in
// order, or an error.
func FuzzBatchLine(f *testing.F) {
	for _, line := range []string{
		`{"expr":"0 30 2 * * ?","zone":"Europe/Berlin","from":"2030-01-31T08:00:00Z","count":5,"dst":"wall"}`,
		`{"expr":"@every 90s"}`, `{"expr":"*/5 9-17 * * 1-5","from":"2030-01-31"}`, `{"expr":"0 0 0 L-3W * ?","count":0}`,
		`{"expr":5,"x":1}`, `[]`, `null`, ``, `{"expr":"\u0000\ud800"}`, `{"expr":"0 0 0 31 2 ?"} x`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.ContainsAny(line, "\n") {
			return
		}
		flags := question{zone: "UTC", dst: defaultDST, from: "2026-03-01T00:00:00Z", count: 3}
		answer, err := answerLine(nil, line, flags, timing.Zones{})
		if err != nil {
			answer = appendFault(nil, err)
			var fault struct{ Error string }
			if err := json.Unmarshal(answer, &fault); err != nil || fault.Error == "" || bytes.Contains(answer, []byte("\n")) || !utf8.Valid(answer) {
				t.Fatalf("%v: %q", err, answer)
			}
			return
		}
		var found []time.Time
		if err := json.Unmarshal(answer, &found); err != nil {
			t.Fatalf("%v: %q", err, answer)
		}
		for i := 1; i < len(found); i++ {
			if !found[i].After(found[i-1]) {
				t.Errorf("%s does not follow %s", found[i], found[i-1])
			}
		}
	})
}

// BenchmarkBatchLine answers a question of a batch.
func BenchmarkBatchLine(b *testing.B) {
	line := []byte(`{"expr":"0 30 2 * * ?","zone":"Europe/Berlin","from":"2030-01-31T08:00:00Z","count":5}`)
	flags, zones := question{zone: "UTC", dst: defaultDST, count: 20}, timing.Zones{}
	var answer []byte
	for b.Loop() {
		var err error
		if answer, err = answerLine(answer[:0], line, flags, zones); err != nil {
			b.Fatal(err)
		}
	}
}
