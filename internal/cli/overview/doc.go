// Package overview implements the commands that show many objects at once: stats, dashboard,
// timeline, events, top and explain.
//
// It reads through the API and changes nothing.
package overview
