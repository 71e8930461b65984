package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"

	tasks "github.com/orthd/orth/solana/ledger"
	"github.com/orthd/orth/solana/observe"
	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/service"
	"github.com/orthd/orth/solana/submit"
	"github.com/orthd/orth/solana/svmtest"
	"github.com/orthd/orth/solana/thread"
)

// shopRole is the variable that makes the test binary a service of executions that kills itself: a doomed in JSON.
const shopRole = "ORTH_E2E_SHOP"

// doomed is what a process executes, and when it dies.
type doomed struct {
	RPC    string
	Folder string
	Thread thread.Key
	At     string // recorded, sent, seen or settled
}

// die ends the process as kill -9 does.
func (d doomed) die(at string) {
	if d.At != at {
		return
	}
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	select {}
}

// doomedSender dies before it sends, or after.
type doomedSender struct {
	doomed
	next *submit.Submitter
}

func (s doomedSender) Submit(ctx context.Context, wire []byte) (submit.Sent, error) {
	s.die("recorded")
	sent, err := s.next.Submit(ctx, wire)
	s.die("sent")
	return sent, err
}

// doomedNodes die when they know that a transaction has landed.
type doomedNodes struct {
	*rpc.Pool
	doomed
}

func (n doomedNodes) Statuses(ctx context.Context, history bool, signatures ...solana.Signature) ([]*rpc.Landed, uint64, error) {
	all, slot, err := n.Pool.Statuses(ctx, history, signatures...)
	for _, l := range all {
		if l != nil && l.IsSure() {
			n.die("seen")
		}
	}
	return all, slot, err
}

// dieInShop executes a thread until it is told to die.
func dieInShop(role string) int {
	if err := func() error {
		var d doomed
		if err := json.Unmarshal([]byte(role), &d); err != nil {
			return err
		}
		pool, err := rpc.New(rpc.Config{Endpoints: []rpc.Endpoint{{URL: d.RPC, Rate: 10_000}}})
		if err != nil {
			return err
		}
		sender, err := submit.NewSubmitter(submit.RPC, pool, nil)
		if err != nil {
			return err
		}
		book, err := service.OpenLedger(d.Folder, tasks.Config{})
		if err != nil {
			return err
		}
		profile := thread.Newest()
		s, err := service.New(service.Config{
			Profile: profile, Signer: wallet{svmtest.Wallet("executor")}, Chain: doomedNodes{pool, d}, Submitter: doomedSender{d, sender},
			Ledger: book, Watch: 5 * time.Millisecond,
			Hooks: service.Hooks{Settled: func(service.Settlement) { d.die("settled") }},
		})
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		go func() {
			accounts, _, err := pool.Accounts(ctx, rpc.Confirmed, d.Thread)
			if err != nil || accounts[0] == nil {
				fmt.Fprintln(os.Stderr, "read the thread:", err)
				return
			}
			state, err := profile.DecodeThread(accounts[0].Data)
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				return
			}
			due, _ := state.Due(profile, d.Thread)
			if err := s.Offer(ctx, observe.ThreadReady{Thread: d.Thread, State: state, TriggerTime: chainStart, Due: due}); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		}()
		return s.Run(ctx)
	}(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return 3
}

// A process is killed at each step of an execution. The next one finds what was on its way, sends the same bytes, and executes the
// thread once; what that has brought is counted once.
func TestSolanaServiceKilled(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"recorded", "sent", "seen", "settled"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			s := newShop(t, submit.RPC, nil)
			s.end() // the folder is for the process that dies
			key := s.put(at, thread.Trigger{Kind: thread.OnInterval, Every: 3600}, timed(chainStart-1), s.Succeed())
			before := s.Balance(s.signer.Public())
			role, err := json.Marshal(doomed{RPC: s.RPC, Folder: s.folder, Thread: key, At: at})
			if err != nil {
				t.Fatal(err)
			}
			child := exec.Command(os.Args[0])
			child.Env = append(os.Environ(), shopRole+"="+string(role))
			child.Stderr = os.Stderr
			if err := child.Run(); err == nil || child.ProcessState.ExitCode() == 3 {
				t.Fatalf("the process was not killed: %v", err)
			}
			was := onTheirWay(t, s.folder)
			if want := map[bool]int{true: 0, false: 1}[at == "settled"]; len(was) != want {
				t.Fatalf("%d were on their way, want %d", len(was), want)
			}
			s.open(submit.RPC, nil)
			s.offer(key) // an observer does so at each start
			if at != "settled" {
				d := s.wait()
				if d.Outcome != service.Executed || d.Signature != was[0].Flight.Signature() || !d.Recovered {
					t.Errorf("it ended as %+v", d)
				}
			}
			other := s.put("other", thread.Trigger{Kind: thread.OnInterval, Every: 3600}, timed(chainStart-1), s.Succeed())
			s.offer(other)
			if d := s.wait(); d.Thread != other || d.Outcome != service.Executed {
				t.Errorf("the next to end is %+v", d)
			}
			if n := s.Thread(key).ExecCount; n != 1 {
				t.Errorf("it was executed %d times", n)
			}
			p, err := s.service.Profit(t.Context(), thread.Key{}, 10)
			if err != nil || p.Total.Executions != 2 || p.Total.Failures != 0 {
				t.Errorf("profit: %+v, %v", p, err)
			}
			if got := int64(s.Balance(s.signer.Public())) - int64(before); got != p.Total.Net() {
				t.Errorf("the executor has %d lamports more, %d are in the account", got, p.Total.Net())
			}
		})
	}
}

// onTheirWay are the tasks of a folder that nobody uses.
func onTheirWay(t *testing.T, folder string) []tasks.Task {
	t.Helper()
	book, err := service.OpenLedger(folder, tasks.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := book.Close(); err != nil {
			t.Error(err)
		}
	}()
	list, err := book.Tasks(t.Context(), tasks.Processing, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	return list
}
