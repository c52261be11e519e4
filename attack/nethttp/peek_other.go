//go:build !unix

package nethttp

// nothingToRead is not known on this system: a closed connection shows as stale.
func nothingToRead(uintptr) bool { return true }
