package email

import "sync"

// maxTaken bounds the remembered mails.
const maxTaken = 1024

// taken remembers which addresses have accepted a mail while others are pending. When it is
// full, it drops the oldest mail.
type taken struct {
	mu    sync.Mutex
	mails map[mailKey]map[string]bool
	order []mailKey // the oldest first
}

type mailKey struct {
	channel int64
	id      string
}

func newTaken() *taken { return &taken{mails: map[mailKey]map[string]bool{}} }

func (t *taken) wasTaken(channel int64, id, address string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.mails[mailKey{channel, id}][address]
}

func (t *taken) remember(channel int64, id string, addresses []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := mailKey{channel, id}
	if t.mails[key] == nil {
		t.mails[key] = map[string]bool{}
		t.order = append(t.order, key)
	}
	for _, address := range addresses {
		t.mails[key][address] = true
	}
	if len(t.order) > maxTaken {
		delete(t.mails, t.order[0])
		t.order = t.order[1:]
	}
}

func (t *taken) forget(channel int64, id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := mailKey{channel, id}
	if t.mails[key] == nil {
		return
	}
	delete(t.mails, key)
	for i, k := range t.order {
		if k == key {
			t.order = append(t.order[:i], t.order[i+1:]...)
			return
		}
	}
}
