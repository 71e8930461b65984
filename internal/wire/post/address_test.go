package post

import (
	"strings"
	"testing"

	"github.com/orthd/orth/job"
)

// FuzzParseAddress: what is taken can be joined and keeps its host.
func FuzzParseAddress(f *testing.F) {
	for _, seed := range []string{"http://10.0.0.1:9999/", "https://h/job", "http://[::1]:80/", "http://u:p@h", "http://h:99999", "//h", "http://h/%2f/"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		u, err := ParseAddress(address)
		if err != nil {
			if !job.Is(err, job.Invalid) {
				t.Fatalf("error of kind %q: %v", job.KindOf(err), err)
			}
			return
		}
		if u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
			t.Fatalf("%q was taken", address)
		}
		to, err := Endpoint(address, "/run")
		if err != nil || !strings.HasSuffix(to.Path, "/run") || strings.HasSuffix(to.Path, "//run") || to.Host != u.Host {
			t.Fatalf("Endpoint(%q) = %v, %v", address, to, err)
		}
	})
}
