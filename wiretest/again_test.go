package wiretest

import (
	"slices"
	"testing"
)

func TestAgain(t *testing.T) {
	t.Parallel()
	var plays [][]string
	got := Again(t, []Verdict{{ID: "A1", Outcome: Passed}, {ID: "A2", Outcome: Failed}, {ID: "A3", Outcome: Failed}, {ID: "A4", Outcome: NotApplicable}},
		func(failed []string) (out []Verdict, err error) {
			plays = append(plays, failed)
			for _, id := range failed {
				v := Verdict{ID: id, Outcome: Failed}
				if id == "A2" && len(plays) == 2 {
					v.Outcome = Passed
				}
				out = append(out, v)
			}
			return append(out, Verdict{ID: "A1", Outcome: Failed}), nil // nobody asked for it
		})
	var outcomes []Outcome
	for _, v := range got {
		outcomes = append(outcomes, v.Outcome)
	}
	if want := []Outcome{Passed, Passed, Failed, NotApplicable}; !slices.Equal(outcomes, want) {
		t.Errorf("the outcomes are %v, want %v", outcomes, want)
	}
	if want := [][]string{{"A2", "A3"}, {"A2", "A3"}, {"A3"}}; !slices.EqualFunc(plays, want, slices.Equal) {
		t.Errorf("played again: %v, want %v", plays, want)
	}
}
