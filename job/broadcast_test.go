package job

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestTaskOfAShard(t *testing.T) {
	t.Parallel()
	const home, other = "http://10.0.0.1", "http://10.0.0.2"
	for _, c := range []struct {
		name    string
		shards  int
		overlap Overlap
		address string
		want    Overlap
	}{
		{"alone on its executor", 0, OverlapDiscard, home, OverlapDiscard},
		{"on the executor of another shard", 0, OverlapDiscard, other, OverlapSerial},
		{"covering another shard", 0, OverlapCover, other, OverlapSerial},
		{"more shards than executors", 9, OverlapCover, home, OverlapSerial},
		{"side by side", 9, OverlapConcurrent, other, OverlapConcurrent},
		{"one after the other", 9, OverlapSerial, home, OverlapSerial},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			task := NewTask(&Job{Shards: c.shards, Overlap: c.overlap}, &Run{Shard: Shard{2, 9}, Home: home}, &Attempt{Address: c.address})
			if task.ShardIndex != 2 || task.ShardTotal != 9 || task.Overlap != c.want {
				t.Errorf("shard %d of %d with the overlap %s, want 2 of 9 with %s", task.ShardIndex, task.ShardTotal, task.Overlap, c.want)
			}
		})
	}
	if got := NewTask(&Job{Shards: 9, Overlap: OverlapDiscard}, &Run{}, &Attempt{Address: home}); got.Overlap != OverlapDiscard || got.ShardTotal != 1 {
		t.Errorf("a run that is no shard got %+v", got)
	}
}

func TestShardsFailed(t *testing.T) {
	t.Parallel()
	failed := []Run{
		{ID: 71, Shard: Shard{2, 8}, State: Failed, Message: "boom\n  at line 5"},
		{ID: 74, Shard: Shard{5, 8}, State: TimedOut},
		{ID: 75, Shard: Shard{6, 8}, State: Cancelled, Reason: "wrong day"},
	}
	want := "3 of 8 shards failed: 2 (run 71 failed: boom at line 5), 5 (run 74 timed out), 6 (run 75 cancelled: wrong day)"
	if got := ShardsFailed(failed, 8); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got, want := ShardsFailed(failed[1:2], 1), "the only shard failed: 5 (run 74 timed out)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 60).Draw(t, "shards")
		runs := make([]Run, n)
		for i := range runs {
			runs[i] = Run{ID: int64(i), Shard: Shard{i, n}, State: Failed, Message: rapid.StringN(0, 900, -1).Draw(t, "message")}
		}
		text := ShardsFailed(runs, n)
		if !utf8.ValidString(text) || utf8.RuneCountInString(text) > maxTold*(maxSaid+60)+100 || strings.ContainsAny(text, "\r\n") {
			t.Fatalf("%d shards make %d characters: %q", n, utf8.RuneCountInString(text), text)
		}
		if !strings.HasPrefix(text, fmt.Sprintf("%d of %d shards failed: 0 (run 0 failed", n, n)) {
			t.Fatalf("it begins %.80q", text)
		}
		if n > maxTold && !strings.HasSuffix(text, fmt.Sprintf("and %d more", n-maxTold)) {
			t.Fatalf("%d shards, and it ends %q", n, text[len(text)-20:])
		}
	})
}

func TestShard(t *testing.T) {
	t.Parallel()
	if !(Shard{}).IsZero() || (Shard{0, 1}).IsZero() || (Shard{2, 8}).String() != "2 of 8" {
		t.Error("a shard is not what it says")
	}
	if !(&Attempt{}).Broadcast() || (&Attempt{Address: "http://10.0.0.1"}).Broadcast() {
		t.Error("only an attempt without an executor is that of a broadcast")
	}
}
