package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/solana/rpc"
)

// genesisFor is how long each node may take to report its chain, when a node of ours
// starts.
const genesisFor = 3 * time.Second

// chainName is the file of a data folder that names its ledger's chain, by the hash of the
// chain's first block.
const chainName = "chain"

// alone is a pool of one node of the settings, which is asked once.
func (s *settings) alone(e *endpoint) (*rpc.Pool, error) {
	return rpc.New(rpc.Config{Endpoints: []rpc.Endpoint{{URL: e.URL, Rate: e.Rate, Burst: e.Burst}}, Timeout: s.Timeout, Tries: 1})
}

// genesis asks each node separately for its chain. Nodes of several chains are an error:
// what has landed on one is unknown to the other, and would be executed again. Zero: no
// node reports one.
func (s *settings) genesis(ctx context.Context) (solana.Hash, error) {
	ctx, cancel := context.WithTimeout(ctx, genesisFor)
	defer cancel()
	hashes := make([]solana.Hash, len(s.Endpoints.list))
	var all sync.WaitGroup
	for i := range s.Endpoints.list {
		all.Go(func() {
			if node, err := s.alone(&s.Endpoints.list[i]); err == nil {
				hashes[i], _ = node.Genesis(ctx) // A silent node takes part in no check that would show its chain.
			}
		})
	}
	all.Wait()
	first := -1
	for i, hash := range hashes {
		switch {
		case hash == solana.Hash{}:
		case first < 0:
			first = i
		case hash != hashes[first]:
			return solana.Hash{}, s.wrong("endpoints", "name nodes of one cluster", "%s and %s are nodes of different chains",
				s.Endpoints.list[first].hostName(), s.Endpoints.list[i].hostName())
		}
	}
	if first < 0 {
		return solana.Hash{}, nil
	}
	return hashes[first], nil
}

// checkChain refuses a data folder that was made with another chain: its tasks are of threads with the same addresses, and what has
// been executed there would be taken for done here.
func (s *settings) checkChain(folder string, genesis solana.Hash) error {
	text, err := os.ReadFile(filepath.Join(folder, chainName))
	if errors.Is(err, fs.ErrNotExist) || genesis == (solana.Hash{}) {
		return nil
	}
	if err != nil {
		return s.wrong("data", "run this as the user who owns it", "which chain it is of cannot be read: %v", err)
	}
	if made, err := solana.HashFromBase58(strings.TrimSpace(string(text))); err == nil && made != genesis {
		return s.wrong("data", "name another folder, or nodes of that chain", "%s holds the ledger of another chain, whose first block is %s; that of the nodes is %s", folder, made, genesis)
	}
	return nil
}

// settleChain checks that nodes and data folder are of one chain, and records the chain in
// a new folder. When no node reports one, it is left open.
func (s *settings) settleChain(ctx context.Context) error {
	genesis, err := s.genesis(ctx)
	if err != nil || genesis == (solana.Hash{}) {
		return err
	}
	if err := s.checkChain(s.Data, genesis); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.Data, chainName), []byte(genesis.String()+"\n"), 0o600)
}
