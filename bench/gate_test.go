package main

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestWorse(t *testing.T) {
	t.Parallel()
	recorded := map[string]float64{"slow": 4, "fast": 10}
	for _, c := range []struct {
		name     string
		measured map[string]float64
		failures []string
	}{
		{"better", map[string]float64{"slow": 2, "fast": 9}, nil},
		{"equal", map[string]float64{"slow": 4, "fast": 10}, nil},
		{"9 % worse", map[string]float64{"slow": 4, "fast": 10.9}, nil},
		{"11 % worse", map[string]float64{"slow": 4, "fast": 11.1}, []string{`"fast" costs 11.10 times its floor, recorded are 10.00: 11 % worse`}},
		{"both are worse", map[string]float64{"slow": 8, "fast": 20}, []string{`"fast" costs`, `"slow" costs`}},
		{"a row is missing", map[string]float64{"fast": 10}, []string{`"slow" was not measured`}},
		{"a row is new", map[string]float64{"slow": 4, "fast": 10, "new": 1}, []string{`"new" is not in`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := worse(recorded, c.measured)
			var lines []string
			if err != nil {
				lines = strings.Split(err.Error(), "\n")
			}
			if len(lines) != len(c.failures) {
				t.Fatalf("%d failures: %v", len(lines), err)
			}
			for i, want := range c.failures {
				if !strings.HasPrefix(lines[i], want) {
					t.Errorf("%q, want %q", lines[i], want)
				}
			}
		})
	}
}

func TestJudgeWithoutRatios(t *testing.T) {
	t.Parallel()
	rows := []costRow{{"Orth", "floor", true, nil}, {"floor", "", false, nil}}
	if err := judge(options{Gate: true}, rows, make([]cost, 2)); err == nil {
		t.Error("nothing was measured, and the gate is open")
	}
	if err := judge(options{}, rows, make([]cost, 2)); err != nil {
		t.Error(err)
	}
}

func TestRatiosFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ratios.json")
	if err := writeRatios(path, map[string]float64{"slow": 2.4567, "fast": 13}); err != nil {
		t.Fatal(err)
	}
	got, err := readRatios(path)
	if err != nil || !maps.Equal(got, map[string]float64{"slow": 2.46, "fast": 13}) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := readRatios(path + ".missing"); err == nil {
		t.Error("a missing file is no error")
	}
}

// The committed file has the rows that the gate measures, and no others.
func TestCommittedRatios(t *testing.T) {
	t.Parallel()
	recorded, err := readRatios(filepath.Join("testdata", filepath.Base(ratiosFile)))
	if err != nil {
		t.Fatal(err)
	}
	measured := map[string]float64{}
	for _, row := range costRows(t.Context(), options{Gate: true}) {
		if row.gated {
			measured[row.name] = recorded[row.name]
		}
	}
	if err := worse(recorded, measured); err != nil {
		t.Error(err)
	}
}

func TestCosts(t *testing.T) {
	t.Parallel()
	at := func(server, executor float64) cost { return cost{rate: 100, server: server, executor: executor} }
	rows := []costRow{{name: "Orth", floor: "floor"}, {name: "floor"}}
	turns := map[string][]cost{"Orth": {at(60, 40), at(300, 300), at(100, 50)}, "floor": {at(15, 10), at(60, 40), at(20, 10)}}
	for round := range 3 {
		setRatios(rows, turns, round)
	}
	ours, floor := medianCost(turns["Orth"]), medianCost(turns["floor"])
	// The second turn was slow for both: its ratio counts, not its times.
	if ours.ratio != 5 || ours.server != 100 || ours.executor != 50 || floor.ratio != 0 || floor.sum() != 30 {
		t.Errorf("%+v, %+v", ours, floor)
	}
	var b strings.Builder
	if err := costTable(&b, rows, []cost{ours, floor}); err != nil {
		t.Fatal(err)
	}
	want := []string{"100", "100.0", "50.0", "–", "150.0", "5.00", "–", "–", "–", "–", "–", "Orth"}
	if lines := strings.Split(b.String(), "\n"); len(lines) != 4 || strings.Join(strings.Fields(lines[1]), " ") != strings.Join(want, " ") {
		t.Errorf("the table is\n%s", b.String())
	}
}

func TestLatenessIsOfWhatWasMet(t *testing.T) {
	t.Parallel()
	d := demand{100, time.Second}
	notes := []note{{1, 1000, 1_002_000}}
	for _, c := range []struct {
		d    demand
		rate float64
		want float64
	}{{d, 100, 2}, {d, 90, 0}, {demand{jobs: floorGroup}, 90_000, 0}} {
		if got := (cost{rate: c.rate}).with(c.d, notes).p50; got != c.want {
			t.Errorf("%+v: p50 is %g, want %g", c, got, c.want)
		}
	}
}
