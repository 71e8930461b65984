package job

import "slices"

// Dialect is the protocol of one executor, with its generation where generations differ.
// Empty means that it is not known yet.
type Dialect string

// The dialects that servers support. Only the protocol packages know how they differ on the
// wire.
const (
	// DialectXXL is XXL-JOB up to 3.4 when more is not known: an unidentified peer of its
	// family.
	DialectXXL Dialect = "xxl-job"
	// DialectXXL2 is the Java executor of XXL-JOB up to 3.2.
	DialectXXL2 Dialect = "xxl-job-2"
	// DialectXXL3 is the Java executor of XXL-JOB 3.3 and 3.4.
	DialectXXL3 Dialect = "xxl-job-3"
	// DialectXXL35 is XXL-JOB from 3.5 on.
	DialectXXL35 Dialect = "xxl-job-3.5"
	// DialectOrthJava is the Java fork that has Orth's name.
	DialectOrthJava Dialect = "orth-java"
	// DialectNative is Orth's own protocol.
	DialectNative Dialect = "native"
)

// Dialects returns all of them, in display order.
func Dialects() []Dialect {
	return []Dialect{DialectXXL, DialectXXL2, DialectXXL3, DialectXXL35, DialectOrthJava, DialectNative}
}

// DialectBy is how a [Dialect] was determined. A stronger source is never replaced by a
// weaker one: a dialect that a person set stays until a person changes it.
type DialectBy string

// The sources of dialects, from the weakest to the strongest.
const (
	DialectProbed DialectBy = "probed" // by what the executor answered
	DialectSeen   DialectBy = "seen"   // by how it calls
	DialectSet    DialectBy = "set"    // by a person
)

// Replaces reports whether a dialect from this source replaces one from the other: of two
// equally strong ones the newest wins.
func (by DialectBy) Replaces(other DialectBy) bool {
	strength := func(b DialectBy) int { return slices.Index([]DialectBy{"", DialectProbed, DialectSeen, DialectSet}, b) }
	return strength(by) >= strength(other)
}

// The token that an executor showed last, where it is not one of its group's: those have
// positive ids.
const (
	TokenNone     int64 = 0  // none yet, of an executor that was entered by hand; or none where none is needed
	TokenAdmitted int64 = -1 // a well-known one that the operator admits for a time; others of them have the ids below
	// TokenCertificate stands for a certificate that names its group, where no token
	// is shown.
	TokenCertificate int64 = -100
	TokenDerived     int64 = -101 // one that is made of the server's key for its group
	TokenShared      int64 = -102 // one that the operator lets executors of all groups share
)

// WellKnownToken reports whether the id of a token is that of a well-known one.
func WellKnownToken(id int64) bool { return id <= TokenAdmitted && id > TokenCertificate }
