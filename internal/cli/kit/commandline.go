package kit

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// plainWord matches a word that no shell changes.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// QuoteWord quotes a word for a shell.
func QuoteWord(word string) string {
	switch {
	case plainWord.MatchString(word):
		return word
	case strings.Contains(word, "'") && !strings.ContainsAny(word, "\"$\\!`"):
		return `"` + word + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// ShellLine returns a command line of orth.
func ShellLine(words ...string) string {
	var line strings.Builder
	line.WriteString("orth")
	for _, word := range words {
		line.WriteString(" " + QuoteWord(word))
	}
	return line.String()
}

// Quote marks a command line in a sentence.
func Quote(line string) string {
	if strings.Contains(line, "'") {
		return "`" + line + "`"
	}
	return "'" + line + "'"
}

// CommandLine returns a quoted command line that reaches the same server: it repeats the
// server flags of this command. A token from the command line is left out, because
// output may be stored.
func (t *Tool) CommandLine(words ...string) string {
	return Quote(ShellLine(slices.Concat(words, t.serverNamed())...))
}

// CommandLineIn is command for objects of a namespace: it repeats the namespace of this
// command line.
func (t *Tool) CommandLineIn(words ...string) string {
	return t.CommandLine(slices.Concat(words, NamespaceFlags(t.NamespaceName()))...)
}

// NamespaceFlags returns the flags that select a namespace, none for the default one.
func NamespaceFlags(namespace string) []string {
	if namespace == "" {
		return nil
	}
	return []string{"--namespace", namespace}
}

// serverNamed returns the flags of this command line that select the server.
func (t *Tool) serverNamed() (flags []string) {
	for _, one := range [][2]string{
		{"--context", t.Context}, {"--server", t.Server}, {"--data", t.Data}, {"--token-file", t.TokenFile}, {"--ca", t.CA},
	} {
		if one[1] != "" {
			flags = append(flags, one[:]...)
		}
	}
	return flags
}

// CommandLineElsewhere returns a command line that reaches the same server and namespace from any
// folder and with any current context. It contains absolute paths and never a token of
// the environment.
func (t *Tool) CommandLineElsewhere(words ...string) (string, error) {
	found, _, _, err := t.LocateServer()
	if err != nil {
		return "", err
	}
	if found.Namespace.From != byDefault {
		words = slices.Concat(words, NamespaceFlags(found.Namespace.Value))
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
	case t.Context != "" || t.Server != "" || t.Data != "":
	case found.Address.From == "ORTH_SERVER":
		flags = append(flags, "--server", found.Address.Value)
	case found.Context.Value != "" && found.Address.From == found.Context.From:
		flags = append(flags, "--context", found.Context.Value)
	default:
		data, err := filepath.Abs(firstFrom(t.variable("ORTH_DATA"), Origin{DefaultData, ""}).Value)
		if err != nil {
			return "", err
		}
		flags = append(flags, "--data", data)
	}
	return ShellLine(slices.Concat(words, flags)...), nil
}
