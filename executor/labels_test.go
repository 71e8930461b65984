package executor

import (
	"slices"
	"strings"
	"testing"

	"github.com/orthd/orth/job"
)

func TestLabels(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		labels map[string]string
		want   []string // nil when they are refused
	}{
		{map[string]string{"zone": "eu", "disk": "ssd", "weight": "3"}, []string{"disk=ssd", "weight=3", "zone=eu"}},
		{nil, []string{}},
		{map[string]string{"weight": "0"}, []string{"weight=0"}},
		{map[string]string{"weight": "heavy"}, nil},
		{map[string]string{"weight": "-1"}, nil},
		{map[string]string{"Zone": "eu"}, nil},
		{map[string]string{"zone": "a\nb"}, nil},
		{map[string]string{"zone": strings.Repeat("x", job.MaxFeature)}, nil},
	} {
		c := Config{Servers: []string{"http://127.0.0.1:8080"}, Group: "g", Labels: test.labels}
		c.defaults()
		err := c.validate()
		if test.want == nil {
			if !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), "labels") {
				t.Errorf("%v: %v, want them refused", test.labels, err)
			}
			continue
		}
		if got := labelFeatures(test.labels); err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%v: %v, %v; want %v", test.labels, got, err, test.want)
		}
	}
}
