package runs

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/deadletters"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
)

const tagDeadLetters = "dead letters"

// DeadLetters is all that the API asks about dead letters.
type DeadLetters interface {
	LetterReader
	LetterSettler
	LettersSettler
}

// LetterReader finds dead letters.
type LetterReader interface {
	DeadLetter(ctx context.Context, run int64) (job.DeadLetter, error)
	DeadLetters(ctx context.Context, q deadletters.LetterQuery) ([]job.DeadLetter, error)
	RankLetters(ctx context.Context, q deadletters.LetterQuery) (deadletters.RankedLetters, error)
}

// LetterSettler does something about one dead letter.
type LetterSettler interface {
	Redrive(ctx context.Context, run int64, param *string, version int64) (job.Run, error)
	CloseLetter(ctx context.Context, run int64, reason string) (job.DeadLetter, error)
}

// LettersSettler does something about many dead letters.
type LettersSettler interface {
	RedriveAll(ctx context.Context, l deadletters.Letters, how deadletters.Redriving) (all []deadletters.Settled, more bool, err error)
	CloseAll(ctx context.Context, l deadletters.Letters, reason string, dry bool) (all []deadletters.Settled, more bool, err error)
}

type letterQuery struct {
	Job       string    `query:"job" doc:"Only those of the job with this key."`
	Namespace string    `query:"namespace" doc:"Only those of this namespace. With job it defaults to default, else to all."`
	Group     string    `query:"group" doc:"Only those of runs for this group."`
	State     job.State `query:"state" enum:"failed,timed_out,lost" doc:"Only those of runs that ended like this."`
	Status    string    `query:"status" enum:"open,redriven,closed,all" default:"open" doc:"Only those about which this was done."`
	Since     time.Time `query:"since" doc:"Only those of runs that ended then or later."`
	Until     time.Time `query:"until" doc:"Only those of runs that ended before."`
	Text      string    `query:"text" maxLength:"200" doc:"Only those with this in the message; capital and small letters are the same."`
	Sort      string    `query:"sort" enum:"-created_at,created_at,ended_at,-ended_at,job,-job,tries,-tries" default:"-created_at" doc:"The order, with - for descending; created_at is that of the runs' ids. All other orders sort those of the newest 10,000 runs: since in the answer is the oldest of them, if there are others."`
	After     string    `query:"after" maxLength:"500" doc:"After of the page before, with the same sort; in the order of -created_at next."`
	Before    string    `query:"before" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a run's id" doc:"Only runs below this one: next of the page before."`
	Limit     int       `query:"limit" minimum:"1" maximum:"1000" default:"100" doc:"At most so many. A page of large ones ends earlier."`
}

type letterPath struct {
	Run string `path:"run" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a run's id" doc:"The dead run's id."`
}

type redrive struct {
	Run  string `path:"run" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a run's id" doc:"The dead run's id."`
	Body *api.Redrive
}

type closeLetter struct {
	Run  string `path:"run" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a run's id" doc:"The dead run's id."`
	Body *api.Cancel
}

type redriveMany struct{ Body api.RedriveMany }

type closeMany struct{ Body api.CloseMany }

type letterReply struct{ Body api.DeadLetter }

type letterList struct{ Body api.DeadLetterList }

type settledReply struct{ Body api.Settled }

func (s *runRoom) registerDeadLetters() {
	tags := []string{tagDeadLetters}
	guard.Register(s.Guard, guard.Op{
		ID: "list-dead-letters", Method: http.MethodGet, Path: "/dead-letters", Tags: tags,
		Right: access.View, Scope: guard.Narrowed, Class: guard.Reading, Spreads: true,
		Summary: "List runs that ended badly after their last attempt, the newest first or sorted",
	}, s.listDeadLetters)
	guard.Register(s.Guard, guard.Op{
		ID: "get-dead-letter", Method: http.MethodGet, Path: "/dead-letters/{run}", Tags: tags,
		Right: access.View, Scope: guard.OnRun, Class: guard.Reading,
		Summary: "Show a dead letter",
	}, s.getDeadLetter)
	guard.Register(s.Guard, guard.Op{
		ID: "redrive-dead-letter", Method: http.MethodPost, Path: "/dead-letters/{run}/redrive", Tags: tags,
		Right: access.Operate, Scope: guard.OnRun, Class: guard.Writing, Status: http.StatusCreated,
		Policy:  guard.Policy{Kind: guard.KindLetter},
		Summary: "Make a new run in the place of a dead one",
	}, s.redrive)
	guard.Register(s.Guard, guard.Op{
		ID: "close-dead-letter", Method: http.MethodPost, Path: "/dead-letters/{run}/close", Tags: tags,
		Right: access.Operate, Scope: guard.OnRun, Class: guard.Writing,
		Policy:  guard.Policy{Kind: guard.KindLetter, Dry: true},
		Summary: "Close a dead letter: it was seen, and nothing is to be done",
	}, s.closeLetter)
	guard.Register(s.Guard, guard.Op{
		ID: "redrive-dead-letters", Method: http.MethodPost, Path: "/dead-letters/redrive", Tags: tags,
		Right: access.Operate, Scope: guard.Narrowed, Class: guard.Writing,
		Summary:     "Make new runs in the place of many dead ones, the oldest first",
		Description: "Each succeeds or fails by itself; the answer has a result for each.",
	}, s.redriveMany)
	guard.Register(s.Guard, guard.Op{
		ID: "close-dead-letters", Method: http.MethodPost, Path: "/dead-letters/close", Tags: tags,
		Right: access.Operate, Scope: guard.Narrowed, Class: guard.Writing,
		Summary:     "Close many dead letters",
		Description: "Each succeeds or fails by itself; the answer has a result for each.",
	}, s.closeMany)
}

func (s *runRoom) listDeadLetters(ctx context.Context, in *letterQuery) (*letterList, error) {
	q := deadletters.LetterQuery{
		Sight: s.Sight(ctx, access.View), Namespace: in.Namespace, Job: in.Job, Group: in.Group, State: in.State, Status: job.LetterStatus(in.Status),
		Since: in.Since, Until: in.Until, Text: in.Text, Limit: in.Limit,
	}
	if in.Status == "all" {
		q.Status = ""
	}
	if in.Before != "" && in.Sort != newestFirst {
		return nil, guard.NotBefore("dead letters", in.Sort)
	}
	switch in.Sort {
	case newestFirst:
		return s.newestLetters(ctx, in, &q)
	case oldestFirst:
		return s.oldestLetters(ctx, in, &q)
	}
	return s.rankLetters(ctx, in, &q)
}

func (s *runRoom) getDeadLetter(ctx context.Context, in *letterPath) (*letterReply, error) {
	run, err := guard.ParseID("run", in.Run)
	if err != nil {
		return nil, err
	}
	return replyLetter(s.config.DeadLetters.DeadLetter(ctx, run))
}

func (s *runRoom) redrive(ctx context.Context, in *redrive) (*guard.RunReply, error) {
	run, err := guard.ParseID("run", in.Run)
	if err != nil {
		return nil, err
	}
	var param *string
	if in.Body != nil {
		param = in.Body.Param
	}
	version := int64(0)
	d, err := s.config.DeadLetters.DeadLetter(ctx, run)
	if err == nil {
		version, err = s.redriving(param).may(ctx, &d)
	}
	if err != nil {
		return nil, err
	}
	return guard.ReplyRun(s.config.DeadLetters.Redrive(ctx, run, param, version))
}

func (s *runRoom) closeLetter(ctx context.Context, in *closeLetter) (*letterReply, error) {
	run, err := guard.ParseID("run", in.Run)
	if err != nil {
		return nil, err
	}
	reason := ""
	if in.Body != nil {
		reason = in.Body.Reason
	}
	return replyLetter(s.config.DeadLetters.CloseLetter(ctx, run, reason))
}

func (s *runRoom) redriveMany(ctx context.Context, in *redriveMany) (*settledReply, error) {
	rights := s.redriving(in.Body.Param)
	how := deadletters.Redriving{
		Param: in.Body.Param, Spacing: in.Body.Between(), DryRun: in.Body.DryRun,
		May: func(d *job.DeadLetter) (int64, error) { return rights.may(ctx, d) },
	}
	all, more, err := s.config.DeadLetters.RedriveAll(ctx, s.lettersOf(ctx, in.Body.Runs, in.Body.Filter), how)
	if err != nil {
		return nil, err
	}
	return s.settled(ctx, "redrive-dead-letters", all, more), nil
}

func (s *runRoom) closeMany(ctx context.Context, in *closeMany) (*settledReply, error) {
	all, more, err := s.config.DeadLetters.CloseAll(ctx, s.lettersOf(ctx, in.Body.Runs, in.Body.Filter), in.Body.Reason, in.Body.DryRun)
	if err != nil {
		return nil, err
	}
	return s.settled(ctx, "close-dead-letters", all, more), nil
}

// settled returns what was done about many dead letters.
func (s *runRoom) settled(ctx context.Context, operation string, all []deadletters.Settled, more bool) *settledReply {
	reply := &settledReply{api.Settled{More: more, Letters: make([]api.SettledItem, len(all))}}
	var last error // reported, and logged, once for all
	var why api.Problem
	for i := range all {
		d := &all[i].Letter
		item := api.SettledItem{
			RunID: api.ID(d.RunID), JobKey: d.JobKey, State: d.State, NewRun: api.ID(all[i].Run), ReadyAt: api.At(all[i].ReadyAt),
		}
		if all[i].Err == nil {
			reply.Body.Done++
		} else {
			reply.Body.Failed++
			if last == nil || !errors.Is(all[i].Err, last) {
				last, why = all[i].Err, s.Problem(ctx, operation, all[i].Err).Problem
			}
			told := why
			item.Error = &told
		}
		reply.Body.Letters[i] = item
	}
	return reply
}

// lettersOf returns the selection as package deadletters takes it, of those that the caller
// may do something about.
func (s *runRoom) lettersOf(ctx context.Context, runs []api.ID, filter *api.DeadLetterFilter) deadletters.Letters {
	l := deadletters.Letters{Sight: s.Sight(ctx, access.Operate)}
	for _, run := range runs {
		l.Runs = append(l.Runs, int64(run))
	}
	if filter != nil {
		l.Of = &deadletters.LetterQuery{
			Namespace: filter.Namespace, Job: filter.Job, Group: filter.Group, State: filter.State,
			Since: filter.Since.Time, Until: filter.Until.Time, Text: filter.Text, Limit: filter.Limit,
		}
	}
	return l
}

// letterOf adds to a run that ended badly what was done about its dead letter, if
// it has one.
func (s *runRoom) letterOf(ctx context.Context, run *api.Run) error {
	if !job.Dies(run.Cause, run.State) {
		return nil
	}
	d, err := s.config.DeadLetters.DeadLetter(ctx, int64(run.ID))
	if job.Is(err, job.NotFound) { // it ended before dead letters were kept
		return nil
	}
	if err == nil {
		status := api.FromLetterStatus(d)
		run.DeadLetter = &status
	}
	return err
}

func replyLetter(d job.DeadLetter, err error) (*letterReply, error) {
	if err != nil {
		return nil, err
	}
	return &letterReply{api.FromDeadLetter(d)}, nil
}

// redriveRights finds out which dead runs the caller may have again, with a parameter for
// all of them or each with its own. Each job is read once. One goroutine uses it.
type redriveRights struct {
	server *runRoom
	param  *string
	jobs   map[int64]redriveRight
}

// redriveRight is a job, and why its runs may get no other parameter; the job is nil when
// it is gone.
type redriveRight struct {
	job    *job.Job
	denied error
}

func (s *runRoom) redriving(param *string) *redriveRights {
	return &redriveRights{s, param, make(map[int64]redriveRight)}
}

// may reports why the caller may not have a dead run again, and the version of its job that
// this holds for.
func (r *redriveRights) may(ctx context.Context, d *job.DeadLetter) (version int64, err error) {
	right, err := r.of(ctx, d)
	if err != nil || right.job == nil {
		return 0, err // the command reports a job that is gone
	}
	version = right.job.Version
	if right.denied == nil && r.param != nil {
		return version, right.job.CheckRunParam(*r.param)
	}
	if right.denied == nil {
		return version, nil
	}
	if r.param != nil || !job.Is(right.denied, job.Forbidden) {
		return version, right.denied
	}
	dead, err := r.server.config.Runs.Run(ctx, d.RunID)
	if err != nil {
		return version, err
	}
	return version, r.server.MayRepeat(ctx, right.job, &dead)
}

func (r *redriveRights) of(ctx context.Context, d *job.DeadLetter) (redriveRight, error) {
	if known, is := r.jobs[d.JobID]; is {
		return known, nil
	}
	var right redriveRight
	j, err := r.server.config.Jobs.Job(ctx, d.Namespace, d.JobKey)
	switch {
	case job.Is(err, job.NotFound):
	case err != nil:
		return right, err
	case j.ID == d.JobID:
		right = redriveRight{&j, r.server.MayReplace(ctx, &j)}
	}
	r.jobs[d.JobID] = right
	return right, nil
}
