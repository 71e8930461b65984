package cli

import (
	"errors"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// jobFlags are the flags that describe a new job.
type jobFlags struct {
	group, title, param     string
	description             string
	when                    whenFlags
	late                    lateFlags
	stopAfter               int
	handler                 string
	scripts                 []scriptFlag
	route, overlap, onCrash choice
	concurrency, shards     int
	counted                 overlapFlags
	inputs                  []string
	labels                  []string
	timeout                 time.Duration
	retries                 int
	delay, longest          time.Duration
	multiplier, jitter      float64
	delays                  []time.Duration
	retryOn                 []string
	children                []string
	waits                   deliveryFlags
	logs                    logKeepFlags
	emails                  []string
	template                templateFlags
	start                   bool
}

// newJobFlags returns the flags with the words that they may have.
func newJobFlags() jobFlags {
	return jobFlags{
		scripts: scriptFlags(),
		overlap: newChoice("", "serial", "discard", "cover", "concurrent"),
		route:   routeChoice(),
		onCrash: newChoice("", "report", "rerun"),
	}
}

func (t *tool) jobCreateCommand() *cobra.Command {
	f := newJobFlags()
	cmd := &cobra.Command{
		Use:                   "create KEY --group GROUP (--cron EXPR | --daily WINDOW | --every 5s | --after 5s | --at TIME | --in 5s | --manual) (--handler NAME | --shell TEXT | --shell-file FILE | … | --template KEY)",
		DisableFlagsInUseLine: true,
		Short:                 "Create a job",
		Long: "Create a job. It does not fire before it is started, with --start or 'orth job start'.\n\n" +
			"A job runs code that the executors of its group have registered (--handler), or a script that travels\n" +
			"with the task (--shell, --shell-file and so on) to executors that allow such scripts and have what\n" +
			"runs them: 'orth executors' shows it. With --template it runs the code of another job.\n\n" +
			"Two or more of --cron, --daily, --every and --at make one schedule that fires whenever one of them does.\n" +
			"'orth job next' shows what a job's schedule does next.",
		Example: "  orth job create report --group reports --cron '0 30 2 * * ?' --zone Europe/Berlin --handler report --start\n" +
			"  orth job create ping --group ops --every 30s --shell 'curl -fsS https://example.com' --timeout 10s --retries 3\n" +
			"  orth job create cleanup --group ops --manual --shell-file cleanup.sh\n" +
			"  orth job create import --group etl --every 5m --python-file import.py --overlap concurrent --concurrency 4 --label team=data\n" +
			"  orth job create trade --group desk --daily '09:00-18:00 MON-FRI every 5m' --zone Asia/Shanghai --calendar cn --handler trade\n" +
			"  orth job create alert --group ops --manual --handler alert --priority high --expire-after 10m --select zone=eu\n" +
			"  orth job create sync --group etl --after 10m --handler sync --stop-after 5\n" +
			"  orth job create close --group desk --cron '0 0 18 ? * MON-THU' --cron '0 0 16 ? * FRI' --handler close --jitter 5m",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted, err := f.job(cmd.Flags(), args[0], t.Stdin)
			if err != nil {
				return err
			}
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			j, err := c.CreateJob(cmd.Context(), wanted)
			if err != nil {
				return err
			}
			if err := t.done(j, t.created(j)); err != nil {
				return err
			}
			t.warnUnserved(cmd.Context(), c, runsOn(&j))
			return nil
		},
	}
	f.add(cmd.Flags())
	cmd.Flags().BoolVar(&f.start, "start", false, "start the job at once")
	return cmd
}

// add defines the flags, in groups.
func (f *jobFlags) add(flags *pflag.FlagSet) {
	flags.SortFlags = false
	flags.StringVar(&f.group, "group", "", "`group` of the executors that may run the job (required)")
	flags.StringVar(&f.title, "title", "", "`text` for people")
	flags.StringVar(&f.description, "description", "", "`text` that says what the job is for, and what to do when it fails; lines")

	f.when.add(flags)
	f.late.add(flags)
	flags.IntVar(&f.stopAfter, "stop-after", 0, "stop the job after so many runs in a row that failed, each after its last retry (default never)")

	flags.StringVar(&f.handler, "handler", "", "`name` of code that the executors have registered")
	for i := range f.scripts {
		f.scripts[i].add(flags)
	}
	f.template.add(flags)
	flags.StringVar(&f.param, "param", "", "`text` for the handler; ${input:NAME} is the place of an input")
	flags.StringArrayVar(&f.inputs, inputFlag, nil, "`name[=default]` of a value that a run may be given, or JSON with name, type, description, default, options, pattern, min and max; may be repeated")
	flags.StringArrayVar(&f.labels, "label", nil, "`key=value` that the handler is given; may be repeated")

	flags.Var(&f.route, "route", "how an executor is picked (default round)")
	flags.IntVar(&f.shards, "shards", 0, "parts that a run is split into, with --route broadcast (default one for each executor)")
	flags.Var(&f.overlap, "overlap", "what becomes of a run that meets a busy job (default serial: it waits)")
	flags.IntVar(&f.concurrency, "concurrency", 0, "runs that are worked on at once, with --overlap concurrent (default 1)")
	f.counted.add(flags)
	flags.DurationVar(&f.timeout, "timeout", 0, "end an attempt after this time (default never)")
	flags.IntVar(&f.retries, "retries", 0, "retries after a failed attempt")
	flags.DurationVar(&f.delay, "retry-delay", time.Second, "delay before the first retry")
	flags.Float64Var(&f.multiplier, "retry-multiplier", 2, "growth from one delay to the next")
	flags.DurationVar(&f.longest, "retry-max", time.Minute, "longest delay")
	flags.Float64Var(&f.jitter, "retry-jitter", 0.1, "share of a delay that is random, 0 to 1")
	flags.DurationSliceVar(&f.delays, "retry-delays", nil, "`list` of delays one by one, as 10s,1m,10m; the last is for all that follow, and without --retries each is for one retry")
	flags.StringSliceVar(&f.retryOn, "retry-on", nil, "`list` of the ends that are tried again: failed, timed-out, lost (default all)")
	flags.Var(&f.onCrash, "on-crash", "what becomes of an attempt whose executor died (default report)")
	flags.StringArrayVar(&f.children, "child", nil, "`key[:when][=param]` of a job that the end of a run starts: after success (default), failure or always; may be repeated")
	f.waits.add(flags)
	f.logs.add(flags)
	flags.StringSliceVar(&f.emails, "alarm-email", nil, "`address` that gets a mail when a run has failed after its last retry; may be repeated")
}

// job makes the job that the flags describe.
func (f *jobFlags) job(flags *pflag.FlagSet, key string, stdin io.Reader) (api.NewJob, error) {
	if f.group == "" {
		return api.NewJob{}, usagef("--group is missing: name the group of the executors that may run the job")
	}
	when, err := f.when.schedule(flags)
	if err != nil {
		return api.NewJob{}, err
	}
	late, err := f.late.limits(flags)
	if err != nil {
		return api.NewJob{}, err
	}
	if err := errors.Join(f.template.check(flags), f.counted.check(flags)); err != nil {
		return api.NewJob{}, err
	}
	code, err := f.code(flags, stdin)
	if err != nil {
		return api.NewJob{}, err
	}
	again, err := f.retry(flags)
	if err != nil {
		return api.NewJob{}, err
	}
	children, err := f.kin()
	if err != nil {
		return api.NewJob{}, err
	}
	labels, err := f.labelled()
	if err != nil {
		return api.NewJob{}, err
	}
	inputs, err := f.inputsOf()
	if err != nil {
		return api.NewJob{}, err
	}
	waits, err := f.waits.delivery(flags)
	if err != nil {
		return api.NewJob{}, err
	}
	logs, err := f.logs.policy()
	if err != nil {
		return api.NewJob{}, err
	}
	switch {
	case f.start && f.when.manual:
		return api.NewJob{}, usagef("--start is not for --manual: such a job only runs when it is triggered")
	case flags.Changed("stop-after") && (f.stopAfter < 1 || f.stopAfter > job.MaxStopAfter):
		return api.NewJob{}, usagef("--stop-after: %d is not between 1 and %d", f.stopAfter, job.MaxStopAfter)
	case f.shards != 0 && f.route.word() != string(job.RouteBroadcast):
		return api.NewJob{}, usagef("--shards is only for --route %s", job.RouteBroadcast)
	case flags.Changed("shards") && (f.shards < 0 || f.shards > job.MaxShards):
		return api.NewJob{}, usagef("--shards: %d is not between 0 and %d", f.shards, job.MaxShards)
	case f.timeout < 0:
		return api.NewJob{}, usagef("--timeout: %s is negative", f.timeout)
	case flags.Changed("concurrency") && f.overlap.value != string(job.OverlapConcurrent):
		return api.NewJob{}, usagef("--concurrency is only for --overlap concurrent")
	case flags.Changed("concurrency") && (f.concurrency < 1 || f.concurrency > job.MaxConcurrency):
		return api.NewJob{}, usagef("--concurrency: %d is not between 1 and %d", f.concurrency, job.MaxConcurrency)
	}
	return api.NewJob{
		Key: key, Title: f.title, Description: f.description, Group: f.group, Schedule: when,
		Misfire: schedule.Misfire(f.late.policy.word()), MisfireLimits: late, StopAfter: f.stopAfter,
		Handler: code, Template: f.template.key, TemplateVersion: f.template.version, Param: f.param, Inputs: inputs, Route: job.Route(f.route.word()), Shards: f.shards,
		Overlap: job.Overlap(f.overlap.word()), Concurrency: f.concurrency, Labels: labels,
		OverlapScope: job.OverlapScope(f.counted.scope.word()), OverlapQueue: f.counted.queue,
		Timeout: api.Duration(f.timeout), Retry: again,
		OnCrash: job.OnCrash(f.onCrash.word()), Children: children, Delivery: waits, Logs: logs, AlarmEmails: f.emails, Enabled: f.start,
	}, nil
}

// labelled returns the labels.
func (f *jobFlags) labelled() (map[string]string, error) {
	return pairs("label", f.labels)
}

// oneOf returns which of the flags was given, and an error unless it was one.
func oneOf(flags *pflag.FlagSet, names ...string) (string, error) {
	var given []string
	for _, name := range names {
		if flags.Changed(name) {
			given = append(given, name)
		}
	}
	all := "--" + strings.Join(names[:len(names)-1], ", --") + " or --" + names[len(names)-1]
	switch len(given) {
	case 0:
		return "", usagef("name one of %s", all)
	case 1:
		return given[0], nil
	}
	return "", usagef("--%s and --%s exclude each other: name one of %s", given[0], given[1], all)
}
