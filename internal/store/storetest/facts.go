package storetest

import (
	"strings"

	"github.com/orthd/orth/job"
)

// tell stores facts of an executor, reported so many seconds from now on.
func (b *bench) tell(group, address, kind, text string, seconds int) error {
	b.Helper()
	return b.PutFacts(b.ctx(), group, address, job.Facts{Kind: kind, Text: text, At: b.at(seconds)})
}

// told wants what the executor has reported last.
func (b *bench) told(group, address string, want job.Facts) {
	b.Helper()
	got, err := b.Facts(b.ctx(), group, address)
	b.ok(err)
	b.same("facts", got, want)
}

func leaseFacts(b *bench) {
	b.kind(b.tell("a", addressOne, "solana", `{}`, 0), job.NotFound)
	b.beat("a", addressOne, 90)
	b.beat("a", addressTwo, 90)
	b.beat("b", addressOne, 90)
	_, err := b.Facts(b.ctx(), "a", addressOne)
	b.kind(err, job.NotFound)

	b.ok(b.tell("a", addressOne, "solana", `{"n": 1}`, 0))
	b.ok(b.tell("b", addressOne, "other", `{"n":"ä 😀"}`, 1))
	b.told("a", addressOne, job.Facts{Kind: "solana", Text: `{"n": 1}`, At: b.at(0)})
	b.told("b", addressOne, job.Facts{Kind: "other", Text: `{"n":"ä 😀"}`, At: b.at(1)})
	_, err = b.Facts(b.ctx(), "a", addressTwo)
	b.kind(err, job.NotFound)

	// Twice in a second is once too often; a clock that was set back is no reason.
	b.kind(b.PutFacts(b.ctx(), "a", addressOne, job.Facts{Kind: "solana", Text: `{}`, At: b.at(1).Add(-1)}), job.Full)
	b.ok(b.tell("a", addressOne, "solana", `{"n":2}`, 1))
	b.ok(b.tell("a", addressOne, "solana", `{"n":3}`, -60))
	large := `{"a":"` + strings.Repeat("x", job.MaxFacts-8) + `"}`
	b.ok(b.tell("a", addressOne, "large", large, 60))

	b.reopen()
	b.told("a", addressOne, job.Facts{Kind: "large", Text: large, At: b.at(60)})
	var listed []any
	for _, e := range b.alive(0) {
		listed = append(listed, e.Group, e.Address, e.Kind, e.FactsAt.UnixMilli())
	}
	never := job.Executor{}.FactsAt.UnixMilli()
	b.same("listed", listed, []any{
		"a", addressOne, "large", b.at(60).UnixMilli(), "a", addressTwo, "", never, "b", addressOne, "other", b.at(1).UnixMilli(),
	})

	// Neither a beat nor a person's word changes them.
	b.beat("a", addressOne, 120)
	b.ok(b.SaveDialect(b.ctx(), "a", addressOne, job.DialectXXL2, job.DialectSet))
	b.told("a", addressOne, job.Facts{Kind: "large", Text: large, At: b.at(60)})
}

func leaseFactsGo(b *bench) {
	b.beat("a", addressOne, 90)
	b.beat("a", addressTwo, 90)
	for _, address := range []string{addressOne, addressTwo} {
		b.ok(b.tell("a", address, "solana", `{}`, 0))
	}
	gone := func(address string) {
		b.Helper()
		_, err := b.Facts(b.ctx(), "a", address)
		b.kind(err, job.NotFound)
	}
	b.ok(b.DropLease(b.ctx(), "a", addressOne))
	gone(addressOne)
	b.told("a", addressTwo, job.Facts{Kind: "solana", Text: `{}`, At: b.at(0)})
	b.beat("a", addressOne, 90) // the next one there has reported nothing
	gone(addressOne)

	// A newcomer removes executors that were silent for a day.
	b.beat("b", addressOne, 300_000)
	gone(addressTwo)

	// One that was entered by hand reports like the others, until it is removed.
	b.enter("a", addressTwo, b.now)
	b.ok(b.tell("a", addressTwo, "solana", `{"n":1}`, 10))
	b.ok(b.RemoveAddress(b.ctx(), "a", addressTwo))
	gone(addressTwo)
}
