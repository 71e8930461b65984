package secrets_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/secrets"
	"github.com/orthd/orth/job"
)

func TestCreate(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.set("api", "correct-horse", "b", "a", "b")
	if s.CreatedBy != "ada" || s.UpdatedBy != "ada" || s.CreatedAt.IsZero() || !s.ReplacedAt.Equal(s.CreatedAt) || !slices.Equal(s.Groups, []string{"a", "b"}) {
		t.Errorf("made %+v", s)
	}
	if sealed := r.shelf.values[0].Sealed; strings.Contains(sealed, "correct") || len(sealed) < 20 {
		t.Errorf("it is stored as %q", sealed)
	}
	if !slices.Contains(r.hidden, "correct-horse") {
		t.Error("it is not hidden at once")
	}
	for _, test := range []struct{ key, value, groups, want string }{
		{"A", "long enough", "", "key"},
		{"a", "", "", "value: is missing"},
		{"a", "seven77", "", "at least 8 bytes"},
		{"a", "short\nlines\nonly", "", "at least 8 bytes"},
		{"a", "************", "", "at least 8 bytes"},
		{"a", "with a NUL\x00", "", "UTF-8"},
		{"a", "no text \xff", "", "UTF-8"},
		{"a", strings.Repeat("x", job.MaxSecret+1), "", "at most 65536"},
		{"a", strings.Repeat("a line that may not be\n", 30) + manyLines(), "", "too many lines"},
		{"a", "long enough", "/", "groups"},
	} {
		x := job.Secret{Namespace: job.DefaultNamespace, Key: test.key}
		if test.groups != "" {
			x.Groups = []string{test.groups}
		}
		_, err := r.Create(r.ctx, x, redacted.New(test.value))
		r.refused(err, job.Invalid, test.want)
		if test.value != "" && err != nil && strings.Contains(err.Error(), test.value) {
			t.Errorf("the error shows the value: %v", err)
		}
	}
}

// manyLines is a text of more lines than may be looked for.
func manyLines() string {
	var out strings.Builder
	for i := range 2600 {
		out.WriteString(strings.Repeat(string(rune('a'+i%26)), 4) + strings.Repeat(string(rune('a'+i/26%26)), 4) + string(rune('a'+i/676)) + "0123456789\n")
	}
	return out.String()
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.set("api", "correct-horse")
	title, same := "Payments", "Payments"
	s2, err := r.Update(r.ctx, s.Namespace, s.Key, secrets.Change{Title: &title, Version: s.Version, By: "bob"})
	r.ok(err)
	if s2.UpdatedBy != "bob" || s2.CreatedBy != "ada" || s2.Title != title || s2.Version != s.Version+1 || !s2.ReplacedAt.Equal(s.ReplacedAt) {
		t.Errorf("changed %+v", s2)
	}
	s3, err := r.Update(r.ctx, s.Namespace, s.Key, secrets.Change{Title: &same})
	if err != nil || s3.Version != s2.Version {
		t.Errorf("a change of nothing: %+v, %v", s3, err)
	}
	_, err = r.Update(r.ctx, s.Namespace, s.Key, secrets.Change{Title: &title, Version: s.Version})
	r.refused(err, job.Conflict, "has version 2 by now")
	_, err = r.Update(r.ctx, s.Namespace, "none", secrets.Change{Title: &title})
	r.refused(err, job.NotFound, "none")
	long := strings.Repeat("x", job.MaxTitle+1)
	_, err = r.Update(r.ctx, s.Namespace, s.Key, secrets.Change{Title: &long})
	r.refused(err, job.Invalid, "title")

	value := redacted.New("battery-staple")
	s4, err := r.Update(r.ctx, s.Namespace, s.Key, secrets.Change{Value: &value})
	r.ok(err)
	if s4.ReplacedAt.Before(s.ReplacedAt) || !s4.ReplacedAt.Equal(s4.UpdatedAt) {
		t.Errorf("replaced at %s, made at %s", s4.ReplacedAt, s.ReplacedAt)
	}
	if !slices.Contains(r.hidden, "battery-staple") || !slices.Contains(r.hidden, "correct-horse") {
		t.Errorf("hidden are %q: the value before may be in runs", r.hidden)
	}
}

// A secret that jobs need stays, unless the caller insists.
func TestNeeded(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.set("api", "correct-horse")
	for _, key := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		r.shelf.jobs = append(r.shelf.jobs, job.Job{Key: key, Group: "billing", Param: "${secret:api}"})
	}
	r.shelf.jobs = append(r.shelf.jobs, job.Job{Key: "z", Group: "other", Param: "${secret:api2}"}) // no user of it
	users, err := r.Uses(r.ctx, s.Namespace, s.Key)
	if err != nil || len(users) != 7 {
		t.Errorf("%d users, %v", len(users), err)
	}
	err = r.Delete(r.ctx, s.Namespace, s.Key, false)
	r.refused(err, job.Conflict, "needed by jobs: a, b, c, d, e and 2 more")
	fewer, more := []string{"other"}, []string{"other", "billing"}
	_, err = r.Update(r.ctx, s.Namespace, s.Key, secrets.Change{Groups: &fewer})
	r.refused(err, job.Conflict, "groups: secret api is needed by jobs")
	_, err = r.Update(r.ctx, s.Namespace, s.Key, secrets.Change{Groups: &more})
	r.ok(err)
	_, err = r.Update(r.ctx, s.Namespace, s.Key, secrets.Change{Groups: &fewer, Force: true})
	r.ok(err)
	r.ok(r.Delete(r.ctx, s.Namespace, s.Key, true))
	if !slices.Contains(r.hidden, "correct-horse") {
		t.Error("a value that was good a moment ago is not hidden any more")
	}
	r.refused(r.Delete(r.ctx, s.Namespace, s.Key, false), job.NotFound, "api")
	other := r.set("lonely", "battery-staple")
	r.shelf.jobs = nil
	r.ok(r.Delete(r.ctx, other.Namespace, other.Key, false))
}

func TestStoreIsAway(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.set("api", "correct-horse")
	away := job.Errorf(job.Unavailable, "the disk is full")
	r.shelf.fail(away)
	j := job.Job{Namespace: job.DefaultNamespace, Param: "${secret:api}"}
	if _, err := r.Resolve(r.ctx, &j, job.Task{Param: j.Param}); !errors.Is(err, away) {
		t.Errorf("resolve: %v", err)
	}
	if err := r.CheckJob(r.ctx, &j, nil); !errors.Is(err, away) {
		t.Errorf("check: %v", err)
	}
	if _, err := r.Create(r.ctx, job.Secret{Namespace: "default", Key: "k"}, redacted.New("long enough")); !errors.Is(err, away) {
		t.Errorf("create: %v", err)
	}
	if task, err := r.Resolve(r.ctx, &j, job.Task{Param: "plain"}); err != nil || task.Param != "plain" {
		t.Errorf("a task without secrets: %v", err)
	}
}
