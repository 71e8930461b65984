package storetest

import (
	"strings"

	"github.com/orthd/orth/job"
)

func paramUseTests() []test {
	return []test{
		{"a job keeps its use of a parameter while runs have one of their own", useIsKept},
		{"a template keeps the use of the parameters of its instances", useOfInstances},
		{"a run is made for the version that its parameter was given for", paramIsMeant},
		{"a loose parameter does not define what is executed", paramIsTightened},
	}
}

// command makes a job one whose parameter defines what is executed.
func command(j *job.Job) {
	j.Handler = job.Handler{Kind: job.HandlerNamed, Name: job.HandlerNameCommand}
	j.Param, j.Inputs = `["true"]`, nil
}

func inputs(j *job.Job) { j.Param, j.Inputs = `["${input:day}"]`, []job.Input{{Name: "day"}} }

func data(j *job.Job) {
	j.Handler, j.Param, j.Inputs = job.Handler{Kind: job.HandlerNamed, Name: "daily"}, "", nil
}

// given adds a run with an explicit parameter.
func (b *bench) given(j job.Job) job.Run {
	b.Helper()
	r := b.firing(j, b.now)
	r.Cause, r.CauseID, r.Param = job.CauseManual, r.ID, new(`{"day": "a"}`)
	b.ok(b.AddRun(b.ctx(), r))
	return b.run(r.ID)
}

func useIsKept(b *bench) {
	for _, c := range []struct {
		name         string
		from, to     func(*job.Job)
		keeps, loses bool // whether the change is refused with runs that have parameters
	}{
		{"data becomes code", data, command, false, true},
		{"inputs become code", inputs, command, false, true},
		{"inputs become data", inputs, data, false, true},
		{"data becomes inputs", data, inputs, false, true},
		{"code becomes data", command, data, true, false},
		{"data becomes code in another group", data, func(j *job.Job) { command(j); j.Group = "elsewhere" }, false, true},
		{"other code", data, func(j *job.Job) { data(j); j.Handler.Name = "other" }, true, false},
	} {
		change := func(j job.Job) error {
			j = b.job(j.Key)
			c.to(&j)
			_, err := b.SaveJob(b.ctx(), j, "")
			return err
		}
		refused := func(what string, j job.Job) {
			b.Helper()
			switch err := change(j); {
			case c.loses:
				b.kind(err, job.Conflict)
				if !strings.Contains(err.Error(), "was given a parameter") {
					b.Fatalf("%s: the error is %v", c.name, err)
				}
			case err != nil:
				b.Fatalf("%s, %s: %v", c.name, what, err)
			}
		}
		j := b.create(c.from)
		r := b.given(j)
		refused("a run that waits", j)
		if c.keeps {
			continue
		}
		a := b.dispatch(b.run(r.ID))
		refused("a run that is out", j)
		b.complete(a, job.Succeeded)
		f := b.backfill(j)
		refused("a backfill", j)
		_, err := b.CancelBackfill(b.ctx(), f.ID, "wrong day", b.now)
		b.ok(err)
		b.trigger(b.job(j.Key), b.at(5)) // it has no explicit parameter
		b.ok(change(j))
	}
}

func useOfInstances(b *bench) {
	template := b.create(data)
	waits, takesInputs, pinned := b.instance(template, 0), b.instance(template, 0), b.instance(template, 7)
	takesInputs = b.save(takesInputs, func(j *job.Job) { j.Param, j.Inputs = `["${input:day}"]`, []job.Input{{Name: "day"}} })
	r := b.given(waits)
	b.given(takesInputs)
	b.given(pinned)
	change := func() error {
		j := b.job(template.Key)
		command(&j)
		_, err := b.SaveJob(b.ctx(), j, "")
		return err
	}
	err := change()
	b.kind(err, job.Conflict)
	if !strings.Contains(err.Error(), waits.Key) {
		b.Fatalf("the error does not name the job %s: %v", waits.Key, err)
	}
	b.complete(b.dispatch(b.run(r.ID)), job.Succeeded)
	b.ok(change())
}

func paramIsMeant(b *bench) {
	j := b.create(data)
	b.save(j, func(j *job.Job) { j.Title = changed })
	for _, c := range []struct {
		version int64
		param   *string
		want    job.Kind
	}{{1, new("a"), job.Conflict}, {2, new("b"), ""}, {0, new("c"), ""}, {1, nil, ""}} {
		r := b.firing(j, b.now)
		r.Cause, r.CauseID, r.JobVersion, r.Param = job.CauseManual, r.ID, c.version, c.param
		err := b.AddRun(b.ctx(), r)
		if c.want == "" {
			b.ok(err)
			b.same("version", b.run(r.ID).JobVersion, int64(2))
			continue
		}
		b.kind(err, c.want)
		f := b.wanted(j)
		f.Param, f.JobVersion = c.param, c.version
		_, err = b.AddBackfill(b.ctx(), f)
		b.kind(err, c.want)
	}
}

func paramIsTightened(b *bench) {
	for _, edit := range []func(*job.Job){data, command} {
		j := b.create(edit)
		for _, loose := range []bool{true, false} {
			c := b.completion(b.attempt(), job.Succeeded)
			r := b.firing(j, b.now)
			r.Cause, r.CauseID, r.Param, r.Loose, r.Reason = job.CauseParent, c.RunID, new("x"), loose, "begun"
			c.Children = []job.Run{r}
			b.same("completion", b.commit(c), []bool{true})
			made := b.runs(j)[0]
			own := loose && j.Handler.FixesParam()
			b.same("parameter", made.Param == nil, own)
			b.same("reason", strings.HasPrefix(made.Reason, "begun; it has the parameter of its own job"), own)
		}
	}
}
