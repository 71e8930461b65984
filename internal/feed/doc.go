// Package feed keeps the last items of something that goes on, for readers who come,
// go, and come back.
//
// It knows items and their numbers. It must never know what an item is, who reads it,
// or over what: one appends, and never waits for anybody; each reader takes what is
// behind its own place, as fast as it can. A reader costs no memory of its own. One
// that has fallen too far behind, or comes back to a place that is not kept, is told so
// and goes on with what is new.
package feed
