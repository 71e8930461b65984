package xxl

import "slices"

// nothingKilled reports whether the answer to a kill means that nothing was running.
func (v *voices) nothingKilled(r reply) bool {
	return r.code == codeSuccess &&
		slices.ContainsFunc(v.speeches, func(s Speech) bool { return r.is(s.Answers.NothingEnded) })
}

// is reports whether a reply carries a text, which is not empty. Executors of some releases
// have it as message, those of others as payload.
func (r reply) is(text string) bool {
	return text != "" && (r.text == text || string(r.payload) == `"`+text+`"`)
}

// groupWanted reports whether an executor from release 3.5 on refuses because its group and
// its token are missing or wrong.
func groupWanted(text string) bool { return text == textGroupEmpty || text == textGroupWrong }
