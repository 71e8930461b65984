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
		h := linesOf(appendExtras(nil, &want))
		var got job.Task
		readExtras(h, &got)
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
	h := appendExtras(nil, &job.Task{Labels: map[string]string{"team": "a", "Tier": "b"}})
	if len(h) > 0 {
		t.Errorf("headers %q", h)
	}
}

func TestExtrasNonsense(t *testing.T) {
	t.Parallel()
	for _, h := range []http.Header{
		{headerPlannedAt: {"tomorrow"}},
		{headerPlannedAt: {"-5"}},
		{headerPlannedAt: {"9223372036854775807"}},
		{headerPlannedAt: {}},
		{headerOnCrash: {"explode"}},
		{headerTrace: {"00-0-0-01"}},
		{headerRunID: {"0"}},
		{headerRunID: {"9223372036854775808"}},
		{headerTry: {"-1"}},
		{headerTry: {"2147483648"}},
		{headerLabels: {""}},
		{headerLabels: {"&"}},
		{headerLabels: {"Team=a"}},
		{headerLabels: {"=a"}},
		{headerLabels: {"team=%zz"}},
		{headerLabels: {"team=a;tier=b"}},
		{headerLabels: {"team=a&team=b"}},
		{headerLabels: {"team=a%0Ab"}},
		{headerLabels: {"team=a&Tier=b"}},
		{headerLabels: {"team=" + strings.Repeat("a", job.MaxLabelsText)}},
		{headerLabels: {strings.Repeat("&", job.MaxLabelsText+1)}},
	} {
		var got job.Task
		readExtras(h, &got)
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
