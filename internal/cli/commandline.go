package cli

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// plainWord matches a word that no shell changes.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// shellWord quotes a word for a shell.
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

// command returns a quoted command line that reaches the same server: it repeats the
// server flags of this command. A token from the command line is left out, because
// output may be stored.
func (t *tool) command(words ...string) string {
	return inQuotes(shellLine(slices.Concat(words, t.serverNamed())...))
}

// commandIn is command for objects of a namespace: it repeats the namespace of this
// command line.
func (t *tool) commandIn(words ...string) string {
	return t.command(slices.Concat(words, namespaceNamed(t.named()))...)
}

func namespaceNamed(namespace string) []string {
	if namespace == "" {
		return nil
	}
	return []string{"--namespace", namespace}
}

// serverNamed returns the flags of this command line that select the server.
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

// elsewhere returns a command line that reaches the same server and namespace from any
// folder and with any current context. It contains absolute paths and never a token of
// the environment.
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
