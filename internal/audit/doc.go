// Package audit says what a line of the audit is, and whether a chain of them is
// whole.
//
// It knows lines, their digests, and what can have been done to a chain: lines that
// were changed, taken out, put in, moved, or cut off at the end. It must never know
// where lines are kept or what an operation does. Lines come in, in order; a
// [FaultError] that names the first bad one goes out, or the [Anchor] of the end.
//
// Each line has the digest of the line before it, and its own over all that it says
// and that one. Who can write to where the lines are kept can make a whole chain
// anew; an anchor that is kept elsewhere finds that, too.
package audit
