package client

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// LogQuery selects lines of a run's log. The zero query begins with the first line of the
// last attempt.
type LogQuery struct {
	Attempt int       // its number; 0 is the last one
	From    int       // the first line; less than 1 means 1
	Tail    int       // above 0: begin so many lines before the end, instead of From
	At      time.Time // not zero: begin with lines written since then, instead of From
	Limit   int       // 1..1,000 lines per page. Defaults to 1,000.
	// Raw wants lines as they are. Without it they are safe for a terminal: control
	// characters are visible, and lines of more than 16 KiB are cut.
	Raw bool
}

// Log returns a page of the log of an attempt of a run, from line from on; 1 is
// the first line, attempt 0 the last attempt. Ask again with the page's Next.
func (c *Client) Log(ctx context.Context, run api.ID, attempt, from int) (api.LogPage, error) {
	return c.LogPage(ctx, run, LogQuery{Attempt: attempt, From: from})
}

// LogPage returns a page of the log of a run. Go on with From set to the page's
// Next, and Attempt to the same number.
func (c *Client) LogPage(ctx context.Context, run api.ID, q LogQuery) (api.LogPage, error) {
	query := url.Values{"attempt": {strconv.Itoa(q.Attempt)}}
	switch {
	case q.Tail > 0:
		query.Set("tail", strconv.Itoa(q.Tail))
	case !q.At.IsZero():
		query.Set("at", q.At.UTC().Format(time.RFC3339Nano))
	default:
		query.Set("from", strconv.Itoa(max(q.From, 1)))
	}
	setNumber(query, "limit", q.Limit)
	setTrue(query, "raw", q.Raw)
	var page api.LogPage
	err := c.doRequest(ctx, http.MethodGet, runPath(run)+"/log", query, nil, &page)
	return page, err
}

// LogSearch selects the lines to search for.
type LogSearch struct {
	Text    string
	Regexp  bool // Text is an expression of the RE2 syntax
	Fold    bool // capital and small letters match each other
	Limit   int  // 1..1,000 lines. Defaults to 100.
	Context int  // up to 20 lines on either side of each
	// For is how long the search may take, up to 30 s. Defaults to 5 s.
	For time.Duration
	Raw bool // see [LogQuery]
}

func (q LogSearch) setQuery(query url.Values) {
	query.Set("text", q.Text)
	setTrue(query, "regexp", q.Regexp)
	setTrue(query, "fold", q.Fold)
	setNumber(query, "limit", q.Limit)
	setNumber(query, "context", q.Context)
	if q.For > 0 {
		query.Set("for", q.For.String())
	}
	setTrue(query, "raw", q.Raw)
}

// RunLogSearch looks in the log of one attempt.
type RunLogSearch struct {
	LogSearch
	Attempt  int  // its number; 0 is the last one
	From     int  // where to begin, such as the Next of the result before; 0 is the start, or the end
	Backward bool // from the end to the start
}

// SearchLog searches for lines in the log of a run. Next of an incomplete result is where
// to continue.
func (c *Client) SearchLog(ctx context.Context, run api.ID, q RunLogSearch) (api.LogHits, error) {
	query := url.Values{}
	q.setQuery(query)
	setNumber(query, "attempt", q.Attempt)
	setNumber(query, "from", q.From)
	setTrue(query, "backward", q.Backward)
	var found api.LogHits
	err := c.doRequest(ctx, http.MethodGet, runPath(run)+"/log/search", query, nil, &found)
	return found, err
}

// JobLogSearch looks in the logs of a job's runs, the newest first.
type JobLogSearch struct {
	LogSearch
	State        job.State // only runs in this state; empty means all
	Since, Until time.Time // when attempts were sent; zero means any time
	Before       string    // the Next of the result before
}

// SearchJobLogs looks for lines in the logs of a job in the client's namespace, as
// far as servers keep them.
func (c *Client) SearchJobLogs(ctx context.Context, key string, q JobLogSearch) (api.LogHits, error) {
	path, err := jobPath(key)
	if err != nil {
		return api.LogHits{}, err
	}
	query := c.space()
	q.setQuery(query)
	setNonEmpty(query, "state", string(q.State))
	setNonEmpty(query, "before", q.Before)
	for name, at := range map[string]time.Time{"since": q.Since, "until": q.Until} {
		if !at.IsZero() {
			query.Set(name, at.UTC().Format(time.RFC3339Nano))
		}
	}
	var found api.LogHits
	err = c.doRequest(ctx, http.MethodGet, path+"/log/search", query, nil, &found)
	return found, err
}

// DownloadLog writes the log of an attempt to w, or of all attempts of the run when
// attempt is 0, as it is: all that is there now. strip removes colours and other
// sequences of terminals. It returns how many bytes were written. A download that was
// cut is job.Ambiguous.
func (c *Client) DownloadLog(ctx context.Context, run api.ID, attempt int, strip bool, w io.Writer) (int64, error) {
	query := url.Values{"attempt": {strconv.Itoa(attempt)}}
	if strip {
		query.Set("ansi", "strip")
	}
	response, err := c.openStream(ctx, runPath(run)+"/log/download", query, "text/plain", "")
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	source := &reading{from: response.Body}
	n, err := io.Copy(w, source)
	if source.err != nil {
		return n, job.Errorf(job.Ambiguous, "the log of run %s was cut after %d bytes on its way from %s: %w", run, n, c.base, source.err)
	}
	return n, err
}

// reading distinguishes read errors from write errors.
type reading struct {
	from io.Reader
	err  error
}

// Read reads.
func (r *reading) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}

// setNumber sets a number that is not zero.
func setNumber(query url.Values, name string, n int) {
	if n != 0 {
		query.Set(name, strconv.Itoa(n))
	}
}

// setTrue sets a parameter to true when on is set.
func setTrue(query url.Values, name string, on bool) {
	if on {
		query.Set(name, "true")
	}
}
