package native

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/job"
)

const (
	// askEvery is how often at most is asked whether an attempt without new lines has
	// ended.
	askEvery = 10 * time.Second
	// newestLines and newestBytes are where a follow begins that names no line.
	newestLines, newestBytes = 1000, 64 << 10
)

// gathered is what a look at follows has found.
type gathered struct {
	chunks  []message.Chunk
	brought []*following // what the chunks are of
	quiet   []*following // those without anything new
	left    []*following // those that have more than there was room for
}

// gather reads what is new of the attempts, in their order, as much as goes into one
// request.
func (f *Follower) gather(due []*following) gathered {
	var g gathered
	size := 0
	for i, one := range due {
		if len(g.chunks) == message.MaxChunks || size >= maxBrought {
			g.left = append(g.left, due[i:]...)
			break
		}
		page, more, err := f.read(one)
		switch {
		case err != nil:
			f.config.Logger.Warn("a log that a server follows cannot be read", "attempt_id", one.Attempt, "error", err)
			f.end(one)
		case page.Text != "" || page.End:
			size += len(page.Text)
			g.brought, g.chunks = append(g.brought, one), append(g.chunks, message.Chunk{Attempt: one.Attempt, Page: page})
		default:
			g.quiet = append(g.quiet, one)
		}
		if more {
			g.left = append(g.left, one)
		}
	}
	return g
}

// read returns the next lines of a follow, no text when there are none, and End when there
// will be none behind these. more: there are others by now.
func (f *Follower) read(one *following) (_ job.LogPage, more bool, err error) {
	if one.next == 0 {
		if one.next, err = f.newest(one); err != nil {
			return job.LogPage{}, false, err
		}
	}
	page, more, err := f.config.Lines.ReadOn(one.Attempt, one.TriggeredAt, one.next)
	switch {
	case job.Is(err, job.NotFound):
		page, more = job.LogPage{}, false
	case err != nil:
		return job.LogPage{}, false, err
	}
	text := firstLines(page.Text, message.MaxChunk)
	more = more || len(text) < len(page.Text)
	return job.LogPage{From: one.next, Text: text, End: one.last && !more}, more, nil
}

// newest returns the line from which on the newest ones are brought.
func (f *Follower) newest(one *following) (int, error) {
	page, err := f.config.Lines.Tail(one.Attempt, one.TriggeredAt, newestLines)
	switch {
	case job.Is(err, job.NotFound):
		return 1, nil
	case err != nil:
		return 0, err
	}
	line, text := max(page.From, 1), page.Text
	for len(text) > newestBytes && line < page.To {
		text = text[strings.IndexByte(text, '\n')+1:]
		line++
	}
	return line, nil
}

// firstLines returns the whole lines of text that fit limit bytes, and the start of the
// first one when not even that fits.
func firstLines(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	if i := strings.LastIndexByte(text[:limit], '\n'); i >= 0 {
		return text[:i+1]
	}
	cut := limit - 1
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "\n"
}

// settle finds out which of the attempts without new lines have ended, and returns
// those. Their logs are complete: an attempt ends after its log does.
func (f *Follower) settle(ctx context.Context, quiet []*following) (ended []*following) {
	now := time.Now()
	ask := slices.DeleteFunc(quiet, func(one *following) bool { return now.Sub(one.asked) < askEvery })
	for some := range slices.Chunk(ask, message.MaxAttempts) {
		attempts := make([]int64, len(some))
		for i, one := range some {
			one.asked, attempts[i] = now, one.Attempt
		}
		standings, err := f.config.Attempts.Standings(ctx, attempts)
		if err != nil || len(standings) != len(some) {
			f.config.Logger.Debug("it is unknown whether followed attempts have ended", "attempts", len(some), "error", err)
			continue
		}
		for i, one := range some {
			if standings[i] == Ended || standings[i] == Rid || standings[i] == Unknown {
				ended = append(ended, one)
			}
		}
	}
	f.over(ended)
	return ended
}

// over notes that attempts have ended.
func (f *Follower) over(ended []*following) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, one := range ended {
		one.over = true
	}
}
