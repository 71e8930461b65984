package route

import (
	"cmp"
	"context"
	"crypto/md5" //nolint:gosec // The ring of the XXL-JOB family is made of MD5; nothing is kept secret by it.
	"encoding/binary"
	"hash/maphash"
	"slices"
	"strconv"
	"sync"
)

const (
	// pointsPerAddress is fixed by the XXL-JOB family: another number would
	// send jobs to other executors than a Java admin does.
	pointsPerAddress = 100
	// maxRings bounds the address lists whose ring is kept. A ring takes 800
	// bytes an address; one that was dropped is built again.
	maxRings = 128
)

// consistent sends a job always to the same address, and moves it only when
// that address goes away or a nearer one comes. Every server, and every Java
// admin of the family, picks the same address from the same list.
type consistent struct {
	seed maphash.Seed

	mu    sync.Mutex
	rings *recent[uint64, *ring] // by hash of the address list; guarded by mu
}

// ring is immutable.
type ring struct {
	addresses []string
	points    []point // sorted by at, each at once
}

// point belongs to addresses[owner].
type point struct {
	at    uint32
	owner int32
}

func newConsistent() *consistent {
	return &consistent{seed: maphash.MakeSeed(), rings: newRecent[uint64, *ring](maxRings)}
}

func (s *consistent) choose(_ context.Context, r Request) (Choice, error) {
	return Choice{Address: s.ringOf(r.Addresses).owner(r.JobID)}, nil
}

// ringOf returns the ring of the list. It is built under the lock: callers that
// meet a new list at once build it once, and the others wait for some
// milliseconds at worst (1,000 addresses).
func (s *consistent) ringOf(addresses []string) *ring {
	var hash maphash.Hash
	hash.SetSeed(s.seed)
	for _, address := range addresses {
		_, _ = hash.WriteString(address) // never fails
		_ = hash.WriteByte(0)
	}
	key := hash.Sum64()

	s.mu.Lock()
	defer s.mu.Unlock()
	if known, found := s.rings.get(key); found && slices.Equal(known.addresses, addresses) {
		return known
	}
	built := newRing(addresses)
	s.rings.put(key, built)
	return built
}

func newRing(addresses []string) *ring {
	points := make([]point, 0, len(addresses)*pointsPerAddress)
	var text []byte
	for owner, address := range addresses {
		for i := range pointsPerAddress {
			text = append(text[:0], "SHARD-"...)
			text = append(text, address...)
			text = append(text, "-NODE-"...)
			text = strconv.AppendInt(text, int64(i), 10)
			points = append(points, point{at: place(text), owner: int32(owner)})
		}
	}
	// Where two points meet, the later address of the list has it.
	slices.SortFunc(points, func(a, b point) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(b.owner, a.owner))
	})
	points = slices.CompactFunc(points, func(a, b point) bool { return a.at == b.at })
	return &ring{addresses: addresses, points: points}
}

// owner returns the address of the first point at or after the job's place,
// round the end of the ring.
func (r *ring) owner(jobID int64) string {
	at := place(strconv.AppendInt(nil, jobID, 10))
	i, _ := slices.BinarySearchFunc(r.points, at, func(p point, at uint32) int { return cmp.Compare(p.at, at) })
	if i == len(r.points) {
		i = 0
	}
	return r.addresses[r.points[i].owner]
}

// place is the first four bytes of the MD5 sum, lowest byte first.
func place(text []byte) uint32 {
	sum := md5.Sum(text) //nolint:gosec // See the import.
	return binary.LittleEndian.Uint32(sum[:4])
}
