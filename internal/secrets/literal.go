package secrets

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/orthd/orth/job"
)

// maxPiece is the bytes of the longest text that is looked for; a longer line is looked
// for in pieces.
const maxPiece = 4 << 10

// literals returns the texts by which a value is found in logs: each of its lines that
// is long enough, as it is, as it stands in JSON, and as it stands in an address. Sorted,
// each once.
func literals(value string) (found []string) {
	for line := range strings.Lines(value) {
		line = strings.TrimSpace(line)
		if len(line) < job.MinSecret {
			continue
		}
		for _, form := range []string{line, inJSON(line, false), inJSON(line, true), job.EscapeURL(line), asForm(line)} {
			found = append(found, pieces(form)...)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// inJSON returns a text as it stands inside a text of JSON, with or without the escapes
// that make it safe in a page.
func inJSON(text string, forPages bool) string {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(forPages)
	if err := encoder.Encode(text); err != nil { // A text can always be encoded.
		return text
	}
	quoted := strings.TrimSuffix(out.String(), "\n")
	return quoted[1 : len(quoted)-1]
}

// asForm returns a text as it stands in a form, or in the query of an address.
func asForm(text string) string { return strings.ReplaceAll(job.EscapeURL(text), "%20", "+") }

// pieces returns a text, or its pieces when it is too long for one. The last one reaches
// back into the one before it, so that all are long enough.
func pieces(text string) (all []string) {
	for len(text) > maxPiece {
		all = append(all, text[:maxPiece])
		text = text[maxPiece:]
		if len(text) < job.MinSecret {
			last := all[len(all)-1]
			text = last[len(last)-job.MinSecret:] + text
		}
	}
	return append(all, text)
}
