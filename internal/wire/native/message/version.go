package message

import (
	"strconv"
	"strings"
)

// majorPrefix begins a version of this protocol; the minor one follows.
const majorPrefix = "1."

// maxMinor bounds a minor version.
const maxMinor = 1_000_000

// VersionText writes a version of this protocol.
func VersionText(minor int) string { return majorPrefix + strconv.Itoa(minor) }

// ParseMinor reads the other side's version. An empty or unreadable text stands for the
// first minor version.
func ParseMinor(text string) int {
	rest, ok := strings.CutPrefix(text, majorPrefix)
	if !ok {
		return 0
	}
	n, err := strconv.ParseUint(rest, 10, 31)
	if err != nil || n > maxMinor {
		return 0
	}
	return int(n)
}

// The minor versions that have follow and logs, tasks whose logs are followed, and facts.
const (
	MinorLogs  = 1
	MinorTasks = 2
	MinorFacts = 3
)

// CommonMinor returns the version in which a side that knows minor answers one that sent text.
func CommonMinor(minor int, text string) int { return min(minor, ParseMinor(text)) }
