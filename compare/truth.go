package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/schedule"
)

// sample is the table of true fire times: by expression, zone and start on the
// wall, the next eight firings, with a null behind the last of all.
type sample struct {
	Cases []struct {
		Group string                             `json:"group"`
		Expr  string                             `json:"expr"`
		Valid bool                               `json:"valid"`
		Next  map[string]map[string][]*time.Time `json:"next"`
	} `json:"cases"`
}

func readSample(path string) (sample, error) {
	var table sample
	text, err := os.ReadFile(path)
	if err != nil {
		return table, fmt.Errorf("read the table of true fire times: %w", err)
	}
	if err := json.Unmarshal(text, &table); err != nil {
		return table, fmt.Errorf("read the table of true fire times in %s: %w", path, err)
	}
	return table, nil
}

// score is what a library makes of the sample. An answer is one firing: which
// one follows the firing before, or the start.
type score struct {
	library            string
	promised, accepted int // expressions
	faultless          int // expressions, all of whose answers are right
	asked, right       int // answers where the clock stands still: UTC and Asia/Shanghai
	askedDST, rightDST int // answers around the clock changes of America/New_York
	wrong              []string
}

// judge asks each library for every firing of every expression that its own
// documentation promises. Left out are what only a lenient parser takes, and
// expressions for which the table itself breaks the rule of W.
func judge(table sample) ([]score, error) {
	defects := map[string]bool{"0 0 12 15W,LW * ?": true, "0 0 8,20 15W * ?": true}
	var scores []score
	for _, l := range libraries() {
		s := score{library: l.name}
		for _, tc := range table.Cases {
			if !tc.Valid || tc.Group == "quirk" || tc.Group == "impossible" || defects[tc.Expr] || !l.promises(tc.Expr) {
				continue
			}
			s.promised++
			if err := s.judgeOne(l, tc.Expr, tc.Next); err != nil {
				return nil, err
			}
		}
		scores = append(scores, s)
	}
	return scores, nil
}

func (s *score) judgeOne(l library, expr string, zones map[string]map[string][]*time.Time) error {
	accepted, faults := true, 0
	for name, starts := range zones {
		zone, err := time.LoadLocation(name)
		if err != nil {
			return err
		}
		find, err := l.compile(l.write(expr), zone)
		if err != nil {
			accepted = false
			find = func(time.Time) (time.Time, bool) { return time.Time{}, false }
		}
		others, err := underAllRules(expr, zone)
		if err != nil {
			return err
		}
		for start, truths := range starts {
			after, err := time.ParseInLocation("2006-01-02T15:04:05", start, zone)
			if err != nil {
				return err
			}
			for _, truth := range truths {
				if truth == nil {
					break
				}
				at, ok := find(after)
				right := ok && (at.Equal(*truth) || slices.ContainsFunc(others, func(c *schedule.Cron) bool {
					other, _ := c.Next(after)
					return at.Equal(other)
				}))
				s.count(name == "America/New_York", right)
				if !right {
					faults++
				}
				after = *truth
			}
		}
	}
	if accepted {
		s.accepted++
	}
	if faults == 0 {
		s.faultless++
	} else {
		s.wrong = append(s.wrong, expr)
	}
	return nil
}

// underAllRules compiles an expression under all rules for clock changes that
// make sense. Around a change each of them is right: a library may follow others
// than Quartz.
func underAllRules(expr string, zone *time.Location) (crons []*schedule.Cron, err error) {
	for _, gap := range []schedule.GapRule{schedule.GapSkip, schedule.GapAfter, schedule.GapBefore} {
		for _, overlap := range []schedule.OverlapRule{schedule.OverlapFirst, schedule.OverlapSecond, schedule.OverlapBoth} {
			for _, straight := range []bool{false, true} {
				rules := schedule.DST{Gap: gap, Overlap: overlap, Straight: straight}
				c, err := schedule.ParseCronWith(expr, schedule.CronOptions{Zone: zone, DST: rules})
				if err != nil {
					return nil, err
				}
				crons = append(crons, c)
			}
		}
	}
	return crons, nil
}

func (s *score) count(steps, right bool) {
	n := 0
	if right {
		n = 1
	}
	if steps {
		s.askedDST++
		s.rightDST += n
		return
	}
	s.asked++
	s.right += n
}

// scoresTable is the scores as a table, with what was wrong below it.
func scoresTable(scores []score) string {
	var w strings.Builder
	w.WriteString("| library | expressions in its dialect | accepted | all answers right | right in UTC and Shanghai | right in New York |\n")
	w.WriteString("|---|---|---|---|---|---|\n")
	for _, s := range scores {
		fmt.Fprintf(&w, "| %s | %d | %d | %d | %d of %d | %d of %d |\n", s.library, s.promised, s.accepted, s.faultless,
			s.right, s.asked, s.rightDST, s.askedDST)
	}
	for _, s := range scores {
		if len(s.wrong) > 0 {
			fmt.Fprintf(&w, "\n%s has a wrong answer to %q\n", s.library, s.wrong)
		}
	}
	return w.String()
}
