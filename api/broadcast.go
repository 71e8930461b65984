package api

import "github.com/orthd/orth/job"

// Shard is a part of a broadcast.
type Shard struct {
	Index int `json:"index" doc:"Which part, 0 for the first."`
	Total int `json:"total" doc:"Of how many."`
}

// Shards is the progress of the shards of a run.
type Shards struct {
	Total  int    `json:"total" doc:"The number of parts of the work, as handlers see it."`
	Count  int    `json:"count" doc:"How many shards the run has: fewer than total when only those are done again that had failed."`
	Open   int    `json:"open" doc:"How many of them are not over."`
	Failed int    `json:"failed" doc:"How many are over and did not succeed."`
	Cancel string `json:"cancel,omitempty" doc:"Why a user ends the run."`
}

// ShardRun is a shard: a run of its own, with its executor.
type ShardRun struct {
	Run
	Address string `json:"address,omitempty" doc:"The base URL of the executor of its last attempt; absent before the first."`
}

// ShardList is all shards of a run, in order of index.
type ShardList struct {
	Shards []ShardRun `json:"shards" nullable:"false"`
}

// FromBroadcast returns how far a run is, as the API shows it.
func FromBroadcast(b job.Broadcast) Shards {
	return Shards{Total: b.Total, Count: b.Shards, Open: b.Open, Failed: b.Failed, Cancel: b.Cancel}
}

// FromShards returns the shards as the API shows them.
func FromShards(shards []job.ShardRun) ShardList {
	list := ShardList{Shards: make([]ShardRun, len(shards))}
	for i := range shards {
		list.Shards[i] = ShardRun{Run: FromRun(shards[i].Run), Address: shards[i].Address}
	}
	return list
}
