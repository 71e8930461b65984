package reading

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/orthd/orth/internal/logformat"
	"github.com/orthd/orth/job"
)

const (
	// maxHitText is the bytes of a line that a hit shows.
	maxHitText = 4 << 10
	// maxHitsBytes is the bytes of all hits of an answer.
	maxHitsBytes = 1 << 20
	// backStep is how many lines are read at once on the way back.
	backStep = 500
)

// errSearchOver is why a search ends before its end.
var errSearchOver = errors.New("its time is over")

// Search looks for lines of an attempt's log. It returns what it has found when its
// time is over, and where to go on. An expression that cannot be is Invalid.
func (r *Reader) Search(ctx context.Context, a job.Attempt, q job.LogSearch) (job.LogHits, error) {
	if err := q.Check(); err != nil {
		return job.LogHits{}, err
	}
	m, err := logformat.NewMatcher("text", logformat.Pattern{Text: q.Text, Regexp: q.Regexp, Fold: q.Fold})
	if err != nil {
		return job.LogHits{}, err
	}
	v, err := r.look(ctx, a)
	if err != nil {
		return job.LogHits{}, err
	}
	limited, cancel := context.WithTimeoutCause(ctx, q.For, errSearchOver)
	defer cancel()
	h := hunt{reader: r, view: &v, matcher: m, query: q}
	if q.Backward {
		err = h.backward(limited)
	} else {
		err = h.forward(limited)
	}
	return h.result(ctx, limited, err)
}

// hunt is a search of one log.
type hunt struct {
	reader  *Reader
	view    *view
	matcher *logformat.Matcher
	query   job.LogSearch

	hits  []job.LogHit
	bytes int
	lines int // looked at
	next  int // where to go on; 0 when everything was looked at
}

// result returns what was found. The end of the search's own time is no error.
func (h *hunt) result(ctx, limited context.Context, err error) (job.LogHits, error) {
	if err == nil && h.query.Context > 0 {
		err = h.surround(limited)
	}
	found := job.LogHits{Hits: h.hits, Next: int64(h.next), Complete: h.next == 0, Lines: h.lines, Logs: 1}
	switch {
	case err != nil && (ctx.Err() != nil || !errors.Is(context.Cause(limited), errSearchOver)):
		return job.LogHits{}, err
	case err != nil:
		found.Complete = false
		found.Note = fmt.Sprintf("the search has taken %s, as long as it may", h.query.For)
	case h.next > 0:
		found.Note = "as much was found as was asked for"
	}
	return found, nil
}

// enough reports whether no more hits are wanted.
func (h *hunt) enough() bool { return len(h.hits) >= h.query.Hits || h.bytes >= maxHitsBytes }

// hit notes a line that was found.
func (h *hunt) hit(number int, line string) {
	a := h.view.attempt
	start, end, _ := h.matcher.Find(line)
	text := excerpt(line, start, end)
	h.bytes += len(text)
	h.hits = append(h.hits, job.LogHit{Run: a.RunID, Attempt: a.ID, Number: a.Number, Line: number, Text: text})
}

// excerpt returns a line, or what is around a part of it when it is large. It holds
// on to no more than it is.
func excerpt(line string, start, end int) string {
	if len(line) <= maxHitText {
		return strings.Clone(line)
	}
	from := max(start-maxHitText/4, 0)
	to := min(max(from+maxHitText, min(end, from+maxHitText)), len(line))
	text := strings.ToValidUTF8(line[from:to], "")
	if from > 0 {
		text = "…" + text
	}
	if to < len(line) {
		text += "…"
	}
	return text
}

// forward looks from the first line wanted to the last there is.
func (h *hunt) forward(ctx context.Context) error {
	h.next = max(h.query.From, 1)
	for {
		page, err := h.reader.read(ctx, h.view, h.next, 0)
		if err != nil {
			return err
		}
		if page.To < h.next {
			h.next = 0
			return nil
		}
		tried, err := h.matcher.Scan(ctx, page.Text, func(before int, line string) bool {
			h.hit(page.From+before, line)
			return !h.enough()
		})
		h.lines += tried
		if err == nil && !h.enough() {
			h.next = page.To + 1 // a page may have fewer lines than it stands for
			continue
		}
		h.next += tried
		return err
	}
}

// backward looks from the last line wanted to the first.
func (h *hunt) backward(ctx context.Context) error {
	upTo := h.view.last()
	if h.view.askable() {
		first, err := h.reader.Tail(ctx, h.view.attempt, 0)
		if err != nil {
			return err
		}
		upTo = first - 1
	}
	if h.query.From > 0 {
		upTo = min(upTo, h.query.From)
	}
	for h.next = upTo; h.next > 0; {
		from := max(h.next-backStep+1, 1)
		found, err := h.window(ctx, from, h.next)
		if err != nil {
			return err
		}
		for _, line := range slices.Backward(found) {
			h.hit(line.number, line.text)
			if h.enough() {
				h.next = line.number - 1
				return nil
			}
		}
		h.lines += h.next - from + 1
		h.next = from - 1
	}
	return nil
}

// numbered is a line and where it stands.
type numbered struct {
	number int
	text   string
}

// window returns the lines from..to that match, in order.
func (h *hunt) window(ctx context.Context, from, to int) ([]numbered, error) {
	var found []numbered
	for from <= to {
		page, err := h.reader.read(ctx, h.view, from, to-from+1)
		if err != nil {
			return nil, err
		}
		if page.To < from {
			return found, nil
		}
		_, err = h.matcher.Scan(ctx, page.Text, func(before int, line string) bool {
			start, end, _ := h.matcher.Find(line)
			found = append(found, numbered{page.From + before, excerpt(line, start, end)})
			return true
		})
		if err != nil {
			return nil, err
		}
		from = page.To + 1
	}
	return found, nil
}

// surround adds the lines around the hits.
func (h *hunt) surround(ctx context.Context) error {
	for i := range h.hits {
		hit := &h.hits[i]
		from := max(hit.Line-h.query.Context, 1)
		lines, err := h.around(ctx, from, hit.Line+h.query.Context)
		if err != nil {
			return err
		}
		for _, line := range lines {
			h.bytes += len(line.text)
			switch {
			case line.number < hit.Line:
				hit.Before = append(hit.Before, line.text)
			case line.number > hit.Line:
				hit.After = append(hit.After, line.text)
			}
		}
		if h.bytes > 2*maxHitsBytes { // the rest goes without
			return nil
		}
	}
	return nil
}

// around returns the lines from..to.
func (h *hunt) around(ctx context.Context, from, to int) ([]numbered, error) {
	var lines []numbered
	for from <= to {
		page, err := h.reader.read(ctx, h.view, from, to-from+1)
		if err != nil || page.To < from {
			return lines, err
		}
		number := page.From
		for line := range strings.Lines(page.Text) {
			lines = append(lines, numbered{number, excerpt(strings.TrimSuffix(line, "\n"), 0, 0)})
			number++
		}
		from = page.To + 1
	}
	return lines, nil
}
