package audit_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/orthd/orth/internal/audit"
	"github.com/orthd/orth/job"
)

// chain returns so many lines that follow on one another.
func chain(n int) []audit.Line {
	lines, last := make([]audit.Line, n), audit.Line{}
	for i := range lines {
		l := audit.Line{
			At: time.UnixMilli(int64(1000 * (i % 7))), Actor: audit.Actor{Kind: "user", ID: int64(i), Credential: 3, Name: "ann"},
			Address: "10.0.0.1", Operation: "update-job", Right: "edit", Kind: "job", Namespace: "default", Group: "demo", Key: "nightly",
			Before: `{"version":1}`, After: `{"version":2}`,
		}
		l.Follow(&last)
		lines[i], last = l, l
	}
	return lines
}

func verify(anchor *audit.Anchor, lines []audit.Line) (audit.Anchor, error) {
	c := audit.NewChecker(anchor)
	for i := range lines {
		_ = c.Add(&lines[i])
	}
	_, end, err := c.End()
	return end, err
}

// failer is a test of either kind.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

func faultOf(t failer, err error) *audit.FaultError {
	t.Helper()
	f, ok := errors.AsType[*audit.FaultError](err)
	if !ok {
		t.Fatalf("got %v, want a fault", err)
	}
	return f
}

func TestAWholeChainIsWhole(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 50} {
		lines := chain(n)
		end, err := verify(nil, lines)
		if err != nil || end.Seq != int64(n) {
			t.Errorf("%d lines: %v, %v", n, end, err)
		}
		if again, err := verify(&end, append(lines, chain(0)...)); err != nil || again != end {
			t.Errorf("%d lines with their own anchor: %v, %v", n, again, err)
		}
	}
	lines := chain(20)
	for i := 1; i < len(lines); i++ {
		if lines[i].At.Before(lines[i-1].At) {
			t.Errorf("line %d is earlier than the one before", i+1)
		}
	}
}

// Whatever is changed in a line is found, and that line is named.
func TestAnyChangeOfALineIsFound(t *testing.T) {
	t.Parallel()
	const at = 4
	var walk func(v reflect.Value, path string)
	walk = func(v reflect.Value, path string) {
		for i := range v.NumField() {
			name := path + v.Type().Field(i).Name
			lines := chain(9)
			field := reflect.ValueOf(&lines[at]).Elem()
			for part := range strings.SplitSeq(name, ".") {
				field = field.FieldByName(part)
			}
			switch value := field.Addr().Interface().(type) {
			case *string:
				*value += "0"
			case *int64:
				*value++
			case *time.Time:
				*value = value.Add(time.Millisecond)
			default:
				walk(field, name+".")
				continue
			}
			_, err := verify(nil, lines)
			if f := faultOf(t, err); f.Seq != lines[at].Seq {
				t.Errorf("%s was changed in line %d: %v", name, lines[at].Seq, f)
			}
		}
	}
	walk(reflect.ValueOf(audit.Line{}), "")
}

// A line whose digest was made anew breaks with the next one, or with an anchor.
func TestAForgedDigestIsFound(t *testing.T) {
	t.Parallel()
	lines := chain(5)
	end, err := verify(nil, lines)
	if err != nil {
		t.Fatal(err)
	}
	lines[2].Key = "other"
	lines[2].Follow(&lines[1])
	_, err = verify(nil, lines)
	if f := faultOf(t, err); f.Seq != 4 {
		t.Error(f)
	}
	for i := 3; i < len(lines); i++ {
		lines[i].Follow(&lines[i-1])
	}
	if _, err := verify(nil, lines); err != nil {
		t.Errorf("a chain that was made anew can only be told with an anchor: %v", err)
	}
	_, err = verify(&end, lines)
	if f := faultOf(t, err); f.Seq != 5 {
		t.Error(f)
	}
}

// Any way to take lines out, put them in, move them or cut the end off is found.
func TestAnyMutationIsFound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		lines := chain(rapid.IntRange(2, 30).Draw(r, "lines"))
		end, err := verify(nil, lines)
		if err != nil {
			r.Fatal(err)
		}
		i := rapid.IntRange(0, len(lines)-1).Draw(r, "at")
		j := rapid.IntRange(0, len(lines)-1).Filter(func(j int) bool { return j != i }).Draw(r, "other")
		anchor := &end
		switch rapid.SampledFrom([]string{"delete", "double", "swap", "cut", "replace"}).Draw(r, "mutation") {
		case "delete":
			lines = slices.Delete(lines, i, i+1)
		case "double":
			lines = slices.Insert(lines, i, lines[j])
			anchor = nil
		case "swap":
			lines[i], lines[j] = lines[j], lines[i]
			anchor = nil
		case "replace":
			lines[i] = lines[j]
			anchor = nil
		case "cut":
			lines = lines[:i]
		}
		_, err = verify(anchor, lines)
		_ = faultOf(r, err)
	})
}

func TestRemovedLinesAreVouchedFor(t *testing.T) {
	t.Parallel()
	lines := chain(10)
	whole, err := verify(nil, lines)
	if err != nil {
		t.Fatal(err)
	}
	old := audit.Anchor{Seq: 3, Digest: lines[2].Digest}
	text, err := json.Marshal(audit.Removed{Lines: 4, First: 1, Last: 4, Digest: lines[3].Digest})
	if err != nil {
		t.Fatal(err)
	}
	said := audit.Line{At: time.UnixMilli(9e6), Operation: audit.PruneOperation, After: string(text)}
	said.Follow(&lines[9])
	rest := append(slices.Clone(lines[4:]), said)
	for _, anchor := range []*audit.Anchor{nil, &whole, &old, {Seq: 4, Digest: lines[3].Digest}} {
		if _, err := verify(anchor, rest); err != nil {
			t.Errorf("anchor %v: %v", anchor, err)
		}
	}
	_, err = verify(&audit.Anchor{Seq: 4, Digest: strings.Repeat("0", 64)}, rest)
	_ = faultOf(t, err)
	for _, gone := range [][]audit.Line{lines[4:], rest[1:], lines[9:]} {
		_, err = verify(nil, gone)
		if f := faultOf(t, err); f.Seq != gone[0].Seq-1 {
			t.Errorf("lines that nobody vouches for: %v", f)
		}
	}
	said.Operation = "update-job"
	said.Follow(&lines[9])
	_, err = verify(nil, append(slices.Clone(lines[4:]), said))
	_ = faultOf(t, err)
}

func TestParseAnchor(t *testing.T) {
	t.Parallel()
	for _, a := range []audit.Anchor{{}, {Seq: 12, Digest: strings.Repeat("0a", 32)}} {
		if got, err := audit.ParseAnchor(a.String()); err != nil || got != a {
			t.Errorf("%s: %v, %v", a, got, err)
		}
	}
	for _, text := range []string{"", "1", "1:", "0:" + strings.Repeat("a", 64), "-1:" + strings.Repeat("a", 64), "1:" + strings.Repeat("g", 64), "1:aa", "x:"} {
		if _, err := audit.ParseAnchor(text); !job.Is(err, job.Invalid) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzParseAnchor(f *testing.F) {
	f.Add("1:" + strings.Repeat("a", 64))
	f.Add("0:")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := audit.ParseAnchor(text)
		if err != nil {
			return
		}
		if again, err := audit.ParseAnchor(a.String()); err != nil || again != a {
			t.Errorf("%q: %v, %v", text, again, err)
		}
	})
}
