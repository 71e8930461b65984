package manifest

import (
	"fmt"
	"slices"
	"strings"
)

// maxDiff bounds the lines of each text that are compared one by one; larger ones
// are shown as a whole that is replaced.
const maxDiff = 2_000

// contextLines is how many lines are shown around those that differ.
const contextLines = 3

// TextDiff returns the difference of two texts in the unified format, without its
// head; "" when they are the same.
func TextDiff(old, now string) string {
	if old == now {
		return ""
	}
	before, after := lines(old), lines(now)
	start := 0
	for start < min(len(before), len(after)) && before[start] == after[start] {
		start++
	}
	end := 0
	for end < min(len(before), len(after))-start && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	edits := make([]edit, 0, len(before)+len(after))
	for _, line := range before[:start] {
		edits = append(edits, edit{' ', line})
	}
	edits = append(edits, between(before[start:len(before)-end], after[start:len(after)-end])...)
	for _, line := range before[len(before)-end:] {
		edits = append(edits, edit{' ', line})
	}
	return unified(edits)
}

// edit is a line that stays (' '), goes ('-') or comes ('+').
type edit struct {
	sign byte
	line string
}

// lines splits a text; an end without a line feed is marked as in the unified format.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	all := strings.Split(text, "\n")
	if last := len(all) - 1; all[last] == "" {
		return all[:last]
	}
	all[len(all)-1] += "\n\\ No newline at end of file"
	return all
}

// between returns the shortest edits by the longest common subsequence.
func between(before, after []string) (edits []edit) {
	if len(before) > maxDiff || len(after) > maxDiff {
		for _, line := range before {
			edits = append(edits, edit{'-', line})
		}
		for _, line := range after {
			edits = append(edits, edit{'+', line})
		}
		return edits
	}
	width := len(after) + 1
	common := make([]uint16, (len(before)+1)*width) // of the rests from i and j
	for i, was := range slices.Backward(before) {
		for j, is := range slices.Backward(after) {
			if was == is {
				common[i*width+j] = common[(i+1)*width+j+1] + 1
			} else {
				common[i*width+j] = max(common[(i+1)*width+j], common[i*width+j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(before) || j < len(after) {
		switch {
		case i < len(before) && j < len(after) && before[i] == after[j]:
			edits = append(edits, edit{' ', before[i]})
			i, j = i+1, j+1
		case j == len(after) || i < len(before) && common[(i+1)*width+j] >= common[i*width+j+1]:
			edits = append(edits, edit{'-', before[i]})
			i++
		default:
			edits = append(edits, edit{'+', after[j]})
			j++
		}
	}
	return edits
}

// unified writes edits in hunks.
func unified(edits []edit) string {
	var out strings.Builder
	oldLine, newLine := 1, 1
	for at := 0; at < len(edits); {
		if edits[at].sign == ' ' {
			at, oldLine, newLine = at+1, oldLine+1, newLine+1
			continue
		}
		from := max(0, at-contextLines)
		to, quiet := at, 0
		for to < len(edits) && quiet <= 2*contextLines {
			if quiet++; edits[to].sign != ' ' {
				quiet = 0
			}
			to++
		}
		to -= max(0, quiet-contextLines)
		oldLine, newLine = oldLine-(at-from), newLine-(at-from)
		removed, added := 0, 0
		for _, e := range edits[from:to] {
			if e.sign != '+' {
				removed++
			}
			if e.sign != '-' {
				added++
			}
		}
		fmt.Fprintf(&out, "@@ -%s +%s @@\n", span(oldLine, removed), span(newLine, added))
		for _, e := range edits[from:to] {
			out.WriteByte(e.sign)
			out.WriteString(e.line)
			out.WriteByte('\n')
		}
		at, oldLine, newLine = to, oldLine+removed, newLine+added
	}
	return out.String()
}

// span writes where a hunk starts, and how many lines it has.
func span(start, count int) string {
	if count == 0 {
		start--
	}
	if count == 1 {
		return fmt.Sprint(start)
	}
	return fmt.Sprintf("%d,%d", start, count)
}
