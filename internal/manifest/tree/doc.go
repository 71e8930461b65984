// Package tree reads documents of YAML and JSON into trees of values.
//
// It knows both syntaxes, limits, and the place where each value stands, for errors. It
// must never know kinds of objects or their fields. Text comes in; nodes go out, and
// errors are Invalid.
package tree
