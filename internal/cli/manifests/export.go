package manifests

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/cli/documents"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/manifest"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/reconcile"
)

// NewExportCommand returns the command orth export.
func NewExportCommand(t *kit.Tool) *cobra.Command {
	var group string
	var kinds []string
	overwrite := false
	cmd := &cobra.Command{
		Use: "export [DIR]", DisableFlagsInUseLine: true, Short: "Export jobs and related objects as manifests", Args: cobra.MaximumNArgs(1),
		Long: "Export the groups, jobs, calendars, workflows, pauses, alarm channels and alarm rules of a namespace as manifests: into\n" +
			"a folder with one file per object and separate script files, or without a folder to standard output.\n\n" +
			"The same objects always produce the same files. Numbers, versions and times of the server are omitted; secrets are\n" +
			"written as environment variables.",
		Example: "  orth export jobs/\n  orth export --namespace team-a --group reports jobs/\n  orth export --kind Calendar,Workflow\n  orth export | orth plan -f -",
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted, err := kindsOf(kinds, group)
			if err != nil {
				return err
			}
			s, err := documents.OpenServer(t)
			if err != nil {
				return err
			}
			defer s.Close()
			objects, err := exported(cmd.Context(), s, wanted, group)
			if err != nil {
				return err
			}
			files, err := manifest.Files(objects, len(args) == 1)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return documents.PrintFiles(t, files)
			}
			return documents.WriteFiles(t, args[0], files, len(objects), overwrite)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&group, "group", "", "only the jobs of this `group`")
	flags.StringSliceVar(&kinds, "kind", nil, "only objects of these `kinds`: "+strings.Join(kindWords(), ", "))
	flags.BoolVar(&overwrite, "overwrite", false, "overwrite existing files with different content")
	t.ConnectFlags(flags)
	return cmd
}

func kindWords() (words []string) {
	for _, kind := range manifest.Kinds() {
		words = append(words, string(kind))
	}
	return words
}

// kindsOf returns the selected kinds, all by default. Only jobs have a group.
func kindsOf(names []string, group string) ([]manifest.Kind, error) {
	if group != "" && len(names) == 0 {
		return []manifest.Kind{manifest.KindJob}, nil
	}
	if len(names) == 0 {
		return manifest.Kinds(), nil
	}
	var kinds []manifest.Kind
	for _, name := range names {
		at := slices.IndexFunc(manifest.Kinds(), func(k manifest.Kind) bool { return strings.EqualFold(string(k), name) })
		if at < 0 {
			return nil, output.Usagef("--kind: unknown kind %q; use one of %s", name, strings.Join(kindWords(), ", "))
		}
		kinds = append(kinds, manifest.Kinds()[at])
	}
	return kinds, nil
}

// exported returns the objects of the kinds, without the label of their set, and without
// pauses that have ended or belong to another namespace.
func exported(ctx context.Context, s *reconcile.Server, kinds []manifest.Kind, group string) (all []manifest.Object, err error) {
	for _, kind := range kinds {
		space := s.Namespace
		if !kind.Spaced() {
			space = ""
		}
		found, err := s.Stored(ctx, kind, space, nil)
		if err != nil {
			return nil, err
		}
		for i := range found {
			o := &found[i]
			about, _ := o.Spec["namespace"].(string)
			until, _ := o.Spec["until"].(string)
			switch {
			case group != "" && o.Spec["group"] != group && kind == manifest.KindJob:
			case kind == manifest.KindPause && about != "" && about != s.Namespace:
			case kind == manifest.KindPause && isOver(until):
			default:
				o.Unmark()
				all = append(all, *o)
			}
		}
	}
	return all, nil
}

// isOver reports whether an instant is in the past.
func isOver(until string) bool {
	at, err := time.Parse(time.RFC3339, until)
	return err == nil && at.Before(time.Now())
}

// NewSchemaCommand returns the command orth schema.
func NewSchemaCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of manifests", Args: cobra.NoArgs,
		Long: "Print the JSON Schema (2020-12) of the manifests that 'orth plan' and 'orth apply' read, for completion and validation\n" +
			"in editors.",
		Example: "  orth schema > orth.schema.json",
		RunE: func(*cobra.Command, []string) error {
			text, err := manifest.Schema()
			if err != nil {
				return err
			}
			_, err = t.Stdout.Write(text)
			return err
		},
	}
}
