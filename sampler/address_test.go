package sampler

import (
	"strings"
	"testing"
)

func TestParseHost(t *testing.T) {
	for text, want := range map[string]string{
		"local":                 "local",
		"ssh://web1":            "web1",
		"ssh://bench@web1:2222": "bench@web1:2222",
		"ssh://[::1]:2222/":     "[::1]:2222",
	} {
		if h, err := ParseHost(text); err != nil || h.String() != want {
			t.Errorf("%s: %q %v, want %q", text, h, err, want)
		}
	}
}

// No secret is repeated, and nothing of a host's name gets anywhere raw.
func TestParseHostRefuses(t *testing.T) {
	for _, text := range []string{
		"", "web1", "http://web1", "ssh://", "ssh://web1:0", "ssh://web1:65536", "ssh://web1/path", "ssh://-oX", "ssh://-x@web1",
		"ssh://u%0ax@web1", "ssh://u%1b@web1", "ssh://me:secret@web1", "ssh://me:secret@web1/path", "sftp://me:secret@web1",
		"me:secret@web1", "//me:secret@web1", "ssh:me:secret@web1", "ssh://me:sec%ret@web1",
	} {
		_, err := ParseHost(text)
		if err == nil {
			t.Errorf("%q is taken", text)
		} else if strings.Contains(err.Error(), "sec") || strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
