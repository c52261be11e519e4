//go:build !linux

package attack

// localPorts is not known on this system: the range is empty.
func localPorts() (low, high int) { return 1, 0 }
