package wiretest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// PlayAdmin plays the cases of admins and returns a verdict for each, in the
// order of the data. The error says that none could be played. Everything that
// it starts has ended when it returns.
func PlayAdmin(ctx context.Context, target Target) ([]Verdict, error) {
	b, err := readBook()
	if err != nil {
		return nil, err
	}
	cases, err := readCases(adminFiles())
	if err != nil {
		return nil, err
	}
	target.defaults()
	if err := target.check(b, cases); err != nil {
		return nil, err
	}
	if target.URL == "" {
		return nil, errors.New("the target needs a URL: the suite does not start admins")
	}
	target.URL = strings.TrimSuffix(target.URL, "/")
	w := b.wordsOf(target.Flavour).with("token", target.Token).with("app", target.App).
		with("now", number(time.Now().UnixMilli())).with("address", "http://127.0.0.1:9")
	return playAll(ctx, cases, &target, func(*round) {}, w)
}

// adminStep does what one step of an admin's case says.
func (r *round) adminStep(ctx context.Context, s *step) error {
	switch {
	case s.Executor != nil:
		return r.executor(ctx, s.Executor)
	case s.Create != nil:
		return r.create(ctx, s)
	case s.Trigger != nil:
		return r.trigger(ctx, s)
	case s.Kill != nil:
		return r.kill(ctx, s)
	case s.Taken != nil:
		return r.taken(s)
	case s.Untaken != nil:
		return r.untaken(*s.Untaken)
	}
	return r.runs(ctx, s.Runs)
}

// executor starts an executor of the suite, which the words call executor0 and
// so on, and registers it.
func (r *round) executor(ctx context.Context, peer *executorPeer) error {
	e, err := newFakeExecutor(ctx, r.words, *peer, r.remotes)
	if err != nil {
		return err
	}
	r.remotes = append(r.remotes, e)
	e.admin = r.url
	lowest, highest := e.url, e.url
	for _, other := range r.remotes {
		lowest, highest = min(lowest, other.url), max(highest, other.url)
	}
	r.words = r.words.with(fmt.Sprintf("executor%d", len(r.remotes)-1), e.url).with("address", e.url).
		with("lowest", lowest).with("highest", highest)
	return r.tell(ctx, "registry", e)
}

// tell registers an executor, or takes it away again.
func (r *round) tell(ctx context.Context, name string, e *fakeExecutor) error {
	if e.peer.Group == "" {
		return nil
	}
	return r.send(ctx, &step{Send: &request{Target: "/api/" + name, Body: map[string]any{
		"registryGroup": "EXECUTOR", "registryKey": e.peer.Group, "registryValue": e.url + "/",
	}}, Reply: "${success}"})
}

func (r *round) create(ctx context.Context, s *step) error {
	r.words = r.words.with("soon", soon(time.Now()))
	filled, err := r.words.fill(s.Create)
	if err != nil {
		return err
	}
	text, err := json.Marshal(filled)
	if err != nil {
		return err
	}
	var j Job
	if err := json.Unmarshal(text, &j); err != nil {
		return err
	}
	id, err := r.target.Control.Create(ctx, j)
	if err != nil {
		return fmt.Errorf("create %s: %w", text, err)
	}
	r.note("> job %d is %s", id, text)
	r.words = r.words.with(s.Save, number(id))
	return nil
}

// trigger runs a job, when the admin knows its executors.
func (r *round) trigger(ctx context.Context, s *step) error {
	id, err := r.integer(s.Trigger)
	if err == nil {
		err = r.wait(ctx, r.target.Registers)
	}
	if err != nil {
		return err
	}
	if len(s.At) == 0 {
		r.note("> trigger job %d", id)
		return r.target.Control.Trigger(ctx, id)
	}
	addresser, ok := r.target.Control.(Addresser)
	if !ok {
		return errors.New("the case needs the capability addresses")
	}
	var addresses []string
	for _, n := range s.At {
		if n >= len(r.remotes) {
			return fmt.Errorf("the case has no executor %d", n)
		}
		addresses = append(addresses, r.remotes[n].url+"/")
	}
	r.note("> trigger job %d at %v", id, addresses)
	return addresser.TriggerAt(ctx, id, addresses)
}

// kill ends a run by hand, or wants that this is refused and asked of nobody.
func (r *round) kill(ctx context.Context, s *step) error {
	killer, ok := r.target.Control.(Killer)
	if !ok {
		return errors.New("the case needs the capability kill")
	}
	id, err := r.integer(s.Kill)
	if err != nil {
		return err
	}
	r.note("> kill %d", id)
	err = killer.Kill(ctx, id)
	if s.Refused == "" {
		return err
	}
	if err == nil {
		return fmt.Errorf("the kill of %d is not refused", id)
	}
	r.note("< %v", err)
	for n, e := range r.remotes {
		if calls := e.of("/kill"); len(calls) > 0 {
			return fmt.Errorf("executor %d was asked to kill: %s", n, show(calls[0].body))
		}
	}
	return matchText("the refusal", s.Refused, err.Error())
}

// integer fills a word that stands for an id.
func (r *round) integer(word any) (int64, error) {
	value, err := r.words.fill(word)
	if err != nil {
		return 0, err
	}
	n, ok := value.(json.Number)
	if !ok {
		return 0, fmt.Errorf("%v is no id", word)
	}
	return n.Int64()
}

// taken looks for the next request of an executor.
func (r *round) taken(s *step) error {
	q := s.Taken
	if q.Executor >= len(r.remotes) {
		return fmt.Errorf("the case has no executor %d", q.Executor)
	}
	path := q.Name
	if path == "" {
		path = "${run-path}"
	}
	path, err := r.words.text(path)
	if err != nil {
		return err
	}
	n, err := r.taker(q, path)
	if err != nil {
		return err
	}
	e := r.remotes[n]
	place := placeOf(n, path)
	call := e.of(path)[r.looked[place]]
	r.note("< executor %d: %s %s", n, path, show(call.body))
	want, err := r.words.fill(q.Body)
	if err != nil {
		return err
	}
	switch {
	case q.Empty && !call.empty:
		return fmt.Errorf("the body of %s is %s, want none", path, show(call.body))
	case q.Body != nil:
		if err := match("the request", want, call.body); err != nil {
			return err
		}
	}
	if err := r.saw(e, q); err != nil {
		return err
	}
	r.looked[place]++
	r.words = r.words.with(s.By, e.url)
	if object, ok := call.body.(map[string]any); ok {
		r.words = r.words.with(s.Save, object["logId"]).with(s.Note, object["broadcastIndex"])
		if s.Save != "" {
			r.words = r.words.with(s.Save+"-date", object["logDateTime"])
		}
	}
	return nil
}

// taker returns the executor that has a request which was not looked at.
func (r *round) taker(q *taken, path string) (int, error) {
	for n, e := range r.remotes {
		if (q.Any || n == q.Executor) && len(e.of(path)) > r.looked[placeOf(n, path)] {
			return n, nil
		}
	}
	if q.Any {
		return 0, fmt.Errorf("no executor got one more request for %s", path)
	}
	return 0, fmt.Errorf("executor %d got %d requests for %s, want one more", q.Executor, len(r.remotes[q.Executor].of(path)), path)
}

// placeOf is under what a round counts the requests that were looked at.
func placeOf(n int, path string) string { return fmt.Sprintf("%d %s", n, path) }

// unlike wants that no two words are equal.
func (r *round) unlike(names []any) error {
	values, err := r.words.fill(names)
	if err != nil {
		return err
	}
	seen := make(map[string]bool)
	for _, value := range values.([]any) {
		if seen[asText(value)] {
			return fmt.Errorf("two of %s are equal", show(values))
		}
		seen[asText(value)] = true
	}
	return nil
}

// alike wants that all words are equal.
func (r *round) alike(names []any) error {
	values, err := r.words.fill(names)
	if err != nil {
		return err
	}
	for _, value := range values.([]any) {
		if asText(value) != asText(values.([]any)[0]) {
			return fmt.Errorf("%s are not equal", show(values))
		}
	}
	return nil
}

// saw compares what an executor was sent byte by byte.
func (r *round) saw(e *fakeExecutor, q *taken) error {
	for _, text := range q.Saw {
		want, err := r.words.text(text)
		if err != nil {
			return err
		}
		if all := e.bytes(); !strings.Contains(all, want) {
			return fmt.Errorf("the executor was sent %q, want %q in it", all, want)
		}
	}
	for _, text := range q.Lacks {
		if all := e.bytes(); strings.Contains(strings.ToLower(all), text) {
			return fmt.Errorf("the executor was sent %q, want no %q in it", all, text)
		}
	}
	return nil
}

// untaken wants that an executor has got no run but those looked at.
func (r *round) untaken(n int) error {
	path, err := r.words.text("${run-path}")
	if err != nil {
		return err
	}
	if n >= len(r.remotes) {
		return fmt.Errorf("the case has no executor %d", n)
	}
	calls, looked := r.remotes[n].of(path), r.looked[placeOf(n, path)]
	if len(calls) != looked {
		return fmt.Errorf("executor %d got %d runs, want %d: %s", n, len(calls), looked, show(calls[looked].body))
	}
	return nil
}

// runs compares what the admin says of a job's runs.
func (r *round) runs(ctx context.Context, q *runs) error {
	id, err := r.integer(q.Job)
	if err != nil {
		return err
	}
	all, err := r.target.Control.Runs(ctx, id)
	if err != nil {
		return err
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	got, err := answer{body: string(text)}.value()
	if err != nil {
		return err
	}
	if len(all) == 0 {
		got = []any{}
	}
	want, err := r.words.fill(q.States)
	if err != nil {
		return err
	}
	r.note("< runs of job %d: %s", id, text)
	return match("the runs", want, got)
}
