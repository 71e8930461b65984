package users

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/crypto/bcrypt"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Who is refused is told the same, whatever the reason.
func TestCheckTellsNothing(t *testing.T) {
	t.Parallel()
	u, m := room()
	ctx := t.Context()
	for _, name := range []string{"ada", "off"} {
		if _, err := makePerson(ctx, u, name); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := u.SetDisabled(ctx, "off", true); err != nil {
		t.Fatal(err)
	}
	if _, _, err := u.CreateUser(ctx, access.User{Kind: access.Service, Name: "ci"}, redacted.Text{}); err != nil {
		t.Fatal(err)
	}
	if _, err := u.Admit(ctx, Foreign{Subject: "s", Name: "ext"}); err != nil {
		t.Fatal(err)
	}
	if _, err := u.Check(ctx, "ada", redacted.New(good)); err != nil {
		t.Fatalf("the right password: %v", err)
	}
	for name, password := range map[string]string{
		"ada": "wrong password", "off": good, "ci": "", "nobody": good, "ext": "", "": "",
		strings.Repeat("a", 1000): good, "long": strings.Repeat("x", 1<<20), "Ada": good,
	} {
		_, err := u.Check(ctx, name, redacted.New(password))
		if !job.Is(err, job.Unauthorized) || err.Error() != refused().Error() {
			t.Errorf("%.20q: got %v, want the same refusal as for all", name, err)
		}
	}
	m.fail(job.Errorf(job.Unavailable, "away"))
	if _, err := u.Check(ctx, "ada", redacted.New(good)); !job.Is(err, job.Unavailable) {
		t.Errorf("without a database: got %v, want that it is away", err)
	}
}

// Every password that is checked costs a hash of today's strength, also for names
// that do not exist. What a hash costs is told by the processor, for a clock goes on
// while others work; the test is not parallel, and no other is beside it.
func TestCheckAlwaysHashes(t *testing.T) {
	strong := strength{memory: 8 << 10, passes: 3, lanes: 1}
	cheapest := func(do func()) (least time.Duration) {
		least = time.Hour
		for range 7 {
			from := cost(t)
			do()
			least = min(least, cost(t)-from)
		}
		return least
	}
	hash := cheapest(func() { makeHash(good, strong) })
	sum := sha256.Sum256([]byte(good))
	for name, stored := range map[string]string{
		"none": "", "damaged": "$argon2id$v=19$m=1", "sha256": hex.EncodeToString(sum[:]), "argon2id": makeHash(good, strong),
	} {
		if took := cheapest(func() { checkHash(stored, "wrong", strong) }); took < hash/3 {
			t.Errorf("%s: costs %s, less than a third of a hash of %s", name, took, hash)
		}
	}
}

// Foreign and weaker hashes are taken once, and replaced; sessions go on.
func TestCheckImprovesHashes(t *testing.T) {
	t.Parallel()
	md, sum := md5.Sum([]byte(good)), sha256.Sum256([]byte(good))
	slow, err := bcrypt.GenerateFromPassword([]byte(good), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	for name, stored := range map[string]string{
		"md5": hex.EncodeToString(md[:]), "sha256": strings.ToUpper(hex.EncodeToString(sum[:])), "bcrypt": string(slow),
		"weaker": makeHash(good, strength{memory: 32, passes: 1, lanes: 1}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u, m := room()
			before, err := makePerson(t.Context(), u, "ada")
			if err != nil {
				t.Fatal(err)
			}
			m.users[0].Password = stored
			if _, err := u.Check(t.Context(), "ada", redacted.New("wrong password")); !job.Is(err, job.Unauthorized) {
				t.Fatalf("a wrong password: got %v", err)
			}
			if m.users[0].Password != stored {
				t.Fatal("a wrong password changed the hash")
			}
			after, err := u.Check(t.Context(), "ada", redacted.New(good))
			if err != nil {
				t.Fatal(err)
			}
			if p, err := parsePHC(m.users[0].Password); err != nil || p.strength != weak() {
				t.Errorf("the hash is %q", m.users[0].Password)
			}
			if after.Epoch != before.Epoch {
				t.Error("its sessions are over")
			}
			if _, err := u.Check(t.Context(), "ada", redacted.New(good)); err != nil {
				t.Errorf("the second time: %v", err)
			}
		})
	}
}

func TestChangePassword(t *testing.T) {
	t.Parallel()
	u, m := room()
	var told []string
	u.config.Changed = func(name string) { told = append(told, name) }
	ctx := t.Context()
	before, err := makePerson(ctx, u, "ada")
	if err != nil {
		t.Fatal(err)
	}
	if !before.MustChange {
		t.Error("who made the user knows the password for ever")
	}
	for name, c := range map[string]struct {
		old, fresh string
		want       job.Kind
	}{
		"a wrong old one": {"wrong", "another stair 48", job.Unauthorized},
		"the same":        {good, good, job.Invalid},
		"a poor one":      {good, "password123", job.Invalid},
	} {
		if _, err := u.ChangePassword(ctx, "ada", redacted.New(c.old), redacted.New(c.fresh)); !job.Is(err, c.want) {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
	if len(told) > 0 {
		t.Errorf("changes were told that were none: %v", told)
	}
	fresh := redacted.New("another stair 48")
	after, err := u.ChangePassword(ctx, "ada", redacted.New(good), fresh)
	if err != nil {
		t.Fatal(err)
	}
	if after.MustChange || after.Epoch <= before.Epoch {
		t.Errorf("after a change: must change %t, epoch %d after %d", after.MustChange, after.Epoch, before.Epoch)
	}
	if _, epoch, err := u.Principal(ctx, after.ID); err != nil || epoch != after.Epoch {
		t.Errorf("the memory has epoch %d, %v; want %d at once", epoch, err, after.Epoch)
	}
	if _, err := u.Check(ctx, "ada", redacted.New(good)); !job.Is(err, job.Unauthorized) {
		t.Errorf("the old one: %v", err)
	}
	if len(told) != 1 || told[0] != "ada" {
		t.Errorf("told %v, want ada once", told)
	}
	set, err := u.SetPassword(ctx, "ada", redacted.New(good), false)
	if err != nil || !set.MustChange || set.Epoch <= after.Epoch {
		t.Errorf("set by another: %+v, %v", set, err)
	}
	if final, err := u.SetPassword(ctx, "ada", fresh, true); err != nil || final.MustChange {
		t.Errorf("set for good: %+v, %v", final, err)
	}
	if strings.Contains(m.users[0].Password, fresh.Reveal()) {
		t.Error("the password is stored")
	}
	if _, _, err := u.CreateUser(ctx, access.User{Kind: access.Service, Name: "ci"}, redacted.Text{}); err != nil {
		t.Fatal(err)
	}
	if _, err := u.SetPassword(ctx, "ci", fresh, true); !job.Is(err, job.Invalid) {
		t.Errorf("the password of a service: %v", err)
	}
	if _, err := u.SetPassword(ctx, "nobody", fresh, true); !job.Is(err, job.NotFound) {
		t.Errorf("the password of nobody: %v", err)
	}
}

// No more than so many wait for a hash, and none for ever.
func TestHasherIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHasher()
		ctx, cancel := context.WithCancel(t.Context())
		results := make(chan error, maxHashes+maxWaiting)
		for range maxHashes {
			if err := h.enter(ctx); err != nil {
				t.Fatal(err)
			}
		}
		for range maxWaiting {
			go func() { results <- h.enter(ctx) }()
		}
		synctest.Wait()
		if err := h.enter(ctx); !job.Is(err, job.Full) {
			t.Errorf("one too many: got %v, want Full", err)
		}
		h.leave()
		if err := <-results; err != nil {
			t.Errorf("the next: %v", err)
		}
		cancel()
		for range maxWaiting - 1 {
			if err := <-results; err == nil {
				t.Error("entered without room")
			}
		}
		h.leave()
		h.leave()
		if len(h.waiting)+len(h.working) != 0 {
			t.Errorf("%d wait and %d work when all have left", len(h.waiting), len(h.working))
		}
	})
}

func TestCheckPassword(t *testing.T) {
	t.Parallel()
	of := access.User{Name: "ada.lovelace", Email: "ada@example.com"}
	for password, good := range map[string]bool{
		"winding stairs 47": true, "correct horse battery staple": true, "Tr0ub4dor&3x": true, "ёжик в тумане 7": true, "q8#Lz0!vPm": true,
		"short7&": false, "": false, strings.Repeat("ab1!Z", 26): false, "tab\tin the middle": false, "\xff\xfe invalid utf8": false,
		"ada.lovelace-7&kq": false, "ADA.LOVELACE-7&kq": false, "my ada@example.com": false,
		"password123": false, "Passw0rd!!": false, "P@ssw0rd2026": false, "1234567890": false, "qwertyuiop": false, "0987654321a": false,
		"aaaaaaaaaaaa": false, "abcabcabcabc": false, "adminadmin1": false, "letmein12345": false, "changeme2026!": false, "sunshine!!!1": false,
		"iloveyou2026": false, "qwerty12345": false, "asdfghjkl1": false, "summer2026!!": false, "58305718293465": false, "welcome@2026": false,
		"orthorthorth1": false, "Administrator1": false, "footballfootball": false, "1qaz2wsx3edc": false,
	} {
		err := checkPassword("password", redacted.New(password), &of)
		if (err == nil) != good {
			t.Errorf("%q: got %v, want it taken: %t", password, err, good)
		}
		if err != nil && len(password) > 5 && strings.Contains(err.Error(), password) {
			t.Errorf("%q is in the error: %v", password, err)
		}
	}
	for range 200 {
		made := letters(madeLength)
		if err := checkPassword("password", redacted.New(made), &of); err != nil {
			t.Errorf("one that is made here: %q: %v", made, err)
		}
	}
}

func FuzzParsePHC(f *testing.F) {
	for _, seed := range []string{
		makeHash(good, weak()), makeHash(good, usual()), "", "$argon2id$", "$argon2id$v=19$m=64,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA",
		"$argon2id$v=19$m=999999999,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA", "$argon2id$v=19$m=064,t=1,p=1$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA",
		"$argon2id$v=19$m=1,t=1,p=1$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA\n", "$argon2i$v=19$m=64,t=1,p=1$a$b", "$2a$04$abcdefghijklmnopqrstuv",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := parsePHC(text)
		if err != nil {
			return
		}
		if p.memory == 0 || p.memory > maxMemory || p.passes == 0 || p.passes > maxPasses || p.lanes == 0 || p.lanes > maxLanes ||
			len(p.salt) > maxPart || len(p.sum) < 16 || len(p.sum) > maxPart {
			t.Errorf("%q asks for more than is allowed: %+v", text, p)
		}
		if again := p.String(); again != text {
			t.Errorf("%q is written as %q", text, again)
		}
	})
}
