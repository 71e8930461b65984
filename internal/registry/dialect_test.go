package registry

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/job"
)

const here = "http://e1"

// beatAs registers an executor that calls in a dialect.
func beatAs(t *testing.T, r *Registry, group string, d job.Dialect) {
	t.Helper()
	if err := r.Register(t.Context(), job.Beat{Group: group, Address: here, Dialect: d, TokenID: 7}); err != nil {
		t.Fatal(err)
	}
	settle()
}

func wantDialect(t *testing.T, r *Registry, d job.Dialect, by job.DialectBy) {
	t.Helper()
	e, known := r.At(here)
	if !known || e.Dialect != d || e.DialectBy != by {
		t.Errorf("spoken to as %q by %q (known: %t); want %q by %q", e.Dialect, e.DialectBy, known, d, by)
	}
}

// TestDialectStrength is the life of one executor: what its calls show goes before
// what its answers told, the newest sight before older ones, and a person before all.
func TestDialectStrength(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rows := newRows()
		r := start(t, Config{Store: rows})
		beatAs(t, r, "a", "")
		wantDialect(t, r, "", "")
		r.Heard(here, job.DialectOrthJava)
		settle()
		wantDialect(t, r, job.DialectOrthJava, job.DialectProbed)
		r.Heard(here, job.DialectXXL35) // it was upgraded
		settle()
		wantDialect(t, r, job.DialectXXL35, job.DialectProbed)
		beatAs(t, r, "a", "")
		wantDialect(t, r, job.DialectXXL35, job.DialectProbed)
		beatAs(t, r, "a", job.DialectXXL2)
		wantDialect(t, r, job.DialectXXL2, job.DialectSeen)
		r.Heard(here, job.DialectXXL35)
		settle()
		wantDialect(t, r, job.DialectXXL2, job.DialectSeen)
		beatAs(t, r, "a", job.DialectXXL3)
		wantDialect(t, r, job.DialectXXL3, job.DialectSeen)

		for _, d := range []job.Dialect{job.DialectXXL35, job.DialectOrthJava} {
			if _, err := r.SetDialect(t.Context(), "a", " "+here, d); err != nil {
				t.Fatal(err)
			}
			wantDialect(t, r, d, job.DialectSet) // at once
			beatAs(t, r, "a", job.DialectXXL3)
			r.Heard(here, job.DialectXXL2)
			settle()
			wantDialect(t, r, d, job.DialectSet)
		}
		if e, err := r.SetDialect(t.Context(), "a", here, ""); err != nil || e.DialectBy != "" {
			t.Fatalf("%+v, %v", e, err)
		}
		wantDialect(t, r, "", "")
		beatAs(t, r, "a", job.DialectXXL3)
		wantDialect(t, r, job.DialectXXL3, job.DialectSeen)
		if e, _ := r.At(here); e.TokenID != 7 {
			t.Errorf("token %d; want 7", e.TokenID)
		}
	})
}

// TestHeard: what answers told is written once, and is bounded and no matter when it
// cannot be.
func TestHeard(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rows := newRows()
		r := start(t, Config{Store: rows})
		r.Heard("http://nobody", job.DialectXXL35)
		beatAs(t, r, "a", "")
		rows.set(func() { rows.fail = errors.New("away") })
		r.Heard(here, job.DialectXXL35)
		settle()
		wantDialect(t, r, "", "")
		rows.set(func() { rows.fail = nil })
		for range 3 * maxHeard {
			r.Heard(here, job.DialectXXL35)
		}
		settle()
		wantDialect(t, r, job.DialectXXL35, job.DialectProbed)
		r.Heard(here, job.DialectXXL35)
		settle()
		rows.set(func() {
			if rows.notes != 2 {
				t.Errorf("written %d times; want once in vain, and once", rows.notes)
			}
		})
	})
}

func TestSetDialectRefuses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, Config{Store: newRows()})
		beatAs(t, r, "a", job.DialectXXL3)
		for name, c := range map[string]struct {
			group, address string
			dialect        job.Dialect
			want           job.Kind
		}{
			"unknown word":     {"a", here, "klingon", job.Invalid},
			"no group":         {"", here, job.DialectXXL, job.Invalid},
			"another address":  {"a", "http://e2", job.DialectXXL, job.NotFound},
			"another group":    {"b", here, job.DialectXXL, job.NotFound},
			"never spoke so":   {"a", here, job.DialectNative, job.Conflict},
			"auto for nobody":  {"a", "http://e2", "", job.NotFound},
			"native by nobody": {"a", "http://e2", job.DialectNative, job.Conflict},
		} {
			if _, err := r.SetDialect(t.Context(), c.group, c.address, c.dialect); !job.Is(err, c.want) {
				t.Errorf("%s: error of kind %q: %v; want %q", name, job.KindOf(err), err, c.want)
			}
		}
		wantDialect(t, r, job.DialectXXL3, job.DialectSeen)
		if _, err := r.AddAddress(t.Context(), "a", "http://e3", job.DialectNative); !job.Is(err, job.Conflict) {
			t.Errorf("an address by hand that speaks the native protocol: %v", err)
		}
		if _, err := r.AddAddress(t.Context(), "a", "http://e3", "klingon"); !job.Is(err, job.Invalid) {
			t.Errorf("an address by hand that speaks Klingon: %v", err)
		}
		if _, known := r.At("http://e3"); known {
			t.Error("a refused address is known")
		}
		// One that fetches its tasks has no address at which the others could call it.
		const fetches = "pull://a/f00d"
		if err := r.Register(t.Context(), job.Beat{Group: "a", Address: fetches, Dialect: job.DialectNative}); err != nil {
			t.Fatal(err)
		}
		settle()
		for _, d := range job.Dialects() {
			_, err := r.SetDialect(t.Context(), "a", fetches, d)
			if want := d != job.DialectNative; job.Is(err, job.Conflict) != want || err != nil && !want {
				t.Errorf("%s of an executor that fetches its tasks: %v", d, err)
			}
		}
		// One that registered so may be kept to it, or taken off it.
		beatAs(t, r, "a", job.DialectNative)
		for _, d := range []job.Dialect{job.DialectNative, job.DialectXXL} {
			if _, err := r.SetDialect(t.Context(), "a", here, d); err != nil {
				t.Errorf("%s: %v", d, err)
			}
		}
	})
}

// asker answers a beat when the registry knows at that moment who is asked.
type asker struct {
	r    *Registry
	seen string
}

func (a *asker) Beat(_ context.Context, address string) error {
	e, known := a.r.At(address)
	if a.seen == "" {
		a.seen = fmt.Sprintf("%t %s %s %s", known, e.Group, e.Dialect, e.DialectBy)
	}
	return nil
}

// TestAddAddressDialect: the first question to an address that is entered is asked in
// its dialect and on behalf of its group.
func TestAddAddressDialect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		dialect job.Dialect
		want    string
	}{{"", "true a  "}, {job.DialectXXL35, "true a xxl-job-3.5 set"}} {
		synctest.Test(t, func(t *testing.T) {
			a := new(asker)
			a.r = start(t, Config{Store: newRows(), Prober: a})
			e, err := a.r.AddAddress(t.Context(), "a", here, c.dialect)
			if err != nil || e.Dialect != c.dialect || a.seen != c.want {
				t.Errorf("%+v, %v; asked with %q, want %q", e, err, a.seen, c.want)
			}
			if groups := a.r.AliveGroups(); len(groups) > 0 && groups[0] == 0 {
				t.Errorf("a group without a row may be picked: %v", groups)
			}
			settle()
			time.Sleep(2 * time.Second)
			wantAlive(t, a.r, 1, here)
			if e, known := a.r.At(here); !known || !e.Manual || e.GroupID != 1 || e.Dialect != c.dialect {
				t.Errorf("%+v, %t", e, known)
			}
			// Entered again in no dialect it keeps the one it has.
			if e, err := a.r.AddAddress(t.Context(), "a", here, ""); err != nil || e.Dialect != c.dialect {
				t.Errorf("entered again: %+v, %v", e, err)
			}
		})
	}
}

// TestAt finds the executor that was seen last when several groups have its address.
func TestAt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, Config{Store: newRows()})
		if _, known := r.At(here); known {
			t.Error("somebody is known who never came")
		}
		for i, group := range []string{"b", "a", "c", "b"} {
			time.Sleep(time.Second)
			beatAs(t, r, group, job.Dialects()[i])
			time.Sleep(2 * time.Second)
			if e, known := r.At(here); !known || e.Group != group || e.Dialect != job.Dialects()[i] {
				t.Errorf("after a beat in group %s: %+v, %t", group, e, known)
			}
		}
		if err := r.Deregister(t.Context(), "b", here); err != nil {
			t.Fatal(err)
		}
		if e, known := r.At(here); !known || e.Group != "c" {
			t.Errorf("after the farewell: %+v, %t", e, known)
		}
	})
}
