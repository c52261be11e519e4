//go:build !linux

package suite

import (
	"errors"
	"os"
	"os/exec"
)

// Process groups, and their end with this process, are what Linux has. Elsewhere
// suites compare servers that run already.

func apart(*exec.Cmd) {}

func alone(*exec.Cmd) {}

func (r *Running) run(*exec.Cmd) error { return errors.New("servers are started on Linux only") }

func signalGroup(int, bool) {}

func inhabited(int) bool { return false }

type guard struct{}

func startGuard(int, string) (*guard, error) { return nil, nil }

func (g *guard) dismiss() {}

func lockFile(*os.File) error { return nil }

func holder(int) string { return "" }

func heldByOthers(int, int) bool { return false }
