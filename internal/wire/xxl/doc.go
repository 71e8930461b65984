// Package xxl speaks the dialects of XXL-JOB, from release 2.2 on, on both sides:
// [ExecutorHandler] and [AdminHandler] answer, [ExecutorClient] and [AdminClient] call.
// What a message is in a dialect is in package dialect; the caller hands in the dialects
// of forks of XXL-JOB.
//
// It knows which request carries what, and how to detect a peer's dialect by a call or an
// answer. It must never know what a room
// does with a task or an outcome: it translates and decides nothing, except what is known
// about a request that failed. HTTP requests and job words come in; job words, job error
// kinds and HTTP replies go out.
//
//	server                                   executor
//	ExecutorClient ── /run /kill /log … ──▶ ExecutorHandler
//	AdminHandler ◀── /api/callback … ────── AdminClient
//
// # What a failed request is
//
// Calls to executors end in one of four ways, because the server must know whether it may
// send the task elsewhere:
//
//	not one byte of the request was written    job.Unreachable
//	written, no answer that can be understood  job.Ambiguous
//	answered with another code than 200        job.Refused
//	answered that it has this attempt already  job.Duplicate
//
// A refusal for now, because too much is under way or the executor stops, is job.Full:
// another executor may take the task. If the job's overlap discards the task, it is
// job.Refused because of job.ErrDiscarded.
//
// # What the dialect has no words for
//
// Two sides of Orth exchange more, in headers that every other peer ignores:
//
//	/run          Orth-Planned-At Orth-On-Crash Orth-Run-Id Orth-Try Orth-Labels
//	/kill         Orth-Attempt-Id: end this attempt alone
//	api/registry  Orth-Features: what the executor can run
//	api/registry  Orth-Incarnation Orth-Started-At Orth-Beat Orth-Load Orth-Holding: its process
//	api/callback  Orth-Failures: what failures mean for the next try, or that they
//	              are none
package xxl
