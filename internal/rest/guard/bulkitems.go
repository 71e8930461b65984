package guard

import (
	"context"
	"errors"
	"sync"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/job"
)

const (
	// MaxBulk bounds what is done to many at once.
	MaxBulk = 1000
	// bulkAtOnce is how many of them are worked on at the same time: most wait for a
	// transaction that they share, and some for an executor. On a server whose commits
	// take a second, 200 take four.
	bulkAtOnce = 64
)

// DoneReply is the answer to what was asked of many.
type DoneReply struct{ Body api.Done }

// BulkItem is one of many: where it is, why it is not known, and what is done to it. do
// returns the run that it made, 0 for none.
type BulkItem struct {
	Space  string // set in queries of all namespaces
	Key    string
	Object intent.Object
	Err    error
	Do     func(context.Context) (run int64, err error)
	// Would describes the effect of do. look determines it for actions that cannot be tried
	// and rolled back; it is nil for the others.
	Would Effect
	Look  func(context.Context) (Effect, error)
}

// Effect is what would happen to one of many: in words, and whether it is so already.
type Effect struct {
	Text      string
	Unchanged bool
}

// Each applies an action to all items, some in parallel, and returns the result of each, or
// of its dry run. right is needed on every one. An item that the caller may not see counts
// as missing.
func (g *Guard) Each(ctx context.Context, operation string, right access.Right, dry bool, items []BulkItem) *DoneReply {
	noteAsked(ctx)
	caller := intent.Caller(ctx)
	reply := &DoneReply{api.Done{Items: make([]api.DoneItem, len(items))}}
	errs := make([]error, len(items))
	places := make(chan struct{}, bulkAtOnce)
	var working sync.WaitGroup
	for i := range items {
		one := &items[i]
		reply.Body.Items[i].Namespace, reply.Body.Items[i].Key = one.Space, one.Key
		if errs[i] = one.refused(&caller, right); errs[i] != nil {
			continue
		}
		places <- struct{}{}
		working.Go(func() {
			defer func() { <-places }()
			if errs[i] = context.Cause(ctx); errs[i] == nil {
				errs[i] = one.act(ctx, right, dry, &reply.Body.Items[i])
			}
		})
	}
	working.Wait()
	var last error // reported, and logged, once for all
	var why api.Problem
	for i, err := range errs {
		if err == nil {
			reply.Body.Done++
			if reply.Body.Items[i].Unchanged {
				reply.Body.Unchanged++
			}
			continue
		}
		reply.Body.Failed++
		if last == nil || !errors.Is(err, last) {
			last, why = err, g.Problem(ctx, operation, err).Problem
		}
		told := why
		reply.Body.Items[i].Error = &told
	}
	return reply
}

// Absent is the error for what is not there, or may not be seen.
func Absent(kind, key string) error {
	return job.Errorf(job.NotFound, "there is no %s %s that you may see", kind, key)
}

// act does something to an item, or tries it: then all is checked, and undone.
func (i *BulkItem) act(ctx context.Context, right access.Right, dry bool, told *api.DoneItem) error {
	ctx = intent.For(ctx, right, i.Object)
	if !dry {
		run, err := i.Do(ctx)
		told.Run = api.ID(run)
		return err
	}
	would, err := i.try(ctx)
	if err == nil {
		told.Would, told.Unchanged = would.Text, would.Unchanged
	}
	return err
}

// try returns the effect that the action would have on an item.
func (i *BulkItem) try(ctx context.Context) (Effect, error) {
	if i.Look != nil {
		return i.Look(ctx)
	}
	wish := intent.Of(ctx)
	if wish == nil { // without a request nothing would roll it back
		return i.Would, job.Errorf(job.Internal, "the request has no dry run to roll back")
	}
	wish.Dry = true
	_, err := i.Do(ctx)
	return i.Would, err
}

// refused reports why nothing is done to an item.
func (i *BulkItem) refused(caller *access.Principal, right access.Right) error {
	o := access.Object{Namespace: i.Object.Namespace, Group: i.Object.Group}
	switch {
	case i.Err != nil:
		return i.Err
	case caller.May(right, o):
		return nil
	case caller.May(access.View, o):
		return access.Denied(caller, right)
	}
	return Absent(i.Object.Kind, i.Key)
}

// Place returns where the answer goes on behind an item.
func (i *BulkItem) Place() string {
	if i.Space == "" {
		return i.Key
	}
	return i.Space + "/" + i.Key // no name has a slash
}
