package wiretest

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func mustBook(t *testing.T) *book {
	t.Helper()
	b, err := readBook()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// politely are the deviations of the reference that is as polite as Orth.
func politely() []string {
	return []string{"joins-slashes", "refuses-running", "handlers-wait", "cuts-shorter", "concurrent-always"}
}

func referenceTarget(t *testing.T, f Flavour, fault string, polite bool) Target {
	t.Helper()
	target := Target{
		Flavour: f, Start: startReference(mustBook(t), f, fault, polite), Can: []string{"raw", "zero", "retries", "idle"},
		Idle: refIdle + 100*time.Millisecond, Patience: time.Minute,
	}
	if _, err := exec.LookPath("bash"); err == nil || os.Getenv("ORTH_REQUIRE_TOOLS") != "" {
		target.Can = append(target.Can, "scripts")
	}
	if f == XXL2 {
		target.Can = append(target.Can, "escapes")
	}
	if polite {
		target.Deviates = politely()
	}
	return target
}

// TestExecutor holds the reference to every case, in every flavour.
func TestExecutor(t *testing.T) {
	t.Parallel()
	for name, target := range map[string]Target{
		"xxl-2": referenceTarget(t, XXL2, "", false), "xxl-3": referenceTarget(t, XXL3, "", false),
		"xxl-3.5": referenceTarget(t, XXL35, "", false), "orth-java": referenceTarget(t, OrthJava, "", false),
		"polite": referenceTarget(t, XXL3, "", true),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			Executor(t, target)
		})
	}
}

// mutant is a fault of a reference, and the case that must find it.
type mutant struct {
	fault, id string
	flavour   Flavour // defaults to XXL3
	polite    bool
}

func executorMutants() []mutant {
	return []mutant{
		{fault: "replies have no length", id: "E1"},
		{fault: "a beat needs a body", id: "E2"},
		{fault: "the text of a wrong method", id: "E3"},
		{fault: "refusals have status 500", id: "E3"},
		{fault: "any token is taken", id: "E4"},
		{fault: "no token is taken", id: "E4"},
		{fault: "names of headers count", id: "E5"},
		{fault: "unknown paths have no name", id: "E6"},
		{fault: "the last slash is cut", id: "E7"},
		{fault: "queries are cut", id: "E7"},
		{fault: "slashes are joined", id: "E7"},
		{fault: "exact paths only", id: "E7-joined", polite: true},
		{fault: "the token is checked first", id: "E8"},
		{fault: "the path is checked first", id: "E8"},
		{fault: "the connection is closed", id: "E9"},
		{fault: "bodies have no limit", id: "E10"},
		{fault: "bad JSON succeeds", id: "E11"},
		{fault: "numbers as text are 0", id: "E12"},
		{fault: "replies are escaped", id: "E13"},
		{fault: "replies are raw", id: "E13-escaped", flavour: XXL2},
		{fault: "no app name is taken", id: "E14", flavour: XXL35},
		{fault: "any app name is taken", id: "E14", flavour: XXL35},
		{fault: "the connection is closed", id: "E15"},
		{fault: "callbacks are doubled", id: "R1"},
		{fault: "no message is an empty one", id: "R1"},
		{fault: "the date has another name", id: "R1"},
		{fault: "the date has another name", id: "R1", flavour: XXL35},
		{fault: "callbacks have another shape", id: "R1"},
		{fault: "callbacks have another shape", id: "R1", flavour: XXL35},
		{fault: "calls show no token", id: "R1"},
		{fault: "messages are escaped", id: "R1-message"},
		{fault: "an unknown handler is taken", id: "R2"},
		{fault: "a kind that is missing is BEAN", id: "R3"},
		{fault: "runs are not serial", id: "R4"},
		{fault: "nothing is discarded", id: "R5"},
		{fault: "the colon is another", id: "R5"},
		{fault: "nothing is covered", id: "R6"},
		{fault: "killed runs that waited say nothing", id: "R6"},
		{fault: "killed runs that waited say that they ran", id: "R6"},
		{fault: "cover early refuses an idle job", id: "R7"},
		{fault: "an unknown strategy is refused", id: "R8"},
		{fault: "runs are not serial", id: "R8"},
		{fault: "a run is taken twice while it waits", id: "R9"},
		{fault: "a run that runs is refused", id: "R10"},
		{fault: "a run is taken again", id: "R10-refused", polite: true},
		{fault: "handlers are mixed", id: "R11"},
		{fault: "runs are not serial", id: "R11-waits", polite: true},
		{fault: "an unknown handler ends the job", id: "R12"},
		{fault: "handlers are mixed", id: "R13"},
		{fault: "nobody waits", id: "R13-waits", polite: true},
		{fault: "the blank is lost", id: "R14"},
		{fault: "a time-out is any failure", id: "R14"},
		{fault: "there is no time limit", id: "R14"},
		{fault: "there is no time limit", id: "R15"},
		{fault: "the text of a failure is lost", id: "R16"},
		{fault: "no result is a success", id: "R17"},
		{fault: "exceptions say nothing", id: "R18"},
		{fault: "exceptions are not in the log", id: "R18"},
		{fault: "messages are not cut", id: "R19"},
		{fault: "messages are not cut", id: "R19-shorter", polite: true},
		{fault: "jobs are never forgotten", id: "R20"},
		{fault: "scripts are always on", id: "R21", flavour: XXL35},
		{fault: "nothing is concurrent", id: "R22", flavour: OrthJava},
		{fault: "runs are not serial", id: "R22", flavour: OrthJava},
		{fault: "killed runs that waited say nothing", id: "R23", flavour: OrthJava},
		{fault: "a concurrency of 0 kills", id: "R24", flavour: OrthJava},
		{fault: "runs are not serial", id: "R25"},
		{fault: "nothing is concurrent", id: "R25-honoured", polite: true},
		{fault: "concurrency is for all", id: "R25-count"},
		{fault: "a run is taken again", id: "R26", polite: true},
		{fault: "empty scripts are another's", id: "R27"},
		{fault: "empty scripts are another's", id: "R27-refused", flavour: OrthJava},
		{fault: "everybody is busy", id: "K1"},
		{fault: "nobody is busy", id: "K2"},
		{fault: "everybody is busy", id: "K2"},
		{fault: "a kill of nobody fails", id: "K3"},
		{fault: "killed runs that waited say nothing", id: "K4"},
		{fault: "a kill ends all jobs", id: "K4-other"},
		{fault: "killed scripts succeed", id: "K4-script"},
		{fault: "logs do not end", id: "K5"},
		{fault: "the payload has another name", id: "K5"},
		{fault: "the payload has another name", id: "K5", flavour: XXL2},
		{fault: "the first line is not echoed", id: "K6"},
		{fault: "lines are counted from 0", id: "K6"},
		{fault: "logs are cut off their line ends", id: "K6"},
		{fault: "the end of a log is its length", id: "K6"},
		{fault: "logs are not found", id: "K10"},
		{fault: "the end of a log has another name", id: "K11"},
		{fault: "the end of a log has another name", id: "K11", flavour: OrthJava},
		{fault: "logs stop at bytes that are no text", id: "K12"},
		{fault: "the address has no slash", id: "C1"},
		{fault: "calls show no token", id: "C1"},
		{fault: "beats are not repeated", id: "C1-again"},
		{fault: "callbacks before the farewell", id: "C2"},
		{fault: "all admins are told", id: "C3"},
		{fault: "all admins are told", id: "C3-second"},
		{fault: "refused callbacks are dropped", id: "C4"},
		{fault: "any answer is a success", id: "C5"},
		{fault: "refused callbacks are dropped", id: "C5"},
		{fault: "no token is no header", id: "C7"},
		{fault: "parameters are split", id: "C8"},
		{fault: "an empty parameter is left out", id: "C9"},
		{fault: "scripts have an empty environment", id: "C10", flavour: OrthJava},
		{fault: "exit values are lost", id: "C11"},
	}
}

// TestExecutorMutants gives the reference one fault after the other.
//
//nolint:tparallel // its subtests report what was played at the same time
func TestExecutorMutants(t *testing.T) {
	t.Parallel()
	hunt(t, executorMutants(), PlayExecutor, func(m mutant) Target {
		return referenceTarget(t, m.flavour, m.fault, m.polite)
	})
}

// hunt plays mutants, many at the same time: they mostly wait.
func hunt(
	t *testing.T, mutants []mutant, play func(context.Context, Target) ([]Verdict, error), targetOf func(mutant) Target,
) {
	t.Helper()
	verdicts, broken := make([][]Verdict, len(mutants)), make([]error, len(mutants))
	places := make(chan struct{}, 48)
	var group sync.WaitGroup
	for i, m := range mutants {
		if m.flavour == "" {
			m.flavour = XXL3
		}
		target := targetOf(m)
		target.Only, target.Patience = []string{m.id}, 2*time.Second
		group.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			verdicts[i], broken[i] = play(t.Context(), target)
		})
	}
	group.Wait()
	for i, m := range mutants {
		t.Run(m.id+" "+m.fault, func(t *testing.T) {
			if broken[i] != nil {
				t.Fatal(broken[i])
			}
			found(t, m, verdicts[i])
		})
	}
}

// found wants that the mutant's case has failed.
func found(t *testing.T, m mutant, verdicts []Verdict) {
	t.Helper()
	for _, v := range verdicts {
		switch {
		case v.ID != m.id:
		case v.Outcome == NotApplicable && strings.HasPrefix(v.Reason, "the target lacks"):
			t.Skip(v.Reason)
		case v.Outcome != Failed:
			t.Errorf("the fault was not found: %s\n%s", v, v.Transcript)
		}
	}
}
