// Package broadcast ends runs that were split into shards, once all of these are over: the
// barrier of a broadcast.
//
// It knows runs that were split, how many of their shards are open, and what their ends
// mean together. It must never know executors, protocols or SQL, nor how a run is split and
// its shards are sent: the dispatcher does that. It reads due broadcasts from the store. It
// passes one outcome of the whole to the completer, which starts the children as it does
// for every run. It cancels shards that are no longer needed.
//
//	dispatcher: a run ──▶ broadcast + shards     completer: the end of a shard
//	                                                          │ (its transaction)
//	        ClaimBroadcasts ◀── look_at ◀── the last is over ◀┘
//	             └──▶ decide ──▶ Complete │ CancelRun of each shard │ PutOff
//
// The transaction that ends the last shard makes the broadcast due, so a crash anywhere
// leaves a row that any server finds.
package broadcast
