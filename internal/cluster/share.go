package cluster

import (
	"hash/fnv"
	"math/bits"
)

// Mine reports whether this server owns the job with an id. Of the servers that work, each
// job has one owner, and keeps it while that server works. Servers learn of each other by
// heartbeats, so for some seconds two servers, or none, may own a job. A server that does
// not know yet who works, and one that is alone, owns all jobs.
func (c *Cluster) Mine(job int64) bool {
	others := c.working.Load()
	if others == nil || len(*others) < 2 {
		return true
	}
	owner, best := "", uint64(0)
	for _, name := range *others {
		if weight := weigh(name, job); owner == "" || weight > best {
			owner, best = name, weight
		}
	}
	return owner == c.config.Name
}

// weigh returns the weight of a server for a job: the server with the highest weight owns
// the job (rendezvous hashing). A server that joins or leaves changes nothing between two
// others.
func weigh(name string, job int64) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	high, low := bits.Mul64(h.Sum64()^uint64(job)*0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93)
	return (high ^ low) * 0x9E3779B97F4A7C15
}
