package command

import (
	"encoding/json"
	"strings"

	"github.com/orthd/orth/job"
)

// maxArgs bounds the arguments of one command.
const maxArgs = 4096

// split makes arguments of a parameter: of a JSON array of texts as it is, of
// any other text by the quoting rules of a shell. Single quotes keep all; double
// quotes keep all but a backslash before a double quote or a backslash; outside
// of quotes a backslash keeps the next character. Nothing is expanded, and |, ;,
// >, $, * and their like are plain characters.
func split(param string) ([]string, error) {
	param = strings.TrimSpace(param)
	var args []string
	if strings.HasPrefix(param, "[") {
		if err := json.Unmarshal([]byte(param), &args); err != nil {
			return nil, job.FieldErrorf("param", "begins like a JSON array and is none of texts: "+
				`write ["program", "argument"], or quote the first word: %w`, err)
		}
	} else {
		var err error
		if args, err = words(param); err != nil {
			return nil, err
		}
	}
	return checkArgs(args)
}

// checkArgs returns the arguments when a program can be started with them.
func checkArgs(args []string) ([]string, error) {
	switch {
	case len(args) == 0 || args[0] == "":
		return nil, job.FieldErrorf("param", "names no program: write the program and its arguments")
	case len(args) > maxArgs:
		return nil, job.FieldErrorf("param", "has %d arguments, at most %d are allowed", len(args), maxArgs)
	}
	for _, arg := range args {
		if strings.ContainsRune(arg, 0) {
			return nil, job.FieldErrorf("param", "has a NUL character, which no argument can hold: take it out")
		}
	}
	return args, nil
}

// words splits a line. It goes by bytes: what has a meaning is ASCII.
func words(line string) ([]string, error) {
	var (
		args  []string
		word  []byte
		begun bool // a word may be empty when it is quoted
		quote byte // 0 outside of quotes
	)
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == '\'':
			word = append(word, c)
		case c == '\\' && (quote == 0 || i+1 < len(line) && (line[i+1] == '"' || line[i+1] == '\\')):
			if i++; i == len(line) {
				return nil, job.FieldErrorf("param", `ends in a backslash: double it, or take it away`)
			}
			word, begun = append(word, line[i]), true
		case quote != 0:
			word = append(word, c)
		case c == '\'' || c == '"':
			quote, begun = c, true
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			if begun {
				args = append(args, string(word))
			}
			word, begun = word[:0], false
		default:
			word, begun = append(word, c), true
		}
	}
	if quote != 0 {
		return nil, job.FieldErrorf("param", "has a quote %c that is not closed: close it, or put a backslash before it", quote)
	}
	if begun {
		args = append(args, string(word))
	}
	return args, nil
}
