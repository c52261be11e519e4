//go:build !linux

package main

func kernelRelease() string { return "" }

func leadsSession() bool { return false }
