package operation

import "fmt"

const (
	// maxDepth bounds how deep arrays and objects of a request lie in each other, and
	// maxValues how many values are in it.
	maxDepth  = 32
	maxValues = 100_000
)

// checkShape refuses excessive JSON texts before they cost much to read. It does not check
// whether they are valid.
func checkShape(data []byte) error {
	depth, values, quoted, escaped := 0, 0, false, false
	for _, c := range data {
		switch {
		case escaped:
			escaped = false
		case quoted:
			escaped, quoted = c == '\\', c != '"'
		case c == '"':
			quoted = true
		case c == '[', c == '{':
			depth++
			values++
		case c == ']', c == '}':
			depth--
		case c == ',':
			values++
		}
		if depth > maxDepth {
			return fmt.Errorf("is nested more than %d levels deep", maxDepth)
		}
		if values > maxValues {
			return fmt.Errorf("has more than %d values", maxValues)
		}
	}
	return nil
}
