package xxl

import (
	"net/http"
	"testing"
	"time"

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
	} {
		h := http.Header{}
		setExtras(h, &want)
		var got job.Task
		readExtras(h, &got)
		if want.OnCrash == job.CrashReport { // the default is not sent
			want.OnCrash = ""
		}
		if !got.PlannedAt.Equal(want.PlannedAt) || got.OnCrash != want.OnCrash {
			t.Errorf("%s: %v came back as %+v", name, h, got)
		}
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
	} {
		var got job.Task
		readExtras(h, &got)
		if !got.PlannedAt.IsZero() || got.OnCrash != "" {
			t.Errorf("%v became %+v", h, got)
		}
	}
}
