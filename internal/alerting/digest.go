package alerting

import (
	"cmp"
	"slices"

	words "github.com/orthd/orth/alarm"
)

const (
	// maxShownReason bounds a reason in a message, in characters. The alarm's entry has
	// more of it.
	maxShownReason = 300
	// maxItems and maxReasons bound the content of a message.
	maxItems   = 20
	maxReasons = 50
	// maxKept bounds the distinct reasons that are counted separately.
	maxKept = 200
)

// Digest summarizes events. Its size is bounded, whatever their number.
type Digest struct {
	Events    int            `json:"events,omitempty"`
	Items     []words.Item   `json:"items,omitempty"`   // the newest first
	Reasons   []words.Reason `json:"reasons,omitempty"` // in order of arrival
	More      int            `json:"more,omitempty"`    // further reasons
	LastEvent int64          `json:"last_event,omitempty"`
}

// empty reports whether the digest has no events.
func (g *Digest) empty() bool { return len(g.Items) == 0 }

// addEvents adds events that item represents.
func (g *Digest) addEvents(item words.Item, events int) {
	g.Events += events
	g.Items = slices.Insert(g.Items, 0, item)
	g.Items = g.Items[:min(len(g.Items), maxItems)]
	g.reason(words.Reason{Text: item.Reason, Count: max(events, 1), Run: item.RunID})
}

func (g *Digest) reason(r words.Reason) {
	for i := range g.Reasons {
		if known := &g.Reasons[i]; known.Text == r.Text {
			known.Count += r.Count
			known.Run = max(known.Run, r.Run)
			return
		}
	}
	if len(g.Reasons) >= maxKept {
		g.More++
		return
	}
	g.Reasons = append(g.Reasons, r)
}

// merge adds the content of another digest.
func (g *Digest) merge(other *Digest) {
	g.Events += other.Events
	g.Items = append(slices.Clone(g.Items), other.Items...)
	slices.SortStableFunc(g.Items, func(a, b words.Item) int { return b.At.Compare(a.At) })
	g.Items = g.Items[:min(len(g.Items), maxItems)]
	g.Reasons = slices.Clone(g.Reasons)
	for _, r := range other.Reasons {
		g.reason(r)
	}
	g.More += other.More
	g.LastEvent = max(g.LastEvent, other.LastEvent)
}

// copyInto copies the digest into a message, the most frequent reasons first.
func (g *Digest) copyInto(m *words.Message) {
	m.Events, m.Items = g.Events, slices.Clone(g.Items)
	reasons := slices.Clone(g.Reasons)
	slices.SortStableFunc(reasons, func(a, b words.Reason) int { return cmp.Compare(b.Count, a.Count) })
	most := min(len(reasons), maxReasons)
	m.Reasons, m.More = reasons[:most], len(reasons)-most+g.More
}
