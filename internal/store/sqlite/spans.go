package sqlite

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/orthd/orth/internal/store/sqlstore"
)

// spanBits is how many bits of an id the index runs_job leaves out in front.
const spanBits = 14

// jobSpans is the table job_spans.
var jobSpans = sqlstore.Spans{
	Bits: spanBits,
	Add:  `INSERT INTO job_spans (job, span) VALUES (?, ?) ON CONFLICT DO NOTHING`,
	// By job_spans' primary key, and runs_job.
	Remove: `DELETE FROM job_spans WHERE job = ? AND span >= ? AND span <= ?
		AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.id >> 14 = +job_spans.span AND r.job_id = job_spans.job)`,
}

// What lists of the runs of a job are found by: the table with its other name, what is joined, the
// job, and bounds of the ids.
var (
	ofJob = regexp.MustCompile(`\bFROM runs( [rl])?((?:\s+(?:CROSS )?JOIN \w+ \w ON \w\.\w+ = \w\.\w+)*)\s+` +
		`WHERE (?:[rl]\.)?job_id = (\?|j\.id)((?: AND (?:[rl]\.)?id [<>]=? \?)*)`)
	bound = regexp.MustCompile(`id ([<>])=? \?`)
	byID  = regexp.MustCompile(`\bORDER BY ([rl]\.)?id( DESC)?\b`)
)

// bySpans lets a list of the runs of a job, in order of id or between ids, go from one of the job's
// spans to the next. Spans beyond the bounds of the ids are left out. (With the sign, SQLite compares a
// span with what the index is over, which has no type.)
func bySpans(query string) string {
	var out strings.Builder
	from := 0
	for _, at := range ofJob.FindAllStringSubmatchIndex(query, -1) {
		part := func(n int) string {
			if at[2*n] < 0 {
				return ""
			}
			return query[at[2*n]:at[2*n+1]]
		}
		runs := "runs."
		if name := strings.TrimSpace(part(1)); name != "" {
			runs = name + "."
		}
		if part(4) == "" && !byID.MatchString(query[at[1]:]) {
			continue
		}
		fmt.Fprintf(&out, "%sFROM job_spans s CROSS JOIN runs%s%s WHERE s.job = %s AND %sid >> %d = +s.span AND %[5]sjob_id = s.job%[7]s",
			query[from:at[0]], part(1), part(2), part(3), runs, spanBits, part(4))
		for _, b := range bound.FindAllStringSubmatchIndex(part(4), -1) {
			place := strings.Count(query[:at[8]+b[1]], "?") // that of the bound, from 1 on
			fmt.Fprintf(&out, " AND s.span %s= ?%d >> %d", part(4)[b[2]:b[3]], place, spanBits)
		}
		from = at[1]
	}
	if from == 0 {
		return query
	}
	out.WriteString(query[from:])
	return byID.ReplaceAllString(out.String(), "ORDER BY s.span$2, ${1}id$2")
}
