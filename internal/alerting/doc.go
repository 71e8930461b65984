// Package alerting turns what happened into alarms, and tells people, once.
//
// It knows events, the definitions of rules, channels and silences, the alarms that
// fire and the messages about them. It must never know where events come from, how
// a channel carries a message, or SQL. Events come in through the store; alarms,
// their entries and messages are rows that go out with them, and messages go to a
// [Sender].
//
//	events ──▶ match ──▶ silence ──▶ group ──▶ dedup ──▶ rate ──┐ one transaction, with
//	                                                            ▼ the cursor behind the events
//	                          Sender ◀── send ◀── claim ◀── notifications
//	                            └──▶ record: sent │ retry later │ given up
//
// What is on the first line decides: rows, events, definitions and an instant come
// in, changed rows go out, and one server at a time does it, the holder of a lease.
// What is on the second line works on every server: a message is claimed before it
// is sent, for a time, and recorded after the answer. A crash between the two leaves
// a claim that ends, and the message is sent again with the same id: whoever gets it
// twice can tell. A crash anywhere else repeats nothing and loses nothing.
package alerting
