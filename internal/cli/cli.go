// Package cli implements the orth command: it puts the commands of its rooms together in
// one tree, completes words in a shell, and writes manual pages.
//
// Each noun of the command line is a package below this one: it takes the state of package
// kit and returns commands. What two of them need is in kit, or in a package below them.
// No room imports another, none contains SQL, and a running server is seen only through
// the API. Commands that work without a server, such as restore and migrate, open the
// database as a server does. Input is the command line; output is text, JSON and an exit
// code.
//
// A flag overrides the environment, and the environment overrides the note that a
// running server keeps in its data folder.
package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/cli/alarms"
	"github.com/orthd/orth/internal/cli/auditlog"
	"github.com/orthd/orth/internal/cli/backfills"
	"github.com/orthd/orth/internal/cli/calendars"
	"github.com/orthd/orth/internal/cli/cluster"
	"github.com/orthd/orth/internal/cli/contexts"
	"github.com/orthd/orth/internal/cli/cron"
	"github.com/orthd/orth/internal/cli/daemon"
	"github.com/orthd/orth/internal/cli/deadletters"
	"github.com/orthd/orth/internal/cli/executors"
	"github.com/orthd/orth/internal/cli/importing"
	"github.com/orthd/orth/internal/cli/jobaction"
	"github.com/orthd/orth/internal/cli/jobedit"
	"github.com/orthd/orth/internal/cli/jobs"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/cli/logs"
	"github.com/orthd/orth/internal/cli/manifests"
	"github.com/orthd/orth/internal/cli/overview"
	"github.com/orthd/orth/internal/cli/pauses"
	"github.com/orthd/orth/internal/cli/queues"
	"github.com/orthd/orth/internal/cli/runs"
	"github.com/orthd/orth/internal/cli/secrets"
	"github.com/orthd/orth/internal/cli/storage"
	"github.com/orthd/orth/internal/cli/users"
	"github.com/orthd/orth/internal/cli/workflows"
	"github.com/orthd/orth/internal/output"
)

// New returns the orth command with all subcommands, for documentation generators. Use
// [Execute] to run it.
func New(c kit.Config) *cobra.Command {
	root, _ := build(c)
	return root
}

// Execute runs the command line args, without the name of the program, and returns the
// exit code: 0 for success, 2 for a usage error, and otherwise the code that docs/cli.md
// defines for the error. It prints errors. Cancelling ctx stops waiting and serving
// commands.
func Execute(ctx context.Context, args []string, c kit.Config) int {
	root, t := build(c)
	return t.Execute(ctx, root, args)
}

func build(c kit.Config) (*cobra.Command, *kit.Tool) {
	t := kit.New(c)
	root := &cobra.Command{
		Use:   "orth",
		Short: "A distributed job scheduler",
		Long: "Orth is a distributed job scheduler: it runs jobs on time on the right executor, and explains every decision.\n\n" +
			"Commands find a server that runs on the data folder here. To use another server set --server and --token-file,\n" +
			"set ORTH_SERVER and ORTH_TOKEN, or create a context with 'orth context set'.",
		Example: "  orth job list\n  orth job create report --group reports --cron '0 30 2 * * ?' --handler report --enable\n" +
			"  orth job trigger report --wait\n  orth run log 1024 --follow",
		Version:       t.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetOut(t.Stdout)
	root.SetErr(t.Stderr)
	root.SetIn(t.Stdin)
	root.AddCommand(daemon.NewDev(t.Version), daemon.NewServer(t.Version), daemon.NewExecutor(), daemon.NewGlueJS(), queues.NewCommand(t), contexts.NewContextCommand(t), contexts.NewLoginCommand(t), contexts.NewLogoutCommand(t), newManCommand(t), storage.NewBackupCommand(t), storage.NewRestoreCommand(t), importing.NewShadowCommand(t), storage.NewMigrateCommand(t))
	for _, cmd := range []*cobra.Command{
		newJobCommand(t), newRunCommand(t), backfills.NewCommand(t), calendars.NewCommand(t), pauses.NewCommand(t), pauses.NewResumeCommand(t),
		cron.NewCommand(t), executors.NewExecutorsCommand(t), executors.NewGroupCommand(t), cluster.NewVersionCommand(t), workflows.NewCommand(t),
		overview.NewStatsCommand(t), overview.NewDashboardCommand(t), overview.NewTimelineCommand(t), overview.NewEventsCommand(t),
		overview.NewTopCommand(t), cluster.NewNamespaceCommand(t), cluster.NewClusterCommand(t), cluster.NewSettingsCommand(t),
		deadletters.NewDeadLetterCommand(t),
		alarms.NewCommand(t), secrets.NewCommand(t),
		overview.NewExplainCommand(t),
		daemon.NewDoctorCommand(t),
		users.NewCommand(t), users.NewTokenCommand(t), users.NewWhoamiCommand(t),
		auditlog.NewCommand(t),
	} {
		t.ServerFlags(cmd)
		t.AddWatch(cmd)
		root.AddCommand(cmd)
	}
	root.AddCommand(cluster.NewMCPCommand(t))
	root.AddCommand(codeCommands(t)...)
	t.Prepare(root)
	addCompletion(t, root)
	return root, t
}

func newJobCommand(t *kit.Tool) *cobra.Command {
	return output.Parent(
		&cobra.Command{Use: "job", Aliases: []string{"jobs"}, Short: "Manage jobs: create, change, enable, disable, trigger and delete them"},
		jobedit.NewCreateCommand(t), jobedit.NewEditCommand(t), jobedit.NewCopyCommand(t), jobs.NewListCommand(t), jobs.NewFacetsCommand(t), jobs.NewShowCommand(t), jobs.NewHistoryCommand(t), jobs.NewDiffCommand(t), jobs.NewRestoreCommand(t), jobaction.NewTryCommand(t), logs.NewJobLogsCommand(t), jobs.NewNextCommand(t), jobaction.NewStartCommand(t),
		jobaction.NewStopCommand(t), jobaction.NewTriggerCommand(t), backfills.NewJobBackfillCommand(t), t.ConfirmFirst(jobaction.NewDeleteCommand(t), "Delete job %s and cancel its waiting runs?"), jobaction.NewBulkCommand(t),
	)
}

// codeCommands returns the commands for jobs as code.
func codeCommands(t *kit.Tool) []*cobra.Command {
	return []*cobra.Command{manifests.NewExportCommand(t), manifests.NewPlanCommand(t), manifests.NewDiffCommand(t), manifests.NewApplyCommand(t), manifests.NewSchemaCommand(t), importing.NewImportCommand(t)}
}

func newRunCommand(t *kit.Tool) *cobra.Command {
	return output.Parent(
		&cobra.Command{Use: "run", Aliases: []string{"runs"}, Short: "Manage runs: list, show, follow, cancel and rerun them"},
		runs.NewListCommand(t), runs.NewShowCommand(t), jobaction.NewRunTrialCommand(t), logs.NewRunLogCommand(t), runs.NewCancelCommand(t), runs.NewRerunCommand(t), runs.NewRetryShardsCommand(t), t.ConfirmFirst(runs.NewCleanCommand(t), "Permanently remove runs of job %s?"), runs.NewBulkCommand(t),
	)
}
