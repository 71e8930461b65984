package alarmtext

import (
	"errors"
	"fmt"
	"strings"
	"text/template/parse"
	"time"

	"github.com/orthd/orth/internal/template"
)

// Limits of one rendering. An author who reaches one gets an error that names it.
const (
	// maxSteps counts what loops do: each pass costs one step for each text, action
	// and argument inside.
	maxSteps = 100_000
	// maxResult is the bytes of one function's result, maxResults of all together.
	maxResult  = 64 << 10
	maxResults = 1 << 20
	maxTime    = 2 * time.Second
)

// stepName is the function that [chargeLoops] puts into loops. Authors cannot call it:
// [allowed] looks at a template before it is there.
const stepName = "step"

// errFull ends a rendering that has written all that fits.
var errFull = errors.New("the text is full")

// boundError names the limit that a template has reached.
type boundError string

// Error implements error.
func (e boundError) Error() string { return string(e) }

// budget is what one rendering may still use. It is for one goroutine.
type budget struct {
	now   func() time.Time
	until time.Time
	steps int
	bytes int
}

// newBudget returns the budget of a rendering that begins now.
func newBudget(now func() time.Time) *budget {
	return &budget{now: now, until: now().Add(maxTime), steps: maxSteps, bytes: maxResults}
}

// payStep pays for n steps.
func (b *budget) payStep(n int) (string, error) {
	if b.steps -= n; b.steps < 0 {
		return "", boundError(fmt.Sprintf("its loops take more than %d steps: put fewer loops inside each other, or less into them", maxSteps))
	}
	if b.now().After(b.until) {
		return "", boundError(fmt.Sprintf("it takes longer than %s: leave something out", maxTime))
	}
	return "", nil
}

// payBytes reports whether a function may return so many bytes.
func (b *budget) payBytes(function string, size int) error {
	if _, err := b.payStep(1); err != nil {
		return err
	}
	if size > maxResult {
		return boundError(fmt.Sprintf("%s makes more than %d KiB: give it less", function, maxResult>>10))
	}
	if b.bytes -= size; b.bytes < 0 {
		return boundError(fmt.Sprintf("its functions make more than %d KiB together: call them less often, or give them less", maxResults>>10))
	}
	return nil
}

// payResult returns what a function has made, when the budget has room for it.
func (b *budget) payResult(function, text string) (string, error) {
	if err := b.payBytes(function, len(text)); err != nil {
		return "", err
	}
	return text, nil
}

// joined joins texts. It adds up before it joins: the result can be far larger than
// all that went in.
func (b *budget) joined(separator string, list []string) (string, error) {
	size := len(separator) * max(len(list)-1, 0)
	for _, s := range list {
		size += len(s)
	}
	if err := b.payBytes("join", size); err != nil {
		return "", err
	}
	return strings.Join(list, separator), nil
}

// chargeLoops lets each pass of each loop pay for what is inside.
func chargeLoops(t *template.Template) error {
	_, err := chargeNode(t.Tree.Root)
	return err
}

// chargeNode returns how many steps a node costs without the loops inside, which pay
// for themselves.
func chargeNode(n parse.Node) (steps int, err error) {
	var parts []parse.Node
	switch n := n.(type) {
	case *parse.ListNode:
		if n == nil {
			return 0, nil
		}
		parts = n.Nodes
	case *parse.ActionNode:
		return 1 + argumentsOf(n.Pipe), nil
	case *parse.IfNode:
		parts = []parse.Node{n.List, n.ElseList}
		steps = 1 + argumentsOf(n.Pipe)
	case *parse.WithNode:
		parts = []parse.Node{n.List, n.ElseList}
		steps = 1 + argumentsOf(n.Pipe)
	case *parse.RangeNode:
		body, err := chargeNode(n.List)
		if err != nil {
			return 0, err
		}
		payment, err := stepNode(1 + body)
		if err != nil {
			return 0, err
		}
		n.List.Nodes = append([]parse.Node{payment}, n.List.Nodes...)
		parts = []parse.Node{n.ElseList}
		steps = 1 + argumentsOf(n.Pipe)
	default:
		steps = 1
	}
	for _, part := range parts {
		inside, err := chargeNode(part)
		if err != nil {
			return 0, err
		}
		steps += inside
	}
	return steps, nil
}

// argumentsOf counts the words of a pipeline, with those of pipelines inside.
func argumentsOf(p *parse.PipeNode) (n int) {
	if p == nil {
		return 0
	}
	for _, command := range p.Cmds {
		for _, arg := range command.Args {
			n++
			if inner, is := arg.(*parse.PipeNode); is {
				n += argumentsOf(inner)
			}
		}
	}
	return n
}

// stepNode returns the action that pays for so many steps.
func stepNode(steps int) (parse.Node, error) {
	trees, err := parse.Parse(stepName, fmt.Sprintf("{{%s %d}}", stepName, steps), "", "", map[string]any{stepName: func(int) string { return "" }})
	if err != nil {
		return nil, fmt.Errorf("make the step of a loop: %w", err)
	}
	return trees[stepName].Root.Nodes[0], nil
}
