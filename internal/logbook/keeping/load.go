package keeping

// Load is what a keeper has to do.
type Load struct {
	// Held is how many logs are copied, Asks how many questions are under way for
	// their lines.
	Held, Asks int
	// Bytes is the text in memory that is not stored yet.
	Bytes int64
}

// Load returns what the keeper has to do at this moment.
func (k *Keeper) Load() Load {
	k.mu.Lock()
	defer k.mu.Unlock()
	return Load{Held: len(k.held), Asks: k.asks, Bytes: k.bytes}
}
