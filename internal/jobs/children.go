package jobs

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
)

// maxFamily bounds the jobs that one may start through its children, theirs and
// so on.
const maxFamily = 1000

// childDefaults fills what the user left out.
func childDefaults(children []job.Child) {
	for i := range children {
		if children[i].On == "" {
			children[i].On = job.ChildOnSuccess
		}
	}
}

func checkChildren(children []job.Child) error {
	if len(children) > job.MaxChildren {
		return job.FieldErrorf("children", "has %d jobs, at most %d are allowed", len(children), job.MaxChildren)
	}
	for i := range children {
		c := &children[i]
		name := nameOf(c)
		switch {
		case c.JobID <= 0 || c.JobID > math.MaxInt32:
			return job.FieldErrorf("children", "%d is not the id of a job", c.JobID)
		case slices.ContainsFunc(children[:i], func(other job.Child) bool { return other.JobID == c.JobID }):
			return job.FieldErrorf("children", "%s is named twice: a run starts each child once; for more than one condition use %q",
				name, job.ChildOnAlways)
		case len(c.Param) > job.MaxChildParam:
			return job.FieldErrorf("children", "the param of %s has %d bytes, at most %d are allowed: name {{param}} or {{result}} for long texts",
				name, len(c.Param), job.MaxChildParam)
		}
		if err := cmp.Or(oneOf("children", c.On, job.ChildOns()...), jobrows.CheckText("children", c.Param), job.CheckNoSecrets("children", c.Param)); err != nil {
			return err
		}
	}
	return nil
}

// nameOf returns how people call a child.
func nameOf(c *job.Child) string {
	if c.Key != "" {
		return "job " + c.Key
	}
	return fmt.Sprintf("job %d", c.JobID)
}

// checkCycle refuses a job that its children, or theirs and so on, would start again, and
// names the path. A new job is no job's child yet. Two jobs that are saved at the same
// moment do not see each other's children.
func (c *Catalog) checkCycle(ctx context.Context, j *job.Job) error {
	if j.ID == 0 || len(j.Children) == 0 {
		return nil
	}
	keys := map[int64]string{j.ID: j.Key}
	parents := make(map[int64]int64) // of the jobs seen, who starts them
	layer := []job.Job{*j}
	for len(layer) > 0 {
		var next []int64
		for i := range layer {
			parent := &layer[i]
			keys[parent.ID] = parent.Key
			for _, child := range parent.Children {
				if child.JobID == j.ID {
					return cycle(j, parent.ID, parents, keys)
				}
				if _, seen := parents[child.JobID]; !seen {
					parents[child.JobID] = parent.ID
					next = append(next, child.JobID)
				}
			}
		}
		if len(parents) > maxFamily {
			return job.FieldErrorf("children",
				"job %s would start more than %d jobs through its children and theirs: leave some out", j.Key, maxFamily)
		}
		var err error
		if layer, err = c.config.Reader.JobsByID(ctx, next); err != nil {
			return fmt.Errorf("read %d children: %w", len(next), err)
		}
	}
	return nil
}

// cycle is the error about a job that last starts.
func cycle(j *job.Job, last int64, parents map[int64]int64, keys map[int64]string) error {
	path := []string{j.Key}
	for id := last; id != j.ID; id = parents[id] {
		path = append(path, keys[id])
	}
	path = append(path, j.Key)
	slices.Reverse(path)
	return job.FieldErrorf("children", "job %s would start itself again and again: %s; leave one of them out",
		j.Key, strings.Join(path, " -> "))
}
