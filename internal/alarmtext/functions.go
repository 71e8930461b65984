package alarmtext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"text/template"
	"text/template/parse"
	"time"
)

// functions are those of templates, which pay from the budget for what they make.
// Those of text/template that are not named in builtins are refused by allowed.
func functions(language string, b *budget) template.FuncMap {
	words := wordsOf(language)
	return template.FuncMap{
		"date": func(zone string, t instant) (string, error) {
			if err := b.pay("date", 0); err != nil {
				return "", err
			}
			return date(zone, t.t)
		},
		"duration": func(from, to instant) (string, error) { return b.made("duration", duration(from.t, to.t)) },
		"truncate": func(n int, s string) (string, error) { return b.made("truncate", truncate(n, s)) },
		"upper":    func(s string) (string, error) { return b.made("upper", strings.ToUpper(s)) },
		"lower":    func(s string) (string, error) { return b.made("lower", strings.ToLower(s)) },
		"join":     b.joined,
		"json": func(value any) (string, error) {
			text, err := quoted(value)
			if err != nil {
				return "", err
			}
			return b.made("json", text)
		},
		"kind":     func(s string) (string, error) { return b.made("kind", words.kind(s)) },
		"severity": func(s string) (string, error) { return b.made("severity", words.severity(s)) },
	}
}

// builtins are the functions of text/template that stay.
func builtins() map[string]bool {
	return map[string]bool{
		"and": true, "or": true, "not": true, "eq": true, "ne": true, "lt": true, "le": true, "gt": true, "ge": true,
		"len": true, "index": true,
	}
}

// date writes a time in a zone, "" for the one it has.
func date(zone string, t time.Time) (string, error) {
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
	if len(t.Templates()) > 1 {
		return fmt.Errorf("define and block are not available: write all in one template")
	}
	if t.Tree == nil {
		return nil
	}
	return walk(t.Root, 0)
}

// walk visits a node and what is inside; loops is how many loops are around it.
func walk(n parse.Node, loops int) error {
	switch n := n.(type) {
	case *parse.ListNode:
		if n == nil {
			return nil
		}
		for _, inner := range n.Nodes {
			if err := walk(inner, loops); err != nil {
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
		return walk(n.Node, loops)
	case *parse.IdentifierNode:
		if _, ours := functions("", nil)[n.Ident]; !ours && !builtins()[n.Ident] {
			return fmt.Errorf("the function %s is not available", n.Ident)
		}
	}
	return nil
}

func walkBranch(n *parse.BranchNode, loops int) error {
	if err := walkPipe(n.Pipe, loops); err != nil {
		return err
	}
	if err := walk(n.List, loops); err != nil {
		return err
	}
	return walk(n.ElseList, loops)
}

func walkPipe(n *parse.PipeNode, loops int) error {
	if n == nil {
		return nil
	}
	for _, command := range n.Cmds {
		for _, arg := range command.Args {
			if err := walk(arg, loops); err != nil {
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
