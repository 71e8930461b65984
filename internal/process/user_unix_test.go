//go:build unix

package process

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAccountEnviron(t *testing.T) {
	t.Parallel()
	env := []string{"PATH=/bin", "HOME=/root", "USER=root", "LOGNAME=root", "TMPDIR=/root/tmp", "HOMELY=1"}
	for name, test := range map[string]struct {
		account *account
		want    []string
	}{
		"the own user":     {nil, env},
		"a known user":     {&account{uid: 7, name: "svc", home: "/srv"}, []string{"PATH=/bin", "HOMELY=1", "HOME=/srv", "USER=svc", "LOGNAME=svc"}},
		"a number of none": {&account{uid: 7}, []string{"PATH=/bin", "HOMELY=1"}},
	} {
		if diff := cmp.Diff(test.want, test.account.environ(env)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
