package client_test

import (
	"context"
	"fmt"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// A program creates a job that runs every night, runs it once now and waits for
// the end.
func Example() {
	if err := nightly(context.Background(), "http://127.0.0.1:1", "the-token"); err != nil {
		fmt.Println(job.KindOf(err))
	}
	// Output: unreachable
}

func nightly(ctx context.Context, address, token string) error {
	c, err := client.New(client.Config{Address: address, Token: token})
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.CreateJob(ctx, api.NewJob{
		Key: "nightly-report", Group: "reports",
		Schedule: api.Schedule{Kind: schedule.KindCron, Cron: "0 30 2 * * ?", Zone: "Europe/Berlin"},
		Handler:  api.Handler{Kind: job.HandlerNamed, Name: "report"},
		Enabled:  true,
	})
	if err != nil && !job.Is(err, job.Conflict) { // it exists already
		return err
	}
	run, err := c.Trigger(ctx, "nightly-report", api.Trigger{})
	if err != nil {
		return err
	}
	if run, err = c.Wait(ctx, run.ID); err != nil {
		return err
	}
	fmt.Println(run.State, run.Message)
	return nil
}
