package storetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/secrets"
	"github.com/orthd/orth/job"
)

func secretTests() []test {
	return []test{
		{"a secret comes out as it went in, without its value", secretIsRead},
		{"a secret is changed over the version that was read", secretVersions},
		{"a value that was good is kept to be hidden", secretPasts},
		{"past values are few", secretPastsBounded},
		{"there are so many secrets and no more", secretBounds},
		{"the book is read when it has changed", secretBookVersion},
		{"when a secret was used is no change of it", secretUse},
		{"jobs that refer to a secret are found", secretUses},
		{"a secret is where its jobs may be", secretPlaces},
	}
}

// secret is a secret with a value in every field.
func (b *bench) secret(key string) job.Secret {
	return job.Secret{
		Namespace: job.DefaultNamespace, Key: key, Title: "Ключ", Groups: []string{"G", "demo"}, CreatedBy: "ada", UpdatedBy: "ada",
		CreatedAt: b.now, UpdatedAt: b.now, ReplacedAt: b.now,
	}
}

// value is a value as it is stored.
func value(sealed string) *secrets.Value { return &secrets.Value{Sealed: sealed, Size: 10, Marks: 2} }

// addSecret writes a secret.
func (b *bench) addSecret(s job.Secret, sealed string) job.Secret {
	b.Helper()
	saved, err := b.SaveSecret(b.ctx(), s, value(sealed))
	b.ok(err)
	return saved
}

// sealedValues returns the values that are kept, by what they are of.
func (b *bench) sealedValues() map[string]string {
	b.Helper()
	all, err := b.SecretBook(b.ctx(), 0)
	b.ok(err)
	found := map[string]string{}
	for _, v := range all.Values {
		name := v.Secret.Namespace + "/" + v.Secret.Key
		if v.Past {
			name = "past " + v.Sealed
		}
		found[name] = v.Sealed
	}
	return found
}

func secretIsRead(b *bench) {
	want := b.secret("api")
	saved := b.addSecret(want, "sealed")
	if saved.ID == 0 {
		b.Error("it has no id")
	}
	want.ID, want.Version = saved.ID, 1
	b.same("saved", saved, want)
	other := b.secret("api")
	other.Namespace, other.Groups = otherSpace, nil
	other = b.addSecret(other, "other")
	b.reopen()
	read, err := b.Secret(b.ctx(), job.DefaultNamespace, "api")
	b.ok(err)
	b.same("one", read, want)
	all, err := b.Secrets(b.ctx(), otherSpace)
	b.ok(err)
	b.same("those of a namespace", all, []job.Secret{other})
	all, err = b.Secrets(b.ctx(), access.All)
	b.ok(err)
	b.same("how many there are in all namespaces", len(all), 2)
	b.same("in order of namespace", all[0].Namespace < all[1].Namespace, true)
	_, err = b.Secret(b.ctx(), job.DefaultNamespace, "none")
	b.kind(err, job.NotFound)
	book, err := b.SecretBook(b.ctx(), 0)
	b.ok(err)
	slices.SortFunc(book.Values, func(a, c secrets.StoredValue) int { return strings.Compare(a.Sealed, c.Sealed) })
	b.same("values", book.Values, []secrets.StoredValue{{Secret: other, Sealed: "other"}, {Secret: want, Sealed: "sealed"}})
}

func secretVersions(b *bench) {
	one := b.addSecret(b.secret("api"), "first")
	_, err := b.SaveSecret(b.ctx(), b.secret("api"), value("again"))
	b.kind(err, job.Conflict) // the key is taken
	next := one
	next.Title, next.Groups, next.UpdatedBy, next.UpdatedAt, next.CreatedAt = changed, nil, "bob", b.at(9), b.at(9)
	saved, err := b.SaveSecret(b.ctx(), next, nil)
	b.ok(err)
	next.Version, next.CreatedAt = 2, b.now
	b.same("saved", saved, next)
	b.same("the value stays", b.sealedValues(), map[string]string{"default/api": "first"})
	_, err = b.SaveSecret(b.ctx(), one, value("late"))
	b.kind(err, job.Conflict) // it has another version by now
	b.kind(b.DeleteSecret(b.ctx(), one, b.now), job.Conflict)
	b.ok(b.DeleteSecret(b.ctx(), saved, b.now))
	b.kind(b.DeleteSecret(b.ctx(), saved, b.now), job.NotFound)
	_, err = b.SaveSecret(b.ctx(), saved, value("gone"))
	b.kind(err, job.NotFound)
	_, err = b.SaveSecret(b.ctx(), b.secret("new"), nil)
	b.kind(err, job.Invalid) // one without a value
}

func secretPasts(b *bench) {
	s := b.addSecret(b.secret("api"), "first")
	s.ReplacedAt = b.at(60)
	s, err := b.SaveSecret(b.ctx(), s, value("second"))
	b.ok(err)
	b.same("replaced", b.sealedValues(), map[string]string{"default/api": "second", "past first": "first"})
	b.ok(b.DeleteSecret(b.ctx(), s, b.at(120)))
	b.same("deleted", b.sealedValues(), map[string]string{"past second": "second", "past first": "first"})
	book, err := b.SecretBook(b.ctx(), 0)
	b.ok(err)
	for _, v := range book.Values {
		if v.Secret.Namespace != job.DefaultNamespace || v.Secret.Key != "api" {
			b.Errorf("of %s it is not known what it was sealed for: %+v", v.Sealed, v.Secret)
		}
	}
	b.ok(b.DropPastSecrets(b.ctx(), b.at(61)))
	b.same("later", b.sealedValues(), map[string]string{"past second": "second"})
	b.ok(b.DropPastSecrets(b.ctx(), b.at(61)))
	after, err := b.SecretBook(b.ctx(), book.Version+1)
	b.ok(err)
	if after != nil {
		b.Error("dropping nothing is a change")
	}
}

func secretPastsBounded(b *bench) {
	s := b.addSecret(b.secret("api"), "0")
	for i := 1; i <= 5; i++ {
		s.ReplacedAt = b.at(i)
		v := &secrets.Value{Sealed: fmt.Sprint(i), Size: secrets.MaxPastBytes / 3, Marks: 1}
		var err error
		s, err = b.SaveSecret(b.ctx(), s, v)
		b.ok(err)
	}
	// The value that is good now counts for another bound.
	b.same("by bytes", slices.Sorted(maps.Keys(b.sealedValues())), []string{"default/api", "past 2", "past 3", "past 4"})
	for i := 6; i <= 9; i++ {
		s.ReplacedAt = b.at(i)
		var err error
		s, err = b.SaveSecret(b.ctx(), s, &secrets.Value{Sealed: fmt.Sprint(i), Size: 1, Marks: secrets.MaxPastMarks / 2})
		b.ok(err)
	}
	b.same("by marks", slices.Sorted(maps.Keys(b.sealedValues())), []string{"default/api", "past 7", "past 8"})
}

func secretBounds(b *bench) {
	b.addSecret(b.secret("one"), "1")
	for what, v := range map[string]secrets.Value{
		"bytes": {Sealed: "x", Size: secrets.MaxBytes - 9},
		"marks": {Sealed: "x", Marks: secrets.MaxMarks - 1},
	} {
		if _, err := b.SaveSecret(b.ctx(), b.secret("two"), &v); !job.Is(err, job.Full) {
			b.Errorf("%s: %v", what, err)
		}
	}
	two, err := b.SaveSecret(b.ctx(), b.secret("two"), &secrets.Value{Sealed: "x", Size: secrets.MaxBytes - 10, Marks: secrets.MaxMarks - 2})
	b.ok(err)
	_, err = b.SaveSecret(b.ctx(), two, &secrets.Value{Sealed: "y", Size: secrets.MaxBytes - 10, Marks: secrets.MaxMarks - 2})
	b.ok(err) // in the place of the old one
}

func secretBookVersion(b *bench) {
	before, err := b.SecretBook(b.ctx(), 0)
	b.ok(err)
	again, err := b.SecretBook(b.ctx(), before.Version)
	b.ok(err)
	if again != nil {
		b.Fatal("it was read although it had not changed")
	}
	known := before.Version
	look := func(what string) {
		b.Helper()
		book, err := b.SecretBook(b.ctx(), known)
		b.ok(err)
		if book == nil || book.Version <= known {
			b.Fatalf("%s is not seen", what)
		}
		known = book.Version
	}
	s := b.addSecret(b.secret("api"), "1")
	look("a new secret")
	s, err = b.SaveSecret(b.ctx(), s, nil)
	b.ok(err)
	look("a change")
	b.ok(b.DeleteSecret(b.ctx(), s, b.now))
	look("a deletion")
}

func secretUse(b *bench) {
	s := b.addSecret(b.secret("api"), "1")
	b.ok(b.NoteSecretsUsed(b.ctx(), map[int64]time.Time{s.ID: b.at(60), 4711: b.now}))
	b.ok(b.NoteSecretsUsed(b.ctx(), map[int64]time.Time{s.ID: b.at(0)})) // by a server that is late
	s.UsedAt = b.at(60)
	read, err := b.Secret(b.ctx(), s.Namespace, s.Key)
	b.ok(err)
	b.same("after it was used", read, s)
}

func secretUses(b *bench) {
	const key = "a_b.c"
	in := func(param string, labels map[string]string) job.Job {
		return b.create(func(j *job.Job) { j.Param, j.Labels, j.Enabled = param, labels, false })
	}
	first := in("a ${secret:a_b.c} b", nil)
	second := in("${secret:a_b.c|url}", nil)
	third := in("", map[string]string{"token": "${secret:a_b.c}"})
	in("${secret:a_b.c.d} ${secret:xa_b.c}", map[string]string{"x": "a_b.c"})
	in("${secret:axb.c}", nil) // a sign of the database's patterns is only itself, or sorted out by the caller
	gone := in("${secret:a_b.c}", nil)
	b.ok(b.DeleteJob(b.ctx(), gone, ""))
	elsewhere := b.draft()
	elsewhere.Namespace, elsewhere.Param, elsewhere.Enabled = otherSpace, "${secret:a_b.c}", false
	_, err := b.CreateJob(b.ctx(), elsewhere)
	b.ok(err)
	found, err := b.SecretUses(b.ctx(), job.DefaultNamespace, key, 100)
	b.ok(err)
	found = slices.DeleteFunc(found, func(j job.Job) bool { return j.SecretField(key) == "" })
	var keys []string
	for _, j := range found {
		keys = append(keys, j.Key+" "+j.Group+" "+j.Namespace)
	}
	b.same("jobs", keys, []string{first.Key + " demo default", second.Key + " demo default", third.Key + " demo default"})
	found, err = b.SecretUses(b.ctx(), job.DefaultNamespace, key, 2)
	b.ok(err)
	if len(found) != 2 || found[0].Key != first.Key {
		b.Errorf("the first two are %+v", found)
	}
}

func secretPlaces(b *bench) {
	b.addSecret(b.secret("narrow"), "1")
	wide := b.secret("wide")
	wide.Groups = nil
	b.addSecret(wide, "2")
	for key, want := range map[string][]access.Object{
		"narrow": {{Namespace: job.DefaultNamespace, Group: "G"}, {Namespace: job.DefaultNamespace, Group: "demo"}},
		"wide":   {{Namespace: job.DefaultNamespace, Shared: true}},
	} {
		got, err := b.Place(b.ctx(), "secret", job.DefaultNamespace, key)
		b.ok(err)
		b.same(key, got, want)
	}
	_, err := b.Place(b.ctx(), "secret", otherSpace, "wide")
	b.kind(err, job.NotFound)
}
