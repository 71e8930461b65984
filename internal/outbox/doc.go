// Package outbox stores the outcomes that no server has accepted yet, and sends them until
// one does.
//
// It knows order, batches, backoff and when to give an outcome up. It must never know a
// protocol, an address or what a server does with an outcome. [Outbox.Put] adds outcomes
// inside the transaction that ends their task; batches go out through [Sender].
//
//	Put ──▶ outbox ──▶ SendOutcomes ──accepted──▶ remembered ──▶ gone
//	          ▲             │  │
//	          └── any other ┘  └──refused, alone──▶ dead letter
//	              failure
package outbox
