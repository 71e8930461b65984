package wiretest

import (
	"testing"
	"time"
)

func adminTarget(t *testing.T, f Flavour, fault string, polite bool) Target {
	t.Helper()
	a := newRefAdmin(t, f, fault, polite)
	target := Target{
		Flavour: f, URL: a.url, Token: "tok", App: "app-x", Control: a, Registers: time.Millisecond, Patience: time.Minute,
		Can: []string{"routes"},
	}
	if polite {
		target.Deviates = []string{"address-refused", "kill-asks", "own-param", "children-stay"}
	}
	return target
}

// TestAdmin holds the reference to every case, in every flavour.
func TestAdmin(t *testing.T) {
	t.Parallel()
	for name, target := range map[string]Target{
		"xxl-2": adminTarget(t, XXL2, "", false), "xxl-3": adminTarget(t, XXL3, "", false),
		"xxl-3.5": adminTarget(t, XXL35, "", false), "orth-java": adminTarget(t, OrthJava, "", false),
		"polite": adminTarget(t, XXL3, "", true), "polite, xxl-3.5": adminTarget(t, XXL35, "", true),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			Admin(t, target)
		})
	}
}

func adminMutants() []mutant {
	return []mutant{
		{fault: "replies lack a field", id: "A1"},
		{fault: "registrations are lost", id: "A1-run"},
		{fault: "fields are left out", id: "A1-run"},
		{fault: "blank fields are taken", id: "A2"},
		{fault: "any address is refused", id: "A2-address"},
		{fault: "any address is taken", id: "A2-no-address", polite: true},
		{fault: "any token is taken", id: "A3"},
		{fault: "refusals have status 401", id: "A3"},
		{fault: "any token is taken", id: "A3-none"},
		{fault: "no app name is taken", id: "A3-app", flavour: XXL35},
		{fault: "the name has a slash", id: "A4"},
		{fault: "no body is bad JSON", id: "A5"},
		{fault: "any method is taken", id: "A5-method"},
		{fault: "bad JSON succeeds", id: "A5-bad"},
		{fault: "what is accepted counts", id: "A6"},
		{fault: "the last outcome stands", id: "A7"},
		{fault: "texts are lost", id: "A7-failed"},
		{fault: "retries never end", id: "A7-failed"},
		{fault: "an unknown log id is an error", id: "A8"},
		{fault: "children start again", id: "A9"},
		{fault: "children never start", id: "A9"},
		{fault: "objects are not read", id: "A10", flavour: XXL35},
		{fault: "farewells are not heard", id: "A11"},
		{fault: "a farewell is everybody's", id: "A11-other"},
		{fault: "addresses are passed over", id: "A28"},
		{fault: "broadcasts go to one", id: "A13"},
		{fault: "shards are all the first", id: "A13"},
		{fault: "failover asks nobody", id: "A14"},
		{fault: "retries are lost", id: "A15"},
		{fault: "retries never end", id: "A15"},
		{fault: "refusals are not seen", id: "A16"},
		{fault: "a kill names the run", id: "A19"},
		{fault: "a kill waits for the outcome", id: "A19"},
		{fault: "a kill names the run", id: "A19-asks", polite: true},
		{fault: "names of headers are tidied up", id: "Q1"},
		{fault: "bodies come in chunks", id: "Q1"},
		{fault: "paths are cut off", id: "Q4"},
		{fault: "beats have a body", id: "Q5"},
		{fault: "who is early is not heard", id: "Q8"},
		{fault: "odd answers are a success", id: "Q6"},
		{fault: "addresses stand as they came", id: "A12"},
		{fault: "the last is the first", id: "A12-last"},
		{fault: "nobody has a turn", id: "A12-round"},
		{fault: "nobody has a turn", id: "A12-recent"},
		{fault: "the hash changes", id: "A12-hash"},
		{fault: "busyover asks nobody", id: "A12-busy"},
		{fault: "what never ran is killed", id: "A20"},
		{fault: "lines come twice", id: "A21"},
		{fault: "the end comes early", id: "A21"},
		{fault: "a stop is undone", id: "A25"},
		{fault: "what is over stays started", id: "A26"},
		{fault: "what is over is started", id: "A26"},
		{fault: "parameters are lost", id: "A29", flavour: XXL35},
		{fault: "parameters are lost", id: "A29-own", flavour: XXL35, polite: true},
		{fault: "children are as they should not be", id: "A30", flavour: XXL35},
		{fault: "children are as they should not be", id: "A30-stay", flavour: XXL35, polite: true},
		{fault: "what is unknown cannot be removed", id: "A32", flavour: XXL35},
		{fault: "what is unknown is taken", id: "A32", flavour: XXL35},
		{fault: "what has no schedule is started", id: "A32", flavour: XXL35},
		{fault: "the time of a log is rounded", id: "A38"},
		{fault: "only 500 fails", id: "Q9"},
		{fault: "odd codes are lost", id: "Q9"},
	}
}

// TestAdminMutants gives the reference one fault after the other.
//
//nolint:tparallel // its subtests report what was played at the same time
func TestAdminMutants(t *testing.T) {
	t.Parallel()
	hunt(t, adminMutants(), PlayAdmin, func(m mutant) Target { return adminTarget(t, m.flavour, m.fault, m.polite) })
}
