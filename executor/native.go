package executor

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/orthd/orth/internal/lifecycle"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/runner"
	"github.com/orthd/orth/internal/wire/native"
	"github.com/orthd/orth/internal/wire/native/signing"
	"github.com/orthd/orth/job"
)

// native reports whether the servers are spoken to in Orth's own protocol.
func (c *Config) native() bool {
	known, err := c.servers()
	return err == nil && dialectOfAll(known) == job.DialectNative
}

// checkNative refuses servers of which some are spoken to in Orth's own protocol and
// some are not: outcomes go to whichever answers.
func checkNative(all []server) error {
	for _, s := range all {
		if (s.dialect == job.DialectNative) != (all[0].dialect == job.DialectNative) {
			return job.FieldErrorf("servers", "%s is spoken to in another protocol than %s: either all of them are native or none is", s.address, all[0].address)
		}
	}
	return nil
}

// checkPull refuses what does not go together with an executor that pulls.
func (c *Config) checkPull() error {
	if c.Pull && !c.native() {
		return job.FieldErrorf("dialect", "%q does not go with pull, which only the dialect native has", c.Dialect)
	}
	return nil
}

// instanceBytes is how many random bytes name an instance.
const instanceBytes = 12

// openInstance reads the name of this executor that outlives its restarts, and makes
// one at the first start. The file is whole or not there.
func openInstance(path string) (string, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return makeInstance(path)
	}
	if err != nil {
		return "", job.Errorf(job.Unavailable, "read the executor's instance: %w", err)
	}
	text := strings.TrimSpace(string(raw))
	if id, err := hex.DecodeString(text); err != nil || len(id) != instanceBytes || text != strings.ToLower(text) {
		return "", job.Errorf(job.Invalid, "%s does not hold %d hexadecimal digits: delete it, and the executor makes a new one", path, 2*instanceBytes)
	}
	return text, nil
}

func makeInstance(path string) (_ string, err error) {
	var id [instanceBytes]byte
	_, _ = rand.Read(id[:]) // it never returns an error
	text := hex.EncodeToString(id[:])
	file, err := os.CreateTemp(filepath.Dir(path), ".instance-*")
	if err == nil {
		_, err = file.WriteString(text + "\n")
		err = errors.Join(err, file.Sync(), file.Close())
		if err == nil {
			err = os.Rename(file.Name(), path)
		}
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}
	if err != nil {
		return "", job.Errorf(job.Unavailable, "write the executor's instance: %w", err)
	}
	return text, nil
}

// nativeClient calls the servers in Orth's own protocol.
func (e *Executor) nativeClient(o *opened, known []server, life func() job.Life) (*native.ServerClient, error) {
	c := &e.config
	client, err := native.NewServerClient(native.ServerClientConfig{
		Addresses: addresses(known), Token: cmp.Or(c.GroupToken, c.Token), TLS: o.callTLS, Instance: o.instance, Pull: c.Pull, Maybe: c.found(),
		Features: e.features(o), Handlers: o.library.names, Life: life,
	})
	if err != nil {
		return nil, err
	}
	o.closers = append(o.closers, client.Close)
	o.own = client
	return client, nil
}

// nativeDoor answers the servers' requests in Orth's own protocol, and has them brought
// the logs that they follow.
func (e *Executor) nativeDoor(o *opened, me *self, known []server) *native.ExecutorHandler {
	c := &e.config
	worker := nativeWorker{me.runner, me.store, me.outcomes}
	o.follower = native.NewFollower(native.FollowerConfig{
		Servers: addresses(known), Token: cmp.Or(c.GroupToken, c.Token), TLS: o.callTLS, Lines: o.logs, Attempts: worker,
		Logger: c.Logger.With("room", "wire"),
	})
	return native.NewExecutorHandler(native.ExecutorConfig{
		Keys: signing.NewTokens(c.Token, c.GroupToken), Certificates: c.certificates(), Incarnation: me.incarnation,
		Tasks: worker, Attempts: worker, Drainer: worker, Logs: o.logs, Follows: o.follower, Kinds: c.kinds(),
		Logger: c.Logger.With("room", "wire"),
	})
}

// changed tells the follower that an attempt's log has more lines.
func (o *opened) changed(attempt int64) {
	if o.follower != nil {
		o.follower.Changed(attempt)
	}
}

// ending adds to the hooks one that informs the follower of the ends of attempts.
func (o *opened) ending(hooks runner.Hooks) runner.Hooks {
	finished := hooks.Finished
	hooks.Finished = func(end job.Outcome, took time.Duration) {
		finished(end, took)
		if o.follower != nil {
			o.follower.Ended(end.AttemptID, end.Log != "")
		}
	}
	return hooks
}

// bothDoors serves Orth's own protocol, and the XXL-JOB family's at the same listener.
func bothDoors(own *native.ExecutorHandler, other http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if native.Serves(r.RequestURI) {
			own.ServeHTTP(w, r)
			return
		}
		other.ServeHTTP(w, r)
	})
}

// pullers are the parts that pull from the servers, one from each.
func (e *Executor) pullers(o *opened, me *self, known []server) ([]lifecycle.Part, error) {
	c := &e.config
	handler := e.nativeDoor(o, me, known)
	var parts []lifecycle.Part
	for _, s := range known {
		puller, err := native.NewPuller(native.PullerConfig{
			Server: s.address, Token: cmp.Or(c.GroupToken, c.Token), TLS: o.callTLS,
			Group: c.Group, Instance: o.instance, Incarnation: me.incarnation, Handler: handler, Room: me.roomFor(c.Outcomes),
			Last: lastFlush, Logger: c.Logger.With("room", "wire"),
		})
		if err != nil {
			return nil, err
		}
		parts = append(parts, lifecycle.Part{
			Name: "pull from " + s.address, Run: puller.Run,
			Drain: func(context.Context) error { me.runner.Drain(); return nil },
		})
	}
	return parts, nil
}

// roomFor returns a function that counts how many tasks would be accepted now, as far as the
// disk decides: each needs a place for its outcome.
func (s *self) roomFor(outcomes int) func() int {
	return func() int {
		if s.runner.Draining() {
			return 0
		}
		ctx, cancel := context.WithTimeout(context.Background(), lifeWait)
		defer cancel()
		free := outcomes
		err := s.store.View(ctx, func(tx *queue.Tx) error {
			for _, q := range s.queues {
				count, err := q.Stats(tx)
				if err != nil {
					return err
				}
				free -= count.Scheduled + count.Processing
			}
			return nil
		})
		if err != nil {
			return 0
		}
		return max(free, 0)
	}
}

// nativeWorker is a Runner in the words of the native protocol.
type nativeWorker struct {
	*runner.Runner

	store    *queue.Store
	outcomes *queue.Queue
}

// Load implements native.Drainer.
func (w nativeWorker) Load() job.Load {
	load := w.Runner.Load()
	return job.Load{Running: load.Running, Waiting: max(load.Waiting, 0)}
}

// Standings implements native.Attempts.
func (w nativeWorker) Standings(ctx context.Context, attempts []int64) ([]native.Standing, error) {
	places, err := w.Runner.Standings(ctx, attempts)
	if err != nil {
		return nil, fmt.Errorf("report the state of attempts: %w", err)
	}
	standings := make([]native.Standing, len(places))
	for i, place := range places {
		switch place {
		case queue.Scheduled:
			standings[i] = native.Waiting
		case queue.Processing:
			standings[i] = native.Running
		case queue.Dead, queue.Remembered:
			standings[i] = native.Rid
		}
	}
	return standings, w.waiting(ctx, attempts, standings)
}

// waiting finds which of those that have ended have outcomes that are not delivered.
// An outcome is in the outbox by the time its attempt has ended.
func (w nativeWorker) waiting(ctx context.Context, attempts []int64, standings []native.Standing) error {
	err := w.store.View(ctx, func(tx *queue.Tx) error {
		for i, attempt := range attempts {
			if standings[i] != native.Rid {
				continue
			}
			_, place, _, err := w.outcomes.Find(tx, attempt)
			if err != nil {
				return err
			}
			if place == queue.Scheduled || place == queue.Processing {
				standings[i] = native.Ended
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("report which outcomes are delivered: %w", err)
	}
	return nil
}
