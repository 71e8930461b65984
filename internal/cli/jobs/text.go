package jobs

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/job"
)

// childrenText lists the jobs that the end of a run starts, one per line.
func childrenText(all []api.Child) string {
	lines := make([]string, len(all))
	for i, c := range all {
		lines[i] = kit.FirstOf(c.Key, "#"+kit.FormatPositive(int(c.ID)))
		if c.On != job.ChildOnSuccess {
			lines[i] += " (" + string(c.On) + ")"
		}
		if c.Param != "" {
			lines[i] += " with " + strings.ReplaceAll(c.Param, "\n", " ")
		}
	}
	return strings.Join(lines, "\n")
}

// deliveryRows returns the rows about dispatch and retention of a job's runs.
func deliveryRows(d api.Delivery) [][2]string {
	return [][2]string{
		{"Priority", string(d.Priority)},
		{"Expire after", kit.Span(d.ExpireAfter)},
		{"Deadline", kit.Span(d.Deadline)},
		{"Selects", kit.JoinPairs(d.Selector)},
		{"Keep for", kit.Span(d.KeepFor)},
		{"Keep runs", kit.FormatPositive(d.KeepRuns)},
	}
}

// inputLines formats the inputs of a job, one per line.
func inputLines(all []api.Input) string {
	lines := make([]string, len(all))
	for i, input := range all {
		lines[i] = input.Name
		if input.Default != nil {
			lines[i] += "=" + *input.Default
		}
		var about []string
		if input.Type != "" {
			about = append(about, string(input.Type))
		}
		if input.Default == nil {
			about = append(about, "required")
		}
		if len(input.Options) > 0 {
			about = append(about, "one of "+strings.Join(input.Options, ", "))
		}
		if input.Pattern != "" {
			about = append(about, "matches "+input.Pattern)
		}
		if input.Min != nil {
			about = append(about, fmt.Sprint("at least ", *input.Min))
		}
		if input.Max != nil {
			about = append(about, fmt.Sprint("at most ", *input.Max))
		}
		if len(about) > 0 {
			lines[i] += " (" + strings.Join(about, "; ") + ")"
		}
		if input.Description != "" {
			lines[i] += ": " + input.Description
		}
	}
	return strings.Join(lines, "\n")
}

// logRows returns the rows about log retention.
func logRows(p api.LogPolicy) [][2]string {
	kept, most := "", ""
	if p.Off {
		kept = "not stored"
	}
	if p.MaxBytes > 0 {
		most = strconv.FormatInt(p.MaxBytes, 10) + " bytes"
	}
	return [][2]string{{"Logs", kept}, {"Keep logs for", kit.Span(p.KeepFor)}, {"Max log size", most}}
}

// overlapRows returns the rows about the overlap policy of a job.
func overlapRows(j api.Job) [][2]string {
	queue := ""
	if j.OverlapScope == job.ScopeCluster && (j.Overlap == job.OverlapSerial || j.Overlap == job.OverlapConcurrent) {
		queue = strconv.Itoa((&job.Job{OverlapQueue: j.OverlapQueue}).OverlapRoom())
	}
	return [][2]string{
		{"Overlap", string(j.Overlap)},
		{"Concurrency", kit.FormatPositive(j.Concurrency)},
		{"Concurrency scope", string(j.OverlapScope)},
		{"Queue limit", queue},
	}
}

// retryText formats a retry policy, "" for none.
func retryText(r api.Retry) string {
	if r.Tries == 0 {
		return ""
	}
	text := fmt.Sprintf("%d, first after %s, multiplier %g, at most %s, jitter %g", r.Tries, r.Initial, r.Multiplier, r.Max, r.Jitter)
	if len(r.Delays) > 0 {
		delays := make([]string, len(r.Delays))
		for i, delay := range r.Delays {
			delays[i] = kit.FirstOf(kit.Span(delay), "0s")
		}
		text = fmt.Sprintf("%d, after %s, jitter %g", r.Tries, strings.Join(delays, ", "), r.Jitter)
	}
	if len(r.On) > 0 {
		text += ", only if " + strings.ReplaceAll(strings.Join(r.On, " or "), "_", " ")
	}
	return text
}

// codeText describes the code of a job.
func codeText(h api.Handler) string {
	if h.Kind == job.HandlerNamed {
		return h.Name
	}
	return string(h.Kind)
}

// describeCode describes the code of a job.
func describeCode(j api.Job) string {
	switch {
	case j.Template == "":
		return codeText(j.Handler)
	case j.TemplateVersion == 0:
		return "code of template " + j.Template
	}
	return codeText(j.Handler) + ", from version " + strconv.FormatInt(j.TemplateVersion, 10) + " of template " + j.Template
}
