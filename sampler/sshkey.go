package sampler

import (
	"bytes"
	"context"
	"encoding/pem"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// lockedKey is the file of a key that ssh would have tried but could not, as nobody
// is there to be asked for its passphrase; empty if none is seen. Ssh says nothing of
// it, so its configuration is asked for the files (ssh(1), -G).
func (l *link) lockedKey() string {
	if l.process == nil {
		return ""
	}
	args := slices.Clone(l.process.Args)
	if n := slices.Index(args, "--"); n > 0 {
		args = slices.Insert(args, n, "-G")
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	ssh := exec.CommandContext(ctx, args[0], args[1:]...)
	ssh.WaitDelay, ssh.SysProcAttr = killPatience, ownSession()
	out, _ := ssh.Output()
	for line := range bytes.Lines(out[:min(len(out), mostNoise)]) {
		name, ok := strings.CutPrefix(strings.TrimSpace(string(line)), "identityfile ")
		if ok && isLocked(inHome(name)) {
			return name
		}
	}
	return ""
}

// inHome is a name of which ~ stands for the user's directory.
func inHome(name string) string {
	home, err := os.UserHomeDir()
	if below, ok := strings.CutPrefix(name, "~/"); ok && err == nil {
		return filepath.Join(home, below)
	}
	return name
}

// isLocked says whether a file holds a private key with a passphrase: one that names
// a cipher (PROTOCOL.key of OpenSSH, section 1), or an older one by its head (RFC 1421,
// section 4.6.1.1; RFC 5958, section 3).
func isLocked(name string) bool {
	const most = 64 << 10
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe must not hold us up
	if err != nil {
		return false
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return false
	}
	text, _ := io.ReadAll(io.LimitReader(f, most))
	block, _ := pem.Decode(text)
	switch {
	case block == nil:
		return false
	case block.Type == "OPENSSH PRIVATE KEY":
		return bytes.HasPrefix(block.Bytes, []byte(keyMagic)) && !bytes.HasPrefix(block.Bytes, []byte(keyMagic+"\x00\x00\x00\x04none"))
	}
	return block.Type == "ENCRYPTED PRIVATE KEY" || strings.Contains(block.Headers["Proc-Type"], "ENCRYPTED")
}

// keyMagic begins a key; a string follows, the cipher's name.
const keyMagic = "openssh-key-v1\x00"
