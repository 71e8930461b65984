// Package handler is how a task is written: a [Handler] is the code that an executor runs,
// and a [Task] is its input.
//
// It knows a task's inputs, its run log and its result. It must never know a queue, a
// server, a protocol or how tasks follow one another. A Task comes in from the executor;
// text for the run log, a result and an error go out.
//
//	func report(ctx context.Context, t *handler.Task) error {
//		t.Log("building %s", t.Param)
//		rows, err := build(ctx, t.Param)
//		if err != nil {
//			return err // the attempt failed, with this text
//		}
//		t.Result(fmt.Sprintf("%d rows", rows))
//		return nil // the attempt succeeded
//	}
//
// A handler must return soon after its context is done: the context ends when the task's
// time is up, when the run is cancelled, and when the executor stops. What a handler
// returns after that no longer counts.
package handler
