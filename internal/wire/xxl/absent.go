package xxl

import (
	"slices"

	"github.com/orthd/orth/internal/wire/xxl/dialect"
)

// nothingKilled reports whether the answer to a kill means that nothing was running.
func (v *voices) nothingKilled(r dialect.Reply) bool {
	return r.Code == dialect.CodeSuccess &&
		slices.ContainsFunc(v.speeches, func(s dialect.Speech) bool { return r.Is(s.Answers.NothingEnded) })
}

// groupWanted reports whether an executor from release 3.5 on refuses because its group and
// its token are missing or wrong.
func groupWanted(text string) bool {
	return text == dialect.TextGroupEmpty || text == dialect.TextGroupWrong
}
