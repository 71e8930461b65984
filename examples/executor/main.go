// Command executor is a complete executor: one handler, served to an Orth server
// on this machine.
//
//	ORTH_EXECUTOR_TOKEN=$(cat orth-data/executor.token) go run ./examples/executor
package main

import (
	"context"
	"log"
	"os"

	"github.com/orthd/orth/executor"
	"github.com/orthd/orth/handler"
)

func main() {
	e, err := executor.New(executor.Config{
		Servers: []string{"http://127.0.0.1:8080"}, Group: "reports", Token: os.Getenv("ORTH_EXECUTOR_TOKEN"),
	})
	if err != nil {
		log.Fatal(err)
	}
	e.Handle("daily", func(ctx context.Context, t *handler.Task) error {
		t.Log("report %s for %s", t.Param, t.PlannedAt)
		return nil // an error would make the run fail, and be tried again
	})
	log.Fatal(e.Run(context.Background()))
}
