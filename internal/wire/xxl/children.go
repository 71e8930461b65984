package xxl

import (
	"slices"
	"strconv"
	"strings"

	"github.com/orthd/orth/job"
)

// ParseChildren returns the jobs that a success starts, from the dialect's
// childJobId: ids with commas between them. Blanks and empty places are passed
// over, a job that stands there twice is started once, as is said by the dialect's
// own servers. rename gives the id that a job has here, and false when it is not
// known; nil leaves ids as they are. The error is Invalid with the field
// childJobId and names the place at fault.
//
// Whether the edges close a circle is for whoever saves the job.
func ParseChildren(text string, rename func(id int64) (int64, bool)) ([]job.Child, error) {
	var children []job.Child
	for place, part := range strings.Split(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		id, err := strconv.ParseInt(part, 10, 64)
		if err != nil || id < 1 {
			return nil, job.FieldErrorf("childJobId", "%.40q in place %d is not the id of a job; write ids with commas between them, like 3,17",
				part, place+1)
		}
		if rename != nil {
			known, ok := rename(id)
			if !ok {
				return nil, job.FieldErrorf("childJobId", "job %d in place %d does not exist", id, place+1)
			}
			id = known
		}
		if slices.ContainsFunc(children, func(c job.Child) bool { return c.JobID == id }) {
			continue
		}
		if len(children) == job.MaxChildren {
			return nil, job.FieldErrorf("childJobId", "more than %d jobs", job.MaxChildren)
		}
		children = append(children, job.Child{JobID: id, On: job.ChildOnSuccess})
	}
	return children, nil
}

// ChildrenName returns the dialect's childJobId of children, and false when the
// dialect cannot say it: it knows neither conditions nor parameters.
func ChildrenName(children []job.Child) (text string, ok bool) {
	ids := make([]string, len(children))
	for i, c := range children {
		if c.Param != "" || c.On != "" && c.On != job.ChildOnSuccess {
			return "", false
		}
		ids[i] = strconv.FormatInt(c.JobID, 10)
	}
	return strings.Join(ids, ","), true
}
