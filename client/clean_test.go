package client_test

import (
	"context"
	"testing"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// Clean has three runs to remove, and more when it is told to keep some.
func (*memory) Clean(_ context.Context, jobID int64, what job.Cleaning, dry bool) (int, bool, error) {
	if jobID != 1 || dry || what.Before.IsZero() {
		return 0, false, job.Errorf(job.Invalid, "job %d, %+v, %t", jobID, what, dry)
	}
	return 3, what.Keep > 0, nil
}

func TestCleanRuns(t *testing.T) {
	t.Parallel()
	c := serve(t, &memory{}, nil)
	if _, err := c.CreateJob(t.Context(), newJob("first")); err != nil {
		t.Fatal(err)
	}
	cleaned, err := c.CleanRuns(t.Context(), api.Clean{Job: "first", OlderThan: api.Duration(time.Hour), Keep: 2})
	if err != nil || cleaned.Removed != 3 || !cleaned.More {
		t.Errorf("%+v, %v", cleaned, err)
	}
}
