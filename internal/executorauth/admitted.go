package executorauth

import (
	"fmt"
	"slices"
	"time"

	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

const (
	// MaxAdmitted bounds the admitted well-known tokens.
	MaxAdmitted = 4
	// NoToken admits executors without a token.
	NoToken = "none"
	// warnEvery is the interval between two log lines about admitted tokens in use.
	warnEvery = 10 * time.Minute
)

// remedy is what to do about tokens that cannot be unsealed.
const remedy = "bring secrets.key back into the data folder as it was and start again, " +
	"or make new tokens with 'orth group token add', give them out and remove the old ones"

// CheckAdmitted reports why tokens must not be admitted. Only well-known tokens are
// allowed: any other can be a group token. field names their setting in the error.
func CheckAdmitted(field string, tokens []string) error {
	if len(tokens) > MaxAdmitted {
		return job.FieldErrorf(field, "names %d tokens; at most %d are admitted at once", len(tokens), MaxAdmitted)
	}
	for _, token := range tokens {
		if token == NoToken || credential.WellKnown(redacted.New(token)) {
			continue
		}
		wrong := job.FieldErrorf(field, "admits well-known tokens only, such as default_token, and %q for executors that show none", NoToken)
		wrong.Hint = "a token that is yours alone is made one of its group: orth group token add GROUP --stdin"
		return wrong // without the text, which may be a secret
	}
	return nil
}

// shown returns the tokens as executors send them, without duplicates.
func shown(admitted []string) []string {
	texts := make([]string, 0, len(admitted))
	for _, text := range admitted {
		if text == NoToken {
			text = ""
		}
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return texts
}

// admits returns the id of an admitted well-known token, and false otherwise. The ids count
// down from [job.TokenAdmitted]; the server uses them to send each executor the token that
// it sent.
func (g *Groups) admits(token string) (int64, bool) {
	i := slices.Index(g.admitted, token)
	return job.TokenAdmitted - int64(i), i >= 0
}

// Warnings returns what operators must change, as sentences without secrets; nil for
// nothing.
func (g *Groups) Warnings() []string {
	var warnings []string
	counts := g.showing("")
	if !g.config.Shared.IsZero() {
		warnings = append(warnings, fmt.Sprintf("executors of all groups share one token: whoever has it can register executors of every group, be sent "+
			"their tasks with their secrets, and report for them; %s now. "+sharedRemedy, using(counts[job.TokenShared])))
	}
	for i, text := range g.admitted {
		warnings = append(warnings, fmt.Sprintf("%s is admitted: whoever reaches this server can register executors and report for them; %s now. "+
			"Give each group a token of its own with 'orth group token add', then leave --admit-default-token away",
			admittedName(text), using(counts[job.TokenAdmitted-int64(i)])))
	}
	if b := g.book.Load(); b != nil && len(b.lost) > 0 {
		warnings = append(warnings, fmt.Sprintf("tokens of these groups cannot be shown to executors any more: %s. To mend it, %s", joinNames(b.lost), remedy))
	}
	return warnings
}

// sharedRemedy is what to do about a shared token.
const sharedRemedy = "Give each group a token of its own with 'orth group token add', then leave --admit-shared-token-file away"

func admittedName(text string) string {
	if text == "" {
		return "showing no token"
	}
	return "the well-known token " + text
}

func using(n int) string {
	switch n {
	case 0:
		return "no executor does so"
	case 1:
		return "1 executor does so"
	}
	return fmt.Sprintf("%d executors do so", n)
}

// logTokens logs each shared or admitted token: all of them at the start, later those in use.
func (g *Groups) logTokens(start bool) {
	counts := g.showing("")
	if n := counts[job.TokenShared]; !g.config.Shared.IsZero() && (start || n > 0) {
		g.config.Logger.Warn("executors of all groups share one token: whoever has it can register executors of every group and report for them",
			"executors", n, "hint", sharedRemedy)
	}
	for i, text := range g.admitted {
		if n := counts[job.TokenAdmitted-int64(i)]; start || n > 0 {
			g.config.Logger.Warn("a well-known token is admitted: whoever reaches this server can register executors and report for them",
				"admitted", admittedName(text), "executors", n,
				"hint", "give each group a token of its own with 'orth group token add', then leave --admit-default-token away")
		}
	}
}

// showing returns how many executors of a group, or of any for "", last sent each token. An
// address counts once.
func (g *Groups) showing(group string) map[int64]int {
	counts := make(map[int64]int)
	if g.config.Executors == nil {
		return counts
	}
	type place struct {
		address string
		token   int64
	}
	seen := make(map[place]struct{})
	for _, e := range g.config.Executors.Executors() {
		at := place{e.Address, e.TokenID}
		if _, twice := seen[at]; twice || group != "" && e.Group != group {
			continue
		}
		seen[at] = struct{}{}
		counts[e.TokenID]++
	}
	return counts
}
