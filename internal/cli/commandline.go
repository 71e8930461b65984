package cli

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// plainWord is a word that every shell takes as it is.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// shellWord returns a word as a shell takes it.
func shellWord(word string) string {
	switch {
	case plainWord.MatchString(word):
		return word
	case strings.Contains(word, "'") && !strings.ContainsAny(word, "\"$\\!`"):
		return `"` + word + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// shellLine returns a command line of orth.
func shellLine(words ...string) string {
	var line strings.Builder
	line.WriteString("orth")
	for _, word := range words {
		line.WriteString(" " + shellWord(word))
	}
	return line.String()
}

// inQuotes marks a command line in a sentence.
func inQuotes(line string) string {
	if strings.Contains(line, "'") {
		return "`" + line + "`"
	}
	return "'" + line + "'"
}

// command returns a command line, marked for a sentence, that works where this command
// did: it names the server with the same flags. A token that was given on the command
// line is left out, because what is printed may be kept.
func (t *tool) command(words ...string) string {
	return inQuotes(shellLine(slices.Concat(words, t.serverNamed())...))
}

// commandIn is command for things of a namespace, which it names where this command
// line did.
func (t *tool) commandIn(words ...string) string {
	return t.command(slices.Concat(words, namespaceNamed(t.named()))...)
}

func namespaceNamed(namespace string) []string {
	if namespace == "" {
		return nil
	}
	return []string{"--namespace", namespace}
}

// serverNamed returns the flags of this command line that name the server.
func (t *tool) serverNamed() (flags []string) {
	for _, one := range [][2]string{
		{"--context", t.context}, {"--server", t.server}, {"--data", t.data}, {"--token-file", t.tokenFile}, {"--ca", t.ca},
	} {
		if one[1] != "" {
			flags = append(flags, one[:]...)
		}
	}
	return flags
}

// elsewhere returns a command line that names the server and the namespace wherever they
// were found, with whole paths: it works in another folder and with another context in
// use. A token in the environment is not named.
func (t *tool) elsewhere(words ...string) (string, error) {
	found, _, _, err := t.locate()
	if err != nil {
		return "", err
	}
	if found.namespace.from != byDefault {
		words = slices.Concat(words, namespaceNamed(found.namespace.value))
	}
	flags := t.serverNamed()
	for i := 0; i < len(flags); i += 2 {
		if flags[i] != "--context" && flags[i] != "--server" { // a path
			if flags[i+1], err = filepath.Abs(flags[i+1]); err != nil {
				return "", err
			}
		}
	}
	switch {
	case t.context != "" || t.server != "" || t.data != "":
	case found.address.from == "ORTH_SERVER":
		flags = append(flags, "--server", found.address.value)
	case found.context.value != "" && found.address.from == found.context.from:
		flags = append(flags, "--context", found.context.value)
	default:
		data, err := filepath.Abs(firstFrom(t.variable("ORTH_DATA"), origin{defaultData, ""}).value)
		if err != nil {
			return "", err
		}
		flags = append(flags, "--data", data)
	}
	return shellLine(slices.Concat(words, flags)...), nil
}
