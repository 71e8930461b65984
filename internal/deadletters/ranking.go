package deadletters

import (
	"time"

	"github.com/orthd/orth/job"
)

// MaxRankedLetters is how many dead letters are sorted, those of the newest runs.
const MaxRankedLetters = 10_000

// LetterMark is where a dead letter stands in an order: the next page begins behind it.
// Top and Floor are the ids of runs that all pages lie between: from Floor on, below Top.
type LetterMark struct {
	Value          int64  // what it is sorted by, if that is a number
	Text           string // the same, if it is a text
	ID, Top, Floor int64
}

// RankedLetters is a page of dead letters with where each stands.
type RankedLetters struct {
	Letters []job.DeadLetter
	Marks   []LetterMark
	// More is set when others follow.
	More bool
	// Since is when the oldest run was made whose letter was sorted; zero when all were.
	Since time.Time
}
