package message

import "strings"

// Nearest returns the word with the smallest edit distance to text, for a spelling hint. It
// returns "" when no word is close.
func Nearest(text string, words []string) string {
	best, least := "", max(2, len(text)/3)+1
	for _, word := range words {
		if d := distance(normalized(text), normalized(word)); d < least {
			best, least = word, d
		}
	}
	return best
}

// normalized returns a word as it is compared: timeoutSeconds equals timeout_seconds.
func normalized(word string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(word))
}

// distance returns the edit distance of a and b. Only their first 64 bytes count.
func distance(a, b string) int {
	const most = 64
	a, b = a[:min(len(a), most)], b[:min(len(b), most)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := corner
			if a[i] != b[j] {
				cost = 1 + min(corner, row[j], row[j+1])
			}
			corner, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
