package report

import (
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/solana/service"
)

// TestFunds: that the executor cannot pay is told once, as a run that fails, and that it can again as one that succeeds.
func TestFunds(t *testing.T) {
	t.Parallel()
	w := busy()
	w.stats.Trouble = service.Trouble{}
	r := newReport(t, w, nil)
	keys := make(map[string]bool)
	tell := func(what string, dry bool) {
		t.Helper()
		key, p := r.fundsNews()
		if key == "" || keys[key] || len(key) > 128 || p.Dry != dry {
			t.Fatalf("%s: the key %q, %+v", what, key, p)
		}
		keys[key] = true
		if again, _ := r.fundsNews(); again != key { // the server was away
			t.Errorf("%s: the key is %q and then %q", what, key, again)
		}
		r.purse.told = key
		quiet(t, r, what)
	}
	quiet(t, r, "nothing is known")
	r.Settled(settlement(service.Buried))
	quiet(t, r, "what failed proves nothing")
	r.Settled(settlement(service.Executed))
	tell("it has executed", false)
	r.Settled(settlement(service.Executed))
	quiet(t, r, "and again")
	dry := service.Trouble{Since: instant, Reason: "the executor has 5 lamports", Needed: 10_005_000}
	r.Trouble(dry)
	tell("it cannot pay", true)
	dry.Balance = 6
	r.Trouble(dry)
	quiet(t, r, "it cannot pay still")
	r.Trouble(service.Trouble{})
	tell("it can pay", false)
	dry.Since = instant.Add(time.Hour)
	r.Trouble(dry)
	r.Trouble(service.Trouble{})
	tell("it could not for a moment while the server was away", false)
	dry.Since = instant.Add(2 * time.Hour)
	r.Trouble(dry)
	tell("it cannot pay once more", true)
}

func quiet(t *testing.T, r *Report, what string) {
	t.Helper()
	if key, p := r.fundsNews(); key != "" {
		t.Errorf("%s: told is %q, %+v", what, key, p)
	}
}

// TestFundsRun: the run fails while the executor cannot pay.
func TestFundsRun(t *testing.T) {
	t.Parallel()
	w := busy()
	r := newReport(t, w, nil)
	name := key(100).String()
	for _, c := range []struct {
		name, param, result, err string
		well                     bool
	}{
		{
			"dry", `{"executor":"E","dry":true,"since":1800000000000,"reason":"it has 5 lamports","needed":9}`, "",
			"executor E cannot pay since 2027-01-15T08:00:00Z and sends nothing: it has 5 lamports. Send it lamports: it needs 9", false,
		},
		{"well", `{"executor":"E","dry":false}`, "executor E can pay", "", false},
		{"by hand, dry", " ", "", "executor " + name + " cannot pay since 2027-01-15T08:00:00Z and sends nothing: the executor has 5 lamports", false},
		{"by hand, well", "", "executor " + name + " can pay", "", true},
		{"nonsense", "x", "", "omit it", false},
	} {
		if c.well {
			w.stats.Trouble = service.Trouble{}
		} else {
			w.stats.Trouble = service.Trouble{Since: instant, Reason: "the executor has 5 lamports", Needed: 10_005_000}
		}
		run, _ := task(c.param)
		err := r.funds(t.Context(), run)
		if run.ResultText() != c.result || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %q, %v", c.name, run.ResultText(), err)
		}
	}
}
