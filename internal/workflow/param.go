package workflow

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/job"
)

// The delimiters of a value in a template.
const (
	opening = "{{"
	closing = "}}"
)

// The names of the values; the result of a node has its name between the last
// two.
const (
	valueParam   = "param"
	valuePlanned = "planned_at"
	valueRun     = "run_id"
	resultBefore = "nodes."
	resultAfter  = ".result"
)

// expandTemplate replaces each {{name}} of a template by its value, once: values are not expanded
// themselves. For how values are written into JSON, see [job.TemplateWriter]. The result
// has at most limit bytes.
func expandTemplate(template string, limit int, value func(name string) (string, error)) (string, error) {
	form := job.NewTemplateWriter("", len(template))
	if err := write(form, template, len(template), func(string) (string, error) { return "0", nil }); err != nil {
		return "", err
	}
	out := job.NewTemplateWriter(form.String(), limit)
	err := write(out, template, limit, value)
	if err != nil {
		return "", err
	}
	return out.String(), nil
}

// write writes a template with its values.
func write(out *job.TemplateWriter, template string, limit int, value func(name string) (string, error)) error {
	for rest := template; rest != ""; {
		text, after, found := strings.Cut(rest, opening)
		fits := out.Text(text)
		rest = ""
		if found {
			name, behind, closed := strings.Cut(after, closing)
			if !closed {
				return fmt.Errorf("%q is not closed: write }} after the name", opening+start(after))
			}
			filled, err := value(strings.TrimSpace(name))
			if err != nil {
				return err
			}
			fits = fits && out.Value(filled)
			rest = behind
		}
		if !fits {
			return fmt.Errorf("the parameter has more than %d bytes with the values in it", limit)
		}
	}
	return nil
}

// start returns the beginning of a text, for a message.
func start(text string) string {
	const most = 20
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// resultOf returns the node whose result a value names.
func resultOf(name string) (node string, ok bool) {
	node, ok = strings.CutPrefix(name, resultBefore)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(node, resultAfter)
}

// param returns the parameter of a node's run; nil means the job's own.
func (p *plan) param(n *job.NodeRun) (*string, error) {
	if n.Param == nil {
		return nil, nil //nolint:nilnil // The comment says so.
	}
	text, err := expandTemplate(*n.Param, job.MaxParam, func(name string) (string, error) {
		switch name {
		case valueParam:
			return p.Run.Param, nil
		case valuePlanned:
			if p.Run.PlannedAt.IsZero() {
				return "", nil
			}
			return p.Run.PlannedAt.UTC().Format(time.RFC3339Nano), nil
		case valueRun:
			return strconv.FormatInt(p.Run.ID, 10), nil
		}
		node, _ := resultOf(name)
		if i, known := p.places[node]; known {
			return p.Run.Nodes[i].Result, nil
		}
		return "", unknownValue(name)
	})
	if err != nil {
		return nil, fmt.Errorf("make the parameter: %w", err)
	}
	return &text, nil
}

func unknownValue(name string) error {
	return fmt.Errorf("{{%s}} is unknown: use {{param}}, {{planned_at}}, {{run_id}} or {{nodes.NAME.result}}", start(name))
}

// checkParams reports the first template that cannot be filled: it names an unknown value,
// or the result of a node that does not precede its own. The nodes have no cycle.
func checkParams(nodes []job.WorkflowNode) error {
	places := make(map[string]int, len(nodes))
	for i := range nodes {
		places[nodes[i].Name] = i
	}
	for i := range nodes {
		n := &nodes[i]
		if n.Param == nil {
			continue
		}
		if err := job.CheckNoSecrets(fmt.Sprintf("nodes[%d].param", i), *n.Param); err != nil {
			return err
		}
		var before map[string]bool // built on first use
		_, err := expandTemplate(*n.Param, job.MaxParam, func(name string) (string, error) {
			switch name {
			case valueParam, valuePlanned, valueRun:
				return "", nil
			}
			node, ok := resultOf(name)
			if _, known := places[node]; !ok || !known {
				return "", unknownValue(name)
			}
			if before == nil {
				before = ancestors(nodes, places, i)
			}
			if !before[node] {
				return "", fmt.Errorf("{{%s}} has no value yet: node %s does not come after %s", name, n.Name, node)
			}
			return "", nil
		})
		if err != nil {
			return job.FieldErrorf(fmt.Sprintf("nodes[%d].param", i), "%v", err)
		}
	}
	return nil
}

// ancestors returns the names of the nodes before the i-th.
func ancestors(nodes []job.WorkflowNode, places map[string]int, i int) map[string]bool {
	found := make(map[string]bool)
	for open := []int{i}; len(open) > 0; {
		last := len(open) - 1
		n := &nodes[open[last]]
		open = open[:last]
		for _, e := range n.After {
			if !found[e.Node] {
				found[e.Node] = true
				open = append(open, places[e.Node])
			}
		}
	}
	return found
}
