//go:build !unix

package attack

// connectionLimit is how many connections may be open; no limit is known here.
func connectionLimit() int { return 1 << 20 }
