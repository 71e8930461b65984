package wiretest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
)

// send writes the step's request and compares the reply.
func (r *round) send(ctx context.Context, s *step) error {
	text, err := r.request(s)
	if err != nil {
		return err
	}
	if s.Times > 0 {
		return r.sendAtOnce(ctx, s, text)
	}
	a, err := r.ask(ctx, text)
	if err != nil {
		return err
	}
	return r.compare(s, a)
}

// ask sends one request and notes it.
func (r *round) ask(ctx context.Context, text string) (answer, error) {
	line, _, _ := strings.Cut(text, "\r\n")
	_, body, _ := strings.Cut(text, "\r\n\r\n")
	r.note("> %s %s", line, body)
	all, err := exchange(ctx, r.url, 1, text)
	if err != nil {
		r.note("< %v", err)
		return answer{}, err
	}
	r.note("< %d %s", all[0].status, all[0].body)
	return all[0], nil
}

// request returns the step's request as text.
func (r *round) request(s *step) (string, error) {
	q := s.Send
	if s.Run != nil {
		body, err := r.run(s.Run)
		if err != nil {
			return "", err
		}
		q = &request{Target: "${run-path}", Body: body}
	}
	body, err := r.body(q)
	if err != nil {
		return "", err
	}
	header, err := r.header(q)
	if err != nil {
		return "", err
	}
	target, err := r.words.text(q.Target)
	if err != nil {
		return "", err
	}
	method := q.Method
	if method == "" {
		method = "POST"
	}
	return format(r.url, method, target, header, body), nil
}

// run returns the flavour's /run request with these fields in place of its own.
func (r *round) run(fields map[string]any) (any, error) {
	whole, ok := r.words["run"].(map[string]any)
	if !ok {
		return nil, errors.New("the word run is no object")
	}
	body := maps.Clone(whole)
	for name, value := range fields {
		if value == nil {
			delete(body, name)
		} else {
			body[name] = value
		}
	}
	return body, nil
}

func (r *round) body(q *request) ([]byte, error) {
	switch {
	case q.Bytes > 0:
		return bytes.Repeat([]byte{' '}, q.Bytes), nil
	case q.Body == nil:
		text, err := r.words.text(q.Text)
		return []byte(text), err
	}
	body, err := r.words.fill(q.Body)
	if err != nil {
		return nil, err
	}
	return json.Marshal(body)
}

// header returns what clients of the flavour send, as the request changes it.
func (r *round) header(q *request) (map[string]string, error) {
	own := map[string]string{
		"Content-Type": "application/json;charset=UTF-8", "${token-header}": "${token}", "${app-header}": "${app}",
	}
	maps.Copy(own, q.Headers)
	header := make(map[string]string, len(own))
	for name, value := range own {
		if value == absent {
			continue
		}
		key, err := r.words.text(name)
		if err != nil {
			return nil, err
		}
		if header[key], err = r.words.text(value); err != nil {
			return nil, err
		}
	}
	return header, nil
}

// compare compares a reply with what the step wants of it.
func (r *round) compare(s *step, a answer) error {
	status := s.Status
	if status == 0 {
		status = 200
	}
	if a.status != status {
		return fmt.Errorf("the status is %d, want %d", a.status, status)
	}
	for name, value := range s.Headers {
		want, err := r.words.fill(value)
		if err != nil {
			return err
		}
		var got any
		if values := a.header.Values(name); len(values) > 0 {
			got = values[0]
		}
		if err := match("header "+name, want, got); err != nil {
			return err
		}
	}
	if !strings.Contains(a.body, s.Text) {
		return fmt.Errorf("the reply is %s, want %s in it", a.body, s.Text)
	}
	reply := s.Reply
	switch {
	case s.Refused != "":
		reply = envelope(500, s.Refused)
	case reply == nil && s.Run != nil:
		reply = "${ok}"
	case reply == nil:
		return nil
	}
	return r.matches("the reply", reply, a)
}

// matches compares the body of a reply.
func (r *round) matches(at string, reply any, a answer) error {
	want, err := r.words.fill(reply)
	if err != nil {
		return err
	}
	got, err := a.value()
	if err != nil {
		return err
	}
	return match(at, want, got)
}

// sendAtOnce sends a request many times at the same time and counts the replies.
func (r *round) sendAtOnce(ctx context.Context, s *step, text string) error {
	all := make([]answer, s.Times)
	broken := make([]error, s.Times)
	var group sync.WaitGroup
	for i := range all {
		group.Go(func() { all[i], broken[i] = r.ask(ctx, text) })
	}
	group.Wait()
	if err := errors.Join(broken...); err != nil {
		return err
	}
	for _, want := range s.Tally {
		n := 0
		for _, a := range all {
			if r.matches("the reply", want.Reply, a) == nil {
				n++
			}
		}
		if n != want.Times {
			reply, _ := r.words.fill(want.Reply)
			return fmt.Errorf("%d of %d replies are %s, want %d", n, s.Times, show(reply), want.Times)
		}
	}
	return nil
}

// raw writes the step's text as it stands.
func (r *round) raw(ctx context.Context, s *step) error {
	text, err := r.words.text(s.Raw)
	if err != nil {
		return err
	}
	texts := []string{text}
	if s.Again {
		texts = append(texts, text)
	}
	r.note("> %q", text)
	all, err := exchange(ctx, r.url, len(s.Replies), texts...)
	if err != nil {
		return err
	}
	for i, a := range all {
		r.note("< %d %s", a.status, a.body)
		if err := r.matches(fmt.Sprintf("reply %d", i+1), s.Replies[i%len(s.Replies)], a); err != nil {
			return err
		}
	}
	return nil
}
