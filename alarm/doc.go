// Package alarm has the words of alarms: the rules that say what is worth one, the
// channels that carry it to people, the silences that hold it back, the alarms
// themselves and the messages that are sent about them.
//
// It knows what a rule, a channel and a silence may say, and when a silence holds.
// It must never know where they are stored, how a message is sent or what a run
// is doing now. Values come in; whether they make sense, and what follows from
// them, goes out.
package alarm
