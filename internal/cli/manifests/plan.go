package manifests

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/cli/documents"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/manifest"
	"github.com/orthd/orth/internal/reconcile"
	"github.com/orthd/orth/job"
)

// documentFlags holds the flags that select manifests and the scope of the comparison.
type documentFlags struct {
	paths []string
	manifest.Options
}

func (f *documentFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringArrayVarP(&f.paths, "file", "f", nil, "`file or folder` with manifests, - for standard input; may be repeated")
	flags.StringVar(&f.Set, "set", "", "`name` of the manifest set, stored in jobs and groups as the label "+manifest.Mark)
	flags.BoolVar(&f.Prune, "prune", false, "delete jobs and groups of the set that the manifests no longer contain, in the namespaces of the manifests")
	flags.BoolVar(&f.Secrets, "secrets", false, "send the secrets of channels again; they cannot be compared because the server never returns them")
}

// read returns the objects of the manifests.
func (f *documentFlags) read(t *kit.Tool, namespace string) (all []manifest.Object, err error) {
	seen := map[manifest.ID]string{}
	for _, path := range f.paths {
		var found []manifest.Object
		if path == "-" {
			found, err = readDocuments(t, namespace)
		} else {
			found, err = manifest.Load(path, namespace)
		}
		if err != nil {
			return nil, err
		}
		for i := range found {
			id := found[i].ID()
			if first, twice := seen[id]; twice {
				return nil, job.Errorf(job.Invalid, "%s: %s is already defined in %s", found[i].Origin, id, first)
			}
			seen[id] = found[i].Origin
		}
		all = append(all, found...)
	}
	return all, nil
}

// readDocuments reads standard input.
func readDocuments(t *kit.Tool, namespace string) ([]manifest.Object, error) {
	text, err := io.ReadAll(io.LimitReader(t.Stdin, manifest.MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("read the manifests: %w", err)
	}
	found, mistakes := manifest.Read("-", text, namespace, nil)
	if len(mistakes) > 0 {
		return nil, mistakes[0]
	}
	return found, nil
}

// decide computes the plan.
func (f *documentFlags) decide(ctx context.Context, t *kit.Tool, s *reconcile.Server) (manifest.Plan, error) {
	if err := f.Check(); err != nil {
		return manifest.Plan{}, err
	}
	want, err := f.read(t, s.Namespace)
	if err != nil {
		return manifest.Plan{}, err
	}
	if len(want) == 0 {
		return manifest.Plan{}, job.Errorf(job.Invalid, "no manifests found: file names must end in .yaml, .yml or .json")
	}
	have, err := s.Among(ctx, want, f.Prune)
	if err != nil {
		return manifest.Plan{}, err
	}
	for i := range want {
		if space := want[i].Namespace; space != "" && !slices.Contains(f.Namespaces, space) {
			f.Namespaces = append(f.Namespaces, space)
		}
	}
	plan, err := manifest.Decide(want, have, f.Options)
	if err == nil {
		err = s.LackSecrets(ctx, &plan)
	}
	return plan, err
}

const documentWords = "Manifests are YAML or JSON, as written by 'orth export' and described by 'orth schema'. A manifest is complete: omitted\n" +
	"fields have their defaults. The enabled state of a job, a rule or a channel is kept unless the manifest sets it."

// NewPlanCommand returns the command orth plan.
func NewPlanCommand(t *kit.Tool) *cobra.Command {
	return planLike(t, "plan", "Show the changes that applying manifests would make", false,
		"  orth plan -f jobs/\n  orth plan -f jobs/ --set team-a --prune\n  orth plan -f jobs/ --detailed-exitcode && echo no drift\n  orth plan -f jobs/ -o json")
}

// NewDiffCommand returns the command orth diff.
func NewDiffCommand(t *kit.Tool) *cobra.Command {
	return planLike(t, "diff", "Show the changes that applying manifests would make, line by line", true,
		"  orth diff -f jobs/\n  orth export | orth diff -f - --server https://staging:8080")
}

func planLike(t *kit.Tool, name, short string, full bool, example string) *cobra.Command {
	var f documentFlags
	detailed := false
	cmd := &cobra.Command{
		Use: name + " -f PATH", DisableFlagsInUseLine: true, Short: short, Args: cobra.NoArgs, Example: example,
		Long: short + ". Nothing is changed. The\n" +
			"server validates each change, and the command fails when it rejects one.\n\n" + documentWords + "\n\n" +
			"Drift, such as manual changes, appears as a change back.",
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
			refusals, err := documents.ValidatePlan(cmd.Context(), t, s, &plan)
			if err != nil {
				return err
			}
			refusals = slices.DeleteFunc(refusals, mayNotChange)
			err = t.Show(plan, func() error { return documents.PrintPlan(t, &plan, full) })
			if err == nil && len(refusals) > 0 {
				return documents.ExplainRefusals(refusals, len(plan.Changes))
			}
			documents.WarnUnservedJobs(cmd.Context(), t, &plan)
			if err == nil && detailed && !plan.Empty() {
				return kit.ErrChanges
			}
			return err
		},
	}
	f.add(cmd)
	_ = cmd.MarkFlagRequired("file") // the flag exists: it was added above
	cmd.Flags().BoolVar(&detailed, "detailed-exitcode", false, "exit with code 8 if the plan contains changes")
	t.ServerFlags(cmd)
	return cmd
}

// mayNotChange reports whether a change is rejected for lack of permission. A user with
// read access can still see a plan.
func mayNotChange(r manifest.Refusal) bool { return job.Is(r.Err, job.Forbidden) }
