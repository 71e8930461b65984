package sqlstore

// Load is what a Store has to do.
type Load struct {
	// Queued is how many writes wait for a transaction.
	Queued int
	// Reading is how many connections read at this moment, of Readers.
	Reading, Readers int
	// Waited is how often a read has waited for a connection.
	Waited int64
}

// Load returns what the store has to do at this moment. Anybody may call it.
func (s *Store) Load() Load {
	stats := s.config.Read.Stats()
	return Load{Queued: len(s.writer.queue), Reading: stats.InUse, Readers: stats.MaxOpenConnections, Waited: stats.WaitCount}
}
