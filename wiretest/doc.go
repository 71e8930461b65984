// Package wiretest is a conformance suite for the protocol of XXL-JOB and its
// relatives: it holds any executor or admin to numbered cases.
//
// It knows the protocol as data: the files in cases say what is sent, what must
// come back and what must not, per flavour. It must never know how a target is
// made; Orth's own two sides are targets like all others. A [Target] comes in;
// a [Verdict] for every case goes out, also for those that do not apply.
//
// An executor under test is configured with the suite's admin and with the
// handlers demo, say, sleep, nap, fail, boom and long, and zero and raw where
// it can have them; cases/words.json says what each must do:
//
//	func TestWire(t *testing.T) {
//		wiretest.Executor(t, wiretest.Target{
//			Flavour: wiretest.XXL3, Start: start, Can: []string{"scripts", "retries"},
//		})
//	}
//
// Targets that run already are named by their address, here or on the command
// line: go test github.com/orthd/orth/wiretest -args -executor http://host:9999.
package wiretest
