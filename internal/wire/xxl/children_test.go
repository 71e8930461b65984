package xxl

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/job"
)

func TestParseChildren(t *testing.T) {
	t.Parallel()
	plusHundred := func(id int64) (int64, bool) { return id + 100, id != 9 }
	for _, test := range []struct {
		text   string
		rename func(int64) (int64, bool)
		want   []int64
		wrong  string
	}{
		{"", nil, nil, ""},
		{" , ,", nil, nil, ""},
		{"7", nil, []int64{7}, ""},
		{"3, 17,5,", nil, []int64{3, 17, 5}, ""},
		{"3,17,3", nil, []int64{3, 17}, ""},
		{"3,17", plusHundred, []int64{103, 117}, ""},
		{"3,9", plusHundred, nil, "job 9 in place 2 does not exist"},
		{"3,x", nil, nil, `"x" in place 2 is not the id of a job`},
		{"0", nil, nil, `"0" in place 1`},
		{"-4", nil, nil, `"-4" in place 1`},
		{"3.5", nil, nil, `"3.5" in place 1`},
		{"99999999999999999999", nil, nil, "in place 1"},
		{numbers(job.MaxChildren + 1), nil, nil, "more than"},
	} {
		got, err := ParseChildren(test.text, test.rename)
		if test.wrong != "" {
			if !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), test.wrong) || !strings.Contains(err.Error(), "childJobId") {
				t.Errorf("%.40q: error %v; want %q", test.text, err, test.wrong)
			}
			continue
		}
		var want []job.Child
		for _, id := range test.want {
			want = append(want, job.Child{JobID: id, On: job.ChildOnSuccess})
		}
		if err != nil || !cmp.Equal(got, want) {
			t.Errorf("%q: %v, %v; want %v", test.text, got, err, want)
		}
	}
}

// numbers returns the ids from 1 to n.
func numbers(n int) string {
	children := make([]job.Child, n)
	for i := range children {
		children[i].JobID = int64(i + 1)
	}
	text, _ := ChildrenName(children)
	return text
}

func TestChildrenName(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		children []job.Child
		want     string
		ok       bool
	}{
		{nil, "", true},
		{[]job.Child{{JobID: 3}, {JobID: 17, On: job.ChildOnSuccess}}, "3,17", true},
		{[]job.Child{{JobID: 3, On: job.ChildOnAlways}}, "", false},
		{[]job.Child{{JobID: 3}, {JobID: 4, Param: "{{result}}"}}, "", false},
	} {
		if got, ok := ChildrenName(test.children); got != test.want || ok != test.ok {
			t.Errorf("%v: %q, %t; want %q, %t", test.children, got, ok, test.want, test.ok)
		}
	}
}

func FuzzParseChildren(f *testing.F) {
	for _, text := range []string{"", "1", "1,2", " 3 ,, 3", "x", "1,-1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		children, err := ParseChildren(text, nil)
		if err != nil {
			return
		}
		said, ok := ChildrenName(children)
		again, err := ParseChildren(said, nil)
		if !ok || err != nil || !cmp.Equal(again, children) {
			t.Errorf("%q is %v, and %q is %v, %v", text, children, said, again, err)
		}
	})
}
