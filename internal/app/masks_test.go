package app

import (
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

// The server's own secrets, and those that are made while it runs, are hidden in
// logs.
func TestSecretsAreHidden(t *testing.T) {
	t.Parallel()
	s := beginWith(t, Config{
		Data: t.TempDir(), Listen: "127.0.0.1:0", APIToken: redacted.New("correct-horse-battery"),
		LogMasks: []string{`card (\d+)`}, NoLogMaskDefaults: true,
	})
	const plain = "password=hunter2 and all"
	if got := s.masks.Text(plain); got != plain {
		t.Errorf("without the defaults %q becomes %q", plain, got)
	}
	text := "a correct-horse-battery " + s.ExecutorToken().Reveal() + " card 1234"
	if got := s.masks.Text(text); got != "a *** *** card ***" {
		t.Errorf("the server's own secrets: %q", got)
	}
	const own = "a-token-that-somebody-brought"
	sealed := s.sealer.Seal(redacted.New(own), "workers", credential.Hash(redacted.New(own)))
	token := job.GroupToken{Group: "workers", Hash: credential.Hash(redacted.New(own)), Sealed: sealed, CreatedAt: time.Now()}
	until(t, "the token is there", func() bool {
		_, err := s.store.AddGroupToken(t.Context(), token)
		return err == nil
	})
	until(t, "a new token is hidden", func() bool { return s.masks.Text("x "+own) == "x ***" })
	if !strings.Contains(s.masks.Text(text), "a *** *** card") {
		t.Error("the server's own secrets are not hidden any more")
	}
}
