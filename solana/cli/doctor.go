package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/gagliardetto/solana-go"
	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/machine"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/solana/control"
	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/thread"
	"github.com/orthd/orth/solana/tpu"
)

// The ends of a check.
const (
	checkOK   = "ok"
	checkWarn = "warn"
	checkFail = "fail"
)

// Bounds of checks.
const (
	checkFor    = 15 * time.Second // of each that asks a node
	littleSpace = 1 << 30          // bytes
	tooLittle   = 100 << 20
	mostSkew    = 30 * time.Second // between the chain's clock, which lags some seconds, and this machine's
	mostLag     = 64               // slots
)

// finding is what one check came to, and what to do about it.
type finding struct {
	Check  string `json:"check"`
	Status string `json:"status"`
	Says   string `json:"says"`
	Remedy string `json:"remedy,omitempty"`
}

// doctor gathers findings. What a check needs of an earlier one is nil where that has failed.
type doctor struct {
	*tool
	findings []finding
	settings *settings
	key      *keypair
	profile  thread.Profile
	nodes    *rpc.Pool
}

func (t *tool) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Check a node and all that it needs, with remedies", Args: cobra.NoArgs,
		Long: "Check a node and all that it needs, with remedies: its settings, the key, the data folder and the ledger in it, each node of\n" +
			"the chain, subscriptions, leaders, the clock, the program's accounts, the executor's balance, and the Orth server. Nothing is changed, nothing is sent.\n\n" +
			"Each check ends as ok, warn or fail; the exit code is 1 when one fails.",
		Example: "  orth-solana doctor --config node.yaml\n  orth-solana doctor --config node.yaml -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := doctor{tool: t}
			d.addCheck("program", checkOK, "", "orth-solana %s, %s, %s/%s", t.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			d.configuration()
			d.keypair()
			d.folder(cmd.Context())
			if d.settings != nil {
				d.endpoints(cmd.Context())
				d.chain(cmd.Context())
				d.subscriptions(cmd.Context())
				d.leaders(cmd.Context())
				d.program(cmd.Context())
				d.balance(cmd.Context())
				d.servers(cmd.Context())
			}
			if cmd.Context().Err() != nil {
				return context.Cause(cmd.Context())
			}
			return d.report()
		},
	}
}

func (d *doctor) addCheck(check, status, remedy, format string, args ...any) {
	if status == checkOK {
		remedy = ""
	}
	d.findings = append(d.findings, finding{check, status, fmt.Sprintf(format, args...), remedy})
}

// blame records why a check failed, in the error's words.
func (d *doctor) blame(check, remedy string, err error) {
	message, hint := explain(err)
	if hint != "" {
		remedy = hint
	}
	d.addCheck(check, checkFail, remedy, "%s", message)
}

// report prints the findings; one that fails is an error.
func (d *doctor) report() error {
	count := map[string]int{}
	rows := make([][]string, len(d.findings))
	for i, f := range d.findings {
		count[f.Status]++
		rows[i] = []string{f.Status, f.Check, f.Says}
	}
	err := d.printResult(d.findings, func(p *output.Printer) error {
		p.Format = output.Wide // a truncated remedy helps no user
		if err := p.Table("STATUS CHECK SAYS", rows); err != nil {
			return err
		}
		for _, f := range d.findings {
			if f.Remedy != "" {
				d.printMessage("%s: %s", f.Check, output.Printable(f.Remedy))
			}
		}
		d.printMessage("%d ok, %d to look at, %d failed", count[checkOK], count[checkWarn], count[checkFail])
		return nil
	})
	if err == nil && count[checkFail] > 0 {
		return errShown
	}
	return err
}

func (d *doctor) configuration() {
	s, err := d.tool.settings()
	if err != nil {
		d.blame("settings", "mend the file, or name one with --config", err)
		return
	}
	d.settings = s
	from := "the environment and defaults"
	if s.file != "" {
		from = s.file
	}
	d.addCheck("settings", checkOK, "", "%s: %s, program %s, submits by %s", from, plural.Count(len(s.Endpoints.list), "node"), s.Profile, s.Submit)
	if d.profile, err = thread.ProfileOf(s.Profile); err != nil { // It was looked at with the settings.
		d.blame("settings", "", err)
	}
	if d.nodes, err = openNodes(s, rpc.Hooks{}); err != nil {
		d.blame("settings", "", err)
		d.settings = nil
	}
}

func (d *doctor) keypair() {
	if d.settings == nil {
		return
	}
	key, err := loadKeypair(d.settings.sourceOf("keypair"), d.settings.Keypair)
	if err != nil {
		d.blame("key", "", err)
		return
	}
	d.key = &key
	who := "is for its owner only"
	if runtime.GOOS == "windows" {
		who = "can be read; the rights of its folder decide who else may"
	}
	d.addCheck("key", checkOK, "", "%s %s: the executor is %s", d.settings.Keypair, who, key)
}

// folder checks the data folder, and the ledger in it.
func (d *doctor) folder(ctx context.Context) {
	dir := d.data
	if dir == "" && d.settings != nil {
		dir = d.settings.Data
	}
	if dir == "" {
		return
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.addCheck("data folder", checkWarn, "a node makes it when it starts; where one has worked, name its folder with --data", "%s does not exist", dir)
		return
	case err != nil:
		d.blame("data folder", "run this as the user of the node", err)
		return
	case !info.IsDir():
		d.addCheck("data folder", checkFail, "name another one by data", "%s is no folder", dir)
		return
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0:
		d.addCheck("data folder", checkFail, "run: chmod go-w "+dir, "others on this machine may write in %s", dir)
	default:
		if err := makeFolder("data", dir); err != nil {
			d.blame("data folder", "", err)
		} else {
			d.addCheck("data folder", checkOK, "", "%s can be written", dir)
		}
	}
	if free, total, err := machine.DiskSpace(dir); err == nil && total > 0 {
		status := checkOK
		switch {
		case free < tooLittle:
			status = checkFail
		case free < littleSpace:
			status = checkWarn
		}
		d.addCheck("disk", status, "make room: a node that cannot write executes nothing", "%s of %s are free", humanize.IBytes(free), humanize.IBytes(total))
	}
	d.ledger(ctx, dir)
}

// ledger checks what the node's ledger holds.
func (d *doctor) ledger(ctx context.Context, dir string) {
	if !hasLedger(dir) {
		d.addCheck("ledger", checkOK, "", "there is none yet: a node makes it when it starts")
		return
	}
	t := *d.tool
	t.data = dir
	var stats control.Stats
	err := t.callNode(ctx, func(c *control.Client) (err error) {
		stats, err = c.Stats(ctx)
		return err
	})
	if err != nil {
		d.blame("ledger", "when the disk is broken put a backup in its place", err)
		return
	}
	held := fmt.Sprintf("%d scheduled, %d processing, %d dead", stats.Ledger.Scheduled, stats.Ledger.Processing, stats.Ledger.Dead)
	switch {
	case stats.Ledger.Damaged > 0:
		d.addCheck("ledger", checkWarn, "look at the disk; what was damaged is kept aside, and executed when the chain shows it as due", "%s; %s set aside", held, plural.Count(stats.Ledger.Damaged, "damaged record"))
	case stats.Ledger.Dead > 0:
		d.addCheck("ledger", checkWarn, "see 'orth-solana queue list --place dead', then redrive or purge them", "%s", held)
	default:
		d.addCheck("ledger", checkOK, "", "%s", held)
	}
	switch work := stats.Work; {
	case work == nil:
		d.addCheck("service", checkWarn, "start it with 'orth-solana run'", "it does not run")
	case work.Trouble != nil:
		d.addCheck("service", checkFail, "fund the executor", "nothing is executed: %s", work.Trouble.Reason)
	default:
		d.addCheck("service", checkOK, "", "it runs since %s", d.formatTime(stats.About.Started.Time))
	}
}

// endpoints asks each node by itself.
func (d *doctor) endpoints(ctx context.Context) {
	type answer struct {
		name, version string
		slot          uint64
		took          time.Duration
	}
	var answers []answer
	var newest uint64
	for i := range d.settings.Endpoints.list {
		e := &d.settings.Endpoints.list[i]
		check := "node " + e.hostName()
		alone, err := d.settings.alone(e)
		if err != nil {
			d.blame(check, "mend its address", err)
			continue
		}
		a := answer{name: check}
		within, cancel := context.WithTimeout(ctx, checkFor)
		began := time.Now()
		a.slot, err = alone.Slot(within, rpc.Confirmed)
		a.took = time.Since(began)
		if err == nil {
			a.version, err = alone.Version(within)
		}
		cancel()
		if err != nil {
			d.addCheck(check, checkFail, "look at its address, its key and its limits; other nodes are called in its place", "%v", err)
			continue
		}
		answers, newest = append(answers, a), max(newest, a.slot)
	}
	for _, a := range answers {
		if newest-a.slot > mostLag {
			d.addCheck(a.name, checkWarn, "leave it out until it has caught up", "it is %s behind the newest (version %s)", plural.Count(newest-a.slot, "slot"), a.version)
			continue
		}
		d.addCheck(a.name, checkOK, "", "version %s, slot %d, answers in %v", a.version, a.slot, a.took.Round(time.Millisecond))
	}
}

// chain checks that the nodes are of one chain, and the data folder of the same.
func (d *doctor) chain(ctx context.Context) {
	genesis, err := d.settings.genesis(ctx)
	if err == nil {
		folder := d.data
		if folder == "" {
			folder = d.settings.Data
		}
		err = d.settings.checkChain(folder, genesis)
	}
	switch {
	case err != nil:
		d.blame("chain", "", err)
	case genesis == solana.Hash{}:
		d.addCheck("chain", checkWarn, "repair the nodes first; some never report it", "no node reports its chain")
	default:
		d.addCheck("chain", checkOK, "", "its first block is %s", genesis)
	}
}

// leaders tries to reach the leaders that a transaction would go to.
func (d *doctor) leaders(ctx context.Context) {
	client, err := openLeaders(d.settings, d.nodes, tpu.Hooks{}, slog.New(slog.DiscardHandler))
	if err != nil {
		d.blame("leaders", "", err)
		return
	}
	if client == nil {
		d.addCheck("leaders", checkOK, "", "none is needed: transactions go to nodes alone")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, checkFor)
	defer cancel()
	remedy := "let UDP out to other machines (QUIC), or submit by rpc alone"
	switch asked, reached, err := client.Probe(ctx); {
	case asked == 0 && rpc.IsTransient(err):
		d.addCheck("leaders", checkWarn, "repair the nodes first", "no node reports the leaders: %v", err)
	case asked == 0:
		d.addCheck("leaders", checkWarn, "add a node that reports the leaders and their addresses, or submit by rpc alone", "%v", err)
	case reached > 0 && reached == asked:
		d.addCheck("leaders", checkOK, "", "%d of %d let a connection be made", reached, asked)
	case reached > 0:
		d.addCheck("leaders", checkOK, "", "%d of %d accepted a connection; one of the others failed: %v", reached, asked, err)
	default:
		d.addCheck("leaders", checkWarn, remedy, "none of %d lets a connection be made: %v", asked, err)
	}
}

// program checks the accounts of the thread program, and the clock, which all come in one answer.
func (d *doctor) program(ctx context.Context) {
	config, err := d.profile.ConfigAddress()
	if err != nil {
		d.blame("program", "", err)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, checkFor)
	defer cancel()
	found, _, err := d.nodes.Accounts(ctx, rpc.Confirmed, d.profile.Program, config, clockAddress())
	if err != nil {
		d.addCheck("program", checkFail, "repair the nodes first", "%v", err)
		return
	}
	wrong := "choose nodes of the cluster that you mean, and the profile of its program"
	if found[0] == nil {
		d.addCheck("program", checkFail, wrong, "there is no program %s (profile %s) on this chain", d.profile.Program, d.profile.Name)
	} else {
		d.addCheck("program", checkOK, "", "%s (profile %s)", d.profile.Program, d.profile.Name)
	}
	if found[1] == nil {
		d.addCheck("program's config", checkFail, wrong, "there is none at %s", config)
	} else if c, err := d.profileConfig(found[1]); err != nil {
		d.addCheck("program's config", checkFail, wrong, "%v", err)
	} else if c.Paused {
		d.addCheck("program's config", checkWarn, "wait until its admin lets it go on", "the program is paused for everybody")
	} else {
		d.addCheck("program's config", checkOK, "", "an execution in time pays %s, of which the executor gets %d basis points", lamports(c.Fee), c.ExecutorShare)
	}
	d.clock(found[2])
}

func (d *doctor) profileConfig(a *rpc.Account) (*thread.Config, error) {
	if a.Owner != d.profile.Program {
		return nil, job.Errorf(job.Invalid, "it belongs to %s", a.Owner)
	}
	return thread.DecodeConfig(a.Data)
}

func (d *doctor) clock(a *rpc.Account) {
	if a == nil {
		d.addCheck("clock", checkFail, "choose nodes of a cluster of Solana", "the chain has no clock")
		return
	}
	c, err := thread.DecodeClock(a.Data)
	if err != nil {
		d.blame("clock", "choose nodes of a cluster of Solana", err)
		return
	}
	skew := time.Since(time.Unix(c.Unix, 0)).Round(time.Second)
	if skew.Abs() > mostSkew {
		d.addCheck("clock", checkWarn, "set this machine's clock by NTP; when it is right, the nodes are behind", "the chain's is %v from that of this machine (slot %d, epoch %d)", skew, c.Slot, c.Epoch)
		return
	}
	d.addCheck("clock", checkOK, "", "the chain's is %v from that of this machine (slot %d, epoch %d)", skew, c.Slot, c.Epoch)
}

func (d *doctor) balance(ctx context.Context) {
	if d.key == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, checkFor)
	defer cancel()
	has, err := d.nodes.Balance(ctx, rpc.Confirmed, d.key.Public())
	switch {
	case err != nil:
		d.addCheck("balance", checkFail, "repair the nodes first", "%v", err)
	case has < d.settings.Floor:
		d.addCheck("balance", checkFail, fmt.Sprintf("send SOL to %s, or set a lower floor", d.key), "%s are below the floor of %s: nothing would be executed", lamports(has), lamports(d.settings.Floor))
	case has < 2*d.settings.Floor:
		d.addCheck("balance", checkWarn, fmt.Sprintf("send SOL to %s", d.key), "%s are close to the floor of %s", lamports(has), lamports(d.settings.Floor))
	default:
		d.addCheck("balance", checkOK, "", "%s", lamports(has))
	}
}
