// Package signing sends and accepts the signed requests of Orth's own protocol.
//
// It knows signatures, nonces, clocks and certificates: a [Courier] signs requests and
// accepts signed answers only, a [Verifier] checks who sent a request, and an
// [Entrance] admits it before it is served. It must never know what a message holds.
// Bodies, tokens and HTTP requests come in; callers, sessions and answers go out.
package signing
