// Package feed keeps the last items of a stream, for readers that come, go, and come back.
//
// It knows items and their numbers. It must never know what an item is, who reads it, or
// over what. One goroutine appends, and never waits; each reader reads from its own
// position, as fast as it can. A reader costs no memory of its own. A reader that has
// fallen too far behind, or returns to a position that is not kept, gets the reason and
// continues with new items.
package feed
