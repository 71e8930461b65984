package control

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// Operations is what an operator can do with queues, in the executor's process
// ([Queues]) or over its socket ([Client]). The methods are described there.
type Operations interface {
	List(ctx context.Context, query Query) (Page, error)
	Show(ctx context.Context, queue string, key api.ID, body bool) (Item, error)
	Redrive(ctx context.Context, queue string, s Selection) (int, error)
	Purge(ctx context.Context, queue string, s Selection) (int, error)
	Stats(ctx context.Context) ([]Counts, error)
	Backup(ctx context.Context, w io.Writer) error
}

// Paths of the socket's HTTP. Client and server are the same program, so there
// is one version.
const (
	statsPath  = "/stats"
	backupPath = "/backup"
	itemsPath  = "/queues/%s/items"
	itemPath   = "/queues/%s/items/%s"
	changePath = "/queues/%s/%s" // redrive or purge
)

const (
	maxRequest  = 64 << 10 // bytes of a body
	maxAtOnce   = 8        // requests
	serveFor    = time.Minute
	writeFor    = 30 * time.Second // a part of an answer
	jsonType    = "application/json"
	copyType    = "application/octet-stream"
	redriveVerb = "redrive"
	purgeVerb   = "purge"
)

// NewServer returns the server of a control socket, to be served on the
// listener of [Listen]. It answers up to 8 requests at once and refuses more.
// What goes wrong inside is logged under an id that the caller is given. A nil
// logger discards.
func NewServer(o Operations, logger *slog.Logger) *http.Server {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	s := &server{operations: o, logger: logger, slots: make(chan struct{}, maxAtOnce)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+statsPath, s.answer(s.stats))
	mux.HandleFunc("GET "+fmt.Sprintf(itemsPath, "{queue}"), s.answer(s.list))
	mux.HandleFunc("GET "+fmt.Sprintf(itemPath, "{queue}", "{key}"), s.answer(s.show))
	mux.HandleFunc("POST "+fmt.Sprintf(changePath, "{queue}", redriveVerb), s.answer(s.change(o.Redrive)))
	mux.HandleFunc("POST "+fmt.Sprintf(changePath, "{queue}", purgeVerb), s.answer(s.change(o.Purge)))
	mux.HandleFunc("GET "+backupPath, s.backup)
	return &http.Server{
		Handler: s.limited(mux), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second,
		IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
	}
}

type server struct {
	operations Operations
	logger     *slog.Logger
	slots      chan struct{} // one for each request under way
}

// limited bounds the requests under way and the body of each.
func (s *server) limited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case s.slots <- struct{}{}:
			defer func() { <-s.slots }()
		default:
			s.fail(w, r, &job.Error{
				Kind: job.Full, Message: fmt.Sprintf("the executor is busy with %d commands about its queues", maxAtOnce),
				Hint: "try again when one of them has ended",
			})
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxRequest)
		next.ServeHTTP(w, r)
	})
}

// answer sends what fn returns as JSON.
func (s *server) answer(fn func(r *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeoutCause(r.Context(), serveFor, errTooSlow)
		defer cancel()
		value, err := fn(r.WithContext(ctx))
		var text json.RawMessage
		if err == nil {
			text, err = encode(value)
		}
		if err != nil {
			s.fail(w, r, err)
			return
		}
		s.send(w, http.StatusOK, jsonType, text)
	}
}

// errTooSlow is why the context of a request that takes too long ends.
var errTooSlow = job.Errorf(job.Unavailable, "the executor's queue took longer than %s", serveFor)

func (s *server) stats(r *http.Request) (any, error) { return s.operations.Stats(r.Context()) }

func (s *server) list(r *http.Request) (any, error) {
	query, err := decodeQuery(r.PathValue("queue"), r.URL.Query())
	if err != nil {
		return nil, err
	}
	return s.operations.List(r.Context(), query)
}

func (s *server) show(r *http.Request) (any, error) {
	var key api.ID
	if err := key.UnmarshalText([]byte(r.PathValue("key"))); err != nil {
		return nil, job.FieldErrorf("key", "%w", err)
	}
	return s.operations.Show(r.Context(), r.PathValue("queue"), key, r.URL.Query().Get("body") == "true")
}

// changed is the answer to a change.
type changed struct {
	Changed int `json:"changed"`
}

func (s *server) change(do func(context.Context, string, Selection) (int, error)) func(*http.Request) (any, error) {
	return func(r *http.Request) (any, error) {
		media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
		if media != jsonType {
			return nil, job.Errorf(job.Invalid, "the body is %q and must be %s", media, jsonType)
		}
		selection, err := decodeSelection(r.Body)
		if err != nil {
			return nil, err
		}
		n, err := do(r.Context(), r.PathValue("queue"), selection)
		return changed{n}, err
	}
}

// backup sends the copy as it is made. When it fails on the way, the
// connection breaks, so that nobody takes a part for the whole.
func (s *server) backup(w http.ResponseWriter, r *http.Request) {
	out := &slowWriter{w: w, control: http.NewResponseController(w)}
	err := s.operations.Backup(r.Context(), out)
	switch {
	case err == nil:
	case !out.started:
		s.fail(w, r, err)
	default:
		s.logger.Warn("backup_broke_off", "error", err)
		panic(http.ErrAbortHandler)
	}
}

// slowWriter allows each part of an answer some time, and notes the start.
type slowWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	started bool
}

// Write sends a part.
func (s *slowWriter) Write(b []byte) (int, error) {
	if !s.started {
		s.started = true
		s.w.Header().Set("Content-Type", copyType)
	}
	if err := s.control.SetWriteDeadline(time.Now().Add(writeFor)); err != nil {
		return 0, err
	}
	return s.w.Write(b)
}

// fail answers with a problem.
func (s *server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // nobody is left to read it
	}
	p := api.NewProblem(err)
	if p.Code == job.Internal {
		p.ID = "e-" + strings.ToLower(rand.Text()[:16])
		p.Detail = "something went wrong inside the executor; its log tells more under the id given here"
		s.logger.Error("control_request_failed", "error_id", p.ID, "path", r.URL.Path, "error", err)
	}
	text, err := encode(p)
	if err != nil { // A Problem can always be encoded.
		text = nil
	}
	s.send(w, p.Status, api.ProblemType, text)
}

func (s *server) send(w http.ResponseWriter, status int, media string, text []byte) {
	// Without a deadline, as in a test's recorder, the answer goes out as well.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeFor))
	w.Header().Set("Content-Type", media)
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n'))
}

// decodeQuery reads what a listing asks for.
func decodeQuery(queue string, values url.Values) (Query, error) {
	place, err := ParsePlace(values.Get("place"))
	if err != nil {
		return Query{}, err
	}
	limit, err := strconv.Atoi(values.Get("limit"))
	if err != nil {
		return Query{}, job.FieldErrorf("limit", "%q is no number", values.Get("limit"))
	}
	query := Query{Queue: queue, Place: place, Limit: limit}
	if text := values.Get("after"); text != "" {
		if query.After, err = strconv.ParseUint(text, 10, 64); err != nil {
			return Query{}, job.FieldErrorf("after", "%q is no number of an item", text)
		}
	}
	return query, query.check()
}

// encodeQuery is the reverse of decodeQuery, but for the queue.
func encodeQuery(q Query) url.Values {
	return url.Values{
		"place": {q.Place.String()}, "limit": {strconv.Itoa(q.Limit)}, "after": {strconv.FormatUint(q.After, 10)},
	}
}

// decodeSelection reads one selection and nothing behind it.
func decodeSelection(r io.Reader) (Selection, error) {
	in := json.NewDecoder(r)
	in.DisallowUnknownFields()
	var s Selection
	if err := in.Decode(&s); err != nil {
		return Selection{}, job.Errorf(job.Invalid, "the selection of items cannot be read: %w", err)
	}
	if _, err := in.Token(); !errors.Is(err, io.EOF) {
		return Selection{}, job.Errorf(job.Invalid, "something stands behind the selection of items")
	}
	return s, s.check()
}
