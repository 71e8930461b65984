package javascript

import (
	"fmt"
	"strings"
	"time"

	"github.com/dop251/goja"
)

func stamp() string { return time.Now().Format("2006-01-02 15:04:05.000 ") }

// log returns a function that writes a line: a text with %s, %d, %i, %f, %j, %o
// and %%, whose values follow, and then whatever else is given.
func (l *loop) log(level string) func(goja.FunctionCall) goja.Value {
	return func(call goja.FunctionCall) goja.Value {
		l.out.line(level + l.format(call.Arguments))
		return goja.Undefined()
	}
}

func (l *loop) format(args []goja.Value) string {
	if len(args) == 0 {
		return ""
	}
	var b strings.Builder
	rest := args[1:]
	text := l.show(args[0])
	if _, isText := args[0].Export().(string); !isText {
		b.WriteString(text)
		text = ""
	}
	for i := 0; i < len(text); i++ {
		if text[i] != '%' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch verb := text[i]; {
		case verb == '%':
			b.WriteByte('%')
		case strings.IndexByte("sdifjoO", verb) < 0 || len(rest) == 0:
			b.WriteByte('%')
			b.WriteByte(verb)
		default:
			switch verb {
			case 'd', 'i':
				fmt.Fprint(&b, rest[0].ToInteger())
			case 'f':
				b.WriteString(rest[0].ToNumber().String())
			default:
				b.WriteString(l.show(rest[0]))
			}
			rest = rest[1:]
		}
	}
	for _, value := range rest {
		b.WriteString(" " + l.show(value))
	}
	return b.String()
}

// shown is show for when no script runs, which could catch what a script's own
// toString throws.
func (l *loop) shown(value goja.Value) string {
	text := "a value that cannot be shown"
	_ = l.vm.Try(func() { text = l.show(value) })
	return text
}

// show writes a value for people: texts as they are, errors with their stacks,
// and other objects as JSON.
func (l *loop) show(value goja.Value) string {
	object, isObject := value.(*goja.Object)
	if !isObject {
		if value == nil {
			return "undefined"
		}
		return value.String()
	}
	if stack := object.Get("stack"); object.ClassName() == "Error" && !none(stack) {
		return l.script.stack(strings.TrimRight(stack.String(), "\n"))
	}
	if _, isFunction := goja.AssertFunction(object); !isFunction {
		if text, err := object.MarshalJSON(); err == nil {
			return string(text)
		}
	}
	return object.String()
}
