package observe

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/svmtest"
	"github.com/orthd/orth/solana/thread"
)

// crowd are threads that are due at a time, as a node lists them.
func crowd(n int, next int64, count uint64) []rpc.Keyed {
	all := make([]rpc.Keyed, n)
	for i := range all {
		binary.LittleEndian.PutUint64(all[i].Key[:], uint64(i)+1)
		t := every(next, count)
		t.ID, t.Name, t.Closing = all[i].Key[:], fmt.Sprintf("thread %d", i), make([]byte, 200)
		t.Authority, t.LastExecutor = all[i].Key, all[i].Key
		all[i].Account = rpc.Account{Lamports: 1, Owner: thread.Newest().Program, Data: svmtest.EncodeThread(&t)}
	}
	return all
}

// A thousand threads become due by one tick: from the tick to each event in the hands of who takes it.
func BenchmarkDue(b *testing.B) {
	o, err := New(Config{Profile: thread.Newest(), Chain: noChain{}})
	if err != nil {
		b.Fatal(err)
	}
	go o.emitEvents(b.Context())
	const threads = 1000
	took := make([]time.Duration, 0, threads)
	slot, unix, count := uint64(1000), int64(100), uint64(0)
	for b.Loop() {
		b.StopTimer()
		slot, unix, count = slot+1, unix+10, count+1
		all := crowd(threads, unix, count)
		o.changeBook(func(book *book) {
			for i := range all {
				book.account(all[i].Key, &all[i].Account, slot)
			}
		})
		for range threads {
			<-o.Events()
		}
		took = took[:0]
		b.StartTimer()
		began := time.Now()
		o.changeBook(func(book *book) { book.applyTick(ClockUpdate{Slot: slot, UnixTimestamp: unix}, began) })
		for len(took) < threads {
			if _, ready := (<-o.Events()).(ThreadReady); ready {
				took = append(took, time.Since(began))
			}
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

// A list of ten thousand threads of which none has changed.
func BenchmarkList(b *testing.B) {
	all := crowd(10_000, 1000, 0)
	book := newBook(thread.Newest(), len(all), 10)
	book.applyList(all, 1)
	for slot := uint64(2); b.Loop(); slot++ {
		book.applyList(all, slot)
	}
}

// BenchmarkMessage is what a state of a thread takes from the connection to the book.
func BenchmarkMessage(b *testing.B) {
	desk := newBook(thread.Newest(), 10, 10)
	text := []byte(threadNotice(1, 1000, key('a'), every(1000, 1)))
	b.SetBytes(int64(len(text)))
	for slot := uint64(1); b.Loop(); slot++ {
		_, n, err := decode(text)
		if err != nil {
			b.Fatal(err)
		}
		k, a, err := n.keyed()
		if err != nil {
			b.Fatal(err)
		}
		desk.account(k, a, slot)
	}
}

// Ten thousand threads take no more than 2 KiB each, whatever it is that they are taken from.
func TestMemory(t *testing.T) {
	const threads, most = 10_000, 2 << 10
	measure := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := measure()
	book := newBook(thread.Newest(), threads, 10)
	book.applyList(crowd(threads, 1000, 0), 1)
	book.applyTick(ClockUpdate{Slot: 1, UnixTimestamp: 1000}, start())
	for event, which := book.nextEvent(start()); event != nil; event, which = book.nextEvent(start()) {
		book.noteReceived(event, which)
	}
	took := measure() - before
	if len(book.threads) != threads || took > threads*most {
		t.Errorf("%d threads take %d KiB", len(book.threads), took>>10)
	}
	t.Logf("%d bytes for each thread", took/threads)
	runtime.KeepAlive(book)
}
