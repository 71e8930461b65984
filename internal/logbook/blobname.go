package logbook

import (
	"strings"

	"github.com/orthd/orth/job"
)

// MaxBlobName is the longest name of a blob, in bytes.
const MaxBlobName = 255

// CheckBlobName refuses, as job.Invalid, what no store of blobs takes as a name: a
// name is parts of ASCII letters, digits, '-', '_' and '.' with '/' between them,
// and no part begins or ends with a '.'. So a name never leads out of a store's own
// place, and is the same wherever it is kept.
func CheckBlobName(name string) error {
	if len(name) > MaxBlobName {
		return job.Errorf(job.Invalid, "the name of a blob has %d bytes; at most %d are allowed", len(name), MaxBlobName)
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || part[len(part)-1] == '.' || strings.ContainsFunc(part, strange) {
			return job.Errorf(job.Invalid, "%q is no name of a blob: it is parts of letters, digits, '-', '_' and '.', with '/' between them", name)
		}
	}
	return nil
}

func strange(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '_', r == '.':
		return false
	}
	return true
}
