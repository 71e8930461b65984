// Package journal is an append-only file set: operations go in, in groups, and
// come out in the same order after a crash.
//
// It knows bytes, checksums, files and the order of groups. It must never know
// what an operation means. A [Batch] comes in and is written when
// [Journal.Append] returns, and durable if that was asked for; operations go out of [Open], with a word where some
// of them were lost.
//
// # Files
//
// A folder has a manifest, with the numbers of the oldest and the newest segment,
// and segments. A segment is a block with its header, twice, and frames: one for
// each group, written with one write. Everything carries a CRC-32C.
//
//	segment   header block | frame | frame | … | zeros
//	frame     salt, number, loose frames before it, length, size of the file, operations, checksum |
//	          operation | operation | … | salt and number again
//	operation length, checksum | content
//
// Frames are numbered without a gap across segments. Each segment has a random
// salt, which is in its frames and seeds its checksums, so bytes that were
// something else before, and bytes that a caller made up, never pass for frames.
// A file grows by blocks of zeros before anything is written into them: a
// frame that overwrites costs the disk half of one that extends.
//
// # Failure
//
// After a failed write or sync the fate of the frame is unknown. A new segment
// whose header says "from that number on" makes the frame void, durably; that is
// tried at once. When it works, the group certainly left nothing. When it does
// not, the error is [ErrUncertain], and nothing is appended before it works: after
// a restart, what the disk shows counts.
//
// A frame that was written and not forced is loose. All that is loose stands at the
// beginning of the next segment, in one frame, so that the files before it are durable as
// far as they count. So loose frames are only behind the last forced one of the last file.
//
// # Recovery
//
// A frame that is incomplete at the very end was never forced: it is what a power cut
// leaves, and is dropped, with the loose ones around it and behind it. It is told from a
// damaged one by a piece of a sector that is all zeros, since disks write sectors whole,
// and by later frames, which say how many before them were loose. Anything else is
// damage: a checksum that does not fit, a number that is missing, a segment or the
// end of a file that is gone. What can still be read is handed out, operation by
// operation; then the caller hears that something before this point was lost; and
// the damaged bytes are copied into the file "damaged", up to a bound.
package journal
