//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/api"
)

// places describes a group of another namespace, with jobs in both.
const places = `apiVersion: orth/v1
kind: Group
metadata: {key: Away.1, namespace: team-a}
spec: {title: not here, labels: {owner: a}}
---
apiVersion: orth/v1
kind: Job
metadata: {key: there, namespace: team-a}
spec: {group: Away.1, handler: {kind: named, name: x}}
---
apiVersion: orth/v1
kind: Group
metadata: {key: near}
spec: {title: here}
---
apiVersion: orth/v1
kind: Job
metadata: {key: here}
spec: {group: near, handler: {kind: named, name: x}}
---
apiVersion: orth/v1
kind: Job
metadata: {key: guest}
spec: {group: Away.1, handler: {kind: named, name: x}, title: of the group of another namespace}
`

// TestCodeOfManyNamespaces applies groups and jobs of two namespaces: what is exported of
// each gives an empty plan, and the same on a second server. A group that has moved is
// planned as its documents say, and is as they say when they follow it.
func TestCodeOfManyNamespaces(t *testing.T) {
	t.Parallel()
	s, dir := codeSite{newSite(t)}, scratch(t)
	s.startServer()
	file := filepath.Join(dir, "all.yaml")
	mustWrite(t, file, places)
	s.code(0, "apply", "-f", file, "--yes")
	s.code(0, "plan", "-f", file, "--detailed-exitcode")
	var g api.GroupFigures
	if decode(t, s.orth("group", "show", "Away.1", "--namespace", "team-a", "-o", "json"), &g); g.Namespace != "team-a" || g.Title != "not here" || g.Labels["owner"] != "a" {
		t.Errorf("the group is %+v", g)
	}
	wantExported(t, s, filepath.Join(dir, "first"))

	second := codeSite{newSite(t)}
	second.startServer()
	second.code(0, "apply", "-f", filepath.Join(dir, "first"), "--yes")
	second.code(0, "plan", "-f", file, "--detailed-exitcode")
	wantExported(t, second, filepath.Join(dir, "second"))
	if diff := cmp.Diff(filesIn(t, filepath.Join(dir, "first")), filesIn(t, filepath.Join(dir, "second"))); diff != "" {
		t.Errorf("a second server has something else: %s", diff)
	}
	moved(t, s, dir, file)
}

// wantExported exports both namespaces; each by itself and both together give an empty
// plan.
func wantExported(t *testing.T, s codeSite, folder string) {
	t.Helper()
	for _, namespace := range []string{"default", "team-a"} {
		part := filepath.Join(folder, namespace)
		s.code(0, "export", part, "--namespace", namespace)
		s.code(0, "plan", "-f", part, "--detailed-exitcode")
		text := strings.Join(valuesOf(filesIn(t, part)), "\n")
		if strings.Contains(text, "Away.1\n  namespace: team-a") != (namespace == "team-a") {
			t.Errorf("of %s was exported:\n%s", namespace, text)
		}
	}
	s.code(0, "plan", "-f", folder, "--detailed-exitcode")
}

// moved moves the group that documents describe.
func moved(t *testing.T, s codeSite, dir, file string) {
	t.Helper()
	s.orth("group", "edit", "Away.1", "--namespace", "team-a", "--move-to", "team-b")
	if plan := s.code(5, "plan", "-f", file, "--detailed-exitcode"); !strings.Contains(plan, "+ group team-a/Away.1\n    ! refused: ") {
		t.Errorf("the plan of documents that were left behind:\n%s", plan)
	}
	if out := s.code(5, "apply", "-f", file, "--yes"); !strings.Contains(out, "a group of another namespace") || !strings.Contains(out, "edit Away.1 --move-to team-a") {
		t.Errorf("they were applied:\n%s", out)
	}
	followed := filepath.Join(dir, "followed.yaml")
	mustWrite(t, followed, strings.Replace(places, "metadata: {key: Away.1, namespace: team-a}", "metadata: {key: Away.1, namespace: team-b}", 1))
	s.code(0, "plan", "-f", followed, "--detailed-exitcode")
	part := filepath.Join(dir, "there")
	s.code(0, "export", part, "--namespace", "team-b")
	s.code(0, "plan", "-f", part, "--detailed-exitcode")
	s.orth("group", "edit", "Away.1", "--namespace", "team-b", "--move-to", "team-a")
	s.code(0, "plan", "-f", file, "--detailed-exitcode")
	// A set that is pruned in one namespace leaves the groups of another one alone.
	set := filepath.Join(dir, "set.yaml")
	mustWrite(t, set, "apiVersion: orth/v1\nkind: Group\nmetadata: {key: mine, namespace: team-a}\nspec: {title: x}\n")
	s.code(0, "apply", "-f", set, "--set", "one", "--yes")
	s.orth("group", "edit", "mine", "--namespace", "team-a", "--move-to", "team-b")
	mustWrite(t, set, "apiVersion: orth/v1\nkind: Group\nmetadata: {key: yours, namespace: team-a}\nspec: {title: x}\n")
	if plan := s.code(8, "plan", "-f", set, "--set", "one", "--prune", "--detailed-exitcode"); strings.Contains(plan, "mine") {
		t.Errorf("the plan deletes what is elsewhere:\n%s", plan)
	}
	if err := os.Remove(set); err != nil {
		t.Fatal(err)
	}
}

// valuesOf returns the texts of files.
func valuesOf(files map[string]string) (texts []string) {
	for _, text := range files {
		texts = append(texts, text)
	}
	return texts
}
