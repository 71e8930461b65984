package users

import (
	"strings"
	"testing"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/job"
)

func TestCheckEmail(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", access.MaxEmail-len("@example.com"))
	for address, good := range map[string]bool{
		"ada@example.com": true, "a.b+c@x": true, long[:60] + "@example.com": true,
		"": false, "ada": false, "ada@": false, "@example.com": false, "Ada <ada@example.com>": false, "<ada@example.com>": false, "ada@example.com,b@c": false,
		" ada@example.com": false, "ada@example.com\r\nBcc: b@c": false, "ädä@example.com": false, long + "x@example.com": false,
	} {
		err := CheckEmail("email", address)
		if (err == nil) != good || err != nil && !job.Is(err, job.Invalid) {
			t.Errorf("%q: %v", address, err)
		}
	}
}
