package job

import (
	"fmt"
	"strings"
)

// MaxShards bounds the shards of a broadcast.
const MaxShards = 1000

// Shard is the part of a broadcast that a Run does: Index of Total, the first is
// 0. The zero Shard means that the run is not a part of one.
type Shard struct {
	Index int `json:"index"`
	Total int `json:"total"`
}

// IsZero reports whether s is of no broadcast.
func (s Shard) IsZero() bool { return s.Total == 0 }

// String returns the shard as people write it, as "2 of 8"; the first is 0.
func (s Shard) String() string { return fmt.Sprintf("%d of %d", s.Index, s.Total) }

// Broadcast is a Run that was split into shards, which are runs of the cause
// [CauseShard]. It is under way until the last of them is over.
type Broadcast struct {
	// RunID is the run that was split, JobID its job, AttemptID the attempt of
	// that run that stands for all its shards.
	RunID     int64
	JobID     int64
	AttemptID int64
	// Total is the number that its shards get; Shards is the number of its runs: fewer when
	// only failed shards are repeated.
	Total  int
	Shards int
	// Open is how many of them have not ended, Failed how many ended without success.
	Open   int
	Failed int
	// Cancel is the reason of a user who cancels it, while its shards are being ended;
	// empty otherwise.
	Cancel string
}

// ShardRun is a shard with the address of the executor that has, or had, its
// last attempt; empty before the first.
type ShardRun struct {
	Run
	Address string
}

// Broadcast reports whether the attempt belongs to a run that was split: no executor has
// it, only the attempts of its shards.
func (a *Attempt) Broadcast() bool { return a.Address == "" }

// overlapOf returns the overlap for the executor. Shards of one broadcast that meet on
// their executor wait for each other: they must neither be discarded nor replace each
// other.
func overlapOf(j *Job, r *Run, a *Attempt) Overlap {
	meets := !r.Shard.IsZero() && (j.Shards > 0 || a.Address != r.Home)
	if meets && (j.Overlap == OverlapDiscard || j.Overlap == OverlapCover) {
		return OverlapSerial
	}
	return j.Overlap
}

// maxTold bounds the shards that a message lists one by one, and the characters of each
// one's message.
const (
	maxTold = 20
	maxSaid = 200
)

// ShardsFailed describes how many of a broadcast's shards failed, which, and the message of
// the first of them. failed are those that did not succeed, in order of index; of is their
// total.
func ShardsFailed(failed []Run, of int) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%d of %d shards failed", len(failed), of)
	if of == 1 {
		text.Reset()
		text.WriteString("the only shard failed")
	}
	separator := ": "
	for i := range failed {
		if i == maxTold {
			fmt.Fprintf(&text, ", and %d more", len(failed)-i)
			break
		}
		r := &failed[i]
		said := r.Message
		if said == "" {
			said = r.Reason
		}
		if said = strings.Join(strings.Fields(Clean(said, maxSaid)), " "); said != "" {
			said = ": " + said
		}
		fmt.Fprintf(&text, "%s%d (run %d %s%s)", separator, r.Shard.Index, r.ID, strings.ReplaceAll(string(r.State), "_", " "), said)
		separator = ", "
	}
	return text.String()
}
