package queue

import (
	"fmt"
	"testing"
)

// BenchmarkRemember asks for a key that is not there, remembers it, and forgets the oldest one.
func BenchmarkRemember(b *testing.B) {
	for _, kept := range []int64{100_000, 1_000_000} {
		b.Run(fmt.Sprintf("kept=%d", kept), func(b *testing.B) {
			var r remembered
			for key := range kept {
				r.push(ending{key: key})
			}
			for key := kept; b.Loop(); key++ {
				if r.has(key) {
					b.Fatalf("key %d is remembered", key)
				}
				r.push(ending{key: key})
				r.forget()
			}
		})
	}
}
