package control

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"

	"github.com/orthd/orth/internal/control"
	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/solana/ledger"
	"github.com/orthd/orth/solana/service"
	"github.com/orthd/orth/solana/thread"
)

// Changes is what an operator may change. [service.Service] is one; of a stopped node it is the ledger.
type Changes interface {
	Redrive(ctx context.Context, ids ...ledger.ID) error
	Purge(ctx context.Context, ids ...ledger.ID) error
	SetRetry(ctx context.Context, r ledger.Retry) error
}

// Config sets what a server shows.
type Config struct {
	About   About
	Ledger  *ledger.Ledger
	Changes Changes
	// Files are the sizes of the ledger's files in bytes. Nil: none is shown.
	Files func() map[string]int64
	// Work, Nodes and Threads are what a running node knows; nil: it is stopped. Threads are the ones that are watched, by key.
	Work    func(ctx context.Context) (service.Stats, error)
	Nodes   func() []Node
	Threads func(after thread.Key, limit int) []Thread
	// Ready returns why the node cannot execute at this time, nil when it can. Nil: it
	// always can.
	Ready func() error
	// Metrics is the page for Prometheus; nil: there is none.
	Metrics http.Handler
	// Token is what every request of control shows, and beyond this machine those of metrics too. Zero: none is asked for, which
	// is for a handler that is not reached from outside the process.
	Token redacted.Text
	// Open: the listener is reached from this machine only, and metrics need no token.
	Open   bool
	Logger *slog.Logger // defaults to none
}

const (
	maxAtOnce = 16 // requests
	textType  = "text/plain; charset=utf-8"
)

// Paths. Client and server are the same program; the number is for those who write another client.
const (
	statsPath   = "/v1/stats"
	tasksPath   = "/v1/tasks"
	threadsPath = "/v1/threads"
	profitPath  = "/v1/profit"
	retryPath   = "/v1/retry"
	redrivePath = "/v1/redrive"
	purgePath   = "/v1/purge"
	backupPath  = "/v1/backup"
)

// NewHandler returns the pages of a node. It answers up to 16 requests at once, and refuses more.
func NewHandler(c Config) http.Handler { return newServer(c).handler() }

func newServer(c Config) *server {
	return &server{c, control.NewResponder(program, maxAtOnce, c.Logger)}
}

func (s *server) handler() http.Handler {
	c := s.Config
	mux := http.NewServeMux()
	for pattern, answer := range map[string]func(*http.Request) (any, error){
		"GET " + statsPath:           s.stats,
		"GET " + tasksPath:           s.tasks,
		"GET " + tasksPath + "/{id}": s.showTask,
		"GET " + threadsPath:         s.threads,
		"GET " + profitPath:          s.profit,
		"GET " + retryPath:           func(*http.Request) (any, error) { return RetryOf(c.Ledger.Retry()), nil },
		"PUT " + retryPath:           s.setRetry,
		"POST " + redrivePath:        s.change(c.Changes.Redrive),
		"POST " + purgePath:          s.change(c.Changes.Purge),
		"/v1/": func(r *http.Request) (any, error) {
			return nil, job.Errorf(job.NotFound, "there is no %s here", r.Method)
		},
	} {
		mux.Handle(pattern, s.private(s.to.JSON(answer)))
	}
	mux.Handle("GET "+backupPath, s.private(s.to.Copy(func(_ context.Context, w io.Writer) error { return c.Ledger.Backup(w) })))
	if c.Metrics != nil {
		mux.Handle("GET /metrics", s.shown(c.Metrics))
	}
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { s.to.Send(w, http.StatusOK, textType, []byte("ok")) })
	mux.HandleFunc("GET /readyz", s.ready)
	return s.to.Bounded(unkept(mux))
}

// NewServer returns the server of a listener, with bounds for those who are slow.
func NewServer(c Config) *http.Server {
	s := newServer(c)
	return s.to.Server(s.handler())
}

type server struct {
	Config
	to *control.Responder
}

// unkept has browsers take answers as they are, and keep none.
func unkept(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// private lets requests through that show the token.
func (s *server) private(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.shows(r) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			s.to.Fail(w, r, &job.Error{
				Kind: job.Unauthorized, Message: "the request shows no token, or a wrong one",
				Hint: "send the token of the data folder, or of control-token-file, as 'Authorization: Bearer …'",
			})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// shown lets requests through from this machine, and others that show the token. A page of a browser that has made its own name
// lead here is no request from this machine.
func (s *server) shown(next http.Handler) http.Handler {
	private := s.private(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if s.Open && credential.Loopback(host) {
			next.ServeHTTP(w, r)
			return
		}
		private.ServeHTTP(w, r)
	})
}

// shows reports whether a request shows the token.
func (s *server) shows(r *http.Request) bool {
	token, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return s.Token.IsZero() || bearer && s.Token.Equal(redacted.New(token))
}

// ready reports whether the node can execute, in a word.
func (s *server) ready(w http.ResponseWriter, _ *http.Request) {
	if s.Ready != nil {
		if err := s.Ready(); err != nil {
			s.to.Send(w, http.StatusServiceUnavailable, textType, []byte(err.Error()))
			return
		}
	}
	s.to.Send(w, http.StatusOK, textType, []byte("ready"))
}

func (s *server) stats(r *http.Request) (any, error) {
	held, err := s.Ledger.Stats(r.Context())
	if err != nil {
		return nil, err
	}
	profit, err := s.Ledger.Profit(r.Context(), thread.Key{}, 1)
	if err != nil {
		return nil, err
	}
	stats := Stats{About: s.About, Ledger: countsOf(held), Profit: accountOf(profit.Total)}
	if s.Files != nil {
		stats.Files = s.Files()
	}
	if s.Nodes != nil {
		stats.Nodes = s.Nodes()
	}
	if s.Work != nil {
		work, err := s.Work(r.Context())
		if err != nil {
			return nil, err
		}
		stats.Work = workOf(&work)
	}
	return stats, nil
}

// limitOf reads how many are wanted.
func limitOf(r *http.Request) (int, error) {
	text := r.URL.Query().Get("limit")
	if text == "" {
		return MaxPage, nil
	}
	limit, err := strconv.Atoi(text)
	if err != nil || limit < 1 || limit > MaxPage {
		return 0, job.FieldErrorf("limit", "%q is no number from 1 to %d", text, MaxPage)
	}
	return limit, nil
}

func (s *server) tasks(r *http.Request) (any, error) {
	query := r.URL.Query()
	place, err := ledger.ParsePlace(query.Get("place"))
	if err != nil {
		return nil, err
	}
	limit, err := limitOf(r)
	if err != nil {
		return nil, err
	}
	var after uint64
	if text := query.Get("after"); text != "" {
		if after, err = strconv.ParseUint(text, 10, 64); err != nil {
			return nil, job.FieldErrorf("after", "%q is no number", text)
		}
	}
	found, err := s.Ledger.Tasks(r.Context(), place, after, limit)
	if err != nil {
		return nil, err
	}
	page := Page{Tasks: make([]Task, len(found))}
	for i := range found {
		page.Tasks[i] = taskOf(&found[i])
	}
	if len(found) == limit {
		page.Next = found[len(found)-1].Seq
	}
	return page, nil
}

func (s *server) showTask(r *http.Request) (any, error) {
	id, err := ledger.ParseID(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	found, err := s.Ledger.Task(r.Context(), id)
	if err != nil {
		return nil, err
	}
	return taskOf(&found), nil
}

// afterOf reads the thread behind which a page begins.
func afterOf(r *http.Request) (key thread.Key, err error) {
	text := r.URL.Query().Get("after")
	if text == "" {
		return key, nil
	}
	if err := key.Set(text); err != nil {
		return key, job.FieldErrorf("after", "%q is no address of a thread", text)
	}
	return key, nil
}

func (s *server) threads(r *http.Request) (any, error) {
	if s.Threads == nil {
		return nil, job.Errorf(job.Unavailable, "the node does not run: no threads are watched")
	}
	after, err := afterOf(r)
	if err != nil {
		return nil, err
	}
	limit, err := limitOf(r)
	if err != nil {
		return nil, err
	}
	page := Threads{Threads: s.Threads(after, limit)}
	if page.Threads == nil {
		page.Threads = []Thread{}
	}
	if len(page.Threads) == limit {
		page.Next = page.Threads[limit-1].Key
	}
	return page, nil
}

func (s *server) profit(r *http.Request) (any, error) {
	after, err := afterOf(r)
	if err != nil {
		return nil, err
	}
	limit, err := limitOf(r)
	if err != nil {
		return nil, err
	}
	found, err := s.Ledger.Profit(r.Context(), after, limit)
	if err != nil {
		return nil, err
	}
	profit := Profit{Total: accountOf(found.Total), Rest: accountOf(found.Rest), Threads: make([]Account, len(found.Threads))}
	for i, a := range found.Threads {
		profit.Threads[i] = accountOf(a)
	}
	if found.More && len(found.Threads) > 0 {
		profit.Next = profit.Threads[len(profit.Threads)-1].Thread
	}
	return profit, nil
}

func (s *server) setRetry(r *http.Request) (any, error) {
	wanted := RetryOf(s.Ledger.Retry())
	if err := control.DecodeBody(r, &wanted); err != nil {
		return nil, err
	}
	if err := wanted.Ledger().Check(); err != nil {
		return nil, err
	}
	if err := s.Changes.SetRetry(r.Context(), wanted.Ledger()); err != nil {
		return nil, err
	}
	return RetryOf(s.Ledger.Retry()), nil
}

// change does something to the dead letters that a selection names.
func (s *server) change(do func(context.Context, ...ledger.ID) error) func(*http.Request) (any, error) {
	return func(r *http.Request) (any, error) {
		var selection Selection
		if err := control.DecodeBody(r, &selection); err != nil {
			return nil, err
		}
		if selection.All == (len(selection.IDs) > 0) {
			return nil, job.Errorf(job.Invalid, "name the ids of dead letters, or all of them")
		}
		if selection.All {
			n, err := s.changeAll(r.Context(), do)
			return Changed{n}, err
		}
		if len(selection.IDs) > MaxTasks {
			return nil, job.FieldErrorf("ids", "%d are too many: %d are possible at once", len(selection.IDs), MaxTasks)
		}
		ids := make([]ledger.ID, len(selection.IDs))
		for i, text := range selection.IDs {
			id, err := ledger.ParseID(text)
			if err != nil {
				return nil, err
			}
			ids[i] = id
		}
		return Changed{len(ids)}, do(r.Context(), ids...)
	}
}

// changeAll does it to all that were dead at the start, a page at a time.
func (s *server) changeAll(ctx context.Context, do func(context.Context, ...ledger.ID) error) (changed int, err error) {
	held, err := s.Ledger.Stats(ctx)
	if err != nil {
		return 0, err
	}
	for after := uint64(0); changed < held.Dead; {
		found, err := s.Ledger.Tasks(ctx, ledger.Dead, after, min(MaxPage, held.Dead-changed))
		if err != nil || len(found) == 0 {
			return changed, err
		}
		ids := make([]ledger.ID, len(found))
		for i, t := range found {
			ids[i] = t.ID
		}
		if err := do(ctx, ids...); err != nil {
			return changed, err
		}
		changed, after = changed+len(found), found[len(found)-1].Seq
	}
	return changed, nil
}
