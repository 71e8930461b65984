package control

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"

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
	program     = "executor" // what errors call the process
	maxAtOnce   = 8          // requests
	redriveVerb = "redrive"
	purgeVerb   = "purge"
)

// NewServer returns the server of a control socket, to be served on the
// listener of [Listen]. It answers up to 8 requests at once and refuses more.
// What goes wrong inside is logged under an id that the caller is given. A nil
// logger discards.
func NewServer(o Operations, logger *slog.Logger) *http.Server {
	s, to := &server{o}, NewResponder(program, maxAtOnce, logger)
	mux := http.NewServeMux()
	mux.Handle("GET "+statsPath, to.JSON(s.stats))
	mux.Handle("GET "+fmt.Sprintf(itemsPath, "{queue}"), to.JSON(s.listItems))
	mux.Handle("GET "+fmt.Sprintf(itemPath, "{queue}", "{key}"), to.JSON(s.showItem))
	mux.Handle("POST "+fmt.Sprintf(changePath, "{queue}", redriveVerb), to.JSON(change(o.Redrive)))
	mux.Handle("POST "+fmt.Sprintf(changePath, "{queue}", purgeVerb), to.JSON(change(o.Purge)))
	mux.Handle("GET "+backupPath, to.Copy(o.Backup))
	return to.Server(to.Bounded(mux))
}

type server struct{ operations Operations }

func (s *server) stats(r *http.Request) (any, error) { return s.operations.Stats(r.Context()) }

func (s *server) listItems(r *http.Request) (any, error) {
	query, err := decodeQuery(r.PathValue("queue"), r.URL.Query())
	if err != nil {
		return nil, err
	}
	return s.operations.List(r.Context(), query)
}

func (s *server) showItem(r *http.Request) (any, error) {
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

func change(do func(context.Context, string, Selection) (int, error)) func(*http.Request) (any, error) {
	return func(r *http.Request) (any, error) {
		selection, err := decodeSelection(r)
		if err != nil {
			return nil, err
		}
		n, err := do(r.Context(), r.PathValue("queue"), selection)
		return changed{n}, err
	}
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
func decodeSelection(r *http.Request) (s Selection, err error) {
	if err := DecodeBody(r, &s); err != nil {
		return Selection{}, err
	}
	return s, s.check()
}
