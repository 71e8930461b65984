package control

import (
	"encoding/json"
	"slices"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
)

// Limits of one call.
const (
	MaxLimit = 200  // items of a page
	MaxKeys  = 1000 // keys of a selection
)

// Item is what may be shown of an item of a queue.
type Item struct {
	Key   api.ID `json:"key"`
	Place string `json:"place"` // a place in words
	// Seq is the order of arrival within the file.
	Seq     uint64   `json:"seq,string"`
	DueAt   api.Time `json:"due_at,omitzero"`
	AddedAt api.Time `json:"added_at,omitzero"`
	Tries   int      `json:"tries"`
	Note    string   `json:"note,omitempty"`
	Size    int      `json:"size"` // bytes of the body
	// About is what the body says, as JSON with long texts cut: a parameter or
	// a script may hold what is for nobody's screen.
	About json.RawMessage `json:"about,omitempty"`
	// Unreadable says why there is no About.
	Unreadable string `json:"unreadable,omitempty"`
	// Body is the whole body, only when it was asked for. A body that is not
	// JSON comes as a text.
	Body json.RawMessage `json:"body,omitempty"`
}

// Query selects items of one place.
type Query struct {
	Queue string
	Place queue.Place // not Remembered, whose items are gone
	After uint64      // only items with a higher Seq
	Limit int         // 1..[MaxLimit]
}

// Page is items by Seq.
type Page struct {
	Items []Item `json:"items"`
	// Next is the After of the next page, 0 when this is the last.
	Next uint64 `json:"next,omitempty,string"`
}

// Selection names dead items: either some, or all.
type Selection struct {
	Keys []api.ID `json:"keys,omitempty"` // at most [MaxKeys]; all or none of them are changed
	All  bool     `json:"all,omitempty"`
}

// Counts is what one queue holds.
type Counts struct {
	Queue      string `json:"queue"`
	Scheduled  int    `json:"scheduled"`
	Processing int    `json:"processing"`
	Dead       int    `json:"dead"`
	Finished   int    `json:"finished"` // keys that are remembered
	// Evicted is how many dead items were removed, ever, to make room.
	Evicted int `json:"evicted"`
	// Damaged is how many records were set aside, ever.
	Damaged int `json:"damaged"`
	// NextAt is when the first scheduled item is due, which may be past.
	NextAt api.Time `json:"next_at,omitzero"`
}

// ParsePlace reads the word of a place that has items.
func ParsePlace(word string) (queue.Place, error) {
	for _, p := range Places() {
		if p.String() == word {
			return p, nil
		}
	}
	return 0, job.FieldErrorf("place", "%q is no place; use one of scheduled, processing, dead", word)
}

// Places returns the places that have items, in the order of an item's life.
func Places() []queue.Place { return []queue.Place{queue.Scheduled, queue.Processing, queue.Dead} }

func (q Query) check() error {
	if q.Limit < 1 || q.Limit > MaxLimit {
		return job.FieldErrorf("limit", "%d is not between 1 and %d", q.Limit, MaxLimit)
	}
	if !slices.Contains(Places(), q.Place) {
		return job.FieldErrorf("place", "%s has no items to list; use one of scheduled, processing, dead", q.Place)
	}
	return nil
}

func (s Selection) check() error {
	switch {
	case s.All && len(s.Keys) > 0:
		return job.FieldErrorf("keys", "and all exclude each other: name items, or take all")
	case !s.All && len(s.Keys) == 0:
		return job.FieldErrorf("keys", "are missing: name the items, or take all")
	case len(s.Keys) > MaxKeys:
		return job.FieldErrorf("keys", "are %d, at most %d are allowed at once", len(s.Keys), MaxKeys)
	}
	return nil
}

// unique returns the keys in ascending order, each once.
func (s Selection) unique() []int64 {
	keys := make([]int64, len(s.Keys))
	for i, key := range s.Keys {
		keys[i] = int64(key)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
