package cli

import (
	"fmt"
	"strconv"

	"github.com/orthd/orth/api"
)

// showEvidence shows what came for the attempts of a run after their ends were
// recorded and says something else. For most there is nothing.
func (t *tool) showEvidence(attempts []api.Attempt) error {
	var rows [][]string
	for _, a := range attempts {
		for _, e := range a.Evidence {
			rows = append(rows, []string{strconv.Itoa(a.Number), words(e.State), t.time(e.At), e.Note, e.Message})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	if _, err := fmt.Fprintln(t.Stdout, "\nEvidence, which changed nothing:"); err != nil {
		return err
	}
	return t.table("TRY SAYS CAME NOTE MESSAGE", rows)
}
