//go:build !unix

package record

import "time"

// usage is one reading of what this process has used; not known on this system.
type usage struct {
	at      time.Time
	cpu     time.Duration
	rssPeak uint64
}

func readUsage() usage { return usage{at: time.Now()} }
