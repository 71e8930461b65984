package xxladmin

import (
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// jobRow is a job as lists show it.
type jobRow struct {
	ID          int64   `json:"id"`
	Group       int64   `json:"jobGroup"`
	Description string  `json:"jobDesc"`
	Name        *string `json:"name,omitempty"` // what release 3.5 calls jobDesc
	Added       *string `json:"addTime"`
	Updated     *string `json:"updateTime"`
	Author      string  `json:"author"`
	Email       string  `json:"alarmEmail"`
	Schedule    string  `json:"scheduleType"`
	Conf        string  `json:"scheduleConf"`
	Misfire     string  `json:"misfireStrategy"`
	Route       string  `json:"executorRouteStrategy"`
	Handler     string  `json:"executorHandler"`
	Param       string  `json:"executorParam"`
	Overlap     string  `json:"executorBlockStrategy"`
	Timeout     int64   `json:"executorTimeout"`
	Retries     int     `json:"executorFailRetryCount"`
	Kind        string  `json:"glueType"`
	Source      string  `json:"glueSource"`
	Remark      string  `json:"glueRemark"`
	Coded       *string `json:"glueUpdatetime"`
	Children    string  `json:"childJobId"`
	Status      int     `json:"triggerStatus"`
	LastAt      int64   `json:"triggerLastTime"`
	NextAt      int64   `json:"triggerNextTime"`
}

// rowOf returns a job as lists show it. What the dialect has no word for is shown by
// ours, in capital letters.
func rowOf(j *job.Job, g generation) jobRow {
	r := jobRow{
		ID: j.ID, Group: j.GroupID, Description: titleOf(j), Added: g.stamp(j.CreatedAt), Updated: g.stamp(j.UpdatedAt),
		Author: authorOf(j), Email: strings.Join(j.AlarmEmails, ","), Misfire: dialect.MisfireName(j.Misfire), Route: routeName(j.Route),
		Handler: j.Handler.Name, Param: j.Param, Overlap: dialect.OverlapName(j.Overlap), Timeout: seconds(j.Timeout), Retries: j.Retry.Tries,
		Kind: kindName(j.Handler.Kind), Source: j.Handler.Source, Remark: j.Labels["glue_remark"], Coded: g.stamp(j.Handler.SourceAt),
		Children: childIDs(j), LastAt: job.Millis(j.LastAt),
	}
	r.Schedule, r.Conf = scheduleName(&j.Schedule)
	if j.Enabled {
		r.Status, r.NextAt = 1, job.Millis(j.NextAt)
	}
	return r
}

// titleOf returns what lists call a job: its key when it has no title.
func titleOf(j *job.Job) string {
	if j.Title == "" {
		return j.Key
	}
	return j.Title
}

// noAuthor stands for the author of a job that names none.
const noAuthor = "-"

// authorOf returns who is responsible for a job, by its labels.
func authorOf(j *job.Job) string {
	for _, label := range []string{"author", "owner"} {
		if name := j.Labels[label]; name != "" {
			return name
		}
	}
	return noAuthor
}

func scheduleName(s *schedule.Spec) (kind, conf string) {
	if kind, conf, sayable := dialect.ScheduleName(*s); sayable {
		return kind, conf
	}
	switch s.Kind {
	case schedule.KindEvery:
		conf = s.Every.String()
	case schedule.KindAfter:
		conf = s.After.String()
	case schedule.KindDaily:
		conf = s.Daily
	case schedule.KindOnce:
		conf = s.At.UTC().Format(time.RFC3339)
	case schedule.KindCron, schedule.KindSeveral, schedule.KindManual:
	}
	return strings.ToUpper(string(s.Kind)), conf
}

func routeName(r job.Route) string {
	if name, known := dialect.RouteName(r); known {
		return name
	}
	return strings.ToUpper(string(r))
}

// kindName returns the name of a kind of code. A job that runs the code of its template
// has none of its own.
func kindName(k job.HandlerKind) string {
	if name, known := dialect.HandlerKindName(k); known {
		return name
	}
	return "TEMPLATE"
}

// seconds returns a time limit in whole seconds, rounded up.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

// childIDs returns the ids of the children that the caller may see.
func childIDs(j *job.Job) string {
	var ids []string
	for _, c := range j.Children {
		if c.Key != "" {
			ids = append(ids, strconv.FormatInt(c.JobID, 10))
		}
	}
	return strings.Join(ids, ",")
}
