package jobedit

import (
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// jobFlags holds the flags that describe a new job.
type jobFlags struct {
	group, title, param     string
	description             string
	when                    whenFlags
	late                    lateFlags
	stopAfter               int
	handler                 string
	scripts                 []scriptFlag
	route, overlap, onCrash kit.Choice
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

// newFlags returns the flags with their allowed values.
func newFlags() jobFlags {
	return jobFlags{
		scripts: scriptFlags(),
		overlap: kit.NewChoice("", "serial", "discard", "cover", "concurrent"),
		route:   routeChoice(),
		onCrash: kit.NewChoice("", "report", "rerun"),
	}
}

// NewCreateCommand returns the command orth job create.
func NewCreateCommand(t *kit.Tool) *cobra.Command {
	f := newFlags()
	cmd := &cobra.Command{
		Use:                   "create KEY --group GROUP (--cron EXPR | --daily WINDOW | --every 5s | --after 5s | --at TIME | --in 5s | --manual) (--handler NAME | --shell TEXT | --shell-file FILE | … | --template KEY)",
		DisableFlagsInUseLine: true,
		Short:                 "Create a job",
		Long: "Create a job. It does not fire until it is enabled, with --enable or 'orth job enable'.\n\n" +
			"A job runs a handler that the executors of its group have registered (--handler), or a script that is sent with the\n" +
			"task (--shell, --shell-file and so on) to executors that allow scripts and have the interpreter: 'orth executors'\n" +
			"lists these features. With --template it runs the code of another job.\n\n" +
			"Two or more of --cron, --daily, --every and --at form one schedule that fires whenever one of them does.\n" +
			"'orth job next' shows the next firings of a job.",
		Example: "  orth job create report --group reports --cron '0 30 2 * * ?' --zone Europe/Berlin --handler report --enable\n" +
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
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			j, err := c.CreateJob(cmd.Context(), wanted)
			if err != nil {
				return err
			}
			if err := t.PrintResult(j, t.DescribeNewJob(j)); err != nil {
				return err
			}
			t.WarnUnserved(cmd.Context(), c, kit.NewJobOf(&j))
			return nil
		},
	}
	f.add(cmd.Flags())
	cmd.Flags().BoolVar(&f.start, "enable", false, "enable the job")
	return cmd
}

// add defines the flags in groups.
func (f *jobFlags) add(flags *pflag.FlagSet) {
	flags.SortFlags = false
	flags.StringVar(&f.group, "group", "", "`group` of the executors that run the job (required)")
	flags.StringVar(&f.title, "title", "", "display `name`")
	flags.StringVar(&f.description, "description", "", "`text` about the purpose of the job and what to do on failure; may have several lines")

	f.when.add(flags)
	f.late.add(flags)
	flags.IntVar(&f.stopAfter, "stop-after", 0, "disable the job after this number of consecutive failed runs (default never)")

	flags.StringVar(&f.handler, "handler", "", "`name` of a handler that the executors have registered")
	for i := range f.scripts {
		f.scripts[i].add(flags)
	}
	f.template.add(flags)
	flags.StringVar(&f.param, "param", "", "parameter `text` for the handler; ${input:NAME} is replaced by an input")
	flags.StringArrayVar(&f.inputs, kit.InputFlag, nil, "input of runs as `name[=default]`, or JSON with name, type, description, default, options, pattern, min and max; may be repeated")
	flags.StringArrayVar(&f.labels, "label", nil, "`key=value` label, passed to the handler; may be repeated")

	flags.Var(&f.route, "route", "routing strategy (default round)")
	flags.IntVar(&f.shards, "shards", 0, "number of shards with --route broadcast (default one per executor)")
	flags.Var(&f.overlap, "overlap", "policy if the previous run is still running (default serial: wait)")
	flags.IntVar(&f.concurrency, "concurrency", 0, "maximum concurrent runs with --overlap concurrent (default 1)")
	f.counted.add(flags)
	flags.DurationVar(&f.timeout, "timeout", 0, "time limit of an attempt (default none)")
	flags.IntVar(&f.retries, "retries", 0, "maximum number of retries")
	flags.DurationVar(&f.delay, "retry-delay", time.Second, "delay before the first retry")
	flags.Float64Var(&f.multiplier, "retry-multiplier", 2, "multiplier of each further delay")
	flags.DurationVar(&f.longest, "retry-max", time.Minute, "maximum delay")
	flags.Float64Var(&f.jitter, "retry-jitter", 0.1, "random share of a delay, 0 to 1")
	flags.DurationSliceVar(&f.delays, "retry-delays", nil, "explicit `list` of delays such as 10s,1m,10m; the last one repeats; without --retries each is one retry")
	flags.StringSliceVar(&f.retryOn, "retry-on", nil, "`list` of states to retry: failed, timed-out, lost (default all)")
	flags.Var(&f.onCrash, "on-crash", "handling of an attempt whose executor crashed (default report)")
	flags.StringArrayVar(&f.children, "child", nil, "downstream job as `key[:when][=param]`, triggered on success (default), failure or always; may be repeated")
	f.waits.add(flags)
	f.logs.add(flags)
	flags.StringSliceVar(&f.emails, "alarm-email", nil, "`address` to mail when a run fails after its last retry; may be repeated")
}

// job returns the job that the flags describe.
func (f *jobFlags) job(flags *pflag.FlagSet, key string, stdin io.Reader) (api.NewJob, error) {
	if f.group == "" {
		return api.NewJob{}, output.Usagef("--group is required: the group of the executors that run the job")
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
		return api.NewJob{}, output.Usagef("--enable cannot be combined with --manual: a manual job runs only when triggered")
	case flags.Changed("stop-after") && (f.stopAfter < 1 || f.stopAfter > job.MaxStopAfter):
		return api.NewJob{}, output.Usagef("--stop-after: must be between 1 and %d, got %d", job.MaxStopAfter, f.stopAfter)
	case f.shards != 0 && f.route.Word() != string(job.RouteBroadcast):
		return api.NewJob{}, output.Usagef("--shards requires --route %s", job.RouteBroadcast)
	case flags.Changed("shards") && (f.shards < 0 || f.shards > job.MaxShards):
		return api.NewJob{}, output.Usagef("--shards: must be between 0 and %d, got %d", job.MaxShards, f.shards)
	case f.timeout < 0:
		return api.NewJob{}, output.Usagef("--timeout: must not be negative, got %s", f.timeout)
	case flags.Changed("concurrency") && f.overlap.Value != string(job.OverlapConcurrent):
		return api.NewJob{}, output.Usagef("--concurrency requires --overlap concurrent")
	case flags.Changed("concurrency") && (f.concurrency < 1 || f.concurrency > job.MaxConcurrency):
		return api.NewJob{}, output.Usagef("--concurrency: must be between 1 and %d, got %d", job.MaxConcurrency, f.concurrency)
	}
	return api.NewJob{
		Key: key, Title: f.title, Description: f.description, Group: f.group, Schedule: when,
		Misfire: schedule.Misfire(f.late.policy.Word()), MisfireLimits: late, StopAfter: f.stopAfter,
		Handler: code, Template: f.template.key, TemplateVersion: f.template.version, Param: f.param, Inputs: inputs, Route: job.Route(f.route.Word()), Shards: f.shards,
		Overlap: job.Overlap(f.overlap.Word()), Concurrency: f.concurrency, Labels: labels,
		OverlapScope: job.OverlapScope(f.counted.scope.Word()), OverlapQueue: f.counted.queue,
		Timeout: api.Duration(f.timeout), Retry: again,
		OnCrash: job.OnCrash(f.onCrash.Word()), Children: children, Delivery: waits, Logs: logs, AlarmEmails: f.emails, Enabled: f.start,
	}, nil
}

// labelled returns the labels.
func (f *jobFlags) labelled() (map[string]string, error) {
	return kit.ParsePairs("label", f.labels)
}
