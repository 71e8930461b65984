package machine

import (
	"os"
	"strings"
)

// BootID identifies the machine's current boot; empty when it is unknown.
func BootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}
