package workflows

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/knadh/koanf/parsers/yaml"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli/kit"
)

// maxWorkflowFile is the maximum size of a workflow file in bytes.
const maxWorkflowFile = 512 << 10

// readWorkflow reads the file of a workflow; - is standard input.
func readWorkflow(t *kit.Tool, path string) (api.NewWorkflow, error) {
	var none api.NewWorkflow
	in := t.Stdin
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return none, fmt.Errorf("--file: %w", err)
		}
		defer file.Close()
		in = file
	}
	text, err := io.ReadAll(io.LimitReader(in, maxWorkflowFile+1))
	switch {
	case err != nil:
		return none, fmt.Errorf("--file: read %s: %w", path, err)
	case len(bytes.TrimSpace(text)) == 0:
		return none, fmt.Errorf("--file: %s is empty", path)
	case len(text) > maxWorkflowFile:
		return none, fmt.Errorf("--file: %s is larger than %d KiB", path, maxWorkflowFile>>10)
	}
	w, err := parseWorkflow(text)
	if err != nil {
		return none, fmt.Errorf("--file: %s: %w", path, err)
	}
	return w, nil
}

// parseWorkflow parses a workflow in YAML or JSON. It ignores read-only fields of the
// server, so that printed workflows can be saved again.
func parseWorkflow(text []byte) (api.NewWorkflow, error) {
	var w api.NewWorkflow
	parsed, err := yaml.Parser().Unmarshal(text) // JSON is valid YAML
	if err != nil {
		cause := strings.ReplaceAll(strings.TrimPrefix(err.Error(), "yaml: "), "map[string]interface {}", "a mapping")
		return w, fmt.Errorf("invalid YAML or JSON: %s", strings.Join(strings.Fields(cause), " "))
	}
	for _, shown := range []string{"namespace", "key", "total", "version", "created_at", "updated_at"} {
		delete(parsed, shown)
	}
	if err := plainNodes(parsed["nodes"]); err != nil {
		return w, err
	}
	plain, err := json.Marshal(parsed)
	if err != nil {
		return w, fmt.Errorf("invalid workflow: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(plain))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&w); err != nil {
		return w, fmt.Errorf("invalid workflow: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return w, nil
}

// plainNodes expands short forms of nodes: a name instead of an edge, and a number instead
// of a join.
func plainNodes(value any) error {
	list, ok := value.([]any)
	if !ok {
		return errors.New("nodes: must be a list of nodes, each with a name and a job")
	}
	for i, entry := range list {
		node, ok := entry.(map[string]any)
		if !ok {
			return fmt.Errorf("nodes[%d]: must be a node with a name and a job", i)
		}
		if n, ok := node["join"].(int); ok {
			node["join"] = fmt.Sprint(n)
		}
		switch after := node["after"].(type) {
		case nil:
			delete(node, "after")
		case string:
			node["after"] = []any{map[string]any{"node": after}}
		case []any:
			for k, edge := range after {
				if name, ok := edge.(string); ok {
					after[k] = map[string]any{"node": name}
				}
			}
		default:
			return fmt.Errorf("nodes[%d].after: must be a list of nodes", i)
		}
	}
	return nil
}
