package tries

import (
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/job"
)

// From one network so many wrong tries take effect and no more, whatever is tried, and
// others do not wait for them.
func TestLimiter(t *testing.T) {
	t.Parallel()
	l, now := NewLimiter(Config{}), time.Unix(1_000_000, 0)
	end := now.Add(10*time.Minute + time.Second)
	took := 0
	for i := 0; now.Before(end); i++ {
		if l.Wrong(fmt.Sprintf("10.1.2.%d", i%256), fmt.Sprint(i), now) == 0 {
			took++
		}
		now = now.Add(10 * time.Millisecond)
	}
	if want := 30 + int(10*time.Minute/(2*time.Second)); took > want || took < want-2 {
		t.Errorf("%d tries took effect in ten minutes, want %d", took, want)
	}
	if l.Wait("10.1.2.9", now) <= 0 || l.Wait("::ffff:10.1.2.9", now) <= 0 || l.Wait("10.1.3.9", now) != 0 || l.Wait("2001:db8::1", now) != 0 {
		t.Error("the wrong ones wait")
	}
	if wait := l.Wait("10.1.2.9", now.Add(2*time.Second)); wait != 0 {
		t.Errorf("later it waits for %s", wait)
	}
	if err := TooOften(1500 * time.Millisecond); !job.Is(err, job.Full) || err.Error() != "too many wrong tokens were shown from this network: try again in 2s" {
		t.Error(err)
	}
}

// A fleet whose token is not right any more shows the same one again and again: that is
// answered as wrong all the while, and slows nobody down. What was slowed down was not
// answered, and does not count as tried.
func TestLimiterCountsATryOnce(t *testing.T) {
	t.Parallel()
	l, now := NewLimiter(Config{}), time.Unix(1_000_000, 0)
	for range 100_000 {
		if wait := l.Wrong("10.1.2.3", "the old token", now); wait != 0 {
			t.Fatalf("it waits for %s", wait)
		}
	}
	for i := range 29 {
		l.Wrong("10.1.2.4", fmt.Sprint(i), now)
	}
	for range 2 {
		if l.Wrong("10.1.2.5", "another", now) == 0 {
			t.Error("the thirty-first try takes effect")
		}
	}
	if l.Wrong("10.1.2.5", "the old token", now) != 0 {
		t.Error("a try that was counted waits")
	}
	if l.Wrong("10.9.9.9", "the old token", now) != 0 || l.Wait("10.9.9.9", now) != 0 {
		t.Error("another network waits")
	}
}

// An attack is counted, and takes one line of the log a minute.
func TestLimiterReports(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	counted := map[bool]int{}
	l := NewLimiter(Config{
		Door: "api", Counted: func(slowed bool) { counted[slowed]++ }, Logger: slog.New(slog.NewTextHandler(&text, nil)),
		Pace: Pace{AtOnce: 2, Every: time.Hour},
	})
	now := time.Unix(1_000_000, 0)
	for i := range 1000 {
		l.Wrong(fmt.Sprintf("10.%d.2.3", i%2), fmt.Sprint(i), now.Add(time.Duration(i)*100*time.Millisecond))
	}
	if counted[false] != 4 || counted[true] != 996 {
		t.Errorf("counted %v", counted)
	}
	if lines := strings.Split(strings.TrimSpace(text.String()), "\n"); len(lines) != 2 ||
		!strings.Contains(lines[0], "door=api from=10.0.2.0/24 tries=1 ") || !strings.Contains(lines[1], "tries=600 ") {
		t.Errorf("written:\n%s", text.String())
	}
}

// Strangers at many addresses take no more memory than one.
func TestLimiterTakesNoMemory(t *testing.T) { // alone: it counts allocations
	l, now := NewLimiter(Config{}), time.Now()
	i := 0
	if n := testing.AllocsPerRun(10_000, func() {
		i++
		l.Wrong("10.9.9.9", strconv.Itoa(i), now)
	}); n > 3 {
		t.Errorf("%.0f allocations a try", n)
	}
	if len(l.meters) != slots || len(l.tried) != slots {
		t.Errorf("%d meters", len(l.meters))
	}
}

func TestNetwork(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"192.0.2.77": "192.0.2.0/24", "192.0.3.1": "192.0.3.0/24", "::ffff:192.0.2.9": "192.0.2.0/24",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64", "2001:db8:1:2::": "2001:db8:1:2::/64", "fe80::1%eth0": "fe80::/64",
		"192.0.2.1": "192.0.2.0/24", "": "elsewhere", "@": "elsewhere", "192.0.2.1:80": "elsewhere",
	} {
		if got := Network(address); got != want {
			t.Errorf("%q is from %q, want %q", address, got, want)
		}
	}
}
