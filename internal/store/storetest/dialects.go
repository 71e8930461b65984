package storetest

import "github.com/orthd/orth/job"

// speak beats as an executor that shows a dialect, and wants it listed so.
func (b *bench) speak(d job.Dialect, by job.DialectBy, want job.Dialect, wantBy job.DialectBy) {
	b.Helper()
	written, err := b.PutLease(b.ctx(), job.Executor{
		Group: "a", Address: addressOne, LeaseUntil: b.at(90), RegisteredAt: b.now, SeenAt: b.now, Dialect: d, DialectBy: by,
	})
	b.ok(err)
	b.same("written", []any{written.Dialect, written.DialectBy}, []any{want, wantBy})
	b.spoken(want, wantBy)
}

// spoken wants the only executor to be spoken to so.
func (b *bench) spoken(want job.Dialect, wantBy job.DialectBy) {
	b.Helper()
	alive := b.alive(0)
	b.same("executors", len(alive), 1)
	b.same("listed", []any{alive[0].Dialect, alive[0].DialectBy}, []any{want, wantBy})
}

func leaseDialect(b *bench) {
	b.speak("", "", "", "")
	b.ok(b.SaveDialect(b.ctx(), "a", addressOne, job.DialectOrthJava, job.DialectProbed))
	b.spoken(job.DialectOrthJava, job.DialectProbed)
	b.ok(b.SaveDialect(b.ctx(), "a", addressOne, job.DialectXXL35, job.DialectProbed))
	b.spoken(job.DialectXXL35, job.DialectProbed)
	b.speak("", "", job.DialectXXL35, job.DialectProbed)
	b.speak(job.DialectXXL2, job.DialectSeen, job.DialectXXL2, job.DialectSeen)
	b.ok(b.SaveDialect(b.ctx(), "a", addressOne, job.DialectXXL35, job.DialectProbed))
	b.spoken(job.DialectXXL2, job.DialectSeen)
	b.speak(job.DialectXXL3, job.DialectSeen, job.DialectXXL3, job.DialectSeen)
	b.speak("", "", job.DialectXXL3, job.DialectSeen)
	for _, unknown := range [][2]string{{"a", addressTwo}, {"b", addressOne}} {
		b.ok(b.SaveDialect(b.ctx(), unknown[0], unknown[1], job.DialectXXL2, job.DialectProbed))
	}
	b.reopen()
	b.spoken(job.DialectXXL3, job.DialectSeen)
}

func leaseDialectSet(b *bench) {
	b.kind(b.SaveDialect(b.ctx(), "a", addressOne, job.DialectXXL2, job.DialectSet), job.NotFound)
	b.speak(job.DialectXXL3, job.DialectSeen, job.DialectXXL3, job.DialectSeen)
	for _, unknown := range [][2]string{{"a", addressTwo}, {"b", addressOne}} {
		b.kind(b.SaveDialect(b.ctx(), unknown[0], unknown[1], job.DialectXXL2, job.DialectSet), job.NotFound)
	}
	b.ok(b.SaveDialect(b.ctx(), "a", addressOne, job.DialectXXL2, job.DialectSet))
	b.spoken(job.DialectXXL2, job.DialectSet)
	b.speak(job.DialectXXL3, job.DialectSeen, job.DialectXXL2, job.DialectSet)
	b.ok(b.SaveDialect(b.ctx(), "a", addressOne, job.DialectXXL35, job.DialectProbed))
	b.spoken(job.DialectXXL2, job.DialectSet)
	b.ok(b.SaveDialect(b.ctx(), "a", addressOne, job.DialectXXL35, job.DialectSet))
	b.spoken(job.DialectXXL35, job.DialectSet)
	b.ok(b.SaveDialect(b.ctx(), "a", addressOne, "", ""))
	b.spoken("", "")
	b.speak(job.DialectXXL3, job.DialectSeen, job.DialectXXL3, job.DialectSeen)

	// What was set outlives a deregistration, as of an executor that restarts, and a day of
	// silence in which newcomers remove dead executors.
	b.ok(b.SaveDialect(b.ctx(), "a", addressOne, job.DialectOrthJava, job.DialectSet))
	b.ok(b.DropLease(b.ctx(), "a", addressOne))
	b.same("after a farewell", len(b.alive(0)), 0)
	b.beat("b", addressTwo, 300_000)
	b.ok(b.DropLease(b.ctx(), "b", addressTwo))
	b.speak(job.DialectXXL3, job.DialectSeen, job.DialectOrthJava, job.DialectSet)
	b.ok(b.SaveDialect(b.ctx(), "a", addressOne, "", ""))

	// An address entered by hand keeps what was set for it, whichever process registers.
	b.ok(b.DropLease(b.ctx(), "a", addressOne))
	b.enter("a", addressOne, b.now)
	b.spoken("", "")
	b.ok(b.SaveDialect(b.ctx(), "a", addressOne, job.DialectOrthJava, job.DialectSet))
	e := b.alive(0)[0]
	b.ok(b.RenewManual(b.ctx(), []job.Executor{e}, b.at(90), b.now))
	b.enter("a", addressOne, b.now)
	b.spoken(job.DialectOrthJava, job.DialectSet)
	b.speak(job.DialectXXL3, job.DialectSeen, job.DialectOrthJava, job.DialectSet)
}

func leaseToken(b *bench) {
	for _, token := range []int64{3, job.TokenNone, job.TokenDerived, job.TokenShared, job.TokenAdmitted, 4} {
		_, err := b.PutLease(b.ctx(), job.Executor{
			Group: "a", Address: addressOne, LeaseUntil: b.at(90), RegisteredAt: b.now, SeenAt: b.now, TokenID: token,
		})
		b.ok(err)
		b.same("token", b.alive(0)[0].TokenID, token)
	}
}
