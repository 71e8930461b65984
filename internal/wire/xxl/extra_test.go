package xxl

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/wire/post"
	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

func TestExtras(t *testing.T) {
	t.Parallel()
	planned := time.UnixMilli(1795226987123).UTC()
	for name, want := range map[string]job.Task{
		"none":     {},
		"default":  {OnCrash: job.CrashReport},
		"planned":  {PlannedAt: planned},
		"on crash": {OnCrash: job.CrashRerun, PlannedAt: planned},
		"run":      {RunID: math.MaxInt64, Try: math.MaxInt32},
		"labels":   {Labels: map[string]string{"team": "数据 & more=?+%", "tier": "", "a.b-c_d": "x;y,z"}},
		"longest":  {Labels: longestLabels()},
		"trace":    {Trace: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"},
	} {
		h := linesOf(dialect.AppendExtras(nil, &want))
		var got job.Task
		dialect.ReadExtras(h, &got)
		if want.OnCrash == job.CrashReport { // the default is not sent
			want.OnCrash = ""
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %v (-sent +got):\n%s", name, h, diff)
		}
	}
}

// longestLabels are the labels that make the longest header.
func longestLabels() map[string]string {
	labels := make(map[string]string)
	for i := range job.MaxLabels {
		labels[fmt.Sprintf("%0*d", job.MaxLabelKey, i)] = strings.Repeat("é", job.MaxLabelValue/len("é"))
	}
	return labels
}

// TestLabelsThatMayNotBeAreNotSent: the receiver would drop them all.
func TestLabelsThatMayNotBeAreNotSent(t *testing.T) {
	t.Parallel()
	h := dialect.AppendExtras(nil, &job.Task{Labels: map[string]string{"team": "a", "Tier": "b"}})
	if len(h) > 0 {
		t.Errorf("headers %q", h)
	}
}

func TestExtrasNonsense(t *testing.T) {
	t.Parallel()
	for _, h := range []http.Header{
		{dialect.HeaderPlannedAt: {"tomorrow"}},
		{dialect.HeaderPlannedAt: {"-5"}},
		{dialect.HeaderPlannedAt: {"9223372036854775807"}},
		{dialect.HeaderPlannedAt: {}},
		{dialect.HeaderOnCrash: {"explode"}},
		{dialect.HeaderTrace: {"00-0-0-01"}},
		{dialect.HeaderRunID: {"0"}},
		{dialect.HeaderRunID: {"9223372036854775808"}},
		{dialect.HeaderTry: {"-1"}},
		{dialect.HeaderTry: {"2147483648"}},
		{dialect.HeaderLabels: {""}},
		{dialect.HeaderLabels: {"&"}},
		{dialect.HeaderLabels: {"Team=a"}},
		{dialect.HeaderLabels: {"=a"}},
		{dialect.HeaderLabels: {"team=%zz"}},
		{dialect.HeaderLabels: {"team=a;tier=b"}},
		{dialect.HeaderLabels: {"team=a&team=b"}},
		{dialect.HeaderLabels: {"team=a%0Ab"}},
		{dialect.HeaderLabels: {"team=a&Tier=b"}},
		{dialect.HeaderLabels: {"team=" + strings.Repeat("a", job.MaxLabelsText)}},
		{dialect.HeaderLabels: {strings.Repeat("&", job.MaxLabelsText+1)}},
	} {
		var got job.Task
		dialect.ReadExtras(h, &got)
		if diff := cmp.Diff(job.Task{}, got); diff != "" {
			t.Errorf("%v became %+v", h, got)
		}
	}
}

// linesOf returns header lines as a reader finds them.
func linesOf(lines post.Fields) http.Header {
	h := http.Header{}
	lines.AddTo(h)
	return h
}
