package schedule

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// drawExpression draws an expression that parses.
func drawExpression(t *rapid.T) string {
	second := terms(t, "seconds", numbers(0, 59, time.Time.Second))
	minute := terms(t, "minutes", numbers(0, 59, time.Time.Minute))
	hour := terms(t, "hours", numbers(0, 23, time.Time.Hour))
	month := terms(t, "months", numbers(1, 12, func(t time.Time) int { return int(t.Month()) }))
	if rapid.Bool().Draw(t, "seconds are 0") {
		second.text = "0"
	}
	if rapid.Bool().Draw(t, "all months") {
		month.text = "*"
	}
	date, week := "?", "?"
	switch rapid.IntRange(0, 2).Draw(t, "days") {
	case 0:
		week = weekdayField(t).text
	case 1:
		date = terms(t, "dates", dateTerm).text
	case 2:
		date = "*"
	}
	year := rapid.SampledFrom([]string{"", " 2027", " 2026-2030", " 2026/3", " 2026,2028,2031-2033", " 1970-2126/2"}).Draw(t, "year")
	return fmt.Sprintf("%s %s %s %s %s %s%s", second.text, minute.text, hour.text, date, month.text, week, year)
}

// Of two expressions that differ in one value, none has the other's sentence
// unless they fire at the same times.
func TestDescribeTellsExpressionsApart(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		one := mustParse(t, drawExpression(t), "UTC")
		other := *one
		n := rapid.IntRange(0, 59).Draw(t, "value")
		switch rapid.IntRange(0, 9).Draw(t, "field") {
		case 0:
			other.seconds ^= 1 << n
		case 1:
			other.minutes ^= 1 << n
		case 2:
			other.hours ^= 1 << (n % 24)
		case 3:
			other.months ^= 1 << (n%12 + 1)
		case 4:
			other.years[0] ^= 1 << n
		default:
			switch d := &other.days; {
			case d.byWeek && (d.nth > 0 || d.last) && n < 20:
				d.nth, d.last = 0, false
			case d.byWeek && (d.nth > 0 || d.last):
				d.weekdays = 1 << (n % 7)
			case d.byWeek:
				d.weekdays ^= 1 << (n % 7)
			case n < 20:
				d.dates ^= 1 << (n + 1)
			case n < 30:
				d.fromLast ^= 1 << (n - 20)
			case n < 40:
				d.nearest ^= 1 << (n - 29)
			default:
				d.nearestFromLast ^= 1 << (n - 40)
			}
		}
		if other.seconds == 0 || other.minutes == 0 || other.hours == 0 || other.months == 0 ||
			other.days.byWeek && other.days.weekdays == 0 {
			return // the parser makes no empty field
		}
		other.midnight, _ = other.clockNext(0)
		for _, l := range []Language{English, Chinese} {
			text := one.Describe(l)
			if text != other.Describe(l) || strings.Contains(text, " more") || strings.Contains(text, "另有") {
				continue
			}
			for _, year := range []int{1970, 1999, 2026, 2027, 2028, 2030, 2100} {
				for month := time.January; month <= time.December; month++ {
					start := time.Date(year, month, 1+int(month), int(month), 0, 0, 0, time.UTC)
					if diff := cmp.Diff(firings(one, start, 20), firings(&other, start, 20)); diff != "" {
						t.Fatalf("%q is said of two schedules, %q and one beside it:\n%s", text, one, diff)
					}
				}
			}
		}
	})
}

// However the values of a field are written, the sentence is the same.
func TestDescribeTellsWhatFires(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		one := mustParse(t, drawExpression(t), "UTC")
		list := func(values []int) string {
			rand.New(rand.NewPCG(1, uint64(len(values)))).Shuffle(len(values), func(i, j int) {
				values[i], values[j] = values[j], values[i]
			})
			return strings.Trim(strings.ReplaceAll(fmt.Sprint(values), " ", ","), "[]")
		}
		fields := strings.Fields(one.String())
		fields[0] = list(members(uint64(one.seconds)))
		fields[1] = list(members(uint64(one.minutes)))
		fields[2] = list(members(uint64(one.hours)))
		fields[4] = list(members(uint64(one.months)))
		same := mustParse(t, strings.Join(fields, " "), "UTC")
		for _, l := range []Language{English, Chinese} {
			if a, b := one.Describe(l), same.Describe(l); a != b {
				t.Fatalf("%q is %q, but %q is %q", one, a, same, b)
			}
		}
	})
}

// Every set of weekdays and every set of months has a sentence of its own, also
// where a run may not pass the turn of the year.
func TestDescribeNamesEachSet(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	check := func(format string, low, high int) {
		for set := 1; set < 1<<(high-low+1); set++ {
			var values []string
			for n := low; n <= high; n++ {
				if set>>(n-low)&1 != 0 {
					values = append(values, fmt.Sprint(n))
				}
			}
			expr := fmt.Sprintf(format, strings.Join(values, ","))
			cron := mustParse(t, expr, "UTC")
			for _, l := range []Language{English, Chinese} {
				text := cron.Describe(l)
				if before, ok := seen[text]; ok {
					t.Errorf("%q and %q are both %q", before, expr, text)
				}
				seen[text] = expr
			}
		}
	}
	check("0 0 12 ? 3 %s", 1, 7)
	check("0 0 12 2 %s ?", 1, 12)
	check("0 0 12 2 %s ? 2027", 1, 12)
}

// No two sets of hours share a sentence, and none leaves an hour out.
func TestDescribeNamesEachSetOfHours(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 7))
	for _, format := range []string{"0 0 %s * * ?", "0 */5 %s * * ?", "0 7,9 %s 1 * ?", "*/7 * %s * * ?"} {
		seen := map[string]bitset{}
		for range 500 {
			set := bitset(random.Uint64N(1<<24-1) + 1)
			if random.IntN(2) == 0 { // few runs, some of them over midnight
				from, size := random.IntN(24), random.IntN(24)
				for n := range size + 1 {
					set.add((from + n) % 24)
				}
			}
			hours := strings.Trim(strings.ReplaceAll(fmt.Sprint(members(uint64(set))), " ", ","), "[]")
			cron := mustParse(t, fmt.Sprintf(format, hours), "UTC")
			for _, l := range []Language{English, Chinese} {
				text := cron.Describe(l)
				if before, ok := seen[text]; ok && before != set {
					t.Errorf("%q is said of the hours %v and %v", text, members(uint64(before)), members(uint64(set)))
				}
				if strings.Contains(text, " more") || strings.Contains(text, "另有") {
					t.Errorf("%q leaves hours out", text)
				}
				seen[text] = set
			}
		}
	}
}

func TestDescribeSpec(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 1, 20, 0, 0, 0, time.FixedZone("", 8*60*60))
	tests := []struct {
		spec             Spec
		english, chinese string
	}{
		{
			Spec{Kind: KindCron, Cron: "0 0 9 ? * MON-FRI", Zone: "Asia/Shanghai"},
			"At 09:00, Monday to Friday (Asia/Shanghai)", "周一至周五 09:00（Asia/Shanghai）",
		},
		{Spec{Kind: KindCron, Cron: "0 0 9 * * ?"}, "At 09:00 every day (UTC)", "每天 09:00（UTC）"},
		{
			Spec{Kind: KindCron, Cron: "0 30 2 10 3 ? 2024", Zone: "America/New_York"},
			"Never (America/New_York)", "永不触发（America/New_York）",
		},
		{Spec{Kind: KindCron, Cron: "@every 10m"}, "Every 10 minutes", "每 10 分钟一次"},
		{Spec{Kind: KindEvery, Every: time.Hour}, "Every hour", "每小时一次"},
		{Spec{Kind: KindEvery, Every: 5 * time.Minute}, "Every 5 minutes", "每 5 分钟一次"},
		{Spec{Kind: KindEvery, Every: 90 * time.Second}, "Every 1 minute and 30 seconds", "每 1 分钟 30 秒一次"},
		{Spec{Kind: KindEvery, Every: 48 * time.Hour}, "Every 48 hours", "每 48 小时一次"},
		{Spec{Kind: KindEvery, Every: 250 * time.Millisecond}, "Every 250 milliseconds", "每 250 毫秒一次"},
		{
			Spec{Kind: KindEvery, Every: 25*time.Hour + 1500*time.Millisecond},
			"Every 25 hours, 1 second and 500 milliseconds", "每 25 小时 1 秒 500 毫秒一次",
		},
		{
			Spec{Kind: KindEvery, Every: time.Minute, Anchor: at},
			"Every minute, counted from 2026-05-01 12:00:00 UTC", "每分钟一次，自 2026-05-01 12:00:00 UTC 起计",
		},
		{Spec{Kind: KindOnce, At: at}, "Once at 2026-05-01 12:00:00 UTC", "仅一次：2026-05-01 12:00:00 UTC"},
		{
			Spec{Kind: KindOnce, At: at.Add(250*time.Millisecond + 1)},
			"Once at 2026-05-01 12:00:00.25 UTC", "仅一次：2026-05-01 12:00:00.25 UTC",
		},
		{Spec{Kind: KindManual}, "Only when a person or a program triggers it", "仅在手动或由程序触发时执行"},
		{Spec{Kind: KindEvery}, "every 0s", "every 0s"},
		{Spec{Kind: KindCron, Cron: "0 0"}, `cron "0 0"`, `cron "0 0"`},
		{Spec{}, "", ""},
	}
	for _, tc := range tests {
		if got := tc.spec.Describe(English); got != tc.english {
			t.Errorf("%s: Describe(English) = %q, want %q", tc.spec, got, tc.english)
		}
		if got := tc.spec.Describe(Chinese); got != tc.chinese {
			t.Errorf("%s: Describe(Chinese) = %q, want %q", tc.spec, got, tc.chinese)
		}
		if got := tc.spec.Describe("fr"); got != tc.english {
			t.Errorf("%s: Describe of an unknown language = %q, want %q", tc.spec, got, tc.english)
		}
	}
}

// The longest sentences give up detail and not the bound.
func TestDescribeIsBounded(t *testing.T) {
	t.Parallel()
	const expr = "0,2,5,9,11,14,17,21,26,30,33,38,41,45,50,56 1,3,6,10,12,15,18,22,27,31,34,39,42,46,51,57 " +
		"0,1,3,4,6,7,9,10,12,14,15,17,18,20,21,23 L-30,L-29,L-28W,L-27W,L-26W,L-25W,L-24W,L-23W,L-22W,L-21W,L-20W,3W,5,30 " +
		"1,3,4,5,6,8,9,10,11,12 ? 2026,2028-2030,2033,2035,2037-2039,2042,2044,2047,2050,2053,2057,2061,2066,2071"
	cron := mustParse(t, expr, "UTC")
	for _, l := range []Language{English, Chinese} {
		text := cron.Describe(l)
		if n := utf8.RuneCountInString(text); n > maxDescription {
			t.Errorf("%q has %d characters, at most %d are allowed", text, n, maxDescription)
		}
		if !slices.ContainsFunc([]string{" more", "另有"}, func(s string) bool { return strings.Contains(text, s) }) {
			t.Errorf("%q does not say that it leaves something out", text)
		}
	}
}

func FuzzDescribe(f *testing.F) {
	for _, seed := range []string{
		"0 0 12 * * ?", "*/5 0-59/7 22-2 1,15W,LW,L-3,L-30W JAN-MAR ? 2024-2030/2", "0 0 12 ? * 6#3", "0 0 0 ? NOV-FEB FRIL",
		"0/0 */0 /5 5C * ??", "0 0 0 0W,31 2 ?", "0 0 0 1 1 ? 999999/999999", "1,3,9 2,4,8 1,5,7 ? 1,4 MON#5 2026,2029",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, expr string) {
		cron, err := ParseCron(expr, nil)
		if err != nil {
			return
		}
		for _, l := range []Language{English, Chinese} {
			text := cron.Describe(l)
			if n := utf8.RuneCountInString(text); n == 0 || n > maxDescription || !utf8.ValidString(text) {
				t.Fatalf("%q: Describe(%s) = %q of %d characters", expr, l, text, n)
			}
			if strings.Contains(text, "%!") || strings.Contains(text, "  ") || strings.TrimSpace(text) != text {
				t.Fatalf("%q: Describe(%s) = %q", expr, l, text)
			}
		}
	})
}
