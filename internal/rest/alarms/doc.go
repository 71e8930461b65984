// Package alarms has the operations about alarms: what was raised with its messages, and
// the rules, channels and silences that people define.
//
// It knows how these look in JSON. It must never know how an alarm comes to be, or how a
// channel sends. A checked request comes from the guard, one question goes to the stores.
package alarms
