// Package resttest is the API over fakes, for the tests of its rooms.
//
// A [Fake] stands for all stores: it notes what it is asked, and answers the same each time.
package resttest
