package cluster

import (
	"hash/fnv"
	"math/bits"
)

// Mine reports whether this server is the one that does what is to be done for the job with
// an id: of the servers that work each job has one, and keeps it while that works. They learn
// of each other by beats, so that for some seconds two servers, or none, may think that a job
// is theirs. A server that has not heard yet who works, and one that is alone, has all jobs.
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

// weigh is how much a server wants a job: the one that wants it most has it, and a
// server that comes or goes changes nothing between two others.
func weigh(name string, job int64) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	high, low := bits.Mul64(h.Sum64()^uint64(job)*0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93)
	return (high ^ low) * 0x9E3779B97F4A7C15
}
