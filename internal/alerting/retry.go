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

// retryDelay returns the delay before the next try. Messages are given up after a time, not
// after a number of tries.
func retryDelay(tries int, random float64) time.Duration {
	policy := retry.Policy{Tries: retry.MaxTries, Initial: 5 * time.Second, Multiplier: 2, Max: 10 * time.Minute, Jitter: 0.2}
	delay, _ := policy.Delay(min(tries, retry.MaxTries), random)
	return delay
}

// afterTry returns the message after a try that ended at now with err.
func afterTry(m Outgoing, err error, now time.Time, giveUp time.Duration) Outgoing {
	m.Tries++
	m.Error, m.LookAt, m.EndedAt = "", time.Time{}, now
	if err == nil {
		m.Status = words.Sent
		return m
	}
	m.Error = job.Clean(err.Error(), maxReason)
	due := now.Add(retryDelay(m.Tries, jitter(m.ID, m.Tries)))
	if final(err) || due.After(m.CreatedAt.Add(giveUp)) {
		m.Status = words.GivenUp
		return m
	}
	m.Status, m.DueAt, m.LookAt, m.EndedAt = words.Pending, due, due, time.Time{}
	return m
}

// final reports whether a retry cannot succeed.
func final(err error) bool {
	return slices.Contains([]job.Kind{job.Invalid, job.Refused, job.Forbidden, job.Unauthorized, job.NotFound}, job.KindOf(err))
}

// jitter returns a number in [0,1) that is the same for the same try, and differs between
// messages.
func jitter(id int64, try int) float64 {
	h := fnv.New64a()
	h.Write([]byte(strconv.FormatInt(id, 10) + "/" + strconv.Itoa(try)))
	return float64(h.Sum64()>>11) / math.Exp2(53)
}
