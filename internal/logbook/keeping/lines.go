package keeping

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxLine is the most bytes of a line that are kept.
const maxLine = 256 << 10

// wholeLines returns text so that it can be stored: valid UTF-8 in lines that each
// end in \n and are not too long. It has as many lines as text.
func wholeLines(text string) string {
	if text == "" {
		return ""
	}
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	if text[len(text)-1] != '\n' {
		text += "\n"
	}
	if longest(text) <= maxLine {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if len(line)-1 > maxLine {
			kept := strings.ToValidUTF8(line[:maxLine], "")
			line = fmt.Sprintf("%s… [cut: this line has %d bytes more]\n", kept, len(line)-1-len(kept))
		}
		b.WriteString(line)
	}
	return b.String()
}

// longest returns the length of the longest line.
func longest(text string) int {
	most := 0
	for text != "" {
		end := strings.IndexByte(text, '\n')
		if end < 0 {
			return max(most, len(text))
		}
		most = max(most, end)
		text = text[end+1:]
	}
	return most
}

// behind returns what stands behind the first lines of text.
func behind(text string, lines int) string {
	for ; lines > 0 && text != ""; lines-- {
		text = text[strings.IndexByte(text, '\n')+1:]
	}
	return text
}

// cutLines returns the first whole lines that fit.
func cutLines(text string, room int64) string {
	if room <= 0 {
		return ""
	}
	if int64(len(text)) <= room {
		return text
	}
	return text[:strings.LastIndexByte(text[:room], '\n')+1]
}

// cutLine is the last line of a log that was cut.
func cutLine(kept int64) string {
	return fmt.Sprintf("… [cut: %d bytes are kept of this log]\n", kept)
}

// masked hides what is secret. A mask that changes how many lines there are is asked
// for each of them.
func masked(text string, mask func(string) string) string {
	hidden := mask(text)
	if strings.Count(hidden, "\n") == strings.Count(text, "\n") && strings.HasSuffix(hidden, "\n") {
		return hidden
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.ReplaceAll(mask(strings.TrimSuffix(line, "\n")), "\n", " "))
		b.WriteByte('\n')
	}
	return b.String()
}
