package runner

import "time"

// idlers is the lanes without work, in the order in which they came to be. Each is
// ended after Config.IdleAfter. Runner.mu guards it.
type idlers struct {
	first, last *lane
	count       int
	timer       *time.Timer // of the first; nil when there is none
}

// beginIdle begins the idle time of a lane. mu is held.
func (r *Runner) beginIdle(l *lane) {
	q := &r.idlers
	l.idleSince = time.Now()
	l.before, l.behind = q.last, nil
	if q.last == nil {
		q.first = l
	} else {
		q.last.behind = l
	}
	q.last = l
	q.count++
	if q.timer == nil {
		q.timer = time.AfterFunc(r.config.IdleAfter, r.expire)
	}
}

// endIdle ends a lane's idle time. Runner.mu is held.
func (l *lane) endIdle(r *Runner) {
	if !l.idles() {
		return
	}
	q := &r.idlers
	if l.before == nil {
		q.first = l.behind
	} else {
		l.before.behind = l.behind
	}
	if l.behind == nil {
		q.last = l.before
	} else {
		l.behind.before = l.before
	}
	l.before, l.behind, l.idleSince = nil, nil, time.Time{}
	q.count--
}

// expire ends the lanes whose idle time is over.
func (r *Runner) expire() {
	r.mu.Lock()
	defer r.mu.Unlock()
	q := &r.idlers
	q.timer = nil
	now := time.Now()
	for q.first != nil && !r.stopped {
		if left := r.config.IdleAfter - now.Sub(q.first.idleSince); left > 0 {
			q.timer = time.AfterFunc(left, r.expire)
			return
		}
		r.retire(q.first)
	}
}
