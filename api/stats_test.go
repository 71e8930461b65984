package api_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

func TestFromStats(t *testing.T) {
	t.Parallel()
	day := job.DayOf(instant)
	for _, c := range []struct {
		name string
		days []job.Stats
		want string
	}{
		{
			"no day", nil,
			`{"from":"","to":"","days":[],"total":{"runs":0,"succeeded":0,"failed":0,"timed_out":0,"cancelled":0,"lost":0,"skipped":0,"attempts":0}}`,
		},
		{
			"all failed",
			[]job.Stats{{Day: day, Failed: 1, Lost: 1, Attempts: 2, Timed: 1, Took: time.Second, TookMax: time.Second}},
			`{"from":"2030-01-31","to":"2030-01-31","days":[{"day":"2030-01-31",` + failedFigures + `],"total":{` + failedFigures + `}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := json.Marshal(api.FromStats(c.days))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Error(diff)
			}
			var back api.Stats
			if err := json.Unmarshal(got, &back); err != nil || !cmp.Equal(back, api.FromStats(c.days)) {
				t.Errorf("read back %+v, %v", back, err)
			}
		})
	}
}

const failedFigures = `"runs":2,"succeeded":0,"failed":1,"timed_out":0,"cancelled":0,"lost":1,"skipped":0,"attempts":2,` +
	`"success_rate":0,"mean_took":"1s","max_took":"1s"}`

// The rate of several days is that of all their runs, not the mean of the days.
func TestFromStatsTotal(t *testing.T) {
	t.Parallel()
	day := job.DayOf(instant)
	total := api.FromStats([]job.Stats{
		{Day: day, Succeeded: 98, Attempts: 98, Timed: 98, Took: 98 * time.Second, TookMax: time.Second, Late: 98 * time.Millisecond},
		{Day: day.AddDate(0, 0, 1), Failed: 2, Cancelled: 50, Attempts: 2, Timed: 2, Took: 102 * time.Second, TookMax: time.Minute, Late: 2 * time.Millisecond},
	}).Total
	if total.Runs != 150 || *total.SuccessRate != 0.98 || total.MeanTook != api.Duration(2*time.Second) ||
		total.MaxTook != api.Duration(time.Minute) || total.MeanLate != api.Duration(time.Millisecond) {
		t.Errorf("got %+v, rate %v", total, *total.SuccessRate)
	}
}
