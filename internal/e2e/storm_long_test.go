//go:build unix && torture

package e2e

import "time"

const stormFor = 30 * time.Second
