package handler_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/job"
)

// A handler is a function; its test makes the Task itself.
func Example() {
	count := func(ctx context.Context, t *handler.Task) error {
		words := strings.Fields(t.Param)
		if len(words) == 0 {
			return errors.New("there is nothing to count")
		}
		for _, word := range words {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			_, _ = fmt.Fprintln(t.Output(), word)
		}
		t.Result(fmt.Sprintf("%d words", len(words)))
		return nil
	}

	task := handler.NewTask(handler.TaskConfig{
		Task:   job.Task{AttemptID: 1, Param: "to and fro"},
		Output: os.Stdout,
	})
	err := handler.Func(count).Handle(context.Background(), task)
	fmt.Println("result:", task.ResultText(), "error:", err)
	// Output:
	// to
	// and
	// fro
	// result: 3 words error: <nil>
}

// pool is a handler with something to prepare and to clean up.
type pool struct{ open bool }

func (p *pool) Init(context.Context) error { p.open = true; return nil }
func (p *pool) Destroy()                   { p.open = false }

func (p *pool) Handle(ctx context.Context, t *handler.Task) error {
	note(ctx, fmt.Sprintf("shard %d of %d, open: %t\n", t.ShardIndex, t.ShardTotal, p.open))
	return nil
}

// note is far below a handler and finds the run log in its context.
func note(ctx context.Context, text string) {
	if t := handler.FromContext(ctx); t != nil {
		_, _ = io.WriteString(t.Output(), text)
	}
}

// A handler may implement Initer and Destroyer, and deeper code reaches the
// Task through its context.
func ExampleIniter() {
	var h handler.Handler = new(pool)
	t := handler.NewTask(handler.TaskConfig{
		Task:   job.Task{ShardIndex: 1, ShardTotal: 3},
		Output: os.Stdout,
	})
	ctx := handler.NewContext(context.Background(), t)
	if err := h.(handler.Initer).Init(ctx); err != nil {
		fmt.Println(err)
	}
	if err := h.Handle(ctx, t); err != nil {
		fmt.Println(err)
	}
	h.(handler.Destroyer).Destroy()
	// Output: shard 1 of 3, open: true
}
