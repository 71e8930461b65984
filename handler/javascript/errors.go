package javascript

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	lib "modernc.org/libquickjs"
)

// compile returns the program, or an error that names line and column.
func (l *loop) compile() (lib.TJSValue, error) {
	program, err := l.vm.compile(l.script.name, before+l.script.text+after)
	e, ok := errors.AsType[*thrown](err)
	if !ok {
		return program, err
	}
	defer l.vm.release(e.value)
	at := func(name string) int {
		n := number(l.vm.property(e.value, name))
		return int(max(n, 0))
	}
	message := l.vm.property(e.value, "message")
	defer l.vm.release(message)
	text := l.vm.string(message)
	return undefined, l.script.syntaxError(text, at("lineNumber"), at("columnNumber"))
}

func (s script) syntaxError(message string, line, column int) error {
	if line > s.lines {
		return fmt.Errorf("SyntaxError: %s at the end of %s: is a bracket missing, or one too many?", message, s.name)
	}
	hint := ""
	if modulePattern.MatchString(strings.Split(s.text, "\n")[max(line-1, 0)]) {
		hint = " (there are no modules: write the script without import and export)"
	}
	return fmt.Errorf("SyntaxError: %s at %s line %d, column %d%s", message, s.name, line, s.column(line, column), hint)
}

// modulePattern finds a line of a module.
var modulePattern = regexp.MustCompile(`^\s*(import|export)\b`)

func (s script) column(line, column int) int {
	if line == 1 {
		return max(column-len(before), 1)
	}
	return column
}

// firstPlace finds the line in which an error arose.
var firstPlace = regexp.MustCompile(`\n    at [^\n]*?:(\d+):\d+`)

// describe returns an uncaught value with its stack, and in one line.
func (l *loop) describe(value lib.TJSValue) (stack, message string, err error) {
	stack, err = l.shown(value)
	message, _, _ = strings.Cut(stack, "\n    at ")
	if found := firstPlace.FindStringSubmatch(stack); found != nil {
		message += " (line " + found[1] + " of " + l.script.name + ")"
	}
	return stack, message, err
}

// shown writes a value for people, also one whose toString throws. An error is why nothing
// can run any more.
func (l *loop) shown(value lib.TJSValue) (string, error) {
	text, err := l.vm.callOnly(l.show, value)
	if e, ok := errors.AsType[*thrown](err); ok {
		l.vm.release(e.value)
		return "a value that cannot be shown", nil
	}
	if err != nil {
		return "", err
	}
	defer l.vm.release(text)
	shown := l.vm.string(text)
	return shown, nil
}
