// Package mailbox keeps commands for executors that pull, until a pull takes them.
//
// It knows which executors pull, what is on its way to them, and what a command is
// that received no answer. It must never know HTTP, or what a command does. Commands
// and pulls come in; commands and answers go out.
package mailbox
