package wiretest

import (
	"fmt"
	"slices"
	"unicode/utf8"
)

// admin returns the case's n-th admin, from 0.
func (r *round) admin(n int) (*fakeAdmin, error) {
	if n >= len(r.admins) {
		return nil, fmt.Errorf("the case has no admin %d", n)
	}
	return r.admins[n], nil
}

// calledBack compares what the admin was told of a run.
func (r *round) calledBack(c *callback) error {
	a, err := r.admin(c.Admin)
	if err != nil {
		return err
	}
	log, times := asText(number(r.log(c.Log))), max(c.Times, 1)
	items := a.of(log)
	if len(items) < times {
		return fmt.Errorf("log %s was called back %d times, want %d", log, len(items), times)
	}
	if r.want[place{log, a}] == 0 {
		r.note("< callback %s", show(items))
	}
	r.want[place{log, a}] = times
	want := map[string]any{"handleCode": c.Code, "handleMsg": c.Msg}
	if c.Msg == nil {
		delete(want, "handleMsg")
	}
	if c.Date {
		want["${callback-date}"] = "${now}"
	}
	filled, err := r.words.fill(want)
	if err != nil {
		return err
	}
	for _, item := range items {
		if err := match("the callback", filled, item); err != nil {
			return err
		}
		if c.Length == nil {
			continue
		}
		object, _ := item.(map[string]any)
		text, _ := object["handleMsg"].(string)
		if err := match("the length of the message", c.Length, number(int64(utf8.RuneCountInString(text)))); err != nil {
			return err
		}
	}
	return nil
}

// silent notes that runs must never be called back.
func (r *round) silent(logs []int, admin int) error {
	a, err := r.admin(admin)
	if err != nil {
		return err
	}
	for _, n := range logs {
		log := asText(number(r.log(n)))
		if got := a.of(log); len(got) > 0 {
			return fmt.Errorf("log %s was called back, and must not be: %s", log, show(got))
		}
		r.want[place{log, a}] = 0
	}
	return nil
}

// registered looks for a registration, or several: since the last answers or stop,
// or, in a case that shares its executor, at any time.
func (r *round) registered(s *step) error {
	a, err := r.admin(s.Admin)
	if err != nil {
		return err
	}
	want, err := r.words.fill(s.Registered)
	if err != nil {
		return err
	}
	problem, found := fmt.Errorf("nobody registered"), 0
	for _, call := range a.calls(r.c.Setup == nil) {
		if call.name != "registry" {
			continue
		}
		problem = match("the registration", want, call.body)
		for name, value := range s.Headers {
			if problem != nil {
				break
			}
			problem = r.shown(call, name, value)
		}
		if problem != nil {
			continue
		}
		if found++; found >= max(s.Times, 1) {
			return nil
		}
	}
	if found > 0 {
		return fmt.Errorf("the executor registered %d times, want %d", found, s.Times)
	}
	return problem
}

// shown compares a header of a call. One that is wanted empty must be there.
func (r *round) shown(call adminCall, name string, value any) error {
	key, err := r.words.text(name)
	if err != nil {
		return err
	}
	want, err := r.words.fill(value)
	if err != nil {
		return err
	}
	var got any
	if values := call.header.Values(key); len(values) > 0 {
		got = values[0]
	}
	return match("the header "+key, want, got)
}

// wasCalled looks for a call of that name since the last answers or stop.
func (r *round) wasCalled(c *called) error {
	a, err := r.admin(c.Admin)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(a.calls(false), func(call adminCall) bool { return call.name == c.Name }) {
		return fmt.Errorf("nobody called %s", c.Name)
	}
	return nil
}

// inOrder compares the calls since then, but for registrations.
func (r *round) inOrder(want []string) error {
	a, err := r.admin(0)
	if err != nil {
		return err
	}
	var got []string
	for _, call := range a.calls(false) {
		if call.name != "registry" {
			got = append(got, call.name)
		}
	}
	if got = slices.Compact(got); !slices.Equal(got, want) {
		return fmt.Errorf("the calls were %q, want %q", got, want)
	}
	return nil
}

// unseen wants that nobody called an admin at all.
func (r *round) unseen(n int) error {
	a, err := r.admin(n)
	if err != nil {
		return err
	}
	if calls := a.calls(true); len(calls) > 0 {
		return fmt.Errorf("admin %d was called %d times, first with %s %s", n, len(calls), calls[0].name, show(calls[0].body))
	}
	return nil
}
