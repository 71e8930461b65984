package xxlimport_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/orthd/orth/internal/xxlimport"
)

// reached returns the jobs that a job starts, in the end, itself among them.
func reached(links map[string][]string, from string) []string {
	seen := []string{from}
	for i := 0; i < len(seen); i++ {
		for _, next := range links[seen[i]] {
			if !slices.Contains(seen, next) {
				seen = append(seen, next)
			}
		}
	}
	return seen
}

// Of any links those are left out that close a loop with what is kept, and no other.
func TestTurnLoops(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(r, "jobs")
		jobs, wanted := make([]xxlimport.Row, n), map[string][]string{}
		for i := range jobs {
			children := rapid.SliceOfNDistinct(rapid.IntRange(1, n), 0, n, rapid.ID[int]).Draw(r, "children")
			id, texts := strconv.Itoa(i+1), make([]string, len(children))
			for k, child := range children {
				if texts[k] = strconv.Itoa(child); child != i+1 {
					wanted["job-"+id] = append(wanted["job-"+id], "job-"+texts[k])
				}
			}
			jobs[i] = bean(id, xxlimport.Row{"child_jobid": strings.Join(texts, ",")})
		}
		made, err := installation(jobs...).Turn(xxlimport.InstallationOptions{})
		if err != nil {
			r.Fatal(err)
		}
		kept := map[string][]string{}
		for key, o := range jobsOf(made) {
			children, _ := o.Spec["children"].([]any)
			for _, child := range children {
				kept[key] = append(kept[key], child.(map[string]any)["key"].(string))
			}
		}
		for key, children := range wanted {
			for _, child := range children {
				loops := slices.Contains(reached(kept, child), key)
				if has := slices.Contains(kept[key], child); has == loops {
					r.Errorf("%s starts %s: kept %t, closes a loop %t; of %v there are %v", key, child, has, loops, wanted, kept)
				}
			}
		}
	})
}

// Tens of thousands of jobs come over, also when all have one name and each starts the one
// before it.
func TestTurnMany(t *testing.T) {
	t.Parallel()
	const many = 12_000
	jobs := make([]xxlimport.Row, many)
	for i := range jobs {
		jobs[i] = bean(strconv.Itoa(i+1), xxlimport.Row{"job_desc": "Nightly", "child_jobid": strconv.Itoa(i)})
	}
	jobs[0]["child_jobid"] = strconv.Itoa(many)
	made, err := installation(jobs...).Turn(xxlimport.InstallationOptions{})
	if err != nil || len(made.Keys) != many || made.Keys[1] != "nightly" || made.Keys[many] != "nightly-12000" {
		t.Fatalf("%d jobs, %q and %q: %v", len(made.Keys), made.Keys[1], made.Keys[many], err)
	}
	links, loops := 0, 0
	for _, o := range jobsOf(made) {
		children, _ := o.Spec["children"].([]any)
		links += len(children)
	}
	for _, n := range made.Notes {
		if n.Code == "child-loop" {
			loops++
		}
	}
	if links != many-1 || loops != 1 {
		t.Errorf("%d links are kept, %d close a loop", links, loops)
	}
}
