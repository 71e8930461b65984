// Package observe watches the thread program on the chain, and reports when a thread is
// due.
//
// It knows subscriptions of nodes, how to detect that one is silent, what the chain's clock
// is between two of its ticks, and what makes a thread due. It must never know what is done
// with a thread that is due: no transaction, no queue, no other executor. Accounts and
// ticks of several nodes come in, in any order and more than once; events go out, each
// once.
//
// Nodes are not trusted: messages have a limit of bytes, lists a limit of items, and what
// cannot be read is counted and skipped. Addresses of nodes hold keys of their owners: no
// error, log line or figure shows more than the host.
package observe
