package wiretest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// page is what an executor says of a run's log.
type page struct {
	from, to int
	text     string
	end      bool
}

// logSoon is how long what a run wrote may take to be in its log.
const logSoon = 15 * time.Second

// readLog asks for the log of the n-th run from a line on.
func (r *round) readLog(ctx context.Context, n, from int) (page, error) {
	s := &step{Send: &request{Target: "/log", Body: map[string]any{
		"${log-date}": "${now}", "logId": number(r.log(n)), "fromLineNum": number(int64(from)),
	}}}
	text, err := r.request(s)
	if err != nil {
		return page{}, err
	}
	a, err := r.ask(ctx, text)
	if err != nil {
		return page{}, err
	}
	want := map[string]any{"code": number(200), "${payload}": map[string]any{
		"fromLineNum": number(int64(from)), "toLineNum": "~^[0-9]+$", "logContent": "~^", "${end}": map[string]any{anyOf: []any{true, false}},
	}}
	if err := r.matches("the log", want, a); err != nil {
		return page{}, err
	}
	value, err := a.value()
	if err != nil {
		return page{}, err
	}
	payload, err := r.words.text("${payload}")
	if err != nil {
		return page{}, err
	}
	end, err := r.words.text("${end}")
	if err != nil {
		return page{}, err
	}
	return pageOf(value, payload, end)
}

func pageOf(value any, payload, end string) (page, error) {
	reply, _ := value.(map[string]any)
	fields, ok := reply[payload].(map[string]any)
	if !ok {
		return page{}, errors.New("the log has no page")
	}
	p := page{}
	from, _ := fields["fromLineNum"].(json.Number)
	to, _ := fields["toLineNum"].(json.Number)
	p.from, _ = strconv.Atoi(from.String())
	p.to, _ = strconv.Atoi(to.String())
	p.text, _ = fields["logContent"].(string)
	p.end, _ = fields[end].(bool)
	return p, nil
}

// holds wants that texts stand in a log, whatever ends its lines.
func (r *round) holds(ctx context.Context, q *logQuery, texts []string) error {
	p, err := r.readLog(ctx, q.Log, max(q.From, 1))
	if err != nil {
		return err
	}
	content := strings.ReplaceAll(p.text, "\r\n", "\n")
	for _, text := range texts {
		want, err := r.words.text(text)
		if err != nil {
			return err
		}
		if !strings.Contains(content, want) {
			return fmt.Errorf("the log of %d is %s, want %q in it", r.log(q.Log), show(content), want)
		}
	}
	return nil
}

// slept is when a run of the handlers sleep and nap began and ended.
type slept struct{ begin, end int64 }

// sleeps reads when runs slept; a run's log may come a little later than its
// callback.
func (r *round) sleeps(ctx context.Context, logs []int) ([]slept, error) {
	begin, end := regexp.MustCompile(`begin (\d{13})`), regexp.MustCompile(`end (\d{13})`)
	all := make([]slept, len(logs))
	for i, n := range logs {
		err := until(ctx, min(logSoon, r.target.Patience), func() error {
			p, err := r.readLog(ctx, n, 1)
			if err != nil {
				return err
			}
			b, e := begin.FindStringSubmatch(p.text), end.FindStringSubmatch(p.text)
			if b == nil || e == nil {
				return fmt.Errorf("the log of %d does not say when it slept: %s", r.log(n), show(p.text))
			}
			all[i].begin, _ = strconv.ParseInt(b[1], 10, 64)
			all[i].end, _ = strconv.ParseInt(e[1], 10, 64)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// apart wants that runs slept one after the other.
func (r *round) apart(ctx context.Context, logs []int) error {
	all, err := r.sleeps(ctx, logs)
	if err != nil {
		return err
	}
	for i := 1; i < len(all); i++ {
		if all[i].begin < all[i-1].end {
			return fmt.Errorf("log %d began %d ms before log %d ended, want one after the other",
				r.log(logs[i]), all[i-1].end-all[i].begin, r.log(logs[i-1]))
		}
	}
	return nil
}

// pages wants that a log is the same from any line on: the lines from there to
// the last, each with its end.
func (r *round) pages(ctx context.Context, n int) error {
	whole, err := r.readLog(ctx, n, 1)
	if err != nil {
		return err
	}
	lines := strings.SplitAfter(whole.text, "\n")
	if lines[len(lines)-1] != "" {
		return fmt.Errorf("the last line has no end: %s", show(whole.text))
	}
	lines = lines[:len(lines)-1]
	last := len(lines)
	if whole.to != last || whole.end || last < 3 {
		return fmt.Errorf("from 1: to line %d, end %t; want line %d, and no end", whole.to, whole.end, last)
	}
	pastEnd, err := r.words.with("lines", number(int64(last))).fill("${past-end}")
	if err != nil {
		return err
	}
	for _, want := range []struct {
		from int
		to   any
		text string
	}{
		{3, number(int64(last)), strings.Join(lines[2:], "")},
		{last, number(int64(last)), lines[last-1]},
		{last + 1, pastEnd, ""},
		{last + 50, pastEnd, ""},
		{0, number(int64(last)), whole.text},
		{-5, number(int64(last)), whole.text},
	} {
		p, err := r.readLog(ctx, n, want.from)
		if err != nil {
			return err
		}
		at := fmt.Sprintf("from %d", want.from)
		if p.from != want.from || p.end || p.text != want.text {
			return fmt.Errorf("%s: from %d, end %t, %s; want the same from, no end, %s", at, p.from, p.end, show(p.text), show(want.text))
		}
		if err := match(at+": the last line", want.to, number(int64(p.to))); err != nil {
			return err
		}
	}
	return nil
}
