package xxl

import "slices"

// nothingKilled reports whether the answer to a kill says that there was nothing
// to end.
func (v *voices) nothingKilled(r reply) bool {
	return r.code == codeSuccess &&
		slices.ContainsFunc(v.speeches, func(s Speech) bool { return r.is(s.Answers.NothingEnded) })
}

// is reports whether a reply says a text, which is not empty. Executors of some
// releases have it as message, those of others as payload.
func (r reply) is(text string) bool {
	return text != "" && (r.text == text || string(r.payload) == `"`+text+`"`)
}

// groupWanted reports whether an executor from release 3.5 on says that it was not told
// its group and its token, or that they are others.
func groupWanted(text string) bool { return text == textGroupEmpty || text == textGroupWrong }
