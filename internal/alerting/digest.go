package alerting

import (
	"cmp"
	"slices"

	words "github.com/orthd/orth/alarm"
)

const (
	// maxTold bounds a reason in a message, in characters; the entry has more.
	maxTold = 300
	// maxItems and maxReasons bound what a message shows.
	maxItems   = 20
	maxReasons = 50
	// maxKept bounds the different reasons that are counted apart.
	maxKept = 200
)

// Digest is what some events have to say, bounded however many they are.
type Digest struct {
	Events    int            `json:"events,omitempty"`
	Items     []words.Item   `json:"items,omitempty"`   // the newest first
	Reasons   []words.Reason `json:"reasons,omitempty"` // in the order in which they came
	More      int            `json:"more,omitempty"`    // reasons beside
	LastEvent int64          `json:"last_event,omitempty"`
}

// empty reports whether there is nothing to tell.
func (g *Digest) empty() bool { return len(g.Items) == 0 }

// add takes some events that an item stands for.
func (g *Digest) add(item words.Item, events int) {
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

// merge takes all of another digest.
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

// show puts the digest into a message: the reasons with the most events first.
func (g *Digest) show(m *words.Message) {
	m.Events, m.Items = g.Events, slices.Clone(g.Items)
	reasons := slices.Clone(g.Reasons)
	slices.SortStableFunc(reasons, func(a, b words.Reason) int { return cmp.Compare(b.Count, a.Count) })
	most := min(len(reasons), maxReasons)
	m.Reasons, m.More = reasons[:most], len(reasons)-most+g.More
}
