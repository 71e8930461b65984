package kit

import "fmt"

// PrintJSON prints a value as JSON unless err is set.
func (t *Tool) PrintJSON(v any, err error) error {
	if err != nil {
		return err
	}
	return t.Encode(v)
}

// PrintResult prints the result of a command: a value for programs, or a sentence.
func (t *Tool) PrintResult(v any, sentence string) error {
	if t.ForPrograms() {
		return t.Encode(v)
	}
	_, err := fmt.Fprintln(t.Stdout, sentence)
	return err
}
