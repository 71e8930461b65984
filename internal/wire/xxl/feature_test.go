package xxl

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

func TestFeatures(t *testing.T) {
	t.Parallel()
	many := make([]string, 2*job.MaxFeatures)
	for i := range many {
		many[i] = fmt.Sprintf("f%02d=", i) + strings.Repeat("x", job.MaxFeature-4)
	}
	for name, c := range map[string]struct{ give, want []string }{
		"none":       {nil, nil},
		"some":       {[]string{"shell=5.2", " javascript ", "a;b=c/d"}, []string{"shell=5.2", "javascript", "a;b=c/d"}},
		"unfit":      {[]string{"", "a,b", "a b", "a\r\nX: y", "é", "\x00", strings.Repeat("x", job.MaxFeature+1)}, nil},
		"too many":   {many, many[:job.MaxFeatures]},
		"bad of all": {append([]string{"a b"}, many...), many[:job.MaxFeatures]},
	} {
		text := dialect.JoinFeatures(c.give)
		if got := dialect.ReadFeatures(http.Header{dialect.HeaderFeatures: {text}}); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q arrived; want %q", name, got, c.want)
		}
	}
	if got := dialect.ReadFeatures(http.Header{}); got != nil {
		t.Errorf("no header says %q", got)
	}
	if got := dialect.ReadFeatures(http.Header{dialect.HeaderFeatures: {strings.Repeat("x,", 1<<20)}}); got != nil {
		t.Errorf("a header without an end says %d features", len(got))
	}
}

// TestFeaturesAreAskedAtEachBeat: a newly installed interpreter is known from the next beat
// on.
func TestFeaturesAreAskedAtEachBeat(t *testing.T) {
	t.Parallel()
	room := new(serverRoom)
	addr := serve(t, NewAdminHandler(AdminConfig{Leases: room, Outcomes: room}))
	var features []string
	client, err := NewAdminClient(AdminClientConfig{
		Addresses: []string{"http://" + addr}, Timeout: 10 * time.Second, Features: func() []string { return features },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	err = client.Register(t.Context(), "a", "http://h/")
	features = []string{"shell=5.2", "no good"}
	err = errors.Join(err, client.Register(t.Context(), "a", "http://h/"), client.Deregister(t.Context(), "a", "http://h/"))
	if err != nil {
		t.Fatal(err)
	}
	want := "register a http://h/\nregister a http://h/ [\"shell=5.2\"]\nderegister a http://h/"
	if got := room.take(); got != want {
		t.Errorf("the room was asked:\n%s\nwant:\n%s", got, want)
	}
}
