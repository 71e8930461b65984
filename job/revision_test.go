package job

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/orthd/orth/retry"
)

func saved() Job {
	at := time.UnixMilli(1_900_000_000_000).UTC()
	return Job{
		ID: 7, Namespace: DefaultNamespace, Key: "report", Group: "demo", GroupID: 3, Param: "p",
		Handler: Handler{Kind: HandlerShell, Source: "echo", SourceAt: at}, Labels: map[string]string{"team": "data"},
		Children: []Child{{JobID: 9}}, Enabled: true, Version: 4, Fired: 2, Failures: 1, StopReason: "s", HeldBy: "h",
		NextAt: at, LastAt: at, CreatedAt: at, UpdatedAt: at,
	}
}

func TestChangedFields(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		edit func(*Job)
		want []string
	}{
		"nothing": {func(*Job) {}, nil},
		"what no user decides": {func(j *Job) {
			*j = Job{
				ID: 8, Namespace: j.Namespace, Key: j.Key, Group: j.Group, Param: j.Param, Handler: Handler{Kind: HandlerShell, Source: "echo"},
				Labels: j.Labels, Children: j.Children, Enabled: true,
			}
		}, nil},
		"two of them":      {func(j *Job) { j.Param, j.Timeout = "q", time.Second }, []string{"param", "timeout"}},
		"the source":       {func(j *Job) { j.Handler.Source = "exit 1" }, []string{"handler"}},
		"one that came":    {func(j *Job) { j.Retry = retry.Policy{Tries: 3} }, []string{"retry"}},
		"one that went":    {func(j *Job) { j.Labels = nil }, []string{"labels"}},
		"children":         {func(j *Job) { j.Children = []Child{} }, []string{"children"}},
		"that it is there": {func(j *Job) { j.Enabled = false }, []string{"enabled"}},
	} {
		before, after := saved(), saved()
		c.edit(&after)
		got, err := ChangedFields(&before, &after)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	empty, none := Job{Children: []Child{}}, Job{}
	if got, err := ChangedFields(&empty, &none); err != nil || len(got) != 0 {
		t.Errorf("no children differ from none: %v, %v", got, err)
	}
}

// What differs one way differs the other way.
func TestChangedFieldsProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		draw := func(name string) Job {
			return Job{
				Key: rapid.SampledFrom([]string{"a", "b"}).Draw(r, name), Param: rapid.SampledFrom([]string{"", "x"}).Draw(r, name),
				Enabled: rapid.Bool().Draw(r, name), Timeout: time.Duration(rapid.IntRange(0, 1).Draw(r, name)) * time.Second,
			}
		}
		a, b := draw("a"), draw("b")
		there, err := ChangedFields(&a, &b)
		back, other := ChangedFields(&b, &a)
		if err != nil || other != nil || !cmp.Equal(there, back) {
			r.Fatalf("%v, %v, %v, %v", there, err, back, other)
		}
		if (len(there) == 0) != (a.Key == b.Key && a.Param == b.Param && a.Enabled == b.Enabled && a.Timeout == b.Timeout) {
			r.Fatalf("%+v and %+v differ in %v", a, b, there)
		}
	})
}

func TestWritten(t *testing.T) {
	t.Parallel()
	j := saved()
	want := Job{
		ID: 7, Namespace: j.Namespace, Key: "report", Group: "demo", Param: "p", Handler: j.Handler, Labels: j.Labels,
		Children: j.Children, Enabled: true, CreatedAt: j.CreatedAt,
	}
	if diff := cmp.Diff(want, j.Written()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if j.Version != 4 {
		t.Error("the job itself was changed")
	}
}

func TestSameCode(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		edit func(*Job)
		want bool
	}{
		"written later": {func(j *Job) { j.Handler.SourceAt = time.Now() }, true},
		"another field": {func(j *Job) { j.Param = "q" }, true},
		"source":        {func(j *Job) { j.Handler.Source = "x" }, false},
		"kind":          {func(j *Job) { j.Handler.Kind = HandlerPython }, false},
		"name":          {func(j *Job) { j.Handler.Name = "x" }, false},
		"template":      {func(j *Job) { j.Template = 3 }, false},
		"its version":   {func(j *Job) { j.TemplateVersion = 3 }, false},
	} {
		a, b := saved(), saved()
		c.edit(&b)
		if got := SameCode(&a, &b); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestCheckNote(t *testing.T) {
	t.Parallel()
	for note, fine := range map[string]bool{
		"": true, "der Bericht war zu groß": true, strings.Repeat("ä", MaxNote): true,
		strings.Repeat("ä", MaxNote+1): false, "two\nlines": false, "\x00": false, "\xff": false,
	} {
		if err := CheckNote("note", note); (err == nil) != fine {
			t.Errorf("%q: %v", note, err)
		}
	}
}
