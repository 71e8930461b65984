package manifests

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/documents"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/manifest"
	"github.com/orthd/orth/internal/reconcile"
)

// NewApplyCommand returns the command orth apply.
func NewApplyCommand(t *kit.Tool) *cobra.Command {
	var f documentFlags
	var yes, dry bool
	var note string
	cmd := &cobra.Command{
		Use: "apply -f PATH", DisableFlagsInUseLine: true, Short: "Apply manifests to the server", Args: cobra.NoArgs,
		Long: "Apply manifests to the server. The command prints the plan, asks for confirmation and then applies it.\n\n" + documentWords + "\n\n" +
			"Groups are created first, then calendars, jobs, workflows, pauses, channels and rules; deletions come last, in reverse\n" +
			"order. Concurrent changes of other users are not overwritten: the command stops with a conflict. Completed steps\n" +
			"are kept, and the same command continues from there. Applying the same manifests again changes nothing.",
		Example: "  orth apply -f jobs/\n  orth apply -f jobs/ --set team-a --prune --yes\n  orth apply -f jobs/ --dry-run\n" +
			"  orth export --server https://staging:8080 | orth apply -f - --yes",
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := documents.OpenServer(t)
			if err != nil {
				return err
			}
			defer s.Close()
			plan, err := f.decide(cmd.Context(), t, s)
			if err != nil {
				return err
			}
			return apply(client.WithNote(cmd.Context(), note), t, s, &plan, dry, yes)
		},
	}
	f.add(cmd)
	_ = cmd.MarkFlagRequired("file") // the flag exists: it was added above
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only print the plan")
	cmd.Flags().BoolVar(&yes, "yes", false, "apply the plan without confirmation")
	kit.NoteFlag(cmd, &note)
	t.ServerFlags(cmd)
	return cmd
}

// apply prints a plan and applies it.
func apply(ctx context.Context, t *kit.Tool, s *reconcile.Server, plan *manifest.Plan, dry, yes bool) error {
	_, err := documents.ApplyPlan(ctx, t, s, plan, dry, yes)
	return err
}
