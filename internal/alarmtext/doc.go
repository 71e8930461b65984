// Package alarmtext makes the texts of alerts from templates.
//
// It knows the shipped templates, which parts of a template may be used, and what must not
// stand in a text that people read. It must never know channels, how a message is sent or
// where a template is stored. A template and a message come in; a title of one line and a
// plain text go out, or an error that tells the author of the template what to change. In
// Chinese messages the servers' reasons are Chinese as well.
//
// The authors of templates must not be able to stop the server. Templates have only a few
// functions and no recursion, loops go over the lists of a message alone, and each
// rendering has a budget of steps, bytes and time. Texts of jobs and executors get into a
// message as one line of printable characters each.
package alarmtext
