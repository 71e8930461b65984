package runs

import (
	"fmt"
	"strconv"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli/kit"
)

// showEvidence prints contradicting reports that arrived after the outcome of an attempt
// was recorded. Most runs have none.
func showEvidence(t *kit.Tool, attempts []api.Attempt) error {
	var rows [][]string
	for _, a := range attempts {
		for _, e := range a.Evidence {
			rows = append(rows, []string{strconv.Itoa(a.Number), kit.StateText(e.State), t.FormatTime(e.At), e.Note, e.Message})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	if _, err := fmt.Fprintln(t.Stdout, "\nLate reports (ignored):"); err != nil {
		return err
	}
	return t.PrintTable("TRY STATE RECEIVED NOTE MESSAGE", rows)
}
