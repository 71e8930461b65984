package template

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/template/parse"
)

// setVariable gives a variable of a pipeline its value.
func (s *state) setVariable(p *parse.PipeNode, v *parse.VariableNode, value any) error {
	if !p.IsAssign {
		s.variables = append(s.variables, variable{v.Ident[0], value})
		return nil
	}
	for i, known := range slices.Backward(s.variables) {
		if known.name == v.Ident[0] {
			s.variables[i].value = value
			return nil
		}
	}
	return fmt.Errorf("undefined variable: %s", v.Ident[0])
}

func (s *state) variable(name string) (any, error) {
	for _, known := range slices.Backward(s.variables) {
		if known.name == name {
			return known.value, nil
		}
	}
	return nil, fmt.Errorf("undefined variable: %s", name)
}

// evalPipe returns the value of a pipeline. A range sets the variables of its own itself.
func (s *state) evalPipe(dot any, p *parse.PipeNode) (value any, err error) {
	if p == nil {
		return nil, nil
	}
	for i, command := range p.Cmds {
		var last []any // what the command before has made
		if i > 0 {
			last = []any{value}
		}
		if value, err = s.command(dot, command, last); err != nil {
			return nil, s.failed(command, err)
		}
	}
	for _, v := range p.Decl {
		if err := s.setVariable(p, v, value); err != nil {
			return nil, s.failed(v, err)
		}
	}
	return value, nil
}

// command returns the value of a command: a function with its arguments, or a value alone.
func (s *state) command(dot any, c *parse.CommandNode, last []any) (any, error) {
	first := c.Args[0]
	if f, is := first.(*parse.IdentifierNode); is {
		return s.callFunction(dot, f, c.Args[1:], last)
	}
	if _, is := first.(*parse.NilNode); is {
		return nil, errors.New("nil is not a command")
	}
	value, err := s.evalArg(dot, first)
	if err == nil && (len(c.Args) > 1 || len(last) > 0) {
		return nil, s.failed(first, fmt.Errorf("can't give argument to non-function %s", first))
	}
	return value, err
}

// callFunction calls a function.
func (s *state) callFunction(dot any, f *parse.IdentifierNode, args []parse.Node, last []any) (any, error) {
	if f.Ident == "and" || f.Ident == "or" {
		return s.logic(dot, f.Ident == "or", args, last)
	}
	function := s.t.funcs[f.Ident]
	if function == nil {
		return nil, fmt.Errorf("%q is not a defined function", f.Ident)
	}
	values := make([]any, 0, len(args)+len(last))
	for _, node := range args {
		value, err := s.evalArg(dot, node)
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
	value, err := function(append(values, last...))
	if err != nil {
		return nil, fmt.Errorf("error calling %s: %w", f.Ident, err)
	}
	return value, nil
}

// logic returns the first argument that decides, or the last one. What follows it is
// not looked at.
func (s *state) logic(dot any, or bool, args []parse.Node, last []any) (value any, err error) {
	if len(args)+len(last) == 0 {
		return nil, errors.New("wrong number of args for and, or: want at least 1 got 0")
	}
	for _, node := range args {
		if value, err = s.evalArg(dot, node); err != nil || isTrue(value) == or {
			return value, err
		}
	}
	if len(last) > 0 {
		return last[0], nil
	}
	return value, nil
}

// evalArg returns the value of a node that is no command.
func (s *state) evalArg(dot any, node parse.Node) (any, error) {
	value, err := s.value(dot, node)
	return value, s.failed(node, err)
}

func (s *state) value(dot any, node parse.Node) (any, error) {
	switch n := node.(type) {
	case *parse.DotNode:
		return dot, nil
	case *parse.NilNode:
		return nil, nil
	case *parse.BoolNode:
		return n.True, nil
	case *parse.StringNode:
		return n.Text, nil
	case *parse.NumberNode:
		return constant(n)
	case *parse.FieldNode:
		return fields(dot, n.Ident)
	case *parse.VariableNode:
		value, err := s.variable(n.Ident[0])
		if err != nil {
			return nil, err
		}
		return fields(value, n.Ident[1:])
	case *parse.ChainNode:
		if _, is := n.Node.(*parse.NilNode); is {
			return nil, fmt.Errorf("indirection through explicit nil in %s", n)
		}
		value, err := s.evalArg(dot, n.Node)
		if err != nil {
			return nil, err
		}
		return fields(value, n.Field)
	case *parse.PipeNode:
		return s.evalPipe(dot, n)
	case *parse.IdentifierNode:
		return s.callFunction(dot, n, nil, nil)
	default:
		return nil, fmt.Errorf("can't handle %s", node)
	}
}

// constant returns a number as the language has it: an int, or a float64 when it is
// written as one.
func constant(n *parse.NumberNode) (any, error) {
	hex := len(n.Text) > 2 && n.Text[0] == '0' && (n.Text[1] == 'x' || n.Text[1] == 'X')
	switch {
	case n.IsFloat && !hex && !strings.HasPrefix(n.Text, "'") && strings.ContainsAny(n.Text, ".eEpP"):
		return n.Float64, nil
	case n.IsInt && int64(int(n.Int64)) == n.Int64:
		return int(n.Int64), nil
	default:
		return nil, fmt.Errorf("the number %s is too large, or of no kind that can be used", n.Text)
	}
}
