package alerting

import (
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"time"

	words "github.com/orthd/orth/alarm"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// again is how soon a message is tried again. When it is given up is a matter of time
// and not of tries.
func again(tries int, random float64) time.Duration {
	policy := retry.Policy{Tries: retry.MaxTries, Initial: 5 * time.Second, Multiplier: 2, Max: 10 * time.Minute, Jitter: 0.2}
	delay, _ := policy.Delay(min(tries, retry.MaxTries), random)
	return delay
}

// after returns a message as it stands after a try that ended at now with err.
func after(m Outgoing, err error, now time.Time, giveUp time.Duration) Outgoing {
	m.Tries++
	m.Error, m.LookAt, m.EndedAt = "", time.Time{}, now
	if err == nil {
		m.Status = words.Sent
		return m
	}
	m.Error = job.Clean(err.Error(), maxReason)
	due := now.Add(again(m.Tries, dice(m.ID, m.Tries)))
	if final(err) || due.After(m.CreatedAt.Add(giveUp)) {
		m.Status = words.GivenUp
		return m
	}
	m.Status, m.DueAt, m.LookAt, m.EndedAt = words.Pending, due, due, time.Time{}
	return m
}

// final reports whether trying again cannot help.
func final(err error) bool {
	return slices.Contains([]job.Kind{job.Invalid, job.Refused, job.Forbidden, job.Unauthorized, job.NotFound}, job.KindOf(err))
}

// dice returns a number in [0,1) that is the same for the same try, and spreads those
// of many messages.
func dice(id int64, try int) float64 {
	h := fnv.New64a()
	h.Write([]byte(strconv.FormatInt(id, 10) + "/" + strconv.Itoa(try)))
	return float64(h.Sum64()>>11) / math.Exp2(53)
}
