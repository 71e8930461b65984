package cutover

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/xxlimport"
	"github.com/orthd/orth/schedule"
)

const (
	// settleFor is the minimum age of a processed log row: the old server completes a row
	// when the executor has responded.
	settleFor = 10 * time.Second
	// plansFor is the interval between two reads of the schedules.
	plansFor = time.Minute
)

// StatusUnreadable is the status of a job whose slots are not known here.
const StatusUnreadable = "unreadable"

// CompareConfig configures a comparison.
type CompareConfig struct {
	// Groups selects jobs by the app name of their group; all when it is empty.
	Groups []string
	// Zone is the zone of cron expressions, and LogZone that of the log.
	Zone    string
	LogZone *time.Location
	// Since is the start, zero for now, and Length the time to watch from now on.
	Since  time.Time
	Length time.Duration
	// Tolerance is the maximum delay of a row to match its slot, and Late the delay from
	// which it is late. Strict also counts late and extra firings as differences.
	Tolerance, Late time.Duration
	Strict          bool
	// Rate is the maximum number of rows to read per second, and Poll half the interval
	// between two reads while watching.
	Rate int
	Poll time.Duration
	// Show shows how far the comparison is.
	Show func(done, all int, what string)
}

// ComparedJob is the result for one job.
type ComparedJob struct {
	ID     int64     `json:"id"`
	Group  string    `json:"group"`
	Name   string    `json:"name"`
	Since  time.Time `json:"since_at"`
	Status string    `json:"status"` // compared, stopped, unreadable
	xxlimport.Verdict
	Problem string `json:"problem,omitempty"`
}

// ComparisonResult is the result of a comparison.
type ComparisonResult struct {
	Since   time.Time     `json:"since_at"`
	Until   time.Time     `json:"until_at"`
	Zone    string        `json:"zone"`
	LogZone string        `json:"log_zone"`
	Agrees  bool          `json:"agrees"`
	Jobs    []ComparedJob `json:"jobs"`
}

// Comparison is a running comparison.
type Comparison struct {
	CompareConfig

	log     OldServer
	ahead   time.Duration // offset of the database clock from this machine
	end     time.Time
	after   int64 // id of the last processed log row
	until   time.Time
	planned time.Time // time of the last read of the schedules
	jobs    map[int64]*compared
	manual  int
}

// compared is one job in the comparison.
type compared struct {
	ComparedJob

	judge *xxlimport.Judge
}

// Begin reads the start of the comparison; plans are the jobs as they are now. It moves
// Since to the start of the log when the log begins later.
func Begin(ctx context.Context, log OldServer, plans xxlimport.Plans, c CompareConfig) (*Comparison, error) {
	s := &Comparison{CompareConfig: c, log: log, ahead: time.Until(plans.Now), jobs: map[int64]*compared{}}
	now := s.now()
	if s.Since.IsZero() {
		s.Since = now
	}
	s.end = now.Add(s.Length)
	var first time.Time
	var err error
	if s.after, first, err = log.Before(ctx, s.Since, s.LogZone); err != nil {
		return nil, err
	}
	if s.after == 0 && first.After(s.Since) && !first.After(now) {
		s.Since = first
	}
	s.until = s.Since
	s.take(plans)
	return s, nil
}

// Jobs returns the number of compared jobs, and of those without a schedule.
func (s *Comparison) Jobs() (scheduled, manual int) { return len(s.jobs), s.manual }

// now returns the time of the database clock.
func (s *Comparison) now() time.Time { return time.Now().Add(s.ahead).UTC() }

// take records the schedules from now on.
func (s *Comparison) take(plans xxlimport.Plans) {
	s.planned, s.ahead = time.Now(), time.Until(plans.Now)
	groups := map[string]string{}
	for _, g := range plans.Groups {
		groups[g["id"]] = strings.TrimSpace(g["app_name"])
	}
	seen := map[int64]bool{}
	for _, row := range plans.Jobs {
		p := xxlimport.PlanOf(row, s.Zone, s.LogZone)
		group := groups[fmt.Sprint(p.Group)]
		if len(s.Groups) > 0 && !slices.Contains(s.Groups, group) {
			continue
		}
		seen[p.ID] = true
		s.takeOne(&p, group)
	}
	for id, one := range s.jobs {
		if !seen[id] {
			one.Status, one.Problem = "stopped", "the job no longer exists"
			one.judge.Follow(nil, 0)
		}
	}
}

func (s *Comparison) takeOne(p *xxlimport.Plan, group string) {
	one := s.jobs[p.ID]
	if one == nil {
		if p.Problem == "" && p.Spec.Kind == schedule.KindManual {
			s.manual++
			return
		}
		one = &compared{ComparedJob: ComparedJob{ID: p.ID, Since: s.until}}
		if p.Changed.After(one.Since) && !p.Changed.After(s.now()) {
			one.Since = p.Changed // earlier schedules are unknown
		}
		one.judge = xxlimport.NewJudge(one.Since)
		one.judge.Tolerance, one.judge.Late = s.Tolerance, s.Late
		s.jobs[p.ID] = one
	}
	one.Group, one.Name, one.Problem = group, p.Name, p.Problem
	sched, err := p.Spec.Compile()
	switch {
	case one.Problem == "" && err != nil:
		one.Problem = err.Error()
	case one.Problem == "" && p.Spec.Kind == schedule.KindAfter:
		one.Problem = "it fires after the end of its previous run: its slots cannot be predicted"
	}
	switch {
	case one.Problem != "":
		one.Status, sched = StatusUnreadable, nil
	case !p.Started:
		one.Status, sched = "stopped", nil
	default:
		one.Status = "compared"
	}
	one.judge.Follow(sched, p.Retries)
}

// Follow reads the log until the end of the comparison or of ctx.
func (s *Comparison) Follow(ctx context.Context) error {
	for {
		rows, err := s.log.After(ctx, s.after, logPage)
		if err != nil {
			return err
		}
		taken := s.sent(rows)
		wait := time.Duration(len(rows)) * time.Second / time.Duration(s.Rate)
		if taken < logPage {
			s.settle(s.now().Add(-settleFor))
			if !s.until.Before(s.end) || !s.now().Before(s.end.Add(settleFor)) || s.Length == 0 {
				return nil
			}
			wait = max(wait, min(s.Poll*2, time.Until(s.end.Add(settleFor-s.ahead))+time.Millisecond))
			s.Show(int(s.now().Sub(s.Since)/time.Second), int(s.end.Sub(s.Since)/time.Second), "watching: "+s.inShort())
		} else {
			s.Show(int(s.until.Sub(s.Since)/time.Second), max(1, int(s.now().Sub(s.Since)/time.Second)), "reading the log: "+s.inShort())
		}
		if err := pause(ctx, wait); err != nil {
			return err
		}
		if time.Since(s.planned) > plansFor {
			plans, err := s.log.Plans(ctx)
			if err != nil {
				return err
			}
			s.take(plans)
		}
	}
}

// sent passes rows to their jobs, up to the first one that is too new, and returns their
// number.
func (s *Comparison) sent(rows []xxlimport.Row) int {
	now := s.now()
	var last []time.Time // times of processed rows, without future ones
	taken := 0
	for _, r := range rows {
		row, ok := xxlimport.SentOf(r, s.LogZone)
		if ok && row.At.After(now.Add(-settleFor)) && row.At.Before(now.Add(time.Minute)) {
			break
		}
		taken++
		if id, err := strconv.ParseInt(r["id"], 10, 64); err == nil {
			s.after = id
		}
		if !ok {
			continue
		}
		if !row.At.After(now) {
			last = append(last, row.At)
		}
		if one := s.jobs[row.JobID]; one != nil {
			one.judge.Sent(row)
		}
	}
	if last = last[max(len(last)-trusted, 0):]; taken == logPage && len(last) > 0 {
		s.settle(slices.MinFunc(last, time.Time.Compare).Add(-settleFor))
	}
	return taken
}

// trusted is the number of rows at the end of a page whose earliest time determines how
// far the log is read: a single time may be wrong.
const trusted = 20

// settle compares everything up to an instant.
func (s *Comparison) settle(until time.Time) {
	if until = earlier(until, s.end); !until.After(s.until) {
		return
	}
	s.until = until
	for _, one := range s.jobs {
		one.judge.Settle(until)
	}
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// inShort summarizes the current result.
func (s *Comparison) inShort() string {
	var all xxlimport.Verdict
	for _, one := range s.jobs {
		v := one.judge.Verdict()
		all.Slots, all.Missing, all.Doubled = all.Slots+v.Slots, all.Missing+v.Missing, all.Doubled+v.Doubled
	}
	return fmt.Sprintf("%s, %d missing, %d duplicate", plural.Count(all.Slots, "slot"), all.Missing, all.Doubled)
}

// Report ends the comparison and returns its result, the most different job first.
func (s *Comparison) Report() ComparisonResult {
	r := ComparisonResult{Since: s.Since, Until: s.until.Add(-s.Tolerance), Zone: s.Zone, LogZone: s.LogZone.String(), Agrees: true, Jobs: []ComparedJob{}}
	if r.Until.Before(r.Since) {
		r.Until = r.Since
	}
	for _, one := range s.jobs {
		one.Verdict = one.judge.Finish(s.until)
		v := &one.Verdict
		if v.Missing+v.Doubled > 0 || v.Cut || one.Status == StatusUnreadable || s.Strict && v.Late+v.Extra > 0 {
			r.Agrees = false
		}
		r.Jobs = append(r.Jobs, one.ComparedJob)
	}
	slices.SortFunc(r.Jobs, func(a, b ComparedJob) int {
		return cmp.Or(cmp.Compare(differing(&b), differing(&a)), cmp.Compare(a.ID, b.ID))
	})
	return r
}

// differing returns the number of differences of a job, for sorting.
func differing(j *ComparedJob) int { return 2*(j.Missing+j.Doubled) + j.Late + j.Extra }
