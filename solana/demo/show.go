package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/solana/svmtest"
	"github.com/orthd/orth/solana/thread"
)

// options are how the demonstration goes.
type options struct {
	out        io.Writer
	executions int // 0: without end
	block      time.Duration
}

// slotsPerEpoch makes epochs of some twenty seconds.
const slotsPerEpoch = 50

// kind is a thread of the demonstration.
type kind struct {
	name     string
	trigger  thread.Trigger
	schedule thread.Schedule
	key      thread.Key
	seen     uint64 // executions that were shown
	gone     bool
}

// demonstration is a chain with threads, and a node that executes them.
type demonstration struct {
	options
	tb      testing.TB
	chain   *svmtest.Threads
	watched thread.Key
	kinds   []*kind
	folder  string
	program string
	shown   int
}

// shared is a writer for several.
type shared struct {
	mu  sync.Mutex
	out io.Writer
}

// Write writes one after the other.
func (s *shared) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Write(b)
}

// show runs the demonstration until ctx ends or as many executions as asked for were seen.
func show(ctx context.Context, tb testing.TB, o options) error {
	tb.Helper()
	o.out = &shared{out: o.out} // the node writes there too
	d := &demonstration{options: o, tb: tb, folder: tb.TempDir()}
	d.say("building orth-solana")
	d.program = filepath.Join(d.folder, "orth-solana")
	building := exec.CommandContext(ctx, "go", "build", "-o", d.program, "github.com/orthd/orth/solana/cmd/orth-solana") //nolint:gosec // The folder was made here.
	if text, err := building.CombinedOutput(); err != nil {
		return fmt.Errorf("build orth-solana: %w\n%s", err, text)
	}
	if err := d.prepare(); err != nil {
		return err
	}
	node, err := d.start(ctx)
	if err != nil {
		return err
	}
	watching := d.watch(ctx, node.ended)
	if watching == nil {
		for _, words := range [][]string{{"queue", "stats"}, {"profit"}, {"threads"}} {
			if err := d.command(ctx, words...); err != nil {
				return err
			}
		}
	}
	return errors.Join(watching, node.stop())
}

func (d *demonstration) say(format string, args ...any) {
	_, _ = fmt.Fprintf(d.out, format+"\n", args...) // A failure here has no other channel.
}

// prepare starts the chain with its threads, and writes the node's settings.
func (d *demonstration) prepare() error {
	chain := svmtest.StartTicking(d.tb, d.block)
	now := time.Now().Unix()
	chain.Configure(svmtest.Settings{SlotsPerEpoch: new(slotsPerEpoch)})
	chain.SetTime(now)
	chain.StartLeaders(3)
	d.chain = chain.Install()
	executor := svmtest.Wallet("executor")
	chain.Fund(executor.PublicKey(), solana.LAMPORTS_PER_SOL)
	d.watched = svmtest.Wallet("watched").PublicKey()
	d.change(0)
	var epoch struct {
		Epoch uint64 `json:"epoch"`
		Slot  uint64 `json:"absoluteSlot"`
	}
	if err := chain.Ask(d.tb.Context(), &epoch, "getEpochInfo", map[string]string{"commitment": "processed"}); err != nil {
		return err
	}
	timed := func(next int64) thread.Schedule { return thread.Schedule{Kind: thread.Timed, Next: next} }
	block := func(next uint64) thread.Schedule { return thread.Schedule{Kind: thread.Block, Next: int64(next)} }
	d.kinds = []*kind{
		{name: "once", trigger: thread.Trigger{Kind: thread.Immediate}, schedule: timed(0)},
		{name: "at-a-time", trigger: thread.Trigger{Kind: thread.OnTimestamp, At: now + 6}, schedule: timed(now + 6)},
		{name: "every-3s", trigger: thread.Trigger{Kind: thread.OnInterval, Every: 3}, schedule: timed(now + 2)},
		{name: "cron", trigger: thread.Trigger{Kind: thread.OnCron, Cron: "*/5 * * * * *"}, schedule: timed(now - now%5 + 5)},
		{name: "in-a-slot", trigger: thread.Trigger{Kind: thread.OnSlot, Number: epoch.Slot + 20}, schedule: block(epoch.Slot + 20)},
		{name: "in-an-epoch", trigger: thread.Trigger{Kind: thread.OnEpoch, Number: epoch.Epoch + 1}, schedule: block(epoch.Epoch + 1)},
		{name: "on-a-change", trigger: thread.Trigger{Kind: thread.OnAccount, Address: d.watched, Size: 8}, schedule: thread.Schedule{Kind: thread.OnChange}},
	}
	for _, k := range d.kinds {
		k.key = d.chain.Put(thread.Thread{
			Authority: svmtest.Wallet("authority").PublicKey(), ID: []byte(k.name), Trigger: k.trigger, Schedule: k.schedule,
		}, d.chain.Succeed())
	}
	return d.configure(executor)
}

// change writes something else into the account that a thread watches.
func (d *demonstration) change(n int) {
	d.chain.SetAccount(d.watched, svmtest.Account{Lamports: 1e9, Data: fmt.Appendf(nil, "news %03d", n%1000)})
}

// configure writes the key and the settings.
func (d *demonstration) configure(executor solana.PrivateKey) error {
	numbers := make([]int, len(executor))
	for i, b := range executor {
		numbers[i] = int(b)
	}
	key, err := json.Marshal(numbers)
	if err != nil {
		return err
	}
	settings := fmt.Sprintf(
		"endpoints:\n  - url: %s\n    ws: %s\n    rate: 1000\nkeypair: %s\ndata: %s\nlisten: 127.0.0.1:0\nlog-level: warn\n",
		d.chain.RPC, d.chain.WS, filepath.Join(d.folder, "executor.json"), filepath.Join(d.folder, "data"),
	)
	return errors.Join(
		os.WriteFile(filepath.Join(d.folder, "executor.json"), key, 0o600),
		os.WriteFile(filepath.Join(d.folder, "node.yaml"), []byte(settings), 0o600),
	)
}

// process is the node.
type process struct {
	cmd   *exec.Cmd
	ended chan error
}

// start starts the node. It is not ended by ctx, but by stop: what is on its way is finished.
func (d *demonstration) start(ctx context.Context) (*process, error) {
	p := &process{cmd: exec.CommandContext(context.WithoutCancel(ctx), d.program, "run", "--config", filepath.Join(d.folder, "node.yaml")), ended: make(chan error, 1)} //nolint:gosec // It was built here.
	p.cmd.Stdout, p.cmd.Stderr = d.out, d.out
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the node: %w", err)
	}
	go func() { p.ended <- p.cmd.Wait() }()
	return p, nil
}

// stop asks the node to end, and waits for that.
func (p *process) stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop the node: %w", err)
	}
	return <-p.ended
}

// watch prints executions as the chain shows them.
func (d *demonstration) watch(ctx context.Context, ended chan error) error {
	look := time.NewTicker(max(d.block/2, 10*time.Millisecond))
	defer look.Stop()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return nil
		case err := <-ended:
			ended <- err
			return errors.New("the node has ended")
		case <-look.C:
		}
		if n%20 == 0 {
			d.change(n / 20)
		}
		for _, k := range d.kinds {
			d.look(k)
		}
		if d.executions > 0 && d.shown >= d.executions {
			return nil
		}
	}
}

// look prints the changes of a thread since the last look.
func (d *demonstration) look(k *kind) {
	if k.gone {
		return
	}
	state := d.chain.Thread(k.key)
	if state == nil {
		k.gone = true
		d.say("%s  %-12s is closed", time.Now().Format("15:04:05.000"), k.name)
		return
	}
	if state.ExecCount == k.seen {
		return
	}
	d.shown += int(state.ExecCount - k.seen)
	k.seen = state.ExecCount
	d.say("%s  %-12s executed, %d in all", time.Now().Format("15:04:05.000"), k.name, k.seen)
}

// command runs one of the node's commands, and shows its output.
func (d *demonstration) command(ctx context.Context, words ...string) error {
	d.say("\n$ orth-solana %s", strings.Join(words, " "))
	command := exec.CommandContext(context.WithoutCancel(ctx), d.program, append(words, "--config", filepath.Join(d.folder, "node.yaml"))...) //nolint:gosec // It was built here.
	text, err := command.CombinedOutput()
	d.say("%s", text)
	return err
}
