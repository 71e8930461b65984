package users

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

func viewer(namespace string) access.Grant {
	return access.Grant{Role: access.Viewer, Namespace: namespace, Group: access.All}
}

// service makes a service with a token.
func service(ctx context.Context, t *testing.T, u *Users, wish access.APIToken) (access.APIToken, string) {
	t.Helper()
	if _, err := u.User(ctx, "ci"); err != nil {
		if _, _, err := u.CreateUser(ctx, access.User{Kind: access.Service, Name: "ci", Grants: []access.Grant{viewer("a")}}, redacted.Text{}); err != nil {
			t.Fatal(err)
		}
	}
	made, text, err := u.AddToken(as(ctx, access.Root()), "ci", wish)
	if err != nil {
		t.Fatal(err)
	}
	return made, text.Reveal()
}

func TestCaller(t *testing.T) {
	t.Parallel()
	u, m := room()
	ctx := t.Context()
	made, text := service(ctx, t, u, access.APIToken{Label: "l", Limits: []access.Grant{viewer("a")}})
	if !strings.HasPrefix(text, tokenPrefix+made.Key) || len(text) != tokenLength {
		t.Errorf("the token %q does not have the key %q", text, made.Key)
	}
	got, err := u.Caller(ctx, text)
	if err != nil {
		t.Fatal(err)
	}
	want := access.Principal{
		Kind: access.Service, ID: made.UserID, Credential: made.ID, Name: "ci",
		Grants: []access.Grant{viewer("a")}, Limits: []access.Grant{viewer("a")},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the caller (-want +got):\n%s", diff)
	}
	if slices.ContainsFunc(m.tokens, func(k Known) bool { return k.Digest == text || strings.Contains(k.Digest, text[15:]) }) {
		t.Error("the token is stored")
	}
	last := text[:len(text)-1] + "0"
	if last == text {
		last = text[:len(text)-1] + "1"
	}
	for _, wrong := range []string{"", "orth_", last, text + "0", " " + text, strings.ToLower(text), strings.Repeat("x", 1<<16), "default_token", "admin", "123456"} {
		if _, err := u.Caller(ctx, wrong); !job.Is(err, job.Unauthorized) || err.Error() != noToken().Error() {
			t.Errorf("%.40q: got %v, want the refusal of all", wrong, err)
		}
	}
	if _, err := u.SetDisabled(ctx, "ci", true); err != nil {
		t.Fatal(err)
	}
	if _, err := u.Caller(ctx, text); !job.Is(err, job.Unauthorized) {
		t.Errorf("of a disabled user: %v", err)
	}
	if _, err := u.SetDisabled(ctx, "ci", false); err != nil {
		t.Fatal(err)
	}
	if _, err := u.Caller(ctx, text); err != nil {
		t.Errorf("enabled again: %v", err)
	}
	if err := u.RemoveToken(ctx, "ci", made.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := u.Caller(ctx, text); !job.Is(err, job.Unauthorized) {
		t.Errorf("revoked: %v", err)
	}
	if err := u.RemoveToken(ctx, "ci", made.ID); !job.Is(err, job.NotFound) {
		t.Errorf("revoked twice: %v", err)
	}
}

// What another server changes counts within two seconds, and when the rows cannot be
// read nobody is let in for longer.
func TestBookAges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		u, m := room()
		other := NewUsers(Config{Store: m, Book: m, Caller: caller})
		ctx, cancel := context.WithCancel(t.Context())
		var loops sync.WaitGroup
		for _, room := range []*Users{u, other} {
			loops.Go(func() {
				if err := room.Run(ctx); err != nil {
					t.Error(err)
				}
			})
		}
		made, text := service(ctx, t, u, access.APIToken{})
		time.Sleep(2 * time.Second)
		if _, err := other.Caller(ctx, text); err != nil {
			t.Fatalf("a token of another server, after two seconds: %v", err)
		}
		if err := u.RemoveToken(ctx, "ci", made.ID); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		if _, err := other.Caller(ctx, text); !job.Is(err, job.Unauthorized) {
			t.Errorf("revoked two seconds ago on another server: %v", err)
		}
		_, text = service(ctx, t, u, access.APIToken{})
		m.fail(job.Errorf(job.Unavailable, "away"))
		if _, err := u.Caller(ctx, text); err != nil {
			t.Errorf("the moment the database goes: %v", err)
		}
		time.Sleep(2*time.Second + time.Millisecond)
		if _, err := u.Caller(ctx, text); !job.Is(err, job.Unavailable) {
			t.Errorf("two seconds later: %v, want Unavailable", err)
		}
		m.fail(nil)
		time.Sleep(time.Second)
		if _, err := u.Caller(ctx, text); err != nil {
			t.Errorf("when it is back: %v", err)
		}
		cancel()
		loops.Wait()
	})
}

func TestTokenExpires(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		u, _ := room()
		_, text := service(t.Context(), t, u, access.APIToken{ExpiresAt: time.Now().Add(time.Hour)})
		time.Sleep(time.Hour - time.Millisecond)
		if _, err := u.Caller(t.Context(), text); err != nil {
			t.Errorf("a moment before: %v", err)
		}
		time.Sleep(time.Millisecond)
		if _, err := u.Caller(t.Context(), text); !job.Is(err, job.Unauthorized) {
			t.Errorf("at the end: %v", err)
		}
	})
}

// Uses are written once a minute, whatever happens.
func TestUsesAreWritten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		u, m := room()
		ctx, cancel := context.WithCancel(t.Context())
		var loop sync.WaitGroup
		loop.Go(func() { _ = u.Run(ctx) })
		made, text := service(ctx, t, u, access.APIToken{})
		for range 150 {
			for range 10 {
				if _, err := u.Caller(ctx, text); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(time.Second)
		}
		if _, err := u.DescribeUser(ctx, "ci", new(string), nil); err != nil { // all are read anew
			t.Fatal(err)
		}
		if _, err := u.Caller(ctx, text); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		cancel()
		loop.Wait()
		if len(m.touched) != 3 || !strings.HasPrefix(m.touched[0], letter(made.UserID)+" "+letter(made.ID)) {
			t.Errorf("written %q, want three times in 150 seconds", m.touched)
		}
	})
}

// Who lists the sessions of somebody else asks for the epoch: that is not to be seen.
func TestEpochSeesNobody(t *testing.T) {
	t.Parallel()
	u, _ := room()
	user, err := makePerson(t.Context(), u, "ada", viewer("a"))
	if err != nil {
		t.Fatal(err)
	}
	if epoch, err := u.Epoch(t.Context(), user.ID); err != nil || epoch != user.Epoch || len(u.touches) != 0 {
		t.Errorf("epoch %d, %v, %d to be written as seen; want %d", epoch, err, len(u.touches), user.Epoch)
	}
	if _, _, err := u.Principal(t.Context(), user.ID); err != nil || len(u.touches) != 1 {
		t.Errorf("%v, %d to be written as seen", err, len(u.touches))
	}
	if _, err := u.Epoch(t.Context(), user.ID+1); !job.Is(err, job.Unauthorized) {
		t.Errorf("nobody: %v", err)
	}
}

func TestPrincipal(t *testing.T) {
	t.Parallel()
	u, _ := room()
	ctx := t.Context()
	user, err := makePerson(ctx, u, "ada", viewer("a"))
	if err != nil {
		t.Fatal(err)
	}
	p, epoch, err := u.Principal(ctx, user.ID)
	if err != nil || epoch != user.Epoch || !p.Locked || p.Kind != access.Person {
		t.Errorf("got %+v, %d, %v; want a locked person of epoch %d", p, epoch, err, user.Epoch)
	}
	if p.May(access.View, access.Object{Namespace: "a"}) {
		t.Error("may see before the password is changed")
	}
	last := epoch
	grow := func(what string, err error) {
		t.Helper()
		stored, readErr := u.User(ctx, "ada")
		if err != nil || readErr != nil || stored.Epoch <= last {
			t.Errorf("%s: epoch %d after %d, %v, %v", what, stored.Epoch, last, err, readErr)
		}
		last = stored.Epoch
	}
	_, err = u.GiveGrant(as(ctx, access.Root()), "ada", viewer("b"))
	grow("granted", err)
	_, err = u.SetDisabled(ctx, "ada", true)
	grow("disabled", err)
	if _, _, err := u.Principal(ctx, user.ID); !job.Is(err, job.Unauthorized) {
		t.Errorf("disabled: %v", err)
	}
	if _, err := u.SetDisabled(ctx, "ada", false); err != nil {
		t.Fatal(err)
	}
	if _, epoch, err := u.Principal(ctx, user.ID); err != nil || epoch <= last {
		t.Errorf("enabled: epoch %d after %d, %v", epoch, last, err)
	}
	title := "Ada"
	described, err := u.DescribeUser(ctx, "ada", &title, nil)
	if _, epoch, _ := u.Principal(ctx, user.ID); err != nil || epoch != described.Epoch || described.Title != title {
		t.Errorf("described: %+v, %v", described, err)
	}
	if err := u.DeleteUser(ctx, "ada"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := u.Principal(ctx, user.ID); !job.Is(err, job.Unauthorized) {
		t.Errorf("removed: %v", err)
	}
}

func TestCreateUser(t *testing.T) {
	t.Parallel()
	u, _ := room()
	ctx := t.Context()
	person, made, err := u.CreateUser(ctx, access.User{Kind: access.Person, Name: "ada"}, redacted.Text{})
	if err != nil || len(made.Reveal()) != madeLength || !person.MustChange {
		t.Fatalf("got %+v, a password of %d, %v", person, len(made.Reveal()), err)
	}
	if _, err := u.Check(ctx, "ada", made); err != nil {
		t.Errorf("with the password that was made: %v", err)
	}
	if _, made, err := u.CreateUser(ctx, access.User{Kind: access.Service, Name: "ci"}, redacted.Text{}); err != nil || !made.IsZero() {
		t.Errorf("a service: password %t, %v", !made.IsZero(), err)
	}
	for what, c := range map[string]struct {
		user     access.User
		password string
		want     job.Kind
	}{
		"a name twice":             {access.User{Kind: access.Person, Name: "ada"}, "", job.Conflict},
		"no name":                  {access.User{Kind: access.Person}, "", job.Invalid},
		"capital letters":          {access.User{Kind: access.Person, Name: "Ada"}, "", job.Invalid},
		"the server's name":        {access.User{Kind: access.Person, Name: "system"}, "", job.Invalid},
		"no kind":                  {access.User{Name: "x"}, "", job.Invalid},
		"a token":                  {access.User{Kind: access.Token, Name: "x"}, "", job.Invalid},
		"a service's password":     {access.User{Kind: access.Service, Name: "x"}, good, job.Invalid},
		"a poor password":          {access.User{Kind: access.Person, Name: "x"}, "password12", job.Invalid},
		"two lines of title":       {access.User{Kind: access.Person, Name: "x", Title: "a\nb"}, "", job.Invalid},
		"a grant that is none":     {access.User{Kind: access.Person, Name: "x", Grants: []access.Grant{{Role: "root", Namespace: "*", Group: "*"}}}, "", job.Invalid},
		"the same grant again":     {access.User{Kind: access.Person, Name: "x", Grants: []access.Grant{viewer("a"), viewer("a")}}, "", job.Invalid},
		"too long an address":      {access.User{Kind: access.Person, Name: "x", Email: strings.Repeat("a", 300)}, "", job.Invalid},
		"no address at all":        {access.User{Kind: access.Person, Name: "x", Email: "ada"}, "", job.Invalid},
		"a name beside an address": {access.User{Kind: access.Person, Name: "x", Email: "Ada <ada@example.com>"}, "", job.Invalid},
		"a group in no namespace":  {access.User{Kind: access.Person, Name: "x", Grants: []access.Grant{{Role: access.Viewer, Namespace: "*", Group: "a"}}}, "", job.Invalid},
	} {
		if _, _, err := u.CreateUser(ctx, c.user, redacted.New(c.password)); !job.Is(err, c.want) {
			t.Errorf("%s: got %v, want %s", what, err, c.want)
		}
	}
}

func TestFirst(t *testing.T) {
	t.Parallel()
	u, _ := room()
	ctx := t.Context()
	refused := job.Errorf(job.Unavailable, "the disk is full")
	if made, err := u.First(ctx, func(redacted.Text) error { return refused }); made || !job.Is(err, job.Unavailable) {
		t.Fatalf("when the password cannot be kept: made %t, %v", made, err)
	}
	var kept redacted.Text
	keep := func(password redacted.Text) error {
		kept = password
		return nil
	}
	if made, err := u.First(ctx, keep); !made || err != nil {
		t.Fatalf("made %t, %v", made, err)
	}
	user, err := u.Check(ctx, FirstName, kept)
	if err != nil || !user.MustChange || !user.Administers() || len(kept.Reveal()) != madeLength {
		t.Errorf("the first user is %+v, %v", user, err)
	}
	if made, err := u.First(ctx, func(redacted.Text) error {
		t.Error("a second password")
		return nil
	}); made || err != nil {
		t.Errorf("the second time: made %t, %v", made, err)
	}
}

func TestAdmit(t *testing.T) {
	t.Parallel()
	u, _ := room()
	ctx := t.Context()
	local, err := makePerson(ctx, u, "bob")
	if err != nil {
		t.Fatal(err)
	}
	f := Foreign{Subject: "https://id#1", Name: "ada", Title: "Ada", Grants: []access.Grant{viewer("a")}}
	first, err := u.Admit(ctx, f)
	if err != nil || first.MustChange || !slices.Equal(first.Provided, f.Grants) {
		t.Fatalf("got %+v, %v", first, err)
	}
	again, err := u.Admit(ctx, f)
	if err != nil || again.Epoch != first.Epoch || again.ID != first.ID {
		t.Errorf("the same again: %+v, %v", again, err)
	}
	if _, err := u.GiveGrant(as(ctx, access.Root()), "ada", viewer("hand")); err != nil {
		t.Fatal(err)
	}
	f.Name, f.Title, f.Grants = "renamed", "Ada L.", []access.Grant{viewer("b")}
	moved, err := u.Admit(ctx, f)
	if err != nil || moved.Name != "ada" || moved.Title != "Ada L." || moved.Epoch <= again.Epoch+1 ||
		!slices.Equal(moved.Everything(), []access.Grant{viewer("hand"), viewer("b")}) {
		t.Errorf("with other groups: %+v, %v", moved, err)
	}
	if _, err := u.TakeGrant(as(ctx, access.Root()), "ada", viewer("b")); !job.Is(err, job.Conflict) {
		t.Errorf("taking what the provider gave: %v", err)
	}
	if _, err := u.Admit(ctx, Foreign{Subject: "https://id#2", Name: "bob"}); !job.Is(err, job.Conflict) {
		t.Errorf("the name of a local account: %v", err)
	}
	if now, err := u.User(ctx, "bob"); err != nil || now.Subject != "" || now.ID != local.ID {
		t.Errorf("the local account is %+v, %v", now, err)
	}
	if _, err := u.SetDisabled(ctx, "ada", true); err != nil {
		t.Fatal(err)
	}
	f.Grants = nil
	if _, err := u.Admit(ctx, f); !job.Is(err, job.Unauthorized) {
		t.Errorf("disabled: %v", err)
	}
	if _, err := u.Admit(ctx, Foreign{Name: "x"}); !job.Is(err, job.Invalid) {
		t.Errorf("without a subject: %v", err)
	}
}

func BenchmarkCaller(b *testing.B) {
	u, _ := room()
	ctx := as(b.Context(), access.Root())
	if _, _, err := u.CreateUser(ctx, access.User{Kind: access.Service, Name: "ci", Grants: []access.Grant{viewer("a")}}, redacted.Text{}); err != nil {
		b.Fatal(err)
	}
	_, text, err := u.AddToken(ctx, "ci", access.APIToken{})
	if err != nil {
		b.Fatal(err)
	}
	token := text.Reveal()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := u.Caller(ctx, token); err != nil {
			b.Fatal(err)
		}
	}
}

// An address is checked when it is set, and one that was stored before the check keeps
// nobody from disabling its user.
func TestEmailIsAnAddress(t *testing.T) {
	t.Parallel()
	u, m := room()
	ctx := t.Context()
	m.users = append(m.users, Account{User: access.User{ID: 99, Kind: access.Person, Name: "old", Email: "no address"}})
	if _, err := u.SetDisabled(ctx, "old", true); err != nil {
		t.Error(err)
	}
	for address, good := range map[string]bool{"old@example.com": true, "": true, "old": false, "a@b, c@d": false, strings.Repeat("a", 251) + "@b.c": false} {
		got, err := u.DescribeUser(ctx, "old", nil, &address)
		if good && (err != nil || got.Email != address) {
			t.Errorf("%q: %+v, %v", address, got, err)
		}
		if wrong, _ := errors.AsType[*job.Error](err); !good && (wrong == nil || wrong.Kind != job.Invalid || wrong.Field != "email") {
			t.Errorf("%q: %v", address, err)
		}
	}
}
