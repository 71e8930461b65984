package process

// readNow reads nothing: pipes have no deadlines here, so none is read beyond one.
func readNow(uintptr, []byte) int { return 0 }
