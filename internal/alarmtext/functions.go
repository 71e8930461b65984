package alarmtext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"text/template/parse"
	"time"

	"github.com/orthd/orth/internal/template"
)

// functions are the templates' functions besides the language's own. They charge the budget
// for their output.
func functions(language string, b *budget) map[string]template.Func {
	words := wordsOf(language)
	return map[string]template.Func{
		"date": withTwo(func(zone string, t instant) (string, error) {
			if err := b.payBytes("date", 0); err != nil {
				return "", err
			}
			return formatDate(zone, t.t)
		}),
		"duration": withTwo(func(from, to instant) (string, error) { return b.payResult("duration", duration(from.t, to.t)) }),
		"truncate": withTwo(func(n int, s string) (string, error) { return b.payResult("truncate", truncate(n, s)) }),
		"upper":    withOne(func(s string) (string, error) { return b.payResult("upper", strings.ToUpper(s)) }),
		"lower":    withOne(func(s string) (string, error) { return b.payResult("lower", strings.ToLower(s)) }),
		"join":     withTwo(b.joined),
		"json": withOne(func(value any) (string, error) {
			text, err := quoted(value)
			if err != nil {
				return "", err
			}
			return b.payResult("json", text)
		}),
		"kind":     withOne(func(s string) (string, error) { return b.payResult("kind", words.kindName(s)) }),
		"severity": withOne(func(s string) (string, error) { return b.payResult("severity", words.severity(s)) }),
	}
}

// withOne and withTwo make functions of templates of those with one and two arguments.
func withOne[A any](f func(A) (string, error)) template.Func {
	return func(args []any) (any, error) {
		if len(args) != 1 {
			return nil, fmt.Errorf("wrong number of args: want 1 got %d", len(args))
		}
		a, err := argument[A](args[0])
		if err != nil {
			return nil, err
		}
		return f(a)
	}
}

func withTwo[A, B any](f func(A, B) (string, error)) template.Func {
	return func(args []any) (any, error) {
		if len(args) != 2 {
			return nil, fmt.Errorf("wrong number of args: want 2 got %d", len(args))
		}
		a, err := argument[A](args[0])
		if err != nil {
			return nil, err
		}
		b, err := argument[B](args[1])
		if err != nil {
			return nil, err
		}
		return f(a, b)
	}
}

// argument returns an argument that has to be of a type.
func argument[T any](value any) (T, error) {
	typed, is := value.(T)
	if !is {
		return typed, fmt.Errorf("wrong type for value; expected %T; got %T", typed, value)
	}
	return typed, nil
}

// formatDate writes a time in a zone, "" for the one it has.
func formatDate(zone string, t time.Time) (string, error) {
	if zone != "" {
		location, err := time.LoadLocation(zone)
		if err != nil {
			return "", fmt.Errorf("no zone is named %q: write one as Europe/Berlin", zone)
		}
		t = t.In(location)
	}
	return t.Format("2006-01-02 15:04:05 MST"), nil
}

// duration writes how long it is from one time to another, in seconds or coarser.
func duration(from, to time.Time) string {
	d := to.Sub(from).Round(time.Second)
	text := strings.TrimSuffix(d.String(), "m0s")
	if text != d.String() {
		text = strings.TrimSuffix(text+"m", "h0m")
		if !strings.HasSuffix(text, "m") {
			text += "h"
		}
	}
	return text
}

// truncate keeps the first n characters.
func truncate(n int, s string) string {
	if n < 0 {
		return s
	}
	for at := range s {
		if n == 0 {
			return s[:at] + mark
		}
		n--
	}
	return s
}

// quoted writes a value as JSON.
func quoted(value any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// allowed refuses what could keep the server busy or fill its memory.
func allowed(t *template.Template) error {
	if len(t.Trees) > 1 {
		return fmt.Errorf("define and block are not available: write all in one template")
	}
	return checkNode(t.Tree.Root, 0)
}

// checkNode visits a node and what is inside; loops is how many loops are around it.
func checkNode(n parse.Node, loops int) error {
	switch n := n.(type) {
	case *parse.ListNode:
		if n == nil {
			return nil
		}
		for _, inner := range n.Nodes {
			if err := checkNode(inner, loops); err != nil {
				return err
			}
		}
		return nil
	case *parse.ActionNode:
		return walkPipe(n.Pipe, loops)
	case *parse.IfNode:
		return walkBranch(&n.BranchNode, loops)
	case *parse.WithNode:
		return walkBranch(&n.BranchNode, loops)
	case *parse.RangeNode:
		if err := overList(n.Pipe, loops); err != nil {
			return err
		}
		return walkBranch(&n.BranchNode, loops+1)
	case *parse.TemplateNode:
		return fmt.Errorf("template is not available: write all in one template")
	case *parse.PipeNode:
		return walkPipe(n, loops)
	case *parse.ChainNode:
		return checkNode(n.Node, loops)
	}
	return nil
}

func walkBranch(n *parse.BranchNode, loops int) error {
	if err := walkPipe(n.Pipe, loops); err != nil {
		return err
	}
	if err := checkNode(n.List, loops); err != nil {
		return err
	}
	return checkNode(n.ElseList, loops)
}

func walkPipe(n *parse.PipeNode, loops int) error {
	if n == nil {
		return nil
	}
	for _, command := range n.Cmds {
		for _, arg := range command.Args {
			if err := checkNode(arg, loops); err != nil {
				return err
			}
		}
	}
	return nil
}

// overList refuses a loop over anything but a list of the message.
func overList(n *parse.PipeNode, loops int) error {
	if loops >= 2 {
		return fmt.Errorf("there are more than two loops inside each other")
	}
	name := ""
	if len(n.Cmds) == 1 && len(n.Cmds[0].Args) == 1 {
		switch arg := n.Cmds[0].Args[0].(type) {
		case *parse.FieldNode:
			name = strings.Join(arg.Ident, ".")
		case *parse.VariableNode:
			name = strings.TrimPrefix(strings.Join(arg.Ident, "."), "$.")
		}
	}
	switch name {
	case "Items", "Reasons", "Log", "To":
		return nil
	default:
		return fmt.Errorf("range goes over .Items, .Reasons, .Log or .To alone, not over %s", n)
	}
}
