// Package native speaks Orth's own protocol, both sides of it: [ServerHandler]
// and [ExecutorHandler] answer, [ExecutorClient] and [ServerClient] ask.
//
// It knows which request carries what, and how requests travel to executors that have
// no port: with message for the JSON, signing for the signatures and mailbox for the
// commands that wait for a pull. It must never know what a room does with
// a task or an outcome: it translates and decides nothing, except what is known
// about a request that failed. HTTP requests and job words come in; job words, job
// error kinds and HTTP answers go out. The contract is docs/native-protocol.md.
//
//	server                                            executor
//	ExecutorClient ── tasks attempts cancel log … ──▶ ExecutorHandler   (push)
//	ServerHandler ◀── register outcomes farewell ──── ServerClient
//	ServerHandler ◀── pull answers ────────────────── Puller            (pull)
//	ServerHandler ◀── logs ────────────────────────── Follower
//
// # What a failed request is
//
// Calls to executors end in one of four ways, because the server must know
// whether it may send the task elsewhere:
//
//	not one byte of the request was written    job.Unreachable
//	written, no answer that can be trusted     job.Ambiguous
//	answered that it will not be done          job.Refused
//	answered that it has this attempt already  job.Duplicate
//
// One that was answered that it cannot be taken at present is job.Full: another
// executor may take it. One whose overlap discards the task is job.Refused because
// of job.ErrDiscarded. For an executor that pulls, a request leaves when a pull
// takes it: one that none took in time is Unreachable.
package native
