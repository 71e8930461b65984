package xxladmin

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/job"
)

func TestLifecycle(t *testing.T) {
	t.Parallel()
	taken := time.Unix(1, 0)
	for name, c := range map[string]struct {
		attempt job.Attempt
		telling Telling
		want    Lifecycle
	}{
		"sent, no answer":      {job.Attempt{State: job.Dispatched}, Telling{}, Lifecycle{0, 0, 0}},
		"taken":                {job.Attempt{State: job.Dispatched, AcceptedAt: taken}, Telling{}, Lifecycle{200, 0, 0}},
		"running":              {job.Attempt{State: job.Running, AcceptedAt: taken}, Telling{}, Lifecycle{200, 0, 0}},
		"succeeded":            {job.Attempt{State: job.Succeeded, AcceptedAt: taken}, Telling{}, Lifecycle{200, 200, 0}},
		"its answer came late": {job.Attempt{State: job.Succeeded}, Telling{}, Lifecycle{200, 200, 0}},
		"failed":               {job.Attempt{State: job.Failed, AcceptedAt: taken}, Telling{}, Lifecycle{200, 500, 0}},
		"timed out":            {job.Attempt{State: job.TimedOut, AcceptedAt: taken}, Telling{}, Lifecycle{200, 502, 0}},
		"lost":                 {job.Attempt{State: job.Lost, AcceptedAt: taken}, Telling{}, Lifecycle{200, 500, 0}},
		"cancelled":            {job.Attempt{State: job.Cancelled, AcceptedAt: taken}, Telling{}, Lifecycle{200, 500, 0}},
		"refused":              {job.Attempt{State: job.Failed}, Telling{}, Lifecycle{500, 0, 0}},
		"tried again":          {job.Attempt{State: job.Failed}, Telling{Again: true, Looked: true}, Lifecycle{500, 0, 1}},
		"nobody to tell":       {job.Attempt{State: job.Failed}, Telling{Looked: true}, Lifecycle{500, 0, 2}},
		"being told": {
			job.Attempt{State: job.Failed},
			Telling{Looked: true, Messages: []alarm.Delivery{alarm.Sent, alarm.Pending}},
			Lifecycle{500, 0, -1},
		},
		"told": {
			job.Attempt{State: job.Failed},
			Telling{Looked: true, Messages: []alarm.Delivery{alarm.Sent, alarm.Silenced}},
			Lifecycle{500, 0, 2},
		},
		"not told": {
			job.Attempt{State: job.Failed},
			Telling{Looked: true, Messages: []alarm.Delivery{alarm.Sent, alarm.GivenUp, alarm.Pending}},
			Lifecycle{500, 0, 3},
		},
		"a success is no alarm": {job.Attempt{State: job.Succeeded}, Telling{Again: true}, Lifecycle{200, 200, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := LifecycleOf(c.attempt, c.telling)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("codes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseCleaning(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 31, 12, 0, 0, 0, time.UTC)
	want := []job.Cleaning{
		{Before: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)}, // there is no 31 April
		{Before: time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)},
		{Before: time.Date(2025, 12, 1, 12, 0, 0, 0, time.UTC)},
		{Before: time.Date(2025, 5, 31, 12, 0, 0, 0, time.UTC)},
		{Keep: 1000},
		{Keep: 10000},
		{Keep: 30000},
		{Keep: 100000},
		{},
	}
	for i, w := range want {
		if got, ok := ParseCleaning(i+1, now); !ok || got != w {
			t.Errorf("type %d: %+v, %t, want %+v", i+1, got, ok, w)
		}
	}
	for _, kind := range []int{-1, 0, 10} {
		if _, ok := ParseCleaning(kind, now); ok {
			t.Errorf("type %d is known", kind)
		}
	}
}
