//go:build !linux

package process

// confine does nothing: only Linux has umasks and the loss of privileges by thread.
func (a *account) confine() error { return nil }

// tryMask returns what children of another user lack here, in words.
func (a *account) tryMask() (lacks string) {
	if a == nil {
		return ""
	}
	return "children have the executor's umask and may gain privileges by setuid files: only Linux can prevent it"
}
