package thread

import (
	"math"
	"testing"
)

func standard() *Config {
	return &Config{Fee: 1000, ExecutorShare: 9000, TeamShare: 1000, Grace: 5, Decay: 295}
}

func TestPay(t *testing.T) {
	for _, c := range []struct {
		name    string
		since   int64
		delta   int64
		forgo   bool
		profile Profile
		want    Pay
	}{
		{"early", -3, 0, false, Newest(), Pay{5000, 900, 100}},
		{"in time", 0, 0, false, Newest(), Pay{5000, 900, 100}},
		{"at the end of grace", 5, 0, false, Newest(), Pay{5000, 900, 100}},
		{"one second later", 6, 0, false, Newest(), Pay{5000, 896, 99}}, // 996 of 1000
		{"in the middle", 152, 0, false, Newest(), Pay{5000, 450, 50}},  // 501
		{"at the end", 300, 0, false, Newest(), Pay{5000, 0, 0}},
		{"long after", math.MaxInt64, 0, false, Newest(), Pay{5000, 0, 0}},
		{"the fiber took", 0, -7000, false, Newest(), Pay{7000, 900, 100}},
		{"the fiber took all there is", 0, math.MinInt64, false, Newest(), Pay{1 << 63, 900, 100}},
		{"the fiber gave", 0, 7000, false, Newest(), Pay{0, 0, 100}},
		{"forgone", 0, 0, true, Newest(), Pay{5000, 0, 100}},
		{"forgone after the fiber took", 0, -1, true, Newest(), Pay{1, 0, 100}},
		{"seed", 0, -7000, false, Seed(), Pay{0, 900, 100}},
		{"seed, forgone", 0, 0, true, Seed(), Pay{0, 0, 100}},
	} {
		if got := standard().Pay(c.profile, c.since, c.delta, c.forgo); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestPayOfOddConfigs(t *testing.T) {
	c := standard()
	c.Decay = 0
	if got := c.Effective(6); got != 0 {
		t.Errorf("without decay a late execution pays %d", got)
	}
	c.Fee, c.ExecutorShare = math.MaxUint64, math.MaxUint64
	if got := c.Pay(Newest(), 0, 0, false).Executor; got != math.MaxUint64 {
		t.Errorf("a share that fits nowhere is %d", got)
	}
	c.Fee, c.ExecutorShare = math.MaxUint64, basis
	if got := c.Pay(Newest(), 0, 0, false).Executor; got != math.MaxUint64 {
		t.Errorf("the whole of the largest fee is %d", got)
	}
}

func TestPriorityFee(t *testing.T) {
	for _, c := range []struct {
		limit uint32
		price uint64
		want  uint64
	}{{0, 1000, 0}, {200_000, 0, 0}, {1, 1, 1}, {12_000, 1000, 12}, {12_001, 1000, 13}, {1_400_000, math.MaxUint64, math.MaxUint64}} {
		if got := PriorityFee(c.limit, c.price); got != c.want {
			t.Errorf("%d units at %d: %d lamports, want %d", c.limit, c.price, got, c.want)
		}
	}
}
