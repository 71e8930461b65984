package jobedit

import (
	"slices"
	"testing"

	"github.com/spf13/pflag"

	"github.com/orthd/orth/internal/cli/kit"
)

// TestEditKnowsAllFlags: whatever a new job can be given can be changed.
func TestEditKnowsAllFlags(t *testing.T) {
	t.Parallel()
	tool := kit.New(kit.Config{})
	create, edit := NewCreateCommand(tool), NewEditCommand(tool)
	create.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "enable" || f.Name == "help" {
			return
		}
		if edit.Flags().Lookup(f.Name) == nil || !slices.Contains(changeFlags(), f.Name) {
			t.Errorf("job edit does not know --%s", f.Name)
		}
	})
	for _, name := range changeFlags() {
		if edit.Flags().Lookup(name) == nil {
			t.Errorf("job edit has no flag --%s", name)
		}
	}
}

func TestFieldWord(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"timeout": "timeout", "--calendar": "schedule.calendars", "retry-max": "retry.max", "labels.a.b": "labels.a.b",
		"priority": "delivery.priority", "misfire-max": "misfire_limits.max", "label": "labels", "stop-after": "stop_after",
	} {
		if got := fieldWord(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}
