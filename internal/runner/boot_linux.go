package runner

import (
	"os"
	"strings"
)

// bootID names the machine's current boot; empty when that cannot be told.
func bootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}
