package sampler

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// Keys as they are made now and as they were, with a passphrase and without.
func TestLockedKeys(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		args []string
		want bool
	}{
		"new": {[]string{"-t", "ed25519", "-N", ""}, false}, "newLocked": {[]string{"-t", "ed25519", "-N", "secret"}, true},
		"pem": {[]string{"-t", "ecdsa", "-m", "PEM", "-N", ""}, false}, "pemLocked": {[]string{"-t", "ecdsa", "-m", "PEM", "-N", "secret"}, true},
		"pkcs8": {[]string{"-t", "ecdsa", "-m", "PKCS8", "-N", ""}, false}, "pkcs8Locked": {[]string{"-t", "ecdsa", "-m", "PKCS8", "-N", "secret"}, true},
	} {
		file := filepath.Join(dir, name)
		if said, err := exec.Command("ssh-keygen", append(c.args, "-q", "-f", file)...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", name, err, said)
		}
		if got := isLocked(file); got != c.want {
			t.Errorf("%s has a passphrase: %v, want %v", name, got, c.want)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "text"), []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pipe", "text", "nosuch", "."} {
		if isLocked(filepath.Join(dir, name)) {
			t.Errorf("%s is taken for a key", name)
		}
	}
}
