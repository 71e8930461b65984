package service

// clockForTest is the chain's time that the service knows, in unix seconds.
func (s *Service) clockForTest() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.board.clock.Unix
}
