package users

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"golang.org/x/crypto/bcrypt"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

func md5Of(text string) string {
	sum := md5.Sum([]byte(text))
	return hex.EncodeToString(sum[:])
}

func sha256Of(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func bcryptOf(t *testing.T, text string) string {
	t.Helper()
	hash, err := bcrypt.GenerateFromPassword([]byte(text), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	return string(hash)
}

// A hash that was brought along is good once: the first sign-in replaces it, and says
// whether the password has to be changed.
func TestAdoptUser(t *testing.T) {
	t.Parallel()
	const short = "tiny-7q"
	for name, c := range map[string]struct {
		hash, password string
		change         bool
	}{
		"md5":          {md5Of(good), good, false},
		"MD5":          {strings.ToUpper(md5Of(good)), good, false},
		"sha256":       {sha256Of(good), good, false},
		"bcrypt":       {bcryptOf(t, good), good, false},
		"short md5":    {md5Of(short), short, true},
		"short bcrypt": {bcryptOf(t, short), short, true},
		"bcrypt 2y":    {strings.Replace(bcryptOf(t, good), "$2a$", "$2y$", 1), good, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u, m := room()
			made, err := u.AdoptUser(t.Context(), access.User{Kind: access.Person, Name: "ada", Grants: []access.Grant{viewer("a")}}, redacted.New(c.hash))
			if err != nil || made.MustChange || len(made.Grants) != 1 || made.ID == 0 {
				t.Fatalf("made %+v, %v", made, err)
			}
			if _, err := u.Check(t.Context(), "ada", redacted.New(c.hash)); !job.Is(err, job.Unauthorized) {
				t.Fatalf("the hash as the password: got %v, want a refusal", err)
			}
			if m.users[0].Password != c.hash {
				t.Fatal("a refused try has changed the hash")
			}
			in, err := u.Check(t.Context(), "ada", redacted.New(c.password))
			if err != nil || in.MustChange != c.change {
				t.Fatalf("must change %t, %v; want %t", in.MustChange, err, c.change)
			}
			replaced := m.users[0].Password
			if _, err := parsePHC(replaced); err != nil {
				t.Fatalf("the hash is still %q", replaced)
			}
			again, err := u.Check(t.Context(), "ada", redacted.New(c.password))
			if err != nil || again.MustChange != c.change || m.users[0].Password != replaced {
				t.Errorf("the second time: must change %t, %v", again.MustChange, err)
			}
		})
	}
}

func TestAdoptUserRefuses(t *testing.T) {
	t.Parallel()
	dear := "$2a$15$" + strings.Repeat("a", 53)
	for _, c := range []struct {
		name, hash string
		user       access.User
		want       job.Kind
	}{
		{"no hash", "", access.User{Kind: access.Person, Name: "bob"}, job.Invalid},
		{"a password", "winding stairs", access.User{Kind: access.Person, Name: "bob"}, job.Invalid},
		{"hex of another length", strings.Repeat("a", 40), access.User{Kind: access.Person, Name: "bob"}, job.Invalid},
		{"32 characters that are not hex", strings.Repeat("x", 32), access.User{Kind: access.Person, Name: "bob"}, job.Invalid},
		{"too dear a hash", dear, access.User{Kind: access.Person, Name: "bob"}, job.Invalid},
		{"our own kind", makeHash(good, weak()), access.User{Kind: access.Person, Name: "bob"}, job.Invalid},
		{"what servers come with, md5", md5Of("123456"), access.User{Kind: access.Person, Name: "bob"}, job.Invalid},
		{"what servers come with, sha256", sha256Of("123456"), access.User{Kind: access.Person, Name: "bob"}, job.Invalid},
		{"what servers come with, bcrypt", bcryptOf(t, "123456"), access.User{Kind: access.Person, Name: "bob"}, job.Invalid},
		{"the name", md5Of("bob123"), access.User{Kind: access.Person, Name: "bob"}, job.Invalid},
		{"digits again and again", md5Of("88888888"), access.User{Kind: access.Person, Name: "bob"}, job.Invalid},
		{"a common word", sha256Of("letmein123"), access.User{Kind: access.Person, Name: "bob"}, job.Invalid},
		{"a service", md5Of(good), access.User{Kind: access.Service, Name: "bob"}, job.Invalid},
		{"a name that is none", md5Of(good), access.User{Kind: access.Person, Name: "Bob!"}, job.Invalid},
		{"an address that is none", md5Of(good), access.User{Kind: access.Person, Name: "bob", Email: "x"}, job.Invalid},
		{"somebody's name", md5Of(good), access.User{Kind: access.Person, Name: "ada"}, job.Conflict},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			u, m := room()
			if _, err := makePerson(t.Context(), u, "ada"); err != nil {
				t.Fatal(err)
			}
			_, err := u.AdoptUser(t.Context(), c.user, redacted.New(c.hash))
			if !job.Is(err, c.want) || len(m.users) != 1 {
				t.Fatalf("got %v and %d users, want the kind %v", err, len(m.users), c.want)
			}
			if c.hash != "" && strings.Contains(err.Error(), c.hash) {
				t.Errorf("the error shows the hash: %v", err)
			}
		})
	}
}
