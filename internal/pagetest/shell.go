package pagetest

import (
	"slices"
	"strings"
)

// Words splits lines of a shell into commands, each a list of words, as far as pages need
// it: quotes, comments, continued lines, pipes. What is redirected is left out, variables
// and substitutions stay as they are written.
func Words(text string) (commands [][]string) {
	var line []string
	var word strings.Builder
	begun, quote, depth := false, rune(0), 0
	endWord := func() {
		if begun {
			line = append(line, word.String())
		}
		word.Reset()
		begun = false
	}
	endLine := func() {
		endWord()
		for i := 0; i < len(line); i++ {
			if line[i] == "<" || line[i] == ">" {
				line = slices.Delete(line, i, min(i+2, len(line)))
				i--
			}
		}
		if len(line) > 0 {
			commands = append(commands, line)
		}
		line = nil
	}
	comment := false
	runes := []rune(strings.ReplaceAll(strings.ReplaceAll(text, "\\\r\n", " "), "\\\n", " "))
	for i, r := range runes {
		switch {
		case comment && r != '\n':
		case quote != 0 && r != quote, depth > 0 && r != ')' && r != '(':
			word.WriteRune(r)
		case quote != 0:
			quote = 0
		case r == '\n', r == '|', r == ';', r == '&':
			comment = false
			endLine()
		case r == '(' || r == ')':
			if begun = true; r == '(' {
				depth++
			} else {
				depth = max(depth-1, 0)
			}
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, begun = r, true
		case r == ' ' || r == '\t':
			endWord()
		case (r == '<' || r == '>') && (i == 0 || !begun):
			word.WriteRune(r)
			begun = true
			endWord()
		case r == '#' && !begun:
			comment = true
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	endLine()
	return commands
}
