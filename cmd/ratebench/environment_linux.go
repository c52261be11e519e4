package main

import "golang.org/x/sys/unix"

// kernelRelease is the running kernel's release (uname(2)), empty if it cannot be told.
func kernelRelease() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}

// leadsSession says whether this process was set apart from whoever started it (setsid(2)).
func leadsSession() bool {
	session, err := unix.Getsid(0)
	return err == nil && session == unix.Getpid()
}
