package wiretest

import (
	"slices"
	"strings"
	"testing"
)

// all returns the cases of both sides.
func all(t *testing.T) (executors, admins []numbered) {
	t.Helper()
	executors, err := readCases(executorFiles())
	if err != nil {
		t.Fatal(err)
	}
	admins, err = readCases(adminFiles())
	if err != nil {
		t.Fatal(err)
	}
	return executors, admins
}

// TestData holds the data to its own words: what a case names must be there,
// and what is there must be named by a case.
func TestData(t *testing.T) {
	t.Parallel()
	b := mustBook(t)
	executors, admins := all(t)
	ids, needs, deviations := make(map[string]bool), map[string]bool{"start": true}, make(map[string]bool)
	for _, c := range slices.Concat(executors, admins) {
		if ids[c.ID] {
			t.Errorf("%s is there twice", c.ID)
		}
		ids[c.ID] = true
		if c.Title == "" || len(c.Steps) == 0 {
			t.Errorf("%s has no title or no steps", c.ID)
		}
		for _, s := range c.Steps {
			driven := s.Create != nil || s.Trigger != nil || s.Taken != nil || s.Runs != nil
			if driven && !slices.Contains(c.Needs, "control") || s.Kill != nil && !slices.Contains(c.Needs, "kill") {
				t.Errorf("%s makes the admin work and does not say that it needs to", c.ID)
			}
			if s.Switch != nil && !slices.Contains(c.Needs, "schedules") || s.Shown != nil && !slices.Contains(c.Needs, "logs") {
				t.Errorf("%s has schedules or logs and does not say that it needs them", c.ID)
			}
			if e := s.Executor; e != nil && !slices.Contains([]string{"", "first", "last"}, e.Sorts) {
				t.Errorf("%s has an executor that sorts %q", c.ID, e.Sorts)
			}
		}
		for _, f := range c.Flavours {
			if _, known := b.Flavours[f]; !known {
				t.Errorf("%s names the flavour %q", c.ID, f)
			}
		}
		for _, name := range c.Needs {
			needs[name] = true
			if _, known := b.Capabilities[name]; !known {
				t.Errorf("%s needs %q", c.ID, name)
			}
		}
		for _, name := range []string{c.Unless, c.When} {
			deviations[name] = true
			if _, known := b.Deviations[name]; name != "" && !known {
				t.Errorf("%s names the deviation %q", c.ID, name)
			}
		}
	}
	for name := range b.Capabilities {
		if !needs[name] {
			t.Errorf("no case needs %q", name)
		}
	}
	for name := range b.Deviations {
		if !deviations[name] {
			t.Errorf("no case names the deviation %q", name)
		}
	}
	for name := range b.Words {
		if _, known := b.Flavours[Flavour(name)]; name != "*" && !known {
			t.Errorf("there are words of the flavour %q", name)
		}
	}
}

// TestMutantsCoverAll: a case that no fault fails is no case.
func TestMutantsCoverAll(t *testing.T) {
	t.Parallel()
	executors, admins := all(t)
	found := make(map[string]bool)
	for _, m := range slices.Concat(executorMutants(), adminMutants()) {
		found[m.id] = true
	}
	for _, c := range slices.Concat(executors, admins) {
		if !found[c.ID] {
			t.Errorf("no mutant fails %s", c.ID)
		}
	}
}

// TestTargetsAreChecked: what a target says of itself wrongly would leave cases
// out.
func TestTargetsAreChecked(t *testing.T) {
	t.Parallel()
	for want, target := range map[string]Target{
		`the flavour "xxl-9" is unknown`:           {Flavour: "xxl-9", URL: "http://127.0.0.1:1"},
		`the capability "script" is unknown`:       {Can: []string{"script"}, URL: "http://127.0.0.1:1"},
		`the deviation "is-odd" is unknown`:        {Deviates: []string{"is-odd"}, URL: "http://127.0.0.1:1"},
		`the case "R99" is unknown`:                {Only: []string{"R99"}, URL: "http://127.0.0.1:1"},
		`the target needs either a URL or a Start`: {},
	} {
		if _, err := PlayExecutor(t.Context(), target); err == nil || err.Error() != want {
			t.Errorf("%v; want %s", err, want)
		}
	}
	_, err := PlayExecutor(t.Context(), Target{URL: "http://127.0.0.1:1", Patience: 1})
	if err == nil || !strings.HasPrefix(err.Error(), "call the executor: ") {
		t.Errorf("an executor that is not there: %v", err)
	}
	if _, err := PlayAdmin(t.Context(), Target{Start: startReference(mustBook(t), XXL3, "", false)}); err == nil {
		t.Error("an admin is started")
	}
}

// TestNotApplicable: every case has a verdict, and one that was not played says
// why.
func TestNotApplicable(t *testing.T) {
	t.Parallel()
	target := adminTarget(t, XXL3, "", false)
	target.Control = nil
	verdicts, err := PlayAdmin(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	if _, admins := all(t); len(verdicts) != len(admins) {
		t.Errorf("%d verdicts of %d cases", len(verdicts), len(admins))
	}
	for _, v := range verdicts {
		want := map[string]string{
			"A7": "the target lacks control", "A10": "the case is not for the flavour xxl-3",
			"A2-no-address": "the case is for targets that deviate: address-refused",
		}[v.ID]
		if v.Outcome == NotApplicable && v.Reason == "" || want != "" && (v.Outcome != NotApplicable || v.Reason != want) {
			t.Errorf("%s; want %q", v, want)
		}
	}
}
