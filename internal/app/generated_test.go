package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/access"
)

// somebody sends requests.
type somebody struct {
	name    string
	headers map[string]string
	out     bool // nothing that is not open to everybody is for them
	browses bool // with a session, which requests may end
}

// certain are operations that every campaign carries out: where they are refused, nothing
// was tried.
func certain() []string {
	return []string{
		"get-dashboard", "get-group", "get-job", "get-me", "get-session", "get-summary", "get-version", "list-alarm-channels",
		"list-alarm-rules", "list-alarms", "list-calendars", "list-dead-letters", "list-executors", "list-groups", "list-jobs", "list-namespaces",
		"list-notifications", "list-pauses", "list-revisions", "list-roles", "list-secrets", "list-sign-in-ways", "list-tokens",
		"list-users", "list-workflow-runs", "list-workflows", "save-pause",
	}
}

// campaign sends generated requests to a server and judges the answers.
type campaign struct {
	*testing.T

	f       *fortress
	dice    *dice
	witness *witness
	people  []somebody
	client  http.Client
	markers []string       // secrets that no answer may have
	counts  map[string]int // answers, by the class of their status
	reached map[string]bool
	browsed map[string]bool // by somebody with a session
	ended   map[string]bool // sessions, by who had them
}

// wish is a generated request.
type wish struct {
	op           *operation
	by           somebody
	target, body string
	headers      map[string]string
	dry          bool
}

// answer is what came of it.
type answer struct {
	status int
	kind   string
	body   []byte
	cut    bool // it was a stream, and not read to its end
}

var rounds = flag.Int("rounds", 4_000, "how many requests TestGeneratedRequests makes")

// Requests that are made from the contract of the server, by people of every role and
// by nobody, right and wrong: each answer is as the contract says and tells nothing of
// what is inside, and who is refused, reads or tries changes nothing.
func TestGeneratedRequests(t *testing.T) {
	t.Parallel()
	c := newCampaign(t)
	for i := range *rounds {
		if i%300 == 299 { // The requests delete as well.
			for _, r := range furniture() {
				askAPI(t, c.f.Server, r[0], r[1], r[2])
			}
		}
		c.send(c.wish(c.dice.contract.operations[i%len(c.dice.contract.operations)]))
	}
	c.insist()
	t.Logf("%d requests: %v; %d of %d operations succeeded", *rounds, c.counts, len(c.reached), len(c.dice.contract.operations))
	for _, id := range certain() {
		if !c.reached[id] {
			t.Errorf("%s never succeeded", id)
		}
	}
	for _, id := range []string{"get-session", "list-sessions", "list-jobs", "sign-out"} {
		if !c.browsed[id] {
			t.Errorf("%s never succeeded for anybody with a browser", id)
		}
	}
	if len(c.reached) < len(c.dice.contract.operations)/2 || c.counts["4xx"] < *rounds/4 {
		t.Error("the requests are not what they should be: few did anything, or few were wrong")
	}
}

// insist goes on with the operations that must succeed, and with few requests had no luck.
func (c *campaign) insist() {
	for _, op := range c.dice.contract.operations {
		for range 100 {
			if c.reached[op.ID] || !slices.Contains(certain(), op.ID) {
				break
			}
			c.send(c.wish(op))
		}
	}
}

func newCampaign(t *testing.T) *campaign {
	t.Helper()
	f := besiege(t)
	c := &campaign{T: t, f: f, counts: map[string]int{}, reached: map[string]bool{}, browsed: map[string]bool{}, ended: map[string]bool{}}
	c.client = http.Client{
		Transport:     &http.Transport{MaxIdleConnsPerHost: 4},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	t.Cleanup(c.client.CloseIdleConnections)
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv("ORTH_TEST_SEED"), "1"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	c.dice = newDice(seed, contractOf(t, f.Server))
	c.furnish()
	c.witness = newWitness(t, f.Server)
	return c
}

// furniture is what requests can be about: what makes it, as the root.
func furniture() [][3]string {
	return [][3]string{
		{"PUT", "/calendars/bank", `{"rules":{}}`},
		{"PUT", "/pauses/night", `{}`},
		{"PUT", "/workflows/flow", `{"nodes":[{"name":"a","job":"report"}]}`},
		{"POST", "/alarm/channels", `{"key":"ops","kind":"webhook","secrets":{"url":"https://127.0.0.1:1/marker-of-the-channel"}}`},
		{"POST", "/alarm/rules", `{"key":"all","kinds":["failed"],"channels":["ops"]}`},
		{"POST", "/alarm/silences", `{"comment":"calm","until":"2099-01-01T00:00:00Z"}`},
		{"POST", "/jobs/report/trigger", `{}`},
		{"POST", "/jobs/theirs/trigger", `{}`},
		{"POST", "/users", `{"name":"ann","password":"marker of the user ann"}`},
		{"POST", "/jobs", `{"key":"fresh","group":"g","schedule":{"kind":"manual"},"handler":{"kind":"named","name":"hello"}}`},
	}
}

// furnish makes what requests can be about, and who sends them.
func (c *campaign) furnish() {
	c.Helper()
	for _, r := range furniture() {
		if made := askAPI(c.T, c.f.Server, r[0], r[1], r[2]); made.StatusCode >= 300 {
			c.Fatalf("%v: %d %s", r, made.StatusCode, made.body)
		}
	}
	maps.Copy(c.dice.known, map[string][]string{
		"jobs": {"report", "theirs"}, "groups": {"g", "h"}, "calendars": {"bank"}, "pauses": {"night"}, "workflows": {"flow"}, "rules": {"all"}, "channels": {"ops"}, "users": {"ann"},
	})
	c.markers = append(c.f.secrets(), "marker-of-the-channel", "marker of the user ann")
	for _, role := range []string{"viewer", "operator", "editor", "scripter", "owner", "admin"} {
		c.hire("the-"+role, role, "default", "g")
	}
	c.hire("the-chief", "admin", "*", "*")
	c.seat("the-looking", "viewer", "default", "g")
	c.seat("the-writing", "editor", "default", "g")
	c.seat("the-leading", "admin", "*", "*")
	for _, name := range []string{"the-locked", "the-former"} {
		c.hire(name, "admin", "*", "*")
		c.people[len(c.people)-1].out = true
	}
	if r := askAPI(c.T, c.f.Server, "POST", "/users/the-locked/disable", ""); r.StatusCode != http.StatusOK {
		c.Fatal(r.body)
	}
	var theirs struct{ Tokens []struct{ ID string } }
	if err := json.Unmarshal([]byte(askAPI(c.T, c.f.Server, "GET", "/users/the-former/tokens", "").body), &theirs); err != nil || len(theirs.Tokens) != 1 {
		c.Fatal(theirs, err)
	}
	if r := askAPI(c.T, c.f.Server, "DELETE", "/users/the-former/tokens/"+theirs.Tokens[0].ID, ""); r.StatusCode != http.StatusNoContent {
		c.Fatal(r.body)
	}
	root := somebody{name: "root", headers: map[string]string{"Authorization": "Bearer " + c.f.config.APIToken.Reveal()}}
	browser := somebody{name: "a browser", headers: map[string]string{"Cookie": "orth=" + strings.Repeat("A", 43), "Origin": c.f.URL()}, out: true}
	c.people = append(c.people, root, root, root, root, root, root, somebody{name: "nobody", out: true}, browser)
}

// hire makes a service with a role and a token.
func (c *campaign) hire(name, role, namespace, group string) {
	c.Helper()
	made := askAPI(c.T, c.f.Server, "POST", "/users", fmt.Sprintf(`{"name":%q,"kind":"service","grants":[{"role":%q,"namespace":%q,"group":%q}]}`, name, role, namespace, group))
	if made.StatusCode != http.StatusCreated {
		c.Fatal(made.body)
	}
	var token struct{ Token string }
	if err := json.Unmarshal([]byte(askAPI(c.T, c.f.Server, "POST", "/users/"+name+"/tokens", `{"label":"ci"}`).body), &token); err != nil || token.Token == "" {
		c.Fatal(name, err)
	}
	c.markers = append(c.markers, token.Token)
	c.people = append(c.people, somebody{name: name, headers: map[string]string{"Authorization": "Bearer " + token.Token}})
}

// seat makes a person with a role and puts it before a browser.
func (c *campaign) seat(name, role, namespace, group string) {
	c.Helper()
	made := askAPI(c.T, c.f.Server, "POST", "/users", fmt.Sprintf(`{"name":%q,"password":"marker of who sits there","grants":[{"role":%q,"namespace":%q,"group":%q}]}`, name, role, namespace, group))
	if made.StatusCode != http.StatusCreated {
		c.Fatal(made.body)
	}
	if r := askAPI(c.T, c.f.Server, "PUT", "/users/"+name+"/password", `{"password":"marker of who sits here","final":true}`); r.StatusCode != http.StatusOK {
		c.Fatal(r.body)
	}
	c.markers = append(c.markers, "marker of who sits")
	who := somebody{name: name, headers: map[string]string{"Origin": c.f.URL()}, browses: true}
	c.signIn(who)
	c.people = append(c.people, who, who)
}

// signIn begins a session of somebody with a browser.
func (c *campaign) signIn(who somebody) {
	c.Helper()
	u, err := c.f.users.User(c.Context(), who.name)
	if err != nil {
		c.Fatal(err)
	}
	_, text, err := c.f.signing.sessions.Begin(c.Context(), &u, access.ByPassword, "127.0.0.1", "a browser")
	if err != nil {
		c.Fatal(err)
	}
	who.headers["Cookie"] = "orth=" + text.Reveal()
	c.markers = append(c.markers, text.Reveal())
	c.ended[who.name] = false
}

// wish makes a request of an operation up.
func (c *campaign) wish(o *operation) wish {
	d := c.dice
	d.faults = 0
	faulty := pick(d, []int{0, 0, 0, 5, 30})
	w := wish{op: o, by: pick(d, c.people), headers: map[string]string{}}
	path, query := o.path, url.Values{}
	for _, p := range o.Parameters {
		if !p.Required && !d.of(25) {
			continue
		}
		value := fmt.Sprint(d.value(p.Name, p.Schema, 0, faulty))
		switch p.In {
		case "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(c.named(o, p, value)))
		case "query":
			query.Add(p.Name, value)
			w.dry = w.dry || p.Name == "dry_run" && value == "true"
		case "header":
			w.headers[p.Name] = pick(d, []string{"*", `"1"`, `"1-2", W/"3"`, "garbage", `"`, strings.Repeat(`"1",`, 50), fmt.Sprint("once-", d.IntN(30)), strings.Repeat("k", 200), "ключ"})
		}
	}
	if d.of(faulty) {
		query.Add(pick(d, []string{"limit", "unheard", "namespace", "token", "dry_run"}), pick(d, odd()))
	}
	w.target = c.f.URL() + "/api/v1" + path
	if len(query) > 0 {
		w.target += "?" + query.Encode()
	}
	c.fill(&w, faulty)
	return w
}

// named returns what stands in a path: mostly something that there is.
func (c *campaign) named(o *operation, p parameter, value string) string {
	before, _, _ := strings.Cut(o.path, "/{"+p.Name+"}")
	collection := before[strings.LastIndex(before, "/")+1:]
	if known := c.dice.known[collection]; len(known) > 0 && c.dice.of(85) {
		return pick(c.dice, known)
	}
	if value == "" || value == "." || value == ".." {
		return "x" // A path without it would be that of another operation.
	}
	return value
}

// fill makes the body.
func (c *campaign) fill(w *wish, faulty int) {
	d := c.dice
	kind := "application/json"
	if content, has := w.op.Body.Content[kind]; has {
		text, err := json.Marshal(d.value("", content.Schema, 0, faulty))
		if err != nil {
			c.Fatal(err)
		}
		w.body = string(text)
	}
	if d.of(faulty) {
		kind = pick(d, []string{"", "text/plain", "application/xml", "application/x-www-form-urlencoded", "multipart/form-data", "application/json; charset=utf-16", "application/merge-patch+json", "%"})
	}
	if d.of(faulty / 2) {
		w.body = pick(d, []string{"", "null", "[]", `""`, "{", `{"a":1}{"b":2}`, "\xff\xfe{}", `{"key":"a","key":"b"}`, strings.Repeat("[", 5000), `{"key":"` + strings.Repeat("k", 1<<20) + `"}`, `{"\ud800":1}`})
	}
	if w.body != "" {
		w.headers["Content-Type"] = kind
	}
}

// ask sends a request.
func (c *campaign) ask(w wish) (a answer) {
	ctx, cancel := context.WithTimeout(c.Context(), 2*time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, w.op.method, w.target, strings.NewReader(w.body))
	if err != nil {
		c.Fatal(err)
	}
	for _, from := range []map[string]string{w.headers, w.by.headers} {
		for name, value := range from {
			r.Header.Set(name, value)
		}
	}
	response, err := c.client.Do(r)
	if err != nil {
		c.Errorf("%s: no answer: %v", w, err)
		return a
	}
	defer response.Body.Close()
	a.status, a.kind = response.StatusCode, response.Header.Get("Content-Type")
	if a.cut = a.kind == "text/event-stream"; a.cut {
		defer time.AfterFunc(30*time.Millisecond, cancel).Stop()
	}
	if a.body, err = io.ReadAll(io.LimitReader(response.Body, 8<<20)); err != nil && (!a.cut || !errors.Is(err, context.Canceled)) {
		c.Errorf("%s: half an answer: %v", w, err)
	}
	return a
}

// String shows the request.
func (w wish) String() string {
	return fmt.Sprintf("%s by %s: %s %.300s %.200q %.600q", w.op.ID, w.by.name, w.op.method, w.target, w.headers, w.body)
}

// send asks and judges.
func (c *campaign) send(w wish) {
	c.Helper()
	if c.ended[w.by.name] {
		c.signIn(w.by)
	}
	c.witness.seen()
	a := c.ask(w)
	if a.status == 0 {
		return
	}
	written := c.witness.seen()
	c.ended[w.by.name] = w.by.browses && a.status == http.StatusUnauthorized
	c.counts[fmt.Sprintf("%dxx", a.status/100)]++
	if a.status < 300 {
		c.reached[w.op.ID] = true
		c.browsed[w.op.ID] = c.browsed[w.op.ID] || w.by.browses
		c.learn(w, a)
	}
	if err := c.judge(w, a); err != nil {
		c.Errorf("%s\n\t%d %s %.1500q\n\t%v", w, a.status, a.kind, a.body, err)
	}
	if still := a.status >= 400 || w.op.method == http.MethodGet || w.dry && a.status < 300; still && len(written) > 0 {
		c.suspect(w, a, written)
	}
}

// suspect asks again: what was written by chance, by a loop of the server, is not
// written at every try.
func (c *campaign) suspect(w wish, first answer, written []string) {
	c.Helper()
	for range 4 {
		time.Sleep(20 * time.Millisecond) // for what earlier requests have begun
		c.witness.seen()
		if a := c.ask(w); a.status/100 != first.status/100 {
			return
		}
		if len(c.witness.seen()) == 0 {
			return
		}
	}
	c.Errorf("%s\n\t%d %.300q\n\tand yet it wrote: %s", w, first.status, first.body, strings.Join(written, ", "))
}

// learn remembers the names and ids of what was made.
func (c *campaign) learn(w wish, a answer) {
	if w.op.method != http.MethodPost && w.op.method != http.MethodPut || w.dry {
		return
	}
	var made struct{ ID, Key, Name string }
	_ = json.Unmarshal(a.body, &made) // What has none of them is not remembered.
	collection := strings.Split(strings.TrimPrefix(w.op.path, "/"), "/")
	of := collection[len(collection)-1]
	switch of {
	case "trigger", "rerun", "redrive":
		of = "runs"
	}
	for _, name := range []string{made.ID, made.Key, made.Name} {
		if known := c.dice.known[of]; name != "" && len(name) < 40 && !slices.Contains(known, name) && !strings.HasPrefix(name, "the-") {
			c.dice.known[of] = append(known[max(0, len(known)-20):], name)
		}
	}
	if of == "runs" {
		c.dice.known["attempts"], c.dice.known["dead-letters"] = c.dice.known["runs"], c.dice.known["runs"]
		if strings.HasPrefix(w.op.path, "/workflows") {
			c.dice.known["workflow-runs"] = c.dice.known["runs"]
		}
	}
}
