package cli

import (
	"context"
	"sync"
	"time"

	"github.com/orthd/orth/internal/observe"
	"github.com/orthd/orth/solana/ledger"
)

// sizesEvery is how old the sizes of stores may be: measuring them reads the whole ledger.
const sizesEvery = time.Minute

// storeSizes remembers what the ledger's stores hold.
type storeSizes struct {
	mu   sync.Mutex
	at   time.Time    // guarded by mu
	last ledger.Sizes // guarded by mu
}

// samples are the sizes as figures: those of the last time when they cannot be read, none before the first.
func (s *storeSizes) samples(ctx context.Context, l *ledger.Ledger) (all []observe.Sample) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.at) >= sizesEvery {
		if sizes, err := l.Sizes(ctx); err == nil {
			s.last, s.at = sizes, time.Now()
		}
	}
	if s.at.IsZero() {
		return nil
	}
	for _, store := range []struct {
		name string
		size int64
	}{
		{"scheduled", s.last.Scheduled}, {"processing", s.last.Processing}, {"dead", s.last.Dead}, {"metadata", s.last.Metadata}, {"config", s.last.Config},
	} {
		all = append(all, observe.Sample{
			Name: "store_bytes", Help: "What the records of each store take, as of a minute ago at most.", Labels: [][2]string{{"store", store.name}},
			Value: float64(store.size),
		})
	}
	return all
}
