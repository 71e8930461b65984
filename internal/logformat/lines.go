package logformat

import "strings"

// Count returns how many lines text has. A last line without its end counts.
func Count(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// Behind returns what stands behind the first lines of text, empty when there are
// no more than so many.
func Behind(text string, lines int) string {
	for ; lines > 0; lines-- {
		end := strings.IndexByte(text, '\n')
		if end < 0 {
			return ""
		}
		text = text[end+1:]
	}
	return text
}

// Head returns the first lines of text, at most so many and so many bytes, and how
// many they are. The first line is taken whatever its size.
func Head(text string, lines, bytes int) (head string, taken int) {
	end := 0
	for taken < lines && end < len(text) {
		size := strings.IndexByte(text[end:], '\n') + 1
		if size == 0 {
			size = len(text) - end
		}
		if taken > 0 && end+size > bytes {
			break
		}
		end += size
		taken++
	}
	return text[:end], taken
}
