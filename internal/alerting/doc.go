// Package alerting turns events into alarms, and sends each alarm's messages once.
//
// It knows events, rules, channels, silences, alarms and their messages. It does not know
// where events come from, how a channel transports a message, or SQL. It reads events from
// the store. Alarms, their entries and messages are rows, and messages go to a [Sender].
//
//	events ──▶ match ──▶ silence ──▶ group ──▶ dedup ──▶ rate ──┐ one transaction, with
//	                                                            ▼ the cursor behind the events
//	                          Sender ◀── send ◀── claim ◀── notifications
//	                            └──▶ record: sent │ retry later │ given up
//
// The first line decides. It takes rows, events, definitions and an instant, and returns
// changed rows. One server at a time runs it, the holder of a lease. The second line runs
// on every server. A server claims a message for a time, sends it, and records the answer.
// A crash between sending and recording leaves a claim that expires. The message is then
// sent again with the same id, so that the receiver can drop the duplicate. A crash
// anywhere else neither repeats nor loses anything.
package alerting
