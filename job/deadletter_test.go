package job

import (
	"slices"
	"testing"
)

func TestDies(t *testing.T) {
	t.Parallel()
	for _, end := range States() {
		bad := end == Failed || end == TimedOut || end == Lost
		for _, cause := range []Cause{CauseSchedule, CauseManual, CauseParent, CauseRedrive} {
			if Dies(cause, end) != bad {
				t.Errorf("Dies(%s, %s) = %v", cause, end, !bad)
			}
		}
		if Dies(CauseShard, end) {
			t.Errorf("a part of a run that is %s dies by itself", end)
		}
	}
}

func TestLetterStatuses(t *testing.T) {
	t.Parallel()
	all := LetterStatuses()
	if len(all) != 3 || all[0] != LetterOpen || slices.Contains(all, LetterStatus("")) {
		t.Errorf("the statuses are %v", all)
	}
	for _, s := range all {
		if !s.Known() {
			t.Errorf("%s is not known", s)
		}
	}
	if LetterStatus("odd").Known() || LetterStatus("").Known() {
		t.Error("what is none is known")
	}
}
