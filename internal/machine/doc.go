// Package machine tells what the machine has that a process runs on: how many files a
// process may have open, and how much of a disk is free.
//
// It knows the calls of the operating systems. It must never know what needs the files
// or the room. A folder comes in; numbers go out, zeros where a system does not say.
package machine
