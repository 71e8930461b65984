// Package alarmtext makes the texts of alarms from templates.
//
// It knows the shipped templates, which parts of a template may be used, and what
// must not stand in a text that people read. It must never know channels, how a
// message is sent or where a template is stored. A template and a message come in;
// a title of one line and a plain text go out, or an error that tells the author of
// the template what to change. In Chinese messages the reasons that servers say are
// Chinese as well.
//
// Whoever may write a template must not be able to stop the server with it: only a
// few functions are there, there is no recursion, loops go over the lists of a
// message alone, and each rendering has a budget of steps, bytes and time. What jobs
// and executors said gets into a text as one line of printable characters each.
package alarmtext
