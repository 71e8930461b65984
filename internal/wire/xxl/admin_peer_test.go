package xxl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

// The texts of real servers that receive a list in the wrong shape. Those up to 3.2 send an
// exception's whole text, the later ones behind a prefix.
const (
	wantedList   = "java.lang.IllegalStateException: Expected BEGIN_ARRAY but was BEGIN_OBJECT at line 1 column 2 path $"
	wantedObject = "java.lang.IllegalStateException: Expected BEGIN_OBJECT but was BEGIN_ARRAY at line 1 column 2 path $"
)

// release is how servers of one release answer.
type release struct {
	name    string
	success string
	before  string // what begins the text of an error in the work
	header  string // must be there, even empty
	later   bool   // from 3.5 on: the group's name, and an object
}

func releases() []release {
	const success = `{"code":200,"msg":"Success","data":null,"success":true}`
	return []release{
		{name: "2.3", success: `{"code":200,"msg":null,"content":null}`, before: "com.google.gson.JsonSyntaxException: "},
		{name: "3.2", success: `{"code":200,"msg":"Success","content":null,"success":true}`, before: "com.google.gson.JsonSyntaxException: "},
		{name: "3.3", success: success, before: dialect.TextAPIError, header: "XXL-JOB-ACCESS-TOKEN"},
		{name: "3.4", success: `{"code":200,"data":null,"msg":"Success","success":true}`, before: dialect.TextAPIError},
		{name: "3.5", success: success, before: dialect.TextAPIError, later: true},
		{name: "orth-java", success: success, before: dialect.TextAPIError, header: "ORTH-ACCESS-TOKEN"},
	}
}

// installation is servers that share what they know, by host, without a network.
type installation struct {
	mu    sync.Mutex
	calls []string                  // "host path", in order
	hosts map[string]*installed     // never changed
	taken map[int64]int             // attempts that a server has taken, and how often
	says  map[int64]string          // their messages
	late  func(ctx context.Context) // what a silent host does; nil: it fails at once
}

// installed is one server.
type installed struct {
	release
	token string
	down  bool // it does not answer
	sick  bool // it answers that its database is away
	turns []release
}

// gsonItem is what the Java servers read of an outcome.
type gsonItem struct {
	LogID       *int64 `json:"logId"`
	LogDateTim  *int64 `json:"logDateTim"`
	LogDateTime *int64 `json:"logDateTime"`
	HandleCode  int    `json:"handleCode"`
	HandleMsg   string `json:"handleMsg"`
}

func newInstallation(hosts map[string]*installed) *installation {
	return &installation{hosts: hosts, taken: make(map[int64]int), says: make(map[int64]string)}
}

// client returns a client of the hosts in that order; set is the dialect of all.
func (i *installation) client(t *testing.T, token string, set job.Dialect, addresses ...string) *AdminClient {
	t.Helper()
	c, err := NewAdminClient(AdminClientConfig{
		Addresses: addresses, Dialect: func(string) job.Dialect { return set },
		Speeches: []dialect.Speech{forkSpeech()}, Group: "app-x", Token: token, Transport: i,
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// forkSpeech is a fork of which only the token's header and some messages differ.
func forkSpeech() dialect.Speech {
	s := dialect.Classic()
	s.Dialect, s.Context, s.TokenHeaders = job.DialectOrthJava, "/orth-admin", []string{dialect.HeaderForkToken}
	s.Ends.Timeout, s.Ends.Exit = "Job execution timeout", dialect.Phrase{Before: "exit code: ", After: ""}
	return s
}

// RoundTrip implements http.RoundTripper.
func (i *installation) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.calls = append(i.calls, r.URL.Host+" "+r.URL.Path)
	host := i.hosts[r.URL.Host]
	if host == nil || host.down {
		if i.late != nil {
			i.mu.Unlock()
			i.late(r.Context())
			i.mu.Lock()
		}
		return nil, errors.New("nobody is there")
	}
	if len(host.turns) > 0 {
		host.release, host.turns = host.turns[0], append(host.turns[1:], host.turns[0])
	}
	w := httptest.NewRecorder()
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.WriteString(i.answer(host, r, body))
	return w.Result(), nil
}

// answer is what one server makes of a call.
func (i *installation) answer(host *installed, r *http.Request, body []byte) string {
	no := func(format string, args ...any) string {
		text, _ := json.Marshal(fmt.Sprintf(format, args...))
		return `{"code":500,"msg":` + string(text) + `,"data":null,"success":false}`
	}
	header := "XXL-JOB-ACCESS-TOKEN"
	if host.header != "" {
		if _, ok := r.Header[host.header]; !ok {
			return no("Required request header '%s' for method parameter type String is not present", host.header)
		}
		header = host.header
	}
	token, group := strings.Join(r.Header[header], ""), strings.Join(r.Header["XXL-JOB-APPNAME"], "") //nolint:staticcheck // as it is sent
	switch {
	case host.later && (token == "" || group == ""):
		return no("invalid request, accessToken or appname is empty.")
	case host.later && (token != host.token || group != "app-x"):
		return no("invalid request, accessToken or appname invalid.")
	case host.token != "" && token != host.token:
		return no("The access token is wrong.")
	case len(body) == 0: // ≤3.2 take it for success and forget it
		i.taken[-1]++
		return host.success
	case host.sick:
		return no("%scannot open JDBC connection", host.before)
	}
	if !strings.HasSuffix(r.URL.Path, "/api/callback") {
		return host.success
	}
	items, wrong := host.read(body)
	if wrong != "" {
		return no("%s%s", host.before, wrong)
	}
	for _, item := range items {
		i.taken[*item.LogID]++
		i.says[*item.LogID] = item.HandleMsg
	}
	if len(items) == 0 || len(items) > 50 {
		i.taken[-1]++
	}
	return host.success
}

// read reads a callback as the release does.
func (r *release) read(body []byte) (items []gsonItem, wrong string) {
	if !r.later {
		if json.Unmarshal(body, &items) != nil {
			return nil, wantedList
		}
	} else {
		var object struct {
			List []gsonItem `json:"callbackList"`
		}
		if json.Unmarshal(body, &object) != nil {
			return nil, wantedObject
		}
		items = object.List
	}
	for _, item := range items {
		if item.LogID == nil || r.later == (item.LogDateTim != nil) || r.later == (item.LogDateTime == nil) {
			return nil, "an item has the names of another release"
		}
	}
	return items, ""
}

// asked returns the calls since the last time.
func (i *installation) asked() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	calls := strings.Join(i.calls, ", ")
	i.calls = nil
	return calls
}

// change changes what the servers do.
func (i *installation) change(fn func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	fn()
}

// outcomes are n of them from attempt first on.
func outcomes(first int64, n int) []job.Outcome {
	batch := make([]job.Outcome, n)
	for k := range batch {
		batch[k] = job.Outcome{AttemptID: first + int64(k), TriggeredAt: time.UnixMilli(1795227154000), State: job.Succeeded}
	}
	return batch
}

// want compares which attempts were taken: all of them once.
func (i *installation) want(t *testing.T, first int64, n int) {
	t.Helper()
	i.mu.Lock()
	defer i.mu.Unlock()
	for id := first; id < first+int64(n); id++ {
		if i.taken[id] != 1 {
			t.Errorf("attempt %d was taken %d times", id, i.taken[id])
		}
	}
	if i.taken[-1] > 0 {
		t.Errorf("%d calls that a server cannot tell from success", i.taken[-1])
	}
}

// TestReleases: servers of every release are found out, and served when their
// dialect is set, with and without a token.
func TestReleases(t *testing.T) {
	t.Parallel()
	for _, r := range releases() {
		set, path := job.DialectXXL, "/xxl-job-admin"
		switch {
		case r.later:
			set = job.DialectXXL35 // its path is what people kept when they upgraded
		case r.name == "orth-java":
			set, path = job.DialectOrthJava, "/orth-admin/"
		}
		for _, dialect := range []job.Dialect{"", set} {
			for _, token := range []string{"tok", ""} {
				if r.later && token == "" {
					continue // it takes none
				}
				t.Run(fmt.Sprintf("%s as %q, token %q", r.name, dialect, token), func(t *testing.T) {
					t.Parallel()
					all := newInstallation(map[string]*installed{"one": {release: r, token: token}})
					c := all.client(t, token, dialect, "http://one"+path)
					err := errors.Join(
						c.Register(t.Context(), "app-x", "http://h/"),
						c.SendOutcomes(t.Context(), outcomes(1, 120)),
						c.Deregister(t.Context(), "app-x", "http://h/"),
					)
					if err != nil {
						t.Error(err)
					}
					all.want(t, 1, 120)
					calls := 5
					if r.later && dialect == "" {
						calls = 6 // the first one was sent twice
					}
					if got := strings.Count(all.asked(), "one /"); got != calls {
						t.Errorf("%d calls; want %d", got, calls)
					}
				})
			}
		}
	}
}

// TestForkByItsPath: the fork is known by its context path; it is shown its own
// header alone, and outcomes are in its words.
func TestForkByItsPath(t *testing.T) {
	t.Parallel()
	seen := make(chan http.Header, 1)
	admin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Header.Set("Body", string(body))
		seen <- r.Header
		answer(w, adminContent, adminSuccess)
	}))
	t.Cleanup(admin.Close)
	c, err := NewAdminClient(AdminClientConfig{
		Addresses: []string{admin.URL + "/orth-admin"}, Speeches: []dialect.Speech{forkSpeech()}, Group: "app-x", Token: "tok",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	batch := []job.Outcome{{AttemptID: 1, State: job.TimedOut, Message: "job execute timeout "}}
	if err := c.SendOutcomes(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	h := <-seen
	if h.Get(dialect.HeaderForkTokenCanonical) != "tok" || h.Get(dialect.HeaderTokenCanonical) != "" || h.Get(dialect.HeaderGroupCanonical) != "" {
		t.Errorf("the headers are %v", h)
	}
	if want := `[{"logId":1,"logDateTim":0,"handleCode":502,"handleMsg":"Job execution timeout"}]`; h.Get("Body") != want {
		t.Errorf("the body is %s; want %s", h.Get("Body"), want)
	}
}

// TestOneAddressOfManyReleases: whichever server stands behind the address of a
// balancer, no outcome is lost.
func TestOneAddressOfManyReleases(t *testing.T) {
	t.Parallel()
	all := releases()
	mixed := newInstallation(map[string]*installed{"one": {token: "tok", turns: []release{all[3], all[4], all[2], all[4], all[4]}}})
	c := mixed.client(t, "tok", "", "http://one")
	first := int64(1)
	for n := 1; n < 40; n++ {
		for tries := 0; ; tries++ {
			err := c.SendOutcomes(t.Context(), outcomes(first, n))
			if err == nil {
				break
			}
			if tries == 20 {
				t.Fatal(err)
			}
		}
		first += int64(n)
	}
	for id := range first - 1 {
		if mixed.taken[id+1] == 0 {
			t.Errorf("attempt %d is lost", id+1)
		}
	}
}

// TestFoundOutAgain: what was found out changes with the server, and a trouble that
// has nothing to do with it changes nothing.
func TestFoundOutAgain(t *testing.T) {
	t.Parallel()
	all := releases()
	later, before := all[4], all[3]
	one := &installed{release: later, token: "tok"}
	servers := newInstallation(map[string]*installed{"one": one})
	c := servers.client(t, "tok", "", "http://one")
	send := func(id int64, calls int, kind job.Kind) {
		t.Helper()
		err := c.SendOutcomes(t.Context(), outcomes(id, 1))
		if job.KindOf(err) != kind {
			t.Errorf("attempt %d: error of kind %q: %v; want %q", id, job.KindOf(err), err, kind)
		}
		if got := strings.Count(servers.asked(), "one"); got != calls {
			t.Errorf("attempt %d: %d calls; want %d", id, got, calls)
		}
	}
	send(1, 2, "")
	send(2, 1, "")
	servers.change(func() { one.sick = true })
	send(3, 2, job.Unavailable) // the array is refused for what shows that the object was right
	servers.change(func() { one.sick = false })
	send(4, 1, "")
	servers.change(func() { one.release = before })
	send(5, 2, "")
	send(6, 1, "")
	servers.change(func() { one.sick = true })
	send(7, 2, job.Unavailable)
	servers.change(func() { one.sick = false })
	send(8, 1, "")
	servers.change(func() { one.release = later })
	send(9, 2, "")
	servers.change(func() { one.token = "other" })
	send(10, 2, job.Unauthorized)
	servers.change(func() { one.release, one.sick = before, true })
	send(11, 2, job.Unauthorized)
	servers.change(func() { one.token = "tok" })
	send(12, 2, job.Unavailable) // neither was right: what was found out is forgotten
	servers.change(func() { one.sick = false })
	send(13, 1, "")
	if text := c.servers[0].speaks().Dialect; text != job.DialectXXL {
		t.Errorf("it is spoken to as %q", text)
	}
}

// TestWrongTokenIsToldOnce: a server that wants the group's name is recognized, even while
// it does not accept the token; people read its text about the token.
func TestWrongTokenIsToldOnce(t *testing.T) {
	t.Parallel()
	servers := newInstallation(map[string]*installed{"one": {release: releases()[4], token: "tok"}})
	c := servers.client(t, "tik", "", "http://one")
	for _, calls := range []int{2, 1} {
		err := c.Register(t.Context(), "app-x", "http://h/")
		if !job.Is(err, job.Unauthorized) || !strings.Contains(err.Error(), "accessToken or appname invalid.") {
			t.Errorf("error of kind %q: %v", job.KindOf(err), err)
		}
		if got := strings.Count(servers.asked(), "one"); got != calls {
			t.Errorf("%d calls; want %d", got, calls)
		}
	}
}

// TestSetStands: a dialect that was set is never given up.
func TestSetStands(t *testing.T) {
	t.Parallel()
	all := releases()
	for set, r := range map[job.Dialect]release{job.DialectXXL: all[4], job.DialectXXL35: all[3]} {
		servers := newInstallation(map[string]*installed{"one": {release: r, token: "tok"}})
		c := servers.client(t, "tok", set, "http://one")
		if err := c.SendOutcomes(t.Context(), outcomes(1, 1)); err == nil || servers.taken[1] != 0 {
			t.Errorf("%s spoken to %s: %v", set, r.name, err)
		}
		if got := servers.asked(); got != "one /api/callback" {
			t.Errorf("%s spoken to %s: %s", set, r.name, got)
		}
	}
}

// TestFailover: a server that takes its time over not answering costs it once;
// registrations find out when it is back, and so does time.
func TestFailover(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := releases()[3]
		first, second := &installed{release: r}, &installed{release: r}
		servers := newInstallation(map[string]*installed{"a": first, "b": second})
		servers.late = func(ctx context.Context) { <-ctx.Done() }
		c := servers.client(t, "", "", "http://a", "http://b")
		step := func(what string, call func() error, took time.Duration, asked string) {
			t.Helper()
			begun := time.Now()
			if err := call(); err != nil {
				t.Errorf("%s: %v", what, err)
			}
			if got := time.Since(begun); got != took {
				t.Errorf("%s: it took %s; want %s", what, got, took)
			}
			if got := servers.asked(); got != asked {
				t.Errorf("%s: the calls were %s; want %s", what, got, asked)
			}
		}
		id := int64(0)
		send := func() error { id++; return c.SendOutcomes(t.Context(), outcomes(id, 1)) }
		beat := func() error { return c.Register(t.Context(), "app-x", "http://h/") }
		leave := func() error { return c.Deregister(t.Context(), "app-x", "http://h/") }
		const callA, callB, beatA, beatB = "a /api/callback", "b /api/callback", "a /api/registry", "b /api/registry"

		step("both are up", send, 0, callA)
		first.down = true
		step("the first goes silent", send, 3*time.Second, callA+", "+callB)
		step("it rests", send, 0, callB)
		step("a beat asks it", beat, 3*time.Second, beatA+", "+beatB)
		step("it rests on", send, 0, callB)
		step("the farewell is quick", leave, 0, "b /api/registryRemove")
		second.down = true
		begun := time.Now()
		if err := send(); !job.Is(err, job.Unavailable) || time.Since(begun) != 6*time.Second {
			t.Errorf("both are silent: %v after %s", err, time.Since(begun))
		}
		if got := servers.asked(); got != callB+", "+callA {
			t.Errorf("both are silent: the calls were %s; one that rests comes last", got)
		}
		first.down, second.down = false, false
		step("both are back, and rest", send, 0, callA)
		step("the first is awake", send, 0, callA)
		first.down = true
		step("silent again", send, 3*time.Second, callA+", "+callB)
		first.down = false
		step("it still rests", send, 0, callB)
		step("a beat finds it", beat, 0, beatA)
		step("it is awake", send, 0, callA)
		first.down = true
		step("silent once more", send, 3*time.Second, callA+", "+callB)
		first.down = false
		time.Sleep(restFor)
		step("it has rested", send, 0, callA)

		// A server that refuses connections at once costs nothing: it keeps its turn.
		servers.late, first.down = nil, true
		step("refused at once", send, 0, callA+", "+callB)
		step("asked again", send, 0, callA+", "+callB)

		// The end of the caller's time reveals nothing about a server.
		servers.late = func(ctx context.Context) { <-ctx.Done() }
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := c.SendOutcomes(ctx, outcomes(1000, 1)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the caller's end: %v", err)
		}
		servers.asked()
		first.down = false
		step("it does not rest", send, 0, callA)
	})
}

// TestNothingIsLost: whatever servers of whatever releases answer in whatever order,
// an outcome that counts as sent was taken by one of them, and when one is well all
// of them are sent.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	all := releases()
	rapid.Check(t, func(t *rapid.T) {
		hosts, addresses := make(map[string]*installed), []string(nil)
		for k := range rapid.IntRange(1, 3).Draw(t, "servers") {
			name := string(rune('a' + k))
			hosts[name] = &installed{release: rapid.SampledFrom(all[:5]).Draw(t, "release"), token: "tok"}
			addresses = append(addresses, "http://"+name)
		}
		servers := newInstallation(hosts)
		c, err := NewAdminClient(AdminClientConfig{
			Addresses: addresses, Group: "app-x", Token: "tok", Transport: servers, Timeout: time.Second,
		})
		if err != nil {
			t.Fatal(err)
		}
		next, sent := int64(1), int64(1)
		deliver := func() error {
			err := c.SendOutcomes(t.Context(), outcomes(sent, int(next-sent)))
			if err == nil {
				sent = next
			}
			for id := int64(1); id < sent; id++ {
				if servers.taken[id] == 0 {
					t.Fatalf("attempt %d counts as sent, and no server has it", id)
				}
			}
			return err
		}
		names := slices.Sorted(func(yield func(string) bool) {
			for name := range hosts {
				if !yield(name) {
					return
				}
			}
		})
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			host := hosts[rapid.SampledFrom(names).Draw(t, "server")]
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				next += int64(rapid.IntRange(1, 120).Draw(t, "outcomes"))
			case 1:
				host.down = !host.down
			case 2:
				host.sick = !host.sick
			case 3:
				host.release = rapid.SampledFrom(all[:5]).Draw(t, "release")
			case 4:
				_ = c.Register(t.Context(), "app-x", "http://h/")
			case 5:
				_ = deliver()
			}
		}
		well := hosts[rapid.SampledFrom(names).Draw(t, "well")]
		well.down, well.sick = false, false
		if err := deliver(); err != nil {
			if err = deliver(); err != nil {
				t.Fatalf("a server is well and takes nothing: %v", err)
			}
		}
		if servers.taken[-1] > 0 {
			t.Fatalf("%d calls that a server cannot tell from success", servers.taken[-1])
		}
	})
}

// TestAdminClientDialects: what cannot be spoken is an error at the start.
func TestAdminClientDialects(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]AdminClientConfig{
		"a dialect of no server":  {Dialect: func(string) job.Dialect { return job.DialectNative }},
		"a fork without a speech": {Dialect: func(string) job.Dialect { return job.DialectOrthJava }},
		"a token of two lines":    {Token: "a\nb"},
		"a group of two lines":    {Group: "a\r\nb"},
	} {
		c.Addresses = []string{"http://h/"}
		if _, err := NewAdminClient(c); !job.Is(err, job.Invalid) {
			t.Errorf("%s: error of kind %q: %v", name, job.KindOf(err), err)
		}
	}
}
