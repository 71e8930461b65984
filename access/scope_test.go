package access_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/job"
)

func TestOfPause(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		p    job.Pause
		want []access.Object
	}{
		{job.Pause{}, []access.Object{access.Server()}},
		{job.Pause{Groups: []string{"g"}}, []access.Object{access.Server()}}, // of all namespaces
		{job.Pause{Namespace: "a"}, []access.Object{{Namespace: "a"}}},
		{job.Pause{Namespace: "a", Groups: []string{"g", "h"}}, []access.Object{{Namespace: "a", Group: "g"}, {Namespace: "a", Group: "h"}}},
	} {
		if diff := cmp.Diff(c.want, access.OfPause(&c.p)); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c.p, diff)
		}
	}
}
