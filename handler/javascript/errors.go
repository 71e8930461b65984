package javascript

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"
)

// compile returns the program, or an error that names line and column.
func (s script) compile() (*goja.Program, error) {
	tree, err := parser.ParseFile(nil, s.name, before+s.text+after, 0, parser.WithDisableSourceMaps)
	if list, ok := errors.AsType[parser.ErrorList](err); ok && len(list) > 0 {
		return nil, s.syntaxError(list[0].Message, list[0].Position)
	}
	if err != nil {
		return nil, fmt.Errorf("SyntaxError: %w", err)
	}
	program, err := goja.CompileAST(tree, false)
	if e, ok := errors.AsType[*goja.CompilerSyntaxError](err); ok && e.File != nil {
		return nil, s.syntaxError(e.Message, e.File.Position(e.Offset))
	}
	return program, err
}

func (s script) syntaxError(message string, at file.Position) error {
	message = strings.TrimPrefix(message, "SyntaxError: ")
	if at.Line > s.lines {
		return fmt.Errorf("SyntaxError: %s at the end of %s: is a bracket missing, or one too many?", message, s.name)
	}
	hint := ""
	if modulePattern.MatchString(strings.Split(s.text, "\n")[max(at.Line-1, 0)]) {
		hint = " (there are no modules: write the script without import and export)"
	}
	return fmt.Errorf("SyntaxError: %s at %s line %d, column %d%s", message, s.name, at.Line, s.column(at.Line, at.Column), hint)
}

// modulePattern finds a line of a module.
var modulePattern = regexp.MustCompile(`^\s*(import|export)\b`)

func (s script) column(line, column int) int {
	if line == 1 {
		return max(column-len(before), 1)
	}
	return column
}

// placePattern finds the places in the engine's stacks: file:line:column(pc).
var placePattern = regexp.MustCompile(`:(\d+):(\d+)\(\d+\)`)

// stack writes a stack with the places of the user's file.
func (s script) stack(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if strings.Contains(line, "(native)") && !strings.Contains(line, s.name) {
			continue
		}
		if strings.HasPrefix(line, "\tat ") && strings.Contains(line, s.name+":") {
			line = placePattern.ReplaceAllStringFunc(line, func(place string) string {
				parts := placePattern.FindStringSubmatch(place)
				n, _ := strconv.Atoi(parts[1])
				column, _ := strconv.Atoi(parts[2])
				return fmt.Sprintf(":%d:%d", n, s.column(n, column))
			})
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// firstPlace finds the line in which an error arose.
var firstPlace = regexp.MustCompile(`\n\s*at [^\n]*?:(\d+):\d+`)

// describe returns an uncaught value with its stack, and in one line.
func (l *loop) describe(value goja.Value) (stack, message string) {
	stack = l.script.stack(l.shown(value))
	message, _, _ = strings.Cut(stack, "\n\tat ")
	if found := firstPlace.FindStringSubmatch(stack); found != nil {
		message += " (line " + found[1] + " of " + l.script.name + ")"
	}
	return stack, message
}

// explain returns why the engine gave up, with a stack where there is one.
func (l *loop) explain(err error) (stack, message string) {
	if e, ok := errors.AsType[*goja.Exception](err); ok {
		return l.describe(e.Value())
	}
	if _, ok := errors.AsType[*goja.StackOverflowError](err); ok {
		text := fmt.Sprintf("RangeError: more than %d calls are open at once: does a function call itself without end?", maxDepth)
		return text, text
	}
	return err.Error(), err.Error()
}
